; Vectors of four times vscale work-items: the loop steps by that, and a predicated version runs what is left over.
; run: work-item-loops
; label: define spir_func void @v.mux-barrier-wrapper(ptr addrspace(1) %p)
; check: %vscale = call i64 @llvm.vscale.i64()
; check: %lanes = mul i64 %vscale, 4
; check: %limit = sub i64 %size.x, %
; check: call spir_func void @v(ptr addrspace(1) %p)
; check: call spir_func void @p(ptr addrspace(1) %p)
define spir_kernel void @k(ptr addrspace(1) %p) !codeplay_ca_vecz.base !0 !codeplay_ca_vecz.base !1 {
  ret void
}
define spir_kernel void @v(ptr addrspace(1) %p) #0 !codeplay_ca_vecz.derived !2 {
  ret void
}
define spir_kernel void @p(ptr addrspace(1) %p) !codeplay_ca_vecz.derived !3 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 4, i32 0, i32 0, ptr @v, i32 1}
!1 = !{i32 4, i32 0, i32 1, ptr @p, i32 1}
!2 = !{i32 4, i32 0, i32 0, ptr @k, i32 1}
!3 = !{i32 4, i32 0, i32 1, ptr @k, i32 1}
