; Volatile vectors of the kernel's own are accessed by their elements, each once and in order.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; count: 8 load volatile i16, ptr addrspace(1) *, align 2
; count: 8 store volatile i16 *, align 2
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr <2 x i16>, ptr addrspace(1) %p, i64 %i
  %v = load volatile <2 x i16>, ptr addrspace(1) %at, align 4
  %w = add <2 x i16> %v, <i16 1, i16 2>
  store volatile <2 x i16> %w, ptr addrspace(1) %at, align 2
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
