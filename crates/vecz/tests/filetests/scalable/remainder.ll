; LLVM has no code for a remainder of scalable vectors: it is done in a loop over the lanes.
; run: run-vecz<scalable;register-bytes=16;mode=always>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: %$x = load float, ptr
; check: %$y = frem float %$x, 3.000000e+00
; check: store float %$y, ptr
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr float, ptr addrspace(1) %p, i64 %i
  %x = load float, ptr addrspace(1) %at, align 4
  %y = frem float %x, 3.0
  store float %y, ptr addrspace(1) %at, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
