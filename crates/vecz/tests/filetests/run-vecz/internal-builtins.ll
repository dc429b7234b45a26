; With memory=builtins accesses are functions with names of their own. One that the module declares is the target's, the others get bodies.
; run: run-vecz<width=16;mode=always;memory=builtins>
; label: define spir_kernel void @__vecz_v16_k(
; check: = call <16 x double> @__vecz_b_interleaved_loadV_Dv16_dPU3AS1d(ptr addrspace(1) %$p, i64 72)
; check: call void @__vecz_b_interleaved_storeV_Dv16_dPU3AS1d(<16 x double> %$v, ptr addrspace(1) %$q, i64 40)
; check: = call <16 x float> @__vecz_b_gather_load_Dv16_fDv16_PU3AS1f(<16 x ptr addrspace(1)> %$g)
; check: call void @__vecz_b_masked_store_Dv16_fPU3AS1fDv16_b(<16 x float> %$w, ptr addrspace(1) %$s, <16 x i1> %$m)
; check: store <16 x float> %$w, ptr addrspace(1) %$t, align 1
; module:
; check: declare void @__vecz_b_interleaved_storeV_Dv16_dPU3AS1d(<16 x double>, ptr addrspace(1), i64)
; check: define internal <16 x double> @__vecz_b_interleaved_loadV_Dv16_dPU3AS1d(ptr addrspace(1) %0, i64 %1)
; check: define internal <16 x float> @__vecz_b_gather_load_Dv16_fDv16_PU3AS1f(<16 x ptr addrspace(1)> %0)
; check: call <16 x float> @llvm.masked.gather.v16f32.v16p1(<16 x ptr addrspace(1)> %0, i32 4, <16 x i1>
; check: define internal void @__vecz_b_masked_store_Dv16_fPU3AS1fDv16_b(<16 x float> %0, ptr addrspace(1) %1, <16 x i1> %2)
; check: call void @llvm.masked.store.v16f32.p1(<16 x float> %0, ptr addrspace(1) %1, i32 4, <16 x i1> %2)
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r, ptr addrspace(1) %s) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %nine = mul i64 %i, 9
  %a = getelementptr double, ptr addrspace(1) %p, i64 %nine
  %v = load double, ptr addrspace(1) %a, align 8
  %five = mul i64 %i, 5
  %b = getelementptr double, ptr addrspace(1) %q, i64 %five
  store double %v, ptr addrspace(1) %b, align 8
  %at = getelementptr i32, ptr addrspace(1) %r, i64 %i
  %n = load i32, ptr addrspace(1) %at, align 4
  %c = getelementptr float, ptr addrspace(1) %s, i32 %n
  %w = load float, ptr addrspace(1) %c, align 4
  %yes = icmp sgt i32 %n, 3
  br i1 %yes, label %some, label %end
some:
  %d = getelementptr float, ptr addrspace(1) %s, i64 %i
  store float %w, ptr addrspace(1) %d, align 4
  br label %end
end:
  %e = getelementptr float, ptr addrspace(1) %q, i64 %i
  store float %w, ptr addrspace(1) %e, align 1
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare void @__vecz_b_interleaved_storeV_Dv16_dPU3AS1d(<16 x double>, ptr addrspace(1), i64)
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
