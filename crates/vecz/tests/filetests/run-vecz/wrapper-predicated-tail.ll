; With a known local size that leaves something over, the rest is run by a predicated version.
; run: encode-kernel-metadata<kernel=k;local=100:1:1>,prepare-barriers,run-vecz<width=8>,work-item-loops
; module:
; check: !codeplay_ca_wrapper !$loops
; check: !$loops = !{!$main, !$tail}
; check: !$main = !{i32 8, i32 0, i32 0}
; check: !$tail = !{i32 8, i32 0, i32 1}
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %i
  store i32 1, ptr addrspace(1) %a, align 4
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare i64 @__mux_get_local_id(i32) #1
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
