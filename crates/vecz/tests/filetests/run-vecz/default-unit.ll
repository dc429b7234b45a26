; Without a description of the machine, registers have 64 bytes: sixteen floats.
; run: run-vecz<mode=always>
; label: define spir_kernel void @__vecz_v16_k(
; check: fadd <16 x float>
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr float, ptr addrspace(1) %p, i64 %i
  %v = load float, ptr addrspace(1) %a, align 4
  %w = fadd float %v, 1.0
  store float %w, ptr addrspace(1) %a, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
