; Vectors stay whole, those of all lanes side by side.
; run: run-vecz<width=4;mode=always;partial-scalarization>
; label: define spir_kernel void @__vecz_v4_k
; check: load <16 x float>
; check: fadd <16 x float>
; check: store <16 x float>
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr <4 x float>, ptr addrspace(1) %p, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %a, align 16
  %w = fadd <4 x float> %v, <float 1.0, float 2.0, float 3.0, float 4.0>
  store <4 x float> %w, ptr addrspace(1) %a, align 16
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
