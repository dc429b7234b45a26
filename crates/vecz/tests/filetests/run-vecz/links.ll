; A kernel and its vector version are linked both ways, and the version is the entry point.
; run: run-vecz<width=8>
; label: define spir_kernel void @k(ptr addrspace(1) %p) !codeplay_ca_vecz.base !$base {
; label: define spir_kernel void @__vecz_v8_k(ptr addrspace(1) %p) #$entry !codeplay_ca_vecz.derived !$derived
; check: store <8 x i32>
; module:
; check: attributes #$entry = { *"mux-kernel"="entry-point"* }
; check: !$base = !{i32 8, i32 0, i32 0, ptr @__vecz_v8_k}
; check: !$derived = !{i32 8, i32 0, i32 0, ptr @k}
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
