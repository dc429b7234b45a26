; The identities of smin and smax are the greatest and the least of the type, however wide.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: store i128 170141183460469231731687303715884105727, ptr %so_far.at
; check: store i128 -170141183460469231731687303715884105728, ptr %$second
define spir_kernel void @k(ptr addrspace(1) %p, i128 %v) {
  %a = call i128 @__mux_work_group_scan_exclusive_smin_i128(i32 0, i128 %v)
  store i128 %a, ptr addrspace(1) %p
  %b = call i128 @__mux_work_group_scan_exclusive_smax_i128(i32 1, i128 %v)
  store i128 %b, ptr addrspace(1) %p
  ret void
}
declare i128 @__mux_work_group_scan_exclusive_smin_i128(i32, i128)
declare i128 @__mux_work_group_scan_exclusive_smax_i128(i32, i128)
