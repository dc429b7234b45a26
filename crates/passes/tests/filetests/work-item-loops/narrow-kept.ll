; A value made wider from one that is not at hand: the narrow one is kept, also the scalar of a splat.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: %b = load i8
; check: store i8 %b, ptr %$s
; check: %f = load float
; check: store float %f, ptr %$t
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: %$f = load float, ptr
; check: insertelement <8 x float> poison, float %$f, i64 0
; check: shufflevector <8 x float>
; check: %$b = load i8, ptr
; check: sext i8 %$b to i64
; module:
; check: "mux-live-mem-usage"="0,8"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %b = load i8, ptr addrspace(1) %p
  %w = sext i8 %b to i64
  %f = load float, ptr addrspace(1) %p
  %one = insertelement <8 x float> poison, float %f, i64 0
  %splat = shufflevector <8 x float> %one, <8 x float> poison, <8 x i32> zeroinitializer
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store <8 x float> %splat, ptr addrspace(1) %p
  store i64 %w, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
