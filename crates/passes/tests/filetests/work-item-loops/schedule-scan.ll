; The region that ends at a scan runs in linear order, and so the barrier before it says; the other regions keep the kernel's order.
; run: transfer-kernel-metadata<order=zyx>,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.0:
; next: br label %loop.x.0
; check: region.1:
; check: br label %loop.z.1
; check: region.2:
; check: br label %loop.x.2
define spir_kernel void @k(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %v = load i32, ptr addrspace(1) %p
  %s = call i32 @__mux_work_group_scan_inclusive_add_i32(i32 1, i32 %v)
  store i32 %s, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i32 @__mux_work_group_scan_inclusive_add_i32(i32, i32)
