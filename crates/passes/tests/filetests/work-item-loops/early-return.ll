; A return before the barrier, another one after it.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: br i1 %c,
; check: ret i32 0
; check: ret i32 1
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; count: 1 ret i32 0
; count: 1 ret
; label: define spir_func void @k.mux-barrier-wrapper(
; check: switch i32 %$n, label %exit [
; next: i32 1, label %region.1
define spir_kernel void @k(ptr addrspace(1) %p, i1 %c) {
entry:
  br i1 %c, label %out, label %go
out:
  ret void
go:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 2, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
