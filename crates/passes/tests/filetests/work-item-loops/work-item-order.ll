; The order of the dimensions, from the innermost loop to the outermost; the linear ID stays that of x, y, z.
; run: transfer-kernel-metadata<order=zxy>,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper()
; check: loop.y.0:
; check: br label %loop.x.0
; check: loop.x.0:
; check: br label %loop.z.0
; check: loop.z.0:
; check: %$a = mul nuw nsw i64 %z, %size.y
; next: %$r = add nuw nsw i64 %$a, %y
; next: %$b = mul nuw nsw i64 %$r, %size.x
; next: %item = add nuw nsw i64 %$b, %x
; check: br i1 *, label %loop.z.0,
; check: br i1 *, label %loop.x.0,
; check: br i1 *, label %loop.y.0,
define spir_kernel void @k() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
