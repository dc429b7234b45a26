; A scalar kernel without barriers is called in three nested loops, x innermost; it becomes internal and is to be inlined.
; run: transfer-kernel-metadata,work-item-loops
; label: define internal spir_func void @k(i32 %a) #$k
; label: define spir_func void @k.mux-barrier-wrapper(i32 %a) #$w
; next: entry:
; next: %size.x = call spir_func i64 @__mux_get_local_size(i32 0)
; next: %size.y = call spir_func i64 @__mux_get_local_size(i32 1)
; next: %size.z = call spir_func i64 @__mux_get_local_size(i32 2)
; next: br label %loop.z
; next: loop.z:
; next: %z = phi i64 [ 0, %entry ], [ %$nz, %$dy ]
; next: call spir_func void @__mux_set_local_id(i32 2, i64 %z)
; next: br label %loop.y
; next: loop.y:
; next: %y = phi i64 [ 0, %loop.z ], [ %$ny, %$dx ]
; next: call spir_func void @__mux_set_local_id(i32 1, i64 %y)
; next: br label %loop.x
; next: loop.x:
; next: %x = phi i64 [ 0, %loop.y ], [ %$nx, %loop.x ]
; next: call spir_func void @__mux_set_local_id(i32 0, i64 %x)
; check: call spir_func void @k(i32 %a)
; next: %$nx = add nuw nsw i64 %x, 1
; next: %$c = icmp ult i64 %$nx, %size.x
; next: br i1 %$c, label %loop.x, label %$dx
; next: $dx:
; next: %$ny = add nuw nsw i64 %y, 1
; check: br i1 *, label %loop.y, label %$dy
; next: $dy:
; check: icmp ult i64 *, %size.z
; next: br i1 *, label %loop.z, label %$dz
; next: $dz:
; next: ret void
; module:
; check: attributes #$k = { alwaysinline *"mux-orig-fn"="k"* }
; check: attributes #$w = { *"mux-kernel"="entry-point"* }
; count: 1 "mux-kernel"
define spir_kernel void @k(i32 %a) {
  ret void
}
