; Reductions of scalable vectors of halves, which groups make, are those of floats, and constants are vectors of integers.
; run: lower-half
; label: define half @least(
; check: select <vscale x 4 x i1> %m, <vscale x 4 x i16> %x, <vscale x 4 x i16> shufflevector (<vscale x 4 x i16> insertelement (<vscale x 4 x i16> poison, i16 31744,
; check: fmul <vscale x 4 x float> %$small, shufflevector
; check: call float @llvm.vector.reduce.fmin.nxv4f32(<vscale x 4 x float> %$all)
define half @least(<vscale x 4 x i16> %x, <vscale x 4 x i1> %m) {
  %h = bitcast <vscale x 4 x i16> %x to <vscale x 4 x half>
  %all = select <vscale x 4 x i1> %m, <vscale x 4 x half> %h, <vscale x 4 x half> shufflevector (<vscale x 4 x half> insertelement (<vscale x 4 x half> poison, half 0xH7C00, i64 0), <vscale x 4 x half> poison, <vscale x 4 x i32> zeroinitializer)
  %least = call half @llvm.vector.reduce.fmin.nxv4f16(<vscale x 4 x half> %all)
  ret half %least
}
declare half @llvm.vector.reduce.fmin.nxv4f16(<vscale x 4 x half>)
