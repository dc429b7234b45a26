; Each register is tested by one instruction; what it has no bits for by those it has for all other classes.
; run: classify-floats
; label: define <32 x i1> @negative(
; count: 2 call <16 x i1> @llvm.x86.avx512.fpclass.ps.512(<16 x float> %$_, i32 64)
; label: define <4 x i1> @normal(
; check: call <4 x i1> @llvm.x86.avx512.fpclass.pd.256(<4 x double> %x, i32 191)
; next: xor <4 x i1>
; label: define <3 x i1> @odd(
; check: @llvm.is.fpclass.v3f32(<3 x float> %x, i32 3)
declare <32 x i1> @llvm.is.fpclass.v32f32(<32 x float>, i32)
declare <4 x i1> @llvm.is.fpclass.v4f64(<4 x double>, i32)
declare <3 x i1> @llvm.is.fpclass.v3f32(<3 x float>, i32)
define <32 x i1> @negative(<32 x float> %x) {
  %c = call <32 x i1> @llvm.is.fpclass.v32f32(<32 x float> %x, i32 24)
  ret <32 x i1> %c
}
define <4 x i1> @normal(<4 x double> %x) {
  %c = call <4 x i1> @llvm.is.fpclass.v4f64(<4 x double> %x, i32 264)
  ret <4 x i1> %c
}
define <3 x i1> @odd(<3 x float> %x) {
  %c = call <3 x i1> @llvm.is.fpclass.v3f32(<3 x float> %x, i32 3)
  ret <3 x i1> %c
}
