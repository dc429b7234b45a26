; Builtins, casts, address computations and splats of what is at hand are computed again, not kept.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; not: store
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; next: region:
; check: %$id = call i64 @__mux_get_local_id(i32 0)
; next: %$n = trunc i64 %$id to i32
; next: %$at = getelementptr float, ptr addrspace(1) %p, i64 %$id
; next: %$wide = zext i32 %a to i64
; next: %$i = insertelement <4 x i32> poison, i32 %a, i64 0
; next: %$s = shufflevector <4 x i32> %$i, <4 x i32> poison, <4 x i32> zeroinitializer
; next: br
; module:
; check: "mux-live-mem-usage"="0,0"
define spir_kernel void @k(ptr addrspace(1) %p, i32 %a) {
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr float, ptr addrspace(1) %p, i64 %id
  %n = trunc i64 %id to i32
  %wide = zext i32 %a to i64
  %one = insertelement <4 x i32> poison, i32 %a, i64 0
  %splat = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i32 %n, ptr addrspace(1) %at
  store i64 %wide, ptr addrspace(1) %at
  store <4 x i32> %splat, ptr addrspace(1) %at
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
