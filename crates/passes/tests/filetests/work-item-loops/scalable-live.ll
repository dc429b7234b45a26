; The struct of live variables with scalable members: the fixed member first, then the scalable ones, whose offsets are those of
; vectors with a vscale of 1, times vscale. A struct has 32 bytes, to which all members are aligned, and 64 times vscale.
; run: work-item-loops
; module:
; check: define internal spir_func i32 @v.mux-barrier-region.1(
; check: %$first = mul i64 %vscale, 0
; check: %$at = add i64 %$first, 32
; check: getelementptr inbounds i8, ptr %live_item, i64 %$at
; check: load <vscale x 4 x i32>, ptr
; check: %$second = mul i64 %$scale, 32
; check: %$then = add i64 %$second, 32
; check: getelementptr inbounds i8, ptr %live_item, i64 %$then
; check: load <vscale x 4 x i64>, ptr
; check: "mux-live-mem-usage"="32,0,64,0"
define spir_kernel void @k(ptr addrspace(1) %p) !codeplay_ca_vecz.base !0 {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @v(ptr addrspace(1) %p) #0 !codeplay_ca_vecz.derived !1 {
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %id
  %x = load i64, ptr addrspace(1) %at
  %v = load <vscale x 4 x i32>, ptr addrspace(1) %at, align 4
  %w = load <vscale x 4 x i64>, ptr addrspace(1) %at, align 8
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i64 %x, ptr addrspace(1) %at
  store <vscale x 4 x i32> %v, ptr addrspace(1) %at, align 4
  store <vscale x 4 x i64> %w, ptr addrspace(1) %at, align 8
  ret void
}
declare i64 @__mux_get_local_id(i32)
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 4, i32 0, i32 1, ptr @v, i32 1}
!1 = !{i32 4, i32 0, i32 1, ptr @k, i32 1}
