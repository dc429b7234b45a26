; Where gathers are fast, lanes that are strided by a uniform value are gathered, and stored one by one. Bytes have no gather.
; run: run-vecz<width=8;mode=always;memory=gathers>
; label: define spir_kernel void @__vecz_v8_k(
; count: 1 call <8 x i32> @llvm.masked.gather.*
; count: 8 store i32
; count: 0 load i32
; label: define spir_kernel void @__vecz_v8_bytes(
; count: 0 @llvm.masked.gather.*
; count: 8 load i8
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %m = mul i64 %i, %n
  %q = getelementptr i32, ptr addrspace(1) %x, i64 %m
  %v = load i32, ptr addrspace(1) %q, align 4
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %m
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}
define spir_kernel void @bytes(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %m = mul i64 %i, %n
  %q = getelementptr i8, ptr addrspace(1) %x, i64 %m
  %v = load i8, ptr addrspace(1) %q, align 1
  %p = getelementptr i8, ptr addrspace(1) %y, i64 %i
  store i8 %v, ptr addrspace(1) %p, align 1
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
