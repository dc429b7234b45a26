; A size in the list that is none (zero, or of two numbers) is not taken.
; run: transfer-kernel-metadata
; label: define spir_kernel void @k() #$k {
; label: define spir_kernel void @j() #$k2 {
define spir_kernel void @k() {
  ret void
}
define spir_kernel void @j() {
  ret void
}
!opencl.kernels = !{!0, !3}
!0 = !{ptr @k, !2}
!2 = !{!"reqd_work_group_size", i32 4, i32 0, i32 1}
!3 = !{ptr @j, !4}
!4 = !{!"reqd_work_group_size", i32 4, i32 1}
