; The specification's `<vscale x 1 x i32>` is `u5nxv1j`: integers of scalable vectors are unsigned in names.
; run: run-vecz<width=nxv1;mode=always;memory=builtins>
; module:
; check: define internal <vscale x 1 x i32> @__vecz_b_masked_load_u5nxv1jPU3AS1iu5nxv1b(ptr addrspace(1) %0, <vscale x 1 x i1> %1)
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %q, i64 %i
  %n = load i32, ptr addrspace(1) %from, align 4
  %wide = sext i32 %n to i64
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %wide
  %x = load i32, ptr addrspace(1) %at, align 4
  %back = getelementptr float, ptr addrspace(1) %q, i64 %i
  %f = sitofp i32 %x to float
  store float %f, ptr addrspace(1) %back, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
