; Contiguous records of three fields are taken apart by SVE's segment accesses.
; run: run-vecz<width=nxv4;mode=always;memory=sve>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: = call { <vscale x 4 x float>, <vscale x 4 x float>, <vscale x 4 x float> } @llvm.aarch64.sve.ld3.sret.nxv4f32(<vscale x 4 x i1> %
; check: call void @llvm.aarch64.sve.st3.nxv4f32(
; not: gather
; not: scatter
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = mul i64 %i, 3
  %x = getelementptr float, ptr addrspace(1) %p, i64 %at
  %y = getelementptr i8, ptr addrspace(1) %x, i64 4
  %z = getelementptr i8, ptr addrspace(1) %x, i64 8
  %a = load float, ptr addrspace(1) %x, align 4
  %b = load float, ptr addrspace(1) %y, align 4
  %c = load float, ptr addrspace(1) %z, align 4
  store float %c, ptr addrspace(1) %x, align 4
  store float %a, ptr addrspace(1) %y, align 4
  store float %b, ptr addrspace(1) %z, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
