; Addresses that fall by one element are a wide load from the last lane, and a reversal.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: i64 -28
; check: shufflevector <8 x float> *<8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %r = sub i64 1000, %i
  %p = getelementptr float, ptr addrspace(1) %x, i64 %r
  %a = load float, ptr addrspace(1) %p, align 4
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %a, ptr addrspace(1) %py, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
