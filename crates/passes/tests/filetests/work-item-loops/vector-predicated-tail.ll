; A vector kernel with a predicated sister: what the width does not divide is one call of the sister.
; run: work-item-loops
; label: define spir_func void @v.mux-barrier-wrapper()
; check: %limit = sub i64 %size.x, %$over
; check: call spir_func void @v()
; check: add nuw nsw i64 %x, 8
; check: call spir_func void @p()
; check: add nuw nsw i64 %$rest, 8
; not: @k()
define spir_kernel void @k() !codeplay_ca_vecz.base !0 !codeplay_ca_vecz.base !1 {
  ret void
}
define spir_kernel void @v() #0 !codeplay_ca_vecz.derived !2 {
  ret void
}
define spir_kernel void @p() !codeplay_ca_vecz.derived !3 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 0, i32 0, ptr @v}
!1 = !{i32 8, i32 0, i32 1, ptr @p}
!2 = !{i32 8, i32 0, i32 0, ptr @k}
!3 = !{i32 8, i32 0, i32 1, ptr @k}
