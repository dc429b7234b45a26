; An array whose address is given away may be reached from anywhere.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; not: alloca
; check: %$a = getelementptr inbounds i8, ptr %live_item, i64 0
; check: call void @take(ptr %$a)
; module:
; check: "mux-live-mem-usage"="4,0"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %a = alloca i32
  call void @take(ptr %a)
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
declare void @take(ptr)
declare void @__mux_work_group_barrier(i32, i32, i32)
