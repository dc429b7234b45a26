; Calls in a region, and those computed again, keep their attributes and metadata.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: %$id = call noundef i64 @__mux_get_local_id(i32 noundef 0), !range !$r
; check: %x = tail call fast float @llvm.sqrt.f32(float %f)
; module:
; check: !$r = !{i64 0, i64 64}
define spir_kernel void @k(ptr addrspace(1) %p, float %f) {
  %id = call noundef i64 @__mux_get_local_id(i32 noundef 0), !range !0
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %x = tail call fast float @llvm.sqrt.f32(float %f)
  store i64 %id, ptr addrspace(1) %p
  ret void
}
!0 = !{i64 0, i64 64}
declare float @llvm.sqrt.f32(float)
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
