; A kernel that has no scalable form gets vectors of a fixed size; the attempt is in the metadata.
; run: run-vecz<scalable;register-bytes=16;mode=always;partial-scalarization>
; module:
; check: define spir_kernel void @__vecz_v4_k(
; check: !$fail = !{!$how, !"vectors of the kernel's own have no place in scalable ones"}
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr float, ptr addrspace(1) %p, i64 %i
  %x = load float, ptr addrspace(1) %at, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr addrspace(1) %at, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
