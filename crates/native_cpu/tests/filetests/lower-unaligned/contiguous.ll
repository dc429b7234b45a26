; Masked loads and stores of elements that are not aligned are done as bytes, with a mask of bytes; those
; that are aligned stay.
; run: lower-unaligned
; label: define void @k(
; check: %$wide = sext <vscale x 4 x i1> %m to <vscale x 4 x i16>
; next: %$each = bitcast <vscale x 4 x i16> %$wide to <vscale x 8 x i8>
; next: %$mask = icmp ne <vscale x 8 x i8> %$each, zeroinitializer
; next: call <vscale x 8 x i8> @llvm.masked.load.nxv8i8.p0(ptr %p, i32 1, <vscale x 8 x i1> %$mask, <vscale x 8 x i8> poison)
; check: bitcast <vscale x 16 x i16> %$loaded to <vscale x 4 x i64>
; next: inttoptr <vscale x 4 x i64> %$number to <vscale x 4 x ptr>
; check: call void @llvm.masked.store.nxv8i8.p0(<vscale x 8 x i8> %$value, ptr %q, i32 1, <vscale x 8 x i1> %$again)
; check: call void @llvm.masked.store.nxv4f16.p0(<vscale x 4 x half> %$halves, ptr %q, i32 2,
define void @k(ptr %p, ptr %q, <vscale x 4 x i1> %m, ptr %r) {
  %v = call <vscale x 4 x half> @llvm.masked.load.nxv4f16.p0(ptr %p, i32 1, <vscale x 4 x i1> %m, <vscale x 4 x half> poison)
  %a = call <vscale x 4 x ptr> @llvm.masked.load.nxv4p0.p0(ptr %r, i32 2, <vscale x 4 x i1> %m, <vscale x 4 x ptr> zeroinitializer)
  call void @llvm.masked.store.nxv4f16.p0(<vscale x 4 x half> %v, ptr %q, i32 1, <vscale x 4 x i1> %m)
  call void @llvm.masked.store.nxv4f16.p0(<vscale x 4 x half> %v, ptr %q, i32 2, <vscale x 4 x i1> %m)
  call void @llvm.masked.scatter.nxv4f16.nxv4p0(<vscale x 4 x half> %v, <vscale x 4 x ptr> %a, i32 2, <vscale x 4 x i1> %m)
  ret void
}
declare <vscale x 4 x half> @llvm.masked.load.nxv4f16.p0(ptr, i32, <vscale x 4 x i1>, <vscale x 4 x half>)
declare <vscale x 4 x ptr> @llvm.masked.load.nxv4p0.p0(ptr, i32, <vscale x 4 x i1>, <vscale x 4 x ptr>)
declare void @llvm.masked.store.nxv4f16.p0(<vscale x 4 x half>, ptr, i32, <vscale x 4 x i1>)
declare void @llvm.masked.scatter.nxv4f16.nxv4p0(<vscale x 4 x half>, <vscale x 4 x ptr>, i32, <vscale x 4 x i1>)
