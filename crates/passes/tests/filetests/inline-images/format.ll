; Of a library function of images, what the format and the sampler ask for is copied, and nothing is left of the rest.
; run: transfer-kernel-metadata,specialize-arguments<bytes=0:02000000>,inline-images<simplify>
; label: define spir_kernel void @k(ptr addrspace(2) %image, ptr addrspace(1) %out)
; check: %$v = load i32, ptr addrspace(2)
; next: %$s = shl i32 %$v, 1
; next: store i32 %$s, ptr addrspace(1) %out
; next: ret void
; module:
; not: __lanewise_image_texel
define spir_kernel void @k(ptr addrspace(2) %image, ptr addrspace(1) %out) !kernel_arg_object !0 {
  %word = load i32, ptr addrspace(2) %image
  %p = getelementptr i8, ptr addrspace(2) %image, i64 4
  %c = call i32 @_Z23__lanewise_image_sampleiPU3AS2h(i32 %word, ptr addrspace(2) %p)
  store i32 %c, ptr addrspace(1) %out
  ret void
}
define internal i32 @_Z23__lanewise_image_sampleiPU3AS2h(i32 %word, ptr addrspace(2) %p) noinline {
  %c = call i32 @_Z22__lanewise_image_texeliPU3AS2h(i32 %word, ptr addrspace(2) %p)
  ret i32 %c
}
define internal i32 @_Z22__lanewise_image_texeliPU3AS2h(i32 %word, ptr addrspace(2) %p) noinline {
  switch i32 %word, label %other [ i32 1, label %one i32 2, label %two ]
one:
  %a = load i32, ptr addrspace(2) %p
  ret i32 %a
two:
  %b = load i32, ptr addrspace(2) %p
  %twice = mul i32 %b, 2
  ret i32 %twice
other:
  ret i32 0
}
!0 = !{!"read_only image2d_t", !""}
