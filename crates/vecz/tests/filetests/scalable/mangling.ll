; Internal builtins of scalable vectors: u, the length, nxv, the known multiple, the element; and pointers.
; run: run-vecz<width=nxv4;mode=always;memory=builtins>
; module:
; check: define internal <vscale x 4 x float> @__vecz_b_masked_load_u5nxv4fPU3AS1fu5nxv4b(
; check: define internal <vscale x 4 x double> @__vecz_b_masked_gather_load_u5nxv4du11nxv4PU3AS1du5nxv4b(
; check: define internal void @__vecz_b_masked_scatter_store_u5nxv4du11nxv4PU3AS1du5nxv4b(
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %from = getelementptr float, ptr addrspace(1) %q, i64 %i
  %n = load float, ptr addrspace(1) %from, align 4
  %wide = fptosi float %n to i64
  %at = getelementptr double, ptr addrspace(1) %p, i64 %wide
  %x = load double, ptr addrspace(1) %at, align 8
  %y = fadd double %x, 1.0
  store double %y, ptr addrspace(1) %at, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
