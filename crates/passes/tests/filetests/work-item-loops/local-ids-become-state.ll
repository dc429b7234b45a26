; What depends on the local ID reads memory from now on; what does not, still does not. The kernel says nothing of memory.
; run: transfer-kernel-metadata,work-item-loops
; label: define internal spir_func void @k() #$k
; check: call i64 @__mux_get_global_id(i32 0)
; check: call i64 @__mux_get_group_id(i32 0)
; module:
; check: declare i64 @__mux_get_global_id(i32) #$i
; check: declare i64 @__mux_get_group_id(i32) #$g
; module:
; check: attributes #$i = { nounwind }
; module:
; check: attributes #$g = { nounwind memory(none) }
define spir_kernel void @k() memory(none) {
  %a = call i64 @__mux_get_global_id(i32 0) memory(none)
  %b = call i64 @__mux_get_group_id(i32 0)
  ret void
}
declare i64 @__mux_get_global_id(i32) nounwind memory(none)
declare i64 @__mux_get_group_id(i32) nounwind memory(none)
