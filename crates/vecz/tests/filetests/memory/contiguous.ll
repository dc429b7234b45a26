; Consecutive addresses are one wide access: no gather, and no mask.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: load <8 x float>, ptr addrspace(1) %px, align 4
; check: fmul <8 x float>
; check: store <8 x float>
; count: 0 @llvm.masked.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, float %a) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %px = getelementptr float, ptr addrspace(1) %x, i64 %i
  %vx = load float, ptr addrspace(1) %px, align 4
  %r = fmul float %vx, %a
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %r, ptr addrspace(1) %py, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
