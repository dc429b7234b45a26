; Told that there is no rest, the pass makes no loop for it.
; run: work-item-loops<force-no-tail>
; label: define spir_func void @v.mux-barrier-wrapper()
; check: call spir_func void @v()
; not: @k
define spir_kernel void @k() !codeplay_ca_vecz.base !0 {
  ret void
}
define spir_kernel void @v() #0 !codeplay_ca_vecz.derived !1 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 0, i32 0, ptr @v}
!1 = !{i32 8, i32 0, i32 0, ptr @k}
