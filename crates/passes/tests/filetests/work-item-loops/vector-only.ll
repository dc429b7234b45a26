; No tail where the local size is a multiple of the width, where the pass is told so, or where the kernel is predicated.
; run: work-item-loops
; label: define spir_func void @v.mux-barrier-wrapper()
; check: call spir_func void @v()
; not: @k
; label: define spir_func void @p.mux-barrier-wrapper()
; check: call spir_func void @p()
; not: @k
define spir_kernel void @k() !codeplay_ca_vecz.base !0 !codeplay_ca_vecz.base !1 {
  ret void
}
define spir_kernel void @v() #0 !codeplay_ca_vecz.derived !2 !reqd_work_group_size !4 {
  ret void
}
define spir_kernel void @p() #0 !codeplay_ca_vecz.derived !3 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 0, i32 0, ptr @v}
!1 = !{i32 8, i32 0, i32 1, ptr @p}
!2 = !{i32 8, i32 0, i32 0, ptr @k}
!3 = !{i32 8, i32 0, i32 1, ptr @k}
!4 = !{i32 24, i32 1, i32 1}
