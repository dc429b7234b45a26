; Live values of odd types, each at its alignment: i1, i4, i128, a vector, a struct, a pointer.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: load i1, ptr
; check: load i4, ptr
; check: load i128, ptr
; check: load <3 x i32>, ptr
; check: load { i32, i1 }, ptr
; check: load ptr addrspace(1), ptr
; module:
; check: "mux-live-mem-usage"="64,0"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr i128, ptr addrspace(1) %p, i64 %id
  %a = load i1, ptr addrspace(1) %at
  %b = load i4, ptr addrspace(1) %at
  %c = load i128, ptr addrspace(1) %at
  %d = load <3 x i32>, ptr addrspace(1) %at
  %e = cmpxchg ptr addrspace(1) %at, i32 0, i32 1 monotonic monotonic
  %q = load ptr addrspace(1), ptr addrspace(1) %at
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store i1 %a, ptr addrspace(1) %p
  store i4 %b, ptr addrspace(1) %p
  store i128 %c, ptr addrspace(1) %p
  store <3 x i32> %d, ptr addrspace(1) %p
  %f = extractvalue { i32, i1 } %e, 0
  store i32 %f, ptr addrspace(1) %q
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
