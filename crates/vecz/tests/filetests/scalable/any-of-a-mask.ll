; Whether any element of a vector is true is an or of masks: not all backends bear scalable vectors of integers of four bits.
; run: run-vecz<width=nxv4;mode=always>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: or <vscale x 4 x i1>
; check: or <vscale x 4 x i1>
; check: or <vscale x 4 x i1>
; not: <vscale x 4 x i4>
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr <4 x float>, ptr addrspace(1) %p, i64 %i
  %x = load <4 x float>, ptr addrspace(1) %at, align 16
  %some = fcmp ogt <4 x float> %x, zeroinitializer
  %bits = bitcast <4 x i1> %some to i4
  %any = icmp ne i4 %bits, 0
  %y = select i1 %any, float 1.0, float 2.0
  %to = getelementptr float, ptr addrspace(1) %at, i64 0
  store float %y, ptr addrspace(1) %to, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
