; What a kernel already says of its size and order is kept.
; run: transfer-kernel-metadata<order=zyx>
; label: define spir_kernel void @k() #$k !reqd_work_group_size !$k
; label: define spir_kernel void @j() #$j {
; module:
; check: attributes #$k = { *"mux-work-item-order"="yxz"* }
; module:
; check: attributes #$j = { *"mux-work-item-order"="zyx"* }
; module:
; check: !$k = !{i32 8, i32 1, i32 1}
define spir_kernel void @k() #0 !reqd_work_group_size !1 {
  ret void
}
define spir_kernel void @j() {
  ret void
}
attributes #0 = { "mux-work-item-order"="yxz" }
!opencl.kernels = !{!0, !3}
!0 = !{ptr @k, !2}
!1 = !{i32 8, i32 1, i32 1}
!2 = !{!"reqd_work_group_size", i32 4, i32 2, i32 1}
!3 = !{ptr @j}
