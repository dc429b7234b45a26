; Work-items that return while others go on to a barrier keep that in their live memory, and are not run after it.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: %next = alloca i32
; check: region.0:
; check: store i32 0, ptr %next
; check: %$n = call spir_func i32 @k.mux-barrier-region.0(
; check: store i32 %$n, ptr %$at
; check: %$left = icmp eq i32 %$n, 0
; check: region.1:
; check: br i1 %$l, label %ran.1, label %run.1
; check: call spir_func i32 @k.mux-barrier-region.1(
define spir_kernel void @k(ptr addrspace(1) %p, i64 %n) {
entry:
  %id = call i64 @__mux_get_global_id(i32 0)
  %in = icmp ult i64 %id, %n
  br i1 %in, label %go, label %out
out:
  ret void
go:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store i32 2, ptr addrspace(1) %at
  ret void
}
declare i64 @__mux_get_global_id(i32)
declare void @__mux_work_group_barrier(i32, i32, i32)
