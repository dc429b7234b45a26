; What LLVM makes of operations on the bits of a sign becomes those again, in scalable vectors, too.
; run: lower-half
; label: define i16 @scalar(
; check: %$size = and i16 %x, 32767
; next: %$neg = xor i16 %$size, -32768
; not: half
; label: define <vscale x 4 x i16> @scalable(
; check: and <vscale x 4 x i16> %x, shufflevector
; check: %$first = extractelement <vscale x 4 x i16> %$size, i64 0
; not: call
define i16 @scalar(i16 %x) {
  %h = bitcast i16 %x to half
  %size = call half @llvm.fabs.f16(half %h)
  %neg = fneg half %size
  %bits = bitcast half %neg to i16
  ret i16 %bits
}
define <vscale x 4 x i16> @scalable(<vscale x 4 x i16> %x) {
  %h = bitcast <vscale x 4 x i16> %x to <vscale x 4 x half>
  %size = call <vscale x 4 x half> @llvm.fabs.nxv4f16(<vscale x 4 x half> %h)
  %same = shufflevector <vscale x 4 x half> %size, <vscale x 4 x half> poison, <vscale x 4 x i32> zeroinitializer
  %neg = fneg <vscale x 4 x half> %same
  %bits = bitcast <vscale x 4 x half> %neg to <vscale x 4 x i16>
  ret <vscale x 4 x i16> %bits
}
declare half @llvm.fabs.f16(half)
declare <vscale x 4 x half> @llvm.fabs.nxv4f16(<vscale x 4 x half>)
