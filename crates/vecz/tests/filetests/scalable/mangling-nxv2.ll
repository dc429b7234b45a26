; The specification's `<vscale x 2 x float>` is `u5nxv2f`.
; run: run-vecz<width=nxv2;mode=always;memory=builtins>
; module:
; check: define internal void @__vecz_b_masked_store_u5nxv2fPU3AS1fu5nxv2b(<vscale x 2 x float> %0, ptr addrspace(1) %1, <vscale x 2 x i1> %2)
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
