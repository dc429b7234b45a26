; A PHI whose edge comes from the block after a barrier, with a value from before it: loaded for that edge only.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; next: region:
; check: %$v = load i32, ptr %$s
; next: br label %after.0
; check: after.0:
; next: br label %join
; check: join:
; check: store i32 %$v, ptr addrspace(1) %p
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: %v = load i32, ptr addrspace(1) %p
; next: %$s = getelementptr
; next: store i32 %v, ptr %$s
; check: store i32 0, ptr addrspace(1) %p
; next: ret i32 0
define spir_kernel void @k(ptr addrspace(1) %p, i1 %c) {
entry:
  %v = load i32, ptr addrspace(1) %p
  br i1 %c, label %then, label %join
then:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %v, %then ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
