; A kernel that asks for its global ID alone cannot observe its work-groups.
; run: mark-group-agnostic
; label: define spir_kernel void @k(ptr addrspace(1) %p) #$k
; module:
; check: attributes #$k = { "mux-group-agnostic" "mux-kernel"="entry-point" }
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr i64, ptr addrspace(1) %p, i64 %i
  store i64 %i, ptr addrspace(1) %a, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32)
attributes #0 = { "mux-kernel"="entry-point" }
