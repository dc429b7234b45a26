; A vector kernel whose scalar kernel a target has dropped runs alone, in steps of its width.
; run: work-item-loops
; label: define spir_func void @v.mux-barrier-wrapper()
; check: call spir_func void @v()
; next: %$next = add nuw nsw i64 %x, 8
; next: icmp ult i64 %$next, %size.x
; module:
; check: !{!$main, !$none}
; check: !$main = !{i32 8, i32 0, i32 0}
define spir_kernel void @v() #0 !codeplay_ca_vecz.derived !0 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 0, i32 0, null}
