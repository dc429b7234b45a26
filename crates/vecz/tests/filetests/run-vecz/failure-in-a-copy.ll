; An instruction that is given up in its middle leaves no copy behind that uses the local variable: LLVM crashed on it.
; run: run-vecz<width=4;mode=always>,llvm(globaldce)
; module:
; not: @__vecz_v4_k
; check: !"a value that varies is needed as a scalar: %from = getelementptr i32, ptr addrspace(1) %0, i64 %at"
@k.copied = internal addrspace(3) global [8 x i32] undef, align 4
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr i64, ptr addrspace(1) %p, i64 %i
  %at = load i64, ptr addrspace(1) %a, align 8
  %from = getelementptr i32, ptr addrspace(1) %p, i64 %at
  %e = call spir_func ptr @__mux_dma_read_1D(ptr addrspace(3) @k.copied, ptr addrspace(1) %from, i64 32, ptr null)
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare spir_func ptr @__mux_dma_read_1D(ptr addrspace(3), ptr addrspace(1), i64, ptr) #2
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
attributes #2 = { convergent nounwind }
