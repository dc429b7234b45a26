; Addresses that depend on IDs and uniform values alone are tested for being consecutive when the kernel runs.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: br i1 %consecutive
; check: load <8 x float>
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %r = xor i64 %i, %n
  %p = getelementptr float, ptr addrspace(1) %x, i64 %r
  %a = load float, ptr addrspace(1) %p, align 4
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %a, ptr addrspace(1) %py, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
