; Where gathers are fast, records of 8 bytes at any address are gathered and scattered as words, with a mask, too
; (a region has a second version without).
; run: run-vecz<width=8;mode=always;memory=gathers>
; label: define spir_kernel void @__vecz_v8_k(
; count: 1 call <8 x i64> @llvm.masked.gather.*
; count: 1 call void @llvm.masked.scatter.v8i64.*
; count: 0 load <2 x float>
; label: define spir_kernel void @__vecz_v8_masked(
; count: 2 call <8 x i64> @llvm.masked.gather.*
; count: 2 call void @llvm.masked.scatter.v8i64.*
; count: 0 <8 x float> @llvm.masked.gather.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, ptr addrspace(1) %at) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %pa = getelementptr i32, ptr addrspace(1) %at, i64 %i
  %n = load i32, ptr addrspace(1) %pa, align 4
  %m = sext i32 %n to i64
  %p = getelementptr [2 x float], ptr addrspace(1) %x, i64 %m
  %a = load float, ptr addrspace(1) %p, align 8
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %b = load float, ptr addrspace(1) %q, align 4
  %py = getelementptr [2 x float], ptr addrspace(1) %y, i64 %m
  store float %b, ptr addrspace(1) %py, align 8
  %qy = getelementptr i8, ptr addrspace(1) %py, i64 4
  store float %a, ptr addrspace(1) %qy, align 4
  ret void
}
define spir_kernel void @masked(ptr addrspace(1) %y, ptr addrspace(1) %x, ptr addrspace(1) %at) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %pa = getelementptr i32, ptr addrspace(1) %at, i64 %i
  %n = load i32, ptr addrspace(1) %pa, align 4
  %m = sext i32 %n to i64
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  %p = getelementptr [2 x float], ptr addrspace(1) %x, i64 %m
  %a = load float, ptr addrspace(1) %p, align 8
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %b = load float, ptr addrspace(1) %q, align 4
  %py = getelementptr [2 x float], ptr addrspace(1) %y, i64 %m
  store float %b, ptr addrspace(1) %py, align 8
  %qy = getelementptr i8, ptr addrspace(1) %py, i64 4
  store float %a, ptr addrspace(1) %qy, align 4
  br label %no
no:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
