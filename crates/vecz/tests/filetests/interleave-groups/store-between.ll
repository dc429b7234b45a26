; A store between two loads keeps them out of one group: it may write what the second one reads.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; count: 4 load <8 x float>
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr [2 x float], ptr addrspace(1) %x, i64 %i
  %a = load float, ptr addrspace(1) %p, align 4
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %a, ptr addrspace(1) %py, align 4
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %b = load float, ptr addrspace(1) %q, align 4
  store float %b, ptr addrspace(1) %py, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
