; A function of SPIR-V that there is no builtin for is refused by its name.
; run: lower-to-mux-builtins
; error: in function 'k'
; error: the SPIR-V function '_Z23__spirv_ImageSampleDrefv' is not supported
define spir_kernel void @k() {
  call spir_func void @_Z23__spirv_ImageSampleDrefv()
  ret void
}
declare spir_func void @_Z23__spirv_ImageSampleDrefv()
