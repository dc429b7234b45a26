; An internal use in a PHI with two edges from one switch: both edges get one load.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: choose:
; check: %$v = load float, ptr %$s
; next: switch i32 %x,
; check: phi float *[ %$v, %choose ], [ %$v, %choose ]
define spir_kernel void @k(ptr addrspace(1) %p, i32 %x, i1 %c, i1 %wait) {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr float, ptr addrspace(1) %p, i64 %id
  br label %body
body:
  %v = load float, ptr addrspace(1) %at
  br i1 %wait, label %meet, label %choose
meet:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %choose
choose:
  switch i32 %x, label %other [ i32 0, label %join
                                i32 1, label %join ]
other:
  br label %join
join:
  %r = phi float [ %v, %choose ], [ %v, %choose ], [ 0.0, %other ]
  store float %r, ptr addrspace(1) %at
  br i1 %c, label %body, label %exit
exit:
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
