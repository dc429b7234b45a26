; What was tried in vain is noted with the reason; the kernel stays the entry point, and nothing is left behind.
; run: run-vecz<width=4>
; label: define spir_kernel void @k(ptr addrspace(1) %p) #$entry !codeplay_ca_vecz.base.fail !$fail
; module:
; not: @__vecz_v4_k
; check: attributes #$entry = { *"mux-kernel"="entry-point"* }
; check: !$fail = !{!$how, !"a private array of variable size: %v = alloca i32, i64 %i, align 4"}
; check: !$how = !{i32 4, i32 0, i32 0}
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %v = alloca i32, i64 %i, align 4
  store i32 1, ptr %v, align 4
  store i32 1, ptr addrspace(1) %a, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare i64 @__mux_get_local_id(i32) #1
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
