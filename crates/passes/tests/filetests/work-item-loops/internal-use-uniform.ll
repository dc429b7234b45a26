; The same with a uniform value: each work-item reads what it computed itself, not what the one before it did.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: region:
; check: %$now = getelementptr inbounds i8, ptr %live_group, i64 0
; next: %$old = load i32, ptr %$now
; next: %$next = getelementptr inbounds i8, ptr %live_group, i64 4
; next: store i32 %$old, ptr %$next
; check: body:
; next: %v = load i32, ptr addrspace(1) %p
; next: %$d = getelementptr inbounds i8, ptr %live_group, i64 4
; next: store i32 %v, ptr %$d
; check: ret i32 1
; check: use:
; next: %$s = getelementptr inbounds i8, ptr %live_group, i64 4
; next: %$v = load i32, ptr %$s
; next: store i32 %$v, ptr addrspace(1) %
; module:
; check: "mux-live-mem-usage"="0,8"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c, i1 %wait) {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %q, i64 %id
  br label %body
body:
  %v = load i32, ptr addrspace(1) %p
  br i1 %wait, label %meet, label %use
meet:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %use
use:
  store i32 %v, ptr addrspace(1) %at
  br i1 %c, label %body, label %exit
exit:
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
