; Images and samplers are what the target says, also in functions and variables; what the library asks for is the value.
; run: transfer-kernel-metadata,replace-target-ext-types
; label: define spir_kernel void @k(ptr addrspace(2) %image, i32 %s, ptr addrspace(1) %out)
; check: alloca i32
; check: store i32 %s
; check: %t = load i32
; check: call spir_func i32 @width(ptr addrspace(2) %image, i32 %t)
; check: call spir_func i32 @width(ptr addrspace(2) %image, i32 20)
; label: define internal spir_func i32 @width(ptr addrspace(2) %i, i32 %s)
; next: getelementptr i8, ptr addrspace(2) %i, i64 4
; next: %v = load i32
; next: add i32 %v, %s
; module:
; check: !{!"read_only image2d_t", !"sampler_t", !""}
; not: target(
; not: __mux_opaque_value
; not: __translate_sampler_initializer
define spir_kernel void @k(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %s, ptr addrspace(1) %out) {
  %here = alloca target("spirv.Sampler"), align 8
  store target("spirv.Sampler") %s, ptr %here, align 8
  %t = load target("spirv.Sampler"), ptr %here, align 8
  %w = call spir_func i32 @width(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %t)
  %c = call spir_func target("spirv.Sampler") @__translate_sampler_initializer(i32 20)
  %x = call spir_func i32 @width(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %c)
  %sum = add i32 %w, %x
  store i32 %sum, ptr addrspace(1) %out, align 4
  ret void
}
define internal spir_func i32 @width(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %i, target("spirv.Sampler") %s) {
  %d = call ptr addrspace(2) @_Z18__mux_opaque_value14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %i)
  %p = getelementptr i8, ptr addrspace(2) %d, i64 4
  %v = load i32, ptr addrspace(2) %p, align 4
  %m = call i32 @_Z18__mux_opaque_value11ocl_sampler(target("spirv.Sampler") %s)
  %r = add i32 %v, %m
  ret i32 %r
}
declare spir_func target("spirv.Sampler") @__translate_sampler_initializer(i32)
declare ptr addrspace(2) @_Z18__mux_opaque_value14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0))
declare i32 @_Z18__mux_opaque_value11ocl_sampler(target("spirv.Sampler"))
