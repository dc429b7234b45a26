; A scalar kernel's wrapper tells of one loop and no tail.
; run: work-item-loops
; check: define spir_func void @k.mux-barrier-wrapper() #$a !codeplay_ca_wrapper !$loops {
; check: !$loops = !{!$main, !$none}
; check: !$main = !{i32 1, i32 0, i32 0}
; check: !$none = !{}
define spir_kernel void @k() #0 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
