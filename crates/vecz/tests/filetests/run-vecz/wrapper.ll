; The wrapper of a vectorized kernel tells of its loops, and the links stay with the kernels.
; run: run-vecz<width=8>,work-item-loops
; label: define spir_func void @__vecz_v8_k.mux-barrier-wrapper(
; not: codeplay_ca_vecz
; module:
; check: @__vecz_v8_k.mux-barrier-wrapper(ptr addrspace(1) %p) #$a !codeplay_ca_wrapper !$loops
; check: !$loops = !{!$main, !$tail}
; check: !$main = !{i32 8, i32 0, i32 0}
; check: !$tail = !{i32 1, i32 0, i32 0}
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %i
  store i32 1, ptr addrspace(1) %a, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare i64 @__mux_get_local_id(i32) #1
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
