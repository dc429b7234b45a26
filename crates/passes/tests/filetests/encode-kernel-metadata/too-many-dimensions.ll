; A kernel that says how many dimensions it takes is not made for more.
; run: encode-kernel-metadata<kernel=k;dims=2>
; error: in function 'k': the kernel takes ranges of at most 1 dimension, not 2
define spir_kernel void @k() !max_work_dim !0 {
  ret void
}
!0 = !{i32 1}
