; The metadata of both kernels has the scalable flag after the function.
; run: run-vecz<width=nxv4;mode=always>
; module:
; check: define spir_kernel void @k(ptr addrspace(1) %p) !codeplay_ca_vecz.base !$base
; check: define spir_kernel void @__vecz_nxv4_vp_k(ptr addrspace(1) %p) #$a !codeplay_ca_vecz.derived !$derived
; check: "mux-work-width"="nxv4"
; check: !$base = !{i32 4, i32 0, i32 1, ptr @__vecz_nxv4_vp_k, i32 1}
; check: !$derived = !{i32 4, i32 0, i32 1, ptr @k, i32 1}
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %i
  store i64 %i, ptr addrspace(1) %at, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
