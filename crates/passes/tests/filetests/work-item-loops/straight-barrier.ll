; One barrier: two regions in loops of their own with the barrier's fence in between; the kernel itself stays, as an internal function.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(ptr addrspace(1) %p, ptr %live_item, ptr %live_group)
; check: store i32 1, ptr addrspace(1) %p
; check: ret i32 1
; not: store
; label: define internal spir_func i32 @k.mux-barrier-region.1(ptr addrspace(1) %p, ptr %live_item, ptr %live_group)
; check: store i32 2, ptr addrspace(1) %p
; check: ret i32 0
; not: store
; label: define spir_func void @k.mux-barrier-wrapper(ptr addrspace(1) %p) #$w
; next: entry:
; check: br label %region.0
; next: region.0:
; next: br label %loop.z.0
; check: %next = call spir_func i32 @k.mux-barrier-region.0(ptr addrspace(1) %p, ptr null, ptr null)
; check: br label %region.1
; check: region.1:
; next: call spir_func void @__mux_mem_barrier(i32 1, i32 520)
; next: br label %loop.z.1
; check: call spir_func i32 @k.mux-barrier-region.1(ptr addrspace(1) %p, ptr null, ptr null)
; check: br label %exit
; check: exit:
; next: ret void
; module:
; check: attributes #$w = { *"mux-kernel"="entry-point" "mux-live-mem-usage"="0,0"* }
; count: 1 define internal spir_func void @k(
; count: 1 call void @__mux_work_group_barrier(
define spir_kernel void @k(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  call void @__mux_work_group_barrier(i32 0, i32 1, i32 520)
  store i32 2, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
