; Barriers and values in code that cannot be reached make no regions.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; module:
; count: 2 define internal spir_func i32 @k.mux-barrier-region.*(
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: store i32 1
; not: store i32 2
define spir_kernel void @k(ptr addrspace(1) %p) {
entry:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %join
dead:
  %x = load i32, ptr addrspace(1) %p
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %join
join:
  %v = phi i32 [ 1, %entry ], [ %x, %dead ]
  store i32 %v, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
