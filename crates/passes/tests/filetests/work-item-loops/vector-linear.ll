; Lanes in the linear order of the work-group: one loop over all of it, whose index is the local ID along x.
; run: work-item-loops
; label: define spir_func void @v.mux-barrier-wrapper()
; check: %size = mul i64 %$xy, %size.z
; check: call spir_func void @__mux_set_local_id(i32 0, i64 %x)
; check: call spir_func void @v()
; check: icmp ult i64 %$next, %size
; not: loop.y
define spir_kernel void @k() !codeplay_ca_vecz.base !0 {
  ret void
}
define spir_kernel void @v() #0 !codeplay_ca_vecz.derived !1 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 3, i32 1, ptr @v}
!1 = !{i32 8, i32 3, i32 1, ptr @k}
