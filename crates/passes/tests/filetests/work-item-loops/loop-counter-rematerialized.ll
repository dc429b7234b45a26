; The same where the region that computes the counter anew reads it only to compute another value from it.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; not: live_item
; check: %$s = getelementptr inbounds i8, ptr %live_group, i64 0
; next: %$old = load i32, ptr %$s
; next: %$w = shl i32 %$old, 2
; check: after.0:
; next: store i32 %$w, ptr addrspace(1) %p
; label: define internal spir_func i32 @k.mux-barrier-region.2(
; check: %$i = load i32, ptr %$s
; check: store i32 %$i, ptr addrspace(1) %p
; module:
; check: "mux-live-mem-usage"="0,8"
define spir_kernel void @k(ptr addrspace(1) %p) {
entry:
  br label %header
header:
  %i = phi i32 [ 0, %entry ], [ %j, %tail ]
  %w = shl i32 %i, 2
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 %w, ptr addrspace(1) %p
  br label %tail
tail:
  %j = load i32, ptr addrspace(1) %p
  %more = icmp ult i32 %j, 8
  br i1 %more, label %header, label %exit
exit:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 %i, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
