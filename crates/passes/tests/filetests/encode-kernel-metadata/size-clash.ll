; A local size that the kernel's own required size excludes.
; run: encode-kernel-metadata<kernel=k;local=64:1:1>
; error: encode-kernel-metadata: in function 'k':
; error: requires the local size [8, 1, 1], not [64, 1, 1]
define spir_kernel void @k() !reqd_work_group_size !0 {
  ret void
}
!0 = !{i32 8, i32 1, i32 1}
