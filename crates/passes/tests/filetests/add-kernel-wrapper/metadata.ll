; The wrapper takes over the kernel's metadata and says how the arguments are packed.
; run: transfer-kernel-metadata,add-scheduling-parameters,add-kernel-wrapper
; label: define spir_func void @k.mux-kernel-wrapper(ptr %packed_args, *!reqd_work_group_size !$size
; label: define spir_func void @k.mux-kernel-wrapper(ptr %packed_args, *!mux_packed_args !$packed
; module:
; check: !$size = !{i32 8, i32 1, i32 1}
; module:
; check: !$packed = !{i32 40, i32 1, i32 0, i32 8, i32 3, i32 8, i32 8, i32 -1, i32 16, i32 16, i32 2, i32 32, i32 8}
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %b, ptr byref({ i64, i64 }) %c, ptr addrspace(2) %d) !reqd_work_group_size !0 {
  ret void
}
!0 = !{i32 8, i32 1, i32 1}
