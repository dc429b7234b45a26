; Vectors along y are not in linear order where the work-group may have several work-items along x.
; run: work-item-loops
; error: in function 'v': work-items run in linear order after a barrier, but the vectors are not along x
define spir_kernel void @v(ptr addrspace(1) %p) #0 !codeplay_ca_vecz.derived !0 {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264) "mux-barrier-schedule"="linear"
  store i32 1, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 1, i32 0, null}
