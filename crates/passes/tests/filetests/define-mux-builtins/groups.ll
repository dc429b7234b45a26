; Operations over a vector, and over a sub-group of one work-item.
; run: define-mux-builtins
; label: define internal i32 @__mux_vec_group_reduce_add_v4i32(
; check: shufflevector
; check: add <2 x i32>
; check: extractelement
; check: ret i32
; label: define internal <2 x i64> @__mux_vec_group_scan_exclusive_mul_v2i64(
; check: mul <2 x i64>
; check: shufflevector <2 x i64> %2, <2 x i64> <i64 1, i64 1>, <2 x i32> <i32 2, i32 0>
; label: define internal i1 @__mux_vec_group_any_nxv4i1(
; check: @llvm.vector.reduce.or.nxv4i1
; label: define internal i8 @__mux_vec_group_reduce_logical_and_nxv4i8(
; check: icmp ne <vscale x 4 x i8> %0, zeroinitializer
; check: @llvm.vector.reduce.and.nxv4i1
; check: zext i1
; label: define internal <vscale x 4 x i32> @__mux_vec_group_scan_inclusive_add_nxv4i32(
; check: %lanes = mul i64 %1, 4
; check: %$lane = phi i64 [ 0, %entry ]
; check: %$sum = phi i32 [ 0, %entry ], [ %$with, %lane ]
; check: %$own = extractelement <vscale x 4 x i32> %0, i64 %$lane
; check: %$with = add i32 %$sum, %$own
; check: %sums = insertelement <vscale x 4 x i32> %$before, i32 %$with, i64 %$lane
; check: ret <vscale x 4 x i32> %sums
; label: define internal <vscale x 2 x double> @__mux_vec_group_scan_exclusive_fmul_nxv2f64(
; check: %$sum = phi double [ 1.000000e+00, %entry ], [ %$with, %lane ]
; check: %sums = insertelement <vscale x 2 x double> %$before, double %$sum, i64 %$lane
; label: define internal i32 @__mux_vec_group_reduce_mul_nxv4i32(
; check: %$product = phi i32 [ 1, %entry ], [ %$with, %lane ]
; check: %$with = mul i32 %$product, %$own
; check: ret i32 %$with
; label: define internal float @__mux_sub_group_scan_exclusive_fmin_f32(
; check: ret float 0x7FF0000000000000
; label: define internal i8 @__mux_sub_group_shuffle_up_i8(
; check: %here = icmp eq i32 %2, 0
; next: select i1 %here, i8 %1, i8 %0
; label: define internal i64 @__mux_sub_group_broadcast_i64(
; check: ret i64 %0
define spir_kernel void @k(<4 x i32> %v, <2 x i64> %w, <vscale x 4 x i1> %s, <vscale x 4 x i8> %t, <vscale x 4 x i32> %x, <vscale x 2 x double> %y, float %f, i8 %c, i64 %l) {
  call i32 @__mux_vec_group_reduce_add_v4i32(<4 x i32> %v)
  call <2 x i64> @__mux_vec_group_scan_exclusive_mul_v2i64(<2 x i64> %w)
  call i1 @__mux_vec_group_any_nxv4i1(<vscale x 4 x i1> %s)
  call i8 @__mux_vec_group_reduce_logical_and_nxv4i8(<vscale x 4 x i8> %t)
  call <vscale x 4 x i32> @__mux_vec_group_scan_inclusive_add_nxv4i32(<vscale x 4 x i32> %x)
  call <vscale x 2 x double> @__mux_vec_group_scan_exclusive_fmul_nxv2f64(<vscale x 2 x double> %y)
  call i32 @__mux_vec_group_reduce_mul_nxv4i32(<vscale x 4 x i32> %x)
  call float @__mux_sub_group_scan_exclusive_fmin_f32(float %f)
  call i8 @__mux_sub_group_shuffle_up_i8(i8 %c, i8 %c, i32 1)
  call i64 @__mux_sub_group_broadcast_i64(i64 %l, i32 0)
  ret void
}
declare i32 @__mux_vec_group_reduce_add_v4i32(<4 x i32>)
declare <2 x i64> @__mux_vec_group_scan_exclusive_mul_v2i64(<2 x i64>)
declare i1 @__mux_vec_group_any_nxv4i1(<vscale x 4 x i1>)
declare i8 @__mux_vec_group_reduce_logical_and_nxv4i8(<vscale x 4 x i8>)
declare <vscale x 4 x i32> @__mux_vec_group_scan_inclusive_add_nxv4i32(<vscale x 4 x i32>)
declare <vscale x 2 x double> @__mux_vec_group_scan_exclusive_fmul_nxv2f64(<vscale x 2 x double>)
declare i32 @__mux_vec_group_reduce_mul_nxv4i32(<vscale x 4 x i32>)
declare float @__mux_sub_group_scan_exclusive_fmin_f32(float)
declare i8 @__mux_sub_group_shuffle_up_i8(i8, i8, i32)
declare i64 @__mux_sub_group_broadcast_i64(i64, i32)
