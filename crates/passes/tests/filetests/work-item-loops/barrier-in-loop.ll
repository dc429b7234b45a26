; A barrier in a loop: the region after it goes round to the same barrier or leaves; the wrapper branches on its result.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; next: region:
; next: br label %after.0
; check: ret i32 1
; check: after.0:
; check: br i1 %more, label %body, label %exit
; check: exit:
; next: ret i32 0
; label: define spir_func void @k.mux-barrier-wrapper(
; check: call spir_func i32 @k.mux-barrier-region.0(
; check: br label %region.1
; check: %$n = call spir_func i32 @k.mux-barrier-region.1(
; check: switch i32 %$n, label %exit [
; next: i32 1, label %region.1
; next: ]
define spir_kernel void @k(ptr addrspace(1) %p) {
entry:
  br label %body
body:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %v = load i32, ptr addrspace(1) %p
  %more = icmp eq i32 %v, 0
  br i1 %more, label %body, label %exit
exit:
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
