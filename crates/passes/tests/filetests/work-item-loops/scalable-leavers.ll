; The number of a work-item's next region is in the fixed part of the struct of live variables, which the scalable members come after
; though the kernel has no other fixed ones.
; run: work-item-loops
; module:
; check: define internal spir_func i32 @v.mux-barrier-region.1(
; check: %$first = mul i64 %vscale, 0
; check: %$at = add i64 %$first, 32
; check: getelementptr inbounds i8, ptr %live_item, i64 %$at
; check: load <vscale x 4 x i64>, ptr
; check: %next.at* = getelementptr inbounds i8, ptr %live.item*, i64 0
; check: "mux-live-mem-usage"="32,0,32,0"
define spir_kernel void @k(ptr addrspace(1) %p) !codeplay_ca_vecz.base !0 {
  %id = call i64 @__mux_get_local_id(i32 0)
  %in = icmp ult i64 %id, 50
  br i1 %in, label %go, label %out
out:
  ret void
go:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @v(ptr addrspace(1) %p) #0 !codeplay_ca_vecz.derived !1 {
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %id
  %w = load <vscale x 4 x i64>, ptr addrspace(1) %at, align 8
  %in = icmp ult i64 %id, 50
  br i1 %in, label %go, label %out
out:
  ret void
go:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store <vscale x 4 x i64> %w, ptr addrspace(1) %at, align 8
  ret void
}
declare i64 @__mux_get_local_id(i32)
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 4, i32 0, i32 1, ptr @v, i32 1}
!1 = !{i32 4, i32 0, i32 1, ptr @k, i32 1}
