; A scalable vector has no fixed size to be kept in.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; error: in function 'k': a value of this type cannot live across a barrier
; error: %v = load <vscale x 4 x i32>, ptr addrspace(1) %p
define spir_kernel void @k(ptr addrspace(1) %p) {
  %v = load <vscale x 4 x i32>, ptr addrspace(1) %p
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store <vscale x 4 x i32> %v, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
