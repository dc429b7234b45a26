; One kernel gets its local size and order, the other is left alone.
; run: encode-kernel-metadata<kernel=k;local=64:2:1;order=yzx>
; label: define spir_kernel void @k() #$k !reqd_work_group_size !$size
; label: define spir_kernel void @j() {
; module:
; check: attributes #$k = { *"mux-kernel"="entry-point" "mux-orig-fn"="k" "mux-work-item-order"="yzx" }
; check: !$size = !{i32 64, i32 2, i32 1}
define spir_kernel void @k() {
  ret void
}
define spir_kernel void @j() {
  ret void
}
