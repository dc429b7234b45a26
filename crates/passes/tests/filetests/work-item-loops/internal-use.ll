; A use that a new definition may come before or not, since the loop has a way past its barrier. It is loaded right before the use,
; where memory holds the newest value.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: body:
; next: %v = load float, ptr addrspace(1) %
; next: %$d = getelementptr inbounds i8, ptr %live_item, i64 0
; next: store float %v, ptr %$d
; check: ret i32 1
; check: use:
; next: %$s = getelementptr inbounds i8, ptr %live_item, i64 0
; next: %$v = load float, ptr %$s
; next: store float %$v, ptr addrspace(1) %
define spir_kernel void @k(ptr addrspace(1) %p, i1 %c, i1 %wait) {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr float, ptr addrspace(1) %p, i64 %id
  br label %body
body:
  %v = load float, ptr addrspace(1) %at
  br i1 %wait, label %meet, label %use
meet:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %use
use:
  store float %v, ptr addrspace(1) %at
  br i1 %c, label %body, label %exit
exit:
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
