; A kernel that asks for a global ID, itself or in a function it calls, gets a second version; one that does not is left alone.
; run: transfer-kernel-metadata,split-large-ranges
; module:
; check: define spir_kernel void @k(
; check: define spir_kernel void @local(
; check: define spir_kernel void @k.large(ptr addrspace(1) %p) #$large
; not: define
; check: attributes #$large = { *"mux-kernel"="entry-point" "mux-large-range" "mux-orig-fn"="k" *}
define spir_kernel void @k(ptr addrspace(1) %p) {
  call void @f(ptr addrspace(1) %p)
  ret void
}
define spir_kernel void @local(ptr addrspace(1) %p) {
  %i = call i64 @__mux_get_local_id(i32 0)
  store i64 %i, ptr addrspace(1) %p
  ret void
}
define spir_func void @f(ptr addrspace(1) %p) {
  %i = call i64 @__mux_get_global_id(i32 0)
  store i64 %i, ptr addrspace(1) %p
  ret void
}
declare i64 @__mux_get_global_id(i32)
declare i64 @__mux_get_local_id(i32)
