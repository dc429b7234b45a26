; In linear order a vector goes on from row to row: 3 x 4 x 4 work-items are six calls of eight lanes, though no row has eight.
; run: work-item-loops
; label: define spir_func void @v.mux-barrier-wrapper(ptr addrspace(1) %p)
; module:
; check: "mux-live-mem-usage"="0,48"
define spir_kernel void @k(ptr addrspace(1) %p) !codeplay_ca_vecz.base !0 !reqd_work_group_size !2 {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @v(ptr addrspace(1) %p) #0 !codeplay_ca_vecz.derived !1 !reqd_work_group_size !2 {
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %id
  %x = load i64, ptr addrspace(1) %at
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i64 %x, ptr addrspace(1) %at
  ret void
}
declare i64 @__mux_get_local_id(i32)
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 3, i32 1, ptr @v}
!1 = !{i32 8, i32 3, i32 1, ptr @k}
!2 = !{i32 3, i32 4, i32 4}
