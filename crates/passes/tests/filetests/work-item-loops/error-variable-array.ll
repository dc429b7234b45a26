; A private array of variable size has no place in the live memory.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; error: in function 'k': a private array of variable size
; error: %a = alloca i32, i32 %n
define spir_kernel void @k(i32 %n) {
  %a = alloca i32, i32 %n
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 0, ptr %a
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
