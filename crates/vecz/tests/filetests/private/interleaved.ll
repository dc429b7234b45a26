; A private array is interleaved: a uniform index reaches one vector of it, and a fill is written as stores.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: alloca [512 x i8], align 64
; check: load <8 x i32>
; count: 0 *memset*
; count: 0 *gather*
; count: 0 *scatter*
target datalayout = "e-i64:64-n8:16:32:64"
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define spir_kernel void @k(ptr addrspace(1) %y, i64 %n) #0 {
  %a = alloca [16 x i32], align 4
  call void @llvm.memset.p0.i64(ptr %a, i8 1, i64 64, i1 false)
  %i = call i64 @__mux_get_global_id(i32 0)
  %t = trunc i64 %i to i32
  %p = getelementptr [16 x i32], ptr %a, i64 0, i64 %n
  store i32 %t, ptr %p, align 4
  %q = getelementptr i8, ptr %a, i64 12
  %v = load i32, ptr %q, align 4
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %v, ptr addrspace(1) %py, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
