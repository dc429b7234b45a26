; A kernel of at most two dimensions has no loop over z, whose ID is 0.
; run: transfer-kernel-metadata,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper()
; check: call spir_func void @__mux_set_local_id(i32 2, i64 0)
; next: br label %loop.y
; not: loop.z
; check: br label %loop.x
; check: call spir_func void @k()
; not: loop.z
define spir_kernel void @k() !max_work_dim !0 {
  ret void
}
!0 = !{i32 2}
