; A varying index into a constant vector, a table, stops partial scalarization.
; run: run-vecz<width=4;mode=always;partial-scalarization>
; not: @__vecz_v4_k
; check: !"a vector that differs from lane to lane*"
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %n = and i64 %i, 3
  %x = extractelement <4 x i32> <i32 3, i32 1, i32 4, i32 1>, i64 %n
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %x, ptr addrspace(1) %p, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
