; Shuffles over the work-group go through one local memory, which has a slot for each work-item there can be.
; run: transfer-kernel-metadata,prepare-sub-groups<degenerate>
; check: @exchange = internal addrspace(3) global [32768 x i8] undef, align 8
; check: @exchange.1 = internal addrspace(3) global [96 x i8] undef, align 4
; label: define spir_kernel void @k(
; check: store i32 %x, ptr addrspace(3) %$own
; next: call spir_func void @__mux_work_group_barrier(
; check: load i32, ptr addrspace(3) %$other
; next: call spir_func void @__mux_work_group_barrier(
; check: store i64 %y, ptr addrspace(3)
; label: define spir_kernel void @known(
define spir_kernel void @k(i32 %x, i64 %y) {
  %a = call i32 @__mux_sub_group_shuffle_i32(i32 %x, i32 0)
  %b = call i64 @__mux_sub_group_shuffle_xor_i64(i64 %y, i32 1)
  ret void
}
define spir_kernel void @known(i32 %x) !reqd_work_group_size !0 {
  %a = call i32 @__mux_sub_group_shuffle_i32(i32 %x, i32 0)
  ret void
}
declare i32 @__mux_sub_group_shuffle_i32(i32, i32)
declare i64 @__mux_sub_group_shuffle_xor_i64(i64, i32)
!0 = !{i32 24, i32 1, i32 1}
