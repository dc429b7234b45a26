; The whole chain for a kernel without barriers, optimised: one loop nest, no calls, nothing but the wrapper left.
; run: transfer-kernel-metadata,lower-to-mux-builtins,prepare-barriers,work-item-loops,replace-local-module-scope-variables,add-scheduling-parameters,add-kernel-wrapper,define-mux-builtins,llvm(always-inline,globaldce,default<O1>)
; module:
; count: 1 define
; label: define *void @k.mux-kernel-wrapper(ptr *%packed_args, ptr *%MuxWorkGroupInfo)
; not: call
; check: load float, ptr addrspace(1)
; check: store float *, ptr addrspace(1)
; not: call
; module:
; count: 0 @__mux_
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, float %f) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %from = getelementptr float, ptr addrspace(1) %in, i64 %id
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  %x = load float, ptr addrspace(1) %from
  %y = fmul float %x, %f
  store float %y, ptr addrspace(1) %to
  ret void
}
declare spir_func i64 @_Z13get_global_idj(i32)
