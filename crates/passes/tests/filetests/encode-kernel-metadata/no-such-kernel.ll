; A declaration is no kernel to compile.
; run: encode-kernel-metadata<kernel=k>
; error: the module defines no function 'k'
declare spir_kernel void @k()
