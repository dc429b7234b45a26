; With !opencl.kernels, only the listed kernels are entry points; sizes are taken from the list.
; run: transfer-kernel-metadata
; label: define void @listed() #$k !reqd_work_group_size !$size
; label: define spir_kernel void @unlisted() {
; module:
; check: attributes #$k = { *"mux-kernel"="entry-point"* }
; count: 1 attributes
; module:
; check: !$size = !{i32 4, i32 2, i32 1}
define void @listed() {
  ret void
}
define spir_kernel void @unlisted() {
  ret void
}
!opencl.kernels = !{!0, !2}
!0 = !{ptr @listed, !1}
!1 = !{!"reqd_work_group_size", i32 4, i32 2, i32 1}
!2 = !{null, !1}
