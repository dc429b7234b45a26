; A PHI that lives across the barrier is stored after all PHIs of its block.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: %a = phi i32
; next: %b = phi i32
; next: %$s = getelementptr
; next: store i32 %b, ptr %$s
; next: %$t = getelementptr
; next: store i32 %a, ptr %$t
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: %$a = load i32
; check: %$b = load i32
; check: %s = add i32 %$a, %$b
define spir_kernel void @k(ptr addrspace(1) %p, i1 %c) {
entry:
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %a = phi i32 [ 0, %entry ], [ 1, %then ]
  %b = phi i32 [ 2, %entry ], [ 3, %then ]
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %s = add i32 %a, %b
  store i32 %s, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
