; Before an operation over the work-group all come together, so that they come to it in order.
; run: transfer-kernel-metadata,prepare-sub-groups,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.2(
; check: %so_far = load i32, ptr
; check: add i32 %so_far
; check: ret i32 1
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.1:
; not: store i32 0
; check: region.2:
; check: %so_far.at = getelementptr
; next: store i32 0, ptr %so_far.at
define spir_kernel void @k(ptr addrspace(1) %p) {
entry:
  %id = call i32 @__mux_get_sub_group_id()
  br label %wait
wait:
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %more = icmp ne i32 %v, %id
  br i1 %more, label %wait, label %done
done:
  %r = call i32 @__mux_work_group_scan_inclusive_add_i32(i32 0, i32 %id)
  store i32 %r, ptr addrspace(1) %p
  ret void
}
declare i32 @__mux_get_sub_group_id()
declare i32 @__mux_work_group_scan_inclusive_add_i32(i32, i32)
