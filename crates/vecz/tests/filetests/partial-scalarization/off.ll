; Without partial scalarization the vectors of a kernel are split: a vector of lanes for each element.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: fmul <4 x float>
; count: 0 fmul <16 x float>
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, float %f) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr <4 x float>, ptr addrspace(1) %y, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %w = fmul <4 x float> %v, %v
  %x = extractelement <4 x float> %w, i32 2
  %a = insertelement <4 x float> %w, float %x, i32 0
  %b = shufflevector <4 x float> %a, <4 x float> %v, <4 x i32> <i32 3, i32 2, i32 5, i32 0>
  %r = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %b)
  store <4 x float> %r, ptr addrspace(1) %p, align 16
  ret void
}
declare <4 x float> @llvm.sqrt.v4f32(<4 x float>)
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
