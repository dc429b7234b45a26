; The size of a sub-group is that of a vector, which is known at run time; operations are over its lanes.
; run: run-vecz<scalable;register-bytes=16>
; label: define spir_kernel void @__vecz_nxv4_k(
; check: call spir_func i32 @__mux_vec_group_reduce_add_nxv4i32(<vscale x 4 x i32>
; check: %vscale = call i32 @llvm.vscale.i32()
; check: %lanes = mul i32 %vscale, 4
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p) #0 !max_work_dim !0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %x = load i32, ptr addrspace(1) %at, align 4
  %sum = call i32 @__mux_sub_group_reduce_add_i32(i32 %x)
  %size = call i32 @__mux_get_sub_group_size()
  %y = add i32 %sum, %size
  store i32 %y, ptr addrspace(1) %at, align 4
  ret void
}
declare i32 @__mux_sub_group_reduce_add_i32(i32)
declare i32 @__mux_get_sub_group_size()
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
!0 = !{i32 1}
