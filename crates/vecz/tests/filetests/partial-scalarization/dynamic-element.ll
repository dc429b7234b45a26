; An element whose index is not constant cannot be taken from vectors that stay whole.
; run: run-vecz<width=4;mode=always;partial-scalarization>
; not: @__vecz_v4_k
; check: !"a vector that differs from lane to lane*"
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, i32 %n) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr <4 x float>, ptr addrspace(1) %y, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %x = extractelement <4 x float> %v, i32 %n
  store float %x, ptr addrspace(1) %p, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
