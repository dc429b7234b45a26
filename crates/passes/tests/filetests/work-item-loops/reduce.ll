; A reduction over the work-group: the loop over the first region adds up, and the second region reads the result.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: %so_far = load i32
; next: add i32 %so_far, %x
; next: store i32
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: load i32, ptr %result.at
; label: define spir_func void @k.mux-barrier-wrapper(
; check: %collectives = alloca { i32, i32 }
; label: region.0:
; check: store i32 0, ptr %so_far.at
; label: region.1:
; check: %all = load i32
; next: %result.at = getelementptr
; next: store i32 %all, ptr %result.at
define spir_kernel void @k(ptr addrspace(1) %p, i32 %y) {
  %id = call i64 @__mux_get_local_id(i32 0)
  %x = trunc i64 %id to i32
  %sum = call i32 @__mux_work_group_reduce_add_i32(i32 0, i32 %x)
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store i32 %sum, ptr addrspace(1) %at
  ret void
}
declare i64 @__mux_get_local_id(i32)
declare i32 @__mux_work_group_reduce_add_i32(i32, i32)
