; The second version has the metadata of the first, once.
; run: transfer-kernel-metadata,split-large-ranges
; label: define spir_kernel void @k(
; label: define spir_kernel void @k.large(ptr addrspace(1) %p) #$a !reqd_work_group_size !$s !max_work_dim !$d {
define spir_kernel void @k(ptr addrspace(1) %p) !reqd_work_group_size !0 !max_work_dim !1 {
  %i = call i64 @__mux_get_global_id(i32 0)
  ret void
}
declare i64 @__mux_get_global_id(i32)
!0 = !{i32 8, i32 1, i32 1}
!1 = !{i32 1}
