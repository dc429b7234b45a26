; Bytes of one word are loaded as the word, and shifted out of it.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: load <8 x i32>
; check: lshr <8 x i32>
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr [4 x i8], ptr addrspace(1) %x, i64 %i
  %a = load i8, ptr addrspace(1) %p, align 1
  %q = getelementptr i8, ptr addrspace(1) %p, i64 3
  %b = load i8, ptr addrspace(1) %q, align 1
  %s = add i8 %a, %b
  %py = getelementptr i8, ptr addrspace(1) %y, i64 %i
  store i8 %s, ptr addrspace(1) %py, align 1
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
