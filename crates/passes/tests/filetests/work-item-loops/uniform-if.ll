; A barrier on one side of a branch: region 0 ends there or at the end of the kernel.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: br i1 %c, label %$then, label %$join
; check: ret i32 1
; check: store i32 2
; next: ret i32 0
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: store i32 1
; check: store i32 2
; next: ret i32 0
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.0:
; check: %$n = call spir_func i32 @k.mux-barrier-region.0(
; check: switch i32 %$n, label %exit [
; next: i32 1, label %region.1
; check: call spir_func i32 @k.mux-barrier-region.1(
; check: br label %exit
define spir_kernel void @k(ptr addrspace(1) %p, i1 %c) {
entry:
  br i1 %c, label %then, label %join
then:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 1, ptr addrspace(1) %p
  br label %join
join:
  store i32 2, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
