; A saved stack pointer means nothing in the next region.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; error: in function 'k': the stack pointer cannot live across a barrier
; error: %s = call ptr @llvm.stacksave.p0()
define spir_kernel void @k() {
  %s = call ptr @llvm.stacksave.p0()
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  call void @llvm.stackrestore.p0(ptr %s)
  ret void
}
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare void @__mux_work_group_barrier(i32, i32, i32)
