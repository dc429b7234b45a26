; The bound is the counter of a loop with barriers, kept for the work-group: what it was is loaded before the loops. After
; the last round all have something to do, under a condition that is the same for all.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.2:
; check: store i32
; next: %$now = getelementptr inbounds i8, ptr %live.group, i64 0
; next: %$d = load i32, ptr %$now
; next: %half = lshr i32 %$d, 1
; next: %more = icmp ne i32 %half, 0
; next: %$c = freeze i1 %more
; next: select i1 %$c, i64 1099511627776, i64 0
; next: select i1 %$c, i64 0, i64 %size.x
; check: freeze i32 %half
; check: loop.x.2:
; check: call spir_func i32 @k.mux-barrier-region.2(
define spir_kernel void @k(ptr addrspace(3) %s, ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %x = trunc i64 %id to i32
  %at = getelementptr i32, ptr addrspace(3) %s, i64 %id
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %round
round:
  %d = phi i32 [ %n, %entry ], [ %half, %next ]
  %some = icmp ult i32 %x, %d
  br i1 %some, label %take, label %next
take:
  %there = getelementptr i32, ptr addrspace(3) %at, i32 %d
  %v = load i32, ptr addrspace(3) %there
  store i32 %v, ptr addrspace(3) %at
  br label %next
next:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %half = lshr i32 %d, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %round, label %exit
exit:
  %sum = load i32, ptr addrspace(3) %s
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %sum, ptr addrspace(1) %to
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
