; Where all ranges are large, there is nothing to choose from.
; run: transfer-kernel-metadata,split-large-ranges<all>
; module:
; check: define spir_kernel void @k(ptr addrspace(1) %p) #$large
; not: define
; check: attributes #$large = { *"mux-large-range" *}
define spir_kernel void @k(ptr addrspace(1) %p) {
  %i = call i64 @__mux_get_global_id(i32 0)
  store i64 %i, ptr addrspace(1) %p
  ret void
}
declare i64 @__mux_get_global_id(i32)
