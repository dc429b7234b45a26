; A global ID cut to 32 bits, as `int` (InstCombine makes it shifts) and as `uint`, is still consecutive.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_int(
; check: store <8 x float>
; count: 0 @llvm.masked.*
; label: define spir_kernel void @__vecz_v8_uint(
; check: store <8 x float>
; count: 0 @llvm.masked.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @int(ptr addrspace(1) %y) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %s = shl i64 %i, 32
  %n = ashr exact i64 %s, 32
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}
define spir_kernel void @uint(ptr addrspace(1) %y) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %n = and i64 %i, 4294967295
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
