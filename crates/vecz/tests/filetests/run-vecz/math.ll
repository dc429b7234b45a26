; Mathematics of a varying value is that of a vector, which the target defines; of a uniform one it stays that of a scalar. Each
; element of a vector that the kernel has is a lane's.
; run: run-vecz<width=16;mode=always>
; label: define spir_kernel void @__vecz_v16_k(
; check: %u = call spir_func float @__mux_exponent_f(float %x)
; check: = call spir_func <16 x float> @__mux_scale_Dv16_f(<16 x float> %$v, <16 x float> %$n)
; check: = call spir_func <16 x float> @__mux_mantissa_Dv16_f(
; check: = call spir_func <16 x float> @__mux_mantissa_Dv16_f(
; not: __mux_mantissa_Dv2_f
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, float %x) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr float, ptr addrspace(1) %p, i64 %i
  %v = load float, ptr addrspace(1) %a, align 4
  %u = call spir_func float @__mux_exponent_f(float %x)
  %s = call spir_func float @__mux_scale_f(float %v, float %u)
  store float %s, ptr addrspace(1) %a, align 4
  %b = getelementptr <2 x float>, ptr addrspace(1) %q, i64 %i
  %w = load <2 x float>, ptr addrspace(1) %b, align 8
  %m = call spir_func <2 x float> @__mux_mantissa_Dv2_f(<2 x float> %w)
  store <2 x float> %m, ptr addrspace(1) %b, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare spir_func float @__mux_exponent_f(float) #1
declare spir_func float @__mux_scale_f(float, float) #1
declare spir_func <2 x float> @__mux_mantissa_Dv2_f(<2 x float>) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
