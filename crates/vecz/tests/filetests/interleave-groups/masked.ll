; A masked interleave group is accessed by wide loads and stores only if all lanes are active.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: @llvm.vector.reduce.and.*
; check: load <8 x float>
; label: define spir_kernel void @__vecz_v8_k(
; check: *gather*
; check: *scatter*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %c = icmp ult i64 %i, %n
  br i1 %c, label %yes, label %no
yes:
  %p = getelementptr [2 x float], ptr addrspace(1) %x, i64 %i
  %a = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %b = load float, ptr addrspace(1) %q, align 4
  %py = getelementptr [2 x float], ptr addrspace(1) %y, i64 %i
  store float %b, ptr addrspace(1) %py, align 4
  %qy = getelementptr i8, ptr addrspace(1) %py, i64 4
  store float %a, ptr addrspace(1) %qy, align 4
  br label %no
no:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
