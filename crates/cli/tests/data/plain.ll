; Hand-written, with nothing but a kernel: no layout, no notes on its parameters, LLVM's own types.
define spir_kernel void @fill(ptr addrspace(1) %out, float %value, i64 %bits) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %at = getelementptr float, ptr addrspace(1) %out, i64 %i
  %small = uitofp i64 %bits to float
  %sum = fadd float %value, %small
  store float %sum, ptr addrspace(1) %at
  ret void
}
declare spir_func i64 @_Z13get_global_idj(i32)
