; The whole chain without LLVM's passes leaves no builtin undefined, though a helper with a barrier was inlined.
; run: transfer-kernel-metadata,lower-to-mux-builtins,prepare-barriers,work-item-loops,replace-local-module-scope-variables,llvm(globaldce),add-scheduling-parameters,add-kernel-wrapper,define-mux-builtins
; module:
; count: 0 declare * @__mux_get
; count: 0 call * @__mux_work_group_barrier
; count: 0 @helper(
; check: define spir_func void @k.mux-kernel-wrapper(
define spir_func void @helper() {
  call spir_func void @_Z7barrierj(i32 1)
  ret void
}
define spir_kernel void @k(ptr addrspace(1) %out) {
  call spir_func void @helper()
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  store i64 %id, ptr addrspace(1) %out
  ret void
}
declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func void @_Z7barrierj(i32)
