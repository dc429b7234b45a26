; A scalable width: the lanes within the work-group are a mask, and the name says times vscale.
; run: run-vecz<width=nxv4;mode=always>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: %within = call <vscale x 4 x i1> @llvm.get.active.lane.mask.nxv4i1.i64(
; check: call <vscale x 4 x float> @llvm.masked.load.nxv4f32.p1(
; check: fadd <vscale x 4 x float>
; check: call void @llvm.masked.store.nxv4f32.p1(
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
