; A primitive of the library's mathematics has an overload for scalable vectors.
; run: run-vecz<width=nxv4;mode=always>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: = call spir_func <vscale x 4 x float> @__mux_exponent_u5nxv4f(<vscale x 4 x float> %
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr float, ptr addrspace(1) %p, i64 %i
  %x = load float, ptr addrspace(1) %at, align 4
  %y = call float @__mux_exponent_f(float %x)
  store float %y, ptr addrspace(1) %at, align 4
  ret void
}
declare float @__mux_exponent_f(float)
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
