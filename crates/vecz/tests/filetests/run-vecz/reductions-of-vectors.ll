; Any and all elements of a vector of the kernel's own, and LLVM's other reductions of integers, are operations on the elements.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: or <4 x i32>
; check: or <4 x i32>
; check: call <4 x i32> @llvm.umax.v4i32(
; not: reduce
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr <4 x i32>, ptr addrspace(1) %p, i64 %i
  %v = load <4 x i32>, ptr addrspace(1) %at, align 16
  %any = call i32 @llvm.vector.reduce.or.v4i32(<4 x i32> %v)
  %most = call i32 @llvm.vector.reduce.umax.v4i32(<4 x i32> %v)
  %sum = add i32 %any, %most
  store i32 %sum, ptr addrspace(1) %at, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare i32 @llvm.vector.reduce.or.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.umax.v4i32(<4 x i32>)
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
