; Accesses of two sizes keep a private array in one piece for each lane.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: alloca [512 x i8], align 4
; count: 8 store i64
; count: 0 load <8 x i32>
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, i64 %n) #0 {
  %a = alloca [16 x i32], align 4
  %i = call i64 @__mux_get_global_id(i32 0)
  store i64 %i, ptr %a, align 4
  %p = getelementptr i32, ptr %a, i64 %n
  %v = load i32, ptr %p, align 4
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %v, ptr addrspace(1) %py, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
