; The specification's example, a store of doubles that lie apart: `u6nxv16d`, a pointer to one, and the distance. Its body is a scatter.
; run: run-vecz<width=nxv16;mode=always;memory=builtins;linear>
; module:
; check: define internal void @__vecz_b_interleaved_storeV_u6nxv16dPU3AS1d(<vscale x 16 x double> %0, ptr addrspace(1) %1, i64 %2)
; check: call void @llvm.masked.scatter.nxv16f64.nxv16p1(<vscale x 16 x double> %0,
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_local_linear_id()
  %three = mul i64 %i, 3
  %at = getelementptr double, ptr addrspace(1) %p, i64 %three
  store double 1.0, ptr addrspace(1) %at, align 8
  ret void
}
declare i64 @__mux_get_local_linear_id() #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
