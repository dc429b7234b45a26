; A gather of elements that are not aligned gathers their parts, and a scatter scatters them.
; run: lower-unaligned
; label: define void @k(
; check: %$low = call <vscale x 2 x i32> @llvm.masked.gather.nxv2i32.nxv2p0(<vscale x 2 x ptr> %$first, i32 4, <vscale x 2 x i1> %m, <vscale x 2 x i32> zeroinitializer)
; check: getelementptr i8, <vscale x 2 x ptr> %p, i64 4
; next: %$high = call <vscale x 2 x i32> @llvm.masked.gather.nxv2i32.nxv2p0(
; check: or <vscale x 2 x i64>
; next: %$number = bitcast <vscale x 2 x i64> %$all to <vscale x 2 x double>
; next: select <vscale x 2 x i1> %m, <vscale x 2 x double> %$number, <vscale x 2 x double> %old
; count: 2 call void @llvm.masked.scatter.nxv2i32.nxv2p0(
; not: masked.gather.nxv2f64
; not: masked.scatter.nxv2f64
define void @k(<vscale x 2 x ptr> %p, <vscale x 2 x i1> %m, <vscale x 2 x double> %old) {
  %x = call <vscale x 2 x double> @llvm.masked.gather.nxv2f64.nxv2p0(<vscale x 2 x ptr> %p, i32 4, <vscale x 2 x i1> %m, <vscale x 2 x double> %old)
  call void @llvm.masked.scatter.nxv2f64.nxv2p0(<vscale x 2 x double> %x, <vscale x 2 x ptr> %p, i32 4, <vscale x 2 x i1> %m)
  ret void
}
declare <vscale x 2 x double> @llvm.masked.gather.nxv2f64.nxv2p0(<vscale x 2 x ptr>, i32, <vscale x 2 x i1>, <vscale x 2 x double>)
declare void @llvm.masked.scatter.nxv2f64.nxv2p0(<vscale x 2 x double>, <vscale x 2 x ptr>, i32, <vscale x 2 x i1>)
