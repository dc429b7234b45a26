; What runs once for the work-group has no vector code.
; run: work-item-loops
; error: in function 'v': what follows a barrier runs once for the work-group: there can be no vector code
define spir_kernel void @v(ptr addrspace(1) %p) #0 !codeplay_ca_vecz.derived !0 {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264) "mux-barrier-schedule"="once"
  store i32 1, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
!0 = !{i32 8, i32 0, i32 0, null}
