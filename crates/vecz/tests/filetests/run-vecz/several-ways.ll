; Ways are tried in turn: the one that fails is noted on the kernel only, the one that works is linked.
; run: run-vecz<width=8:4;kernel=k;no-double-support>
; label: define spir_kernel void @k(ptr addrspace(1) %p) #$a *!codeplay_ca_vecz.base.fail !$wide !codeplay_ca_vecz.base.fail !$narrow
; module:
; not: __vecz
; check: !{!$a, !"the target has no vectors of doubles: store double 1.000000e+00, ptr addrspace(1) %a, align 8"}
; check: !$a = !{i32 8, i32 0, i32 0}
; check: !{i32 4, i32 0, i32 0}
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr double, ptr addrspace(1) %p, i64 %i
  store double 1.0, ptr addrspace(1) %a, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare i64 @__mux_get_local_id(i32) #1
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
