; A vector kernel along y: y is innermost, and the kernel it was made from runs the rest one by one.
; run: work-item-loops
; label: define spir_func void @v.mux-barrier-wrapper()
; check: %limit = sub i64 %size.y, %$over
; check: call spir_func void @v()
; check: add nuw nsw i64 %y, 8
; check: call spir_func void @k()
; check: add nuw nsw i64 %$rest, 1
define spir_kernel void @k() !codeplay_ca_vecz.base !0 {
  ret void
}
define spir_kernel void @v() #0 !codeplay_ca_vecz.derived !1 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 1, i32 0, ptr @v}
!1 = !{i32 8, i32 1, i32 0, ptr @k}
