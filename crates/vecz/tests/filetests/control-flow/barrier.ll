; A barrier is reached once for all lanes.
; run: run-vecz<width=16;mode=always>
; label: define spir_kernel void @__vecz_v16_k(
; check: store <16 x i32>
; next: call void @__mux_work_group_barrier(i32 0
; next: store <16 x i32>
; count: 1 @__mux_work_group_barrier
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(3) %l) #0 {
  %i = call i64 @__mux_get_local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(3) %l, i64 %i
  store i32 1, ptr addrspace(3) %p, align 4
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 2, ptr addrspace(3) %p, align 4
  ret void
}
declare i64 @__mux_get_local_id(i32) #1
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
