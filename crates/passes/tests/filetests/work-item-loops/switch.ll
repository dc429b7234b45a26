; Barriers in the cases of a switch: three ways out of region 0.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: switch i32 %x,
; label: define spir_func void @k.mux-barrier-wrapper(
; check: %$n = call spir_func i32 @k.mux-barrier-region.0(
; check: switch i32 %$n, label %exit [
; next: i32 1, label %region.1
; next: i32 2, label %region.2
; next: ]
define spir_kernel void @k(ptr addrspace(1) %p, i32 %x) {
entry:
  switch i32 %x, label %join [ i32 0, label %a
                               i32 1, label %b
                               i32 2, label %b ]
a:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %join
b:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ 1, %a ], [ 2, %b ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
