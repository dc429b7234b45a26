; A variable that is initialized with zeros is filled for each work-group.
; run: transfer-kernel-metadata,work-item-loops,replace-local-module-scope-variables
; label: define spir_func void @k.mux-local-var-wrapper(
; check: %local_vars = addrspacecast ptr %memory to ptr addrspace(3)
; check: %$z = getelementptr inbounds %localVarTypes, ptr addrspace(3) %local_vars, i32 0, i32 0, i32 1
; next: call void @llvm.memset.p3.i64(ptr addrspace(3) %$z, i8 0, i64 32, i1 false)
; not: memset
; check: call spir_func void @k.mux-barrier-wrapper(
@any = internal addrspace(3) global [8 x i32] undef
@zeros = internal addrspace(3) global [8 x i32] zeroinitializer
define spir_kernel void @k(i64 %i) {
  %a = getelementptr i32, ptr addrspace(3) @any, i64 %i
  %b = getelementptr i32, ptr addrspace(3) @zeros, i64 %i
  %v = load i32, ptr addrspace(3) %b
  store i32 %v, ptr addrspace(3) %a
  ret void
}
