; A shuffle over the work-group goes through memory, whose size must be known.
; run: transfer-kernel-metadata,prepare-sub-groups<degenerate>
; error: in function 'k': a shuffle over the work-group needs to know the local size
define spir_kernel void @k(i32 %x) {
  %y = call i32 @__mux_sub_group_shuffle_i32(i32 %x, i32 0)
  ret void
}
declare i32 @__mux_sub_group_shuffle_i32(i32, i32)
