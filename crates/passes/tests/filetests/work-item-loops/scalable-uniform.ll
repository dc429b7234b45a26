; A uniform value of a scalable type that a region both loads and stores: its two slots are in the scalable part of the group's struct.
; run: work-item-loops
; label: define spir_func void @v.mux-barrier-wrapper(
; check: region.1:
; check: %$now = mul i64 %$scale, 0
; next: %$from = add i64 %$now, 0
; next: getelementptr inbounds i8, ptr %live.group*, i64 %$from
; next: load <vscale x 4 x i32>, ptr
; check: %$next = mul i64 %$again, 16
; next: %$to = add i64 %$next, 0
; next: getelementptr inbounds i8, ptr %live.group*, i64 %$to
; next: store <vscale x 4 x i32>
define spir_kernel void @k(ptr addrspace(1) %p, i1 %c, i1 %wait) !codeplay_ca_vecz.base !0 {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @v(ptr addrspace(1) %p, i1 %c, i1 %wait) #0 !codeplay_ca_vecz.derived !1 {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %id
  br label %body
body:
  %v = load <vscale x 4 x i32>, ptr addrspace(1) %p, align 4
  br i1 %wait, label %meet, label %use
meet:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %use
use:
  store <vscale x 4 x i32> %v, ptr addrspace(1) %at, align 4
  br i1 %c, label %body, label %exit
exit:
  ret void
}
declare i64 @__mux_get_local_id(i32)
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 4, i32 0, i32 1, ptr @v, i32 1}
!1 = !{i32 4, i32 0, i32 1, ptr @k, i32 1}
