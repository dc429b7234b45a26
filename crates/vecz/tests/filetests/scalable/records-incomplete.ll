; A record that is not read whole is read so if its alignment says that all of it is in one page: %p, and not %q.
; run: run-vecz<width=nxv4;mode=always;memory=sve>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: @llvm.aarch64.sve.ld4.sret.nxv4f32(
; check: call <vscale x 4 x float> @llvm.masked.gather.nxv4f32.nxv4p1(
; check: call <vscale x 4 x float> @llvm.masked.gather.nxv4f32.nxv4p1(
; check: call void @llvm.masked.store.nxv4f32.p1(
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = mul i64 %i, 4
  %x = getelementptr float, ptr addrspace(1) %p, i64 %at
  %z = getelementptr i8, ptr addrspace(1) %x, i64 8
  %a = load float, ptr addrspace(1) %x, align 16
  %b = load float, ptr addrspace(1) %z, align 8
  %u = getelementptr float, ptr addrspace(1) %q, i64 %at
  %w = getelementptr i8, ptr addrspace(1) %u, i64 8
  %c = load float, ptr addrspace(1) %u, align 4
  %d = load float, ptr addrspace(1) %w, align 4
  %e = fadd float %a, %b
  %f = fadd float %c, %d
  %g = fadd float %e, %f
  %to = getelementptr float, ptr addrspace(1) %r, i64 %i
  store float %g, ptr addrspace(1) %to, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
