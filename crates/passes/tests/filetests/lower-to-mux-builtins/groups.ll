; Collective functions become group builtins: truth values as i1, minima by the sign of the type, vectors element by element.
; run: lower-to-mux-builtins
; label: define spir_kernel void @k(
; check: %sum = call spir_func i32 @__mux_work_group_reduce_add_i32(i32 0, i32 %x)
; check: icmp ne i32 %x, 0
; next: call spir_func i1 @__mux_work_group_any_i1(i32 0, i1
; next: zext i1
; check: call spir_func i32 @__mux_sub_group_scan_exclusive_umin_i32(i32 %x)
; check: call spir_func float @__mux_sub_group_reduce_fmax_f32(float %f)
; check: call spir_func i32 @__mux_sub_group_reduce_xor_i32(i32 %x)
; check: call spir_func i1 @__mux_sub_group_reduce_logical_or_i1(i1
; check: call spir_func i32 @__mux_work_group_broadcast_i32(i32 0, i32 %x, i64 3, i64 0, i64 0)
; check: call spir_func i8 @__mux_sub_group_broadcast_i8(
; check: call spir_func i8 @__mux_sub_group_broadcast_i8(
; check: call spir_func i32 @__mux_sub_group_shuffle_up_i32(i32 %x, i32 %x, i32 1)
; check: call spir_func i32 @__mux_sub_group_shuffle_down_i32(i32 %x, i32 %sum, i32 1)
; check: call spir_func void @__mux_sub_group_barrier(i32 0, i32 3,
; check: call spir_func i32 @__mux_get_sub_group_local_id()
define spir_kernel void @k(i32 %x, float %f, <2 x i8> %v) {
  %sum = call spir_func i32 @_Z21work_group_reduce_addi(i32 %x)
  %any = call spir_func i32 @_Z14work_group_anyi(i32 %x)
  %scan = call spir_func i32 @_Z28sub_group_scan_exclusive_minj(i32 %x)
  %max = call spir_func float @_Z20sub_group_reduce_maxf(float %f)
  %xor = call spir_func i32 @_Z32sub_group_non_uniform_reduce_xori(i32 %x)
  %or = call spir_func i32 @_Z39sub_group_non_uniform_reduce_logical_ori(i32 %x)
  %one = call spir_func i32 @_Z20work_group_broadcastim(i32 %x, i64 3)
  %two = call spir_func <2 x i8> @_Z19sub_group_broadcastDv2_cj(<2 x i8> %v, i32 1)
  %up = call spir_func i32 @_Z20sub_group_shuffle_upij(i32 %x, i32 1)
  %down = call spir_func i32 @_Z28intel_sub_group_shuffle_downiij(i32 %x, i32 %sum, i32 1)
  call spir_func void @_Z17sub_group_barrierj(i32 1)
  %lid = call spir_func i32 @_Z22get_sub_group_local_idv()
  ret void
}
declare spir_func i32 @_Z21work_group_reduce_addi(i32)
declare spir_func i32 @_Z14work_group_anyi(i32)
declare spir_func i32 @_Z28sub_group_scan_exclusive_minj(i32)
declare spir_func float @_Z20sub_group_reduce_maxf(float)
declare spir_func i32 @_Z32sub_group_non_uniform_reduce_xori(i32)
declare spir_func i32 @_Z39sub_group_non_uniform_reduce_logical_ori(i32)
declare spir_func i32 @_Z20work_group_broadcastim(i32, i64)
declare spir_func <2 x i8> @_Z19sub_group_broadcastDv2_cj(<2 x i8>, i32)
declare spir_func i32 @_Z20sub_group_shuffle_upij(i32, i32)
declare spir_func i32 @_Z28intel_sub_group_shuffle_downiij(i32, i32, i32)
declare spir_func void @_Z17sub_group_barrierj(i32)
declare spir_func i32 @_Z22get_sub_group_local_idv()
