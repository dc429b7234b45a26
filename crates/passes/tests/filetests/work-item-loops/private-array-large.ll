; Private arrays beyond the budget of the stack are one block of the work-group's memory, which its work-items use in turn.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: %small = alloca [4 x i32]
; not: alloca
; check: getelementptr inbounds i8, ptr %live_group, i64 0
; label: define spir_func void @k.mux-barrier-wrapper(
; check: %live.group = call spir_func ptr @__mux_alloc_work_group_memory(i64 20000)
; module:
; check: "mux-live-mem-usage"="0,20000"
define spir_kernel void @k(ptr addrspace(1) noalias %p, i32 %i) {
  %small = alloca [4 x i32]
  %large = alloca [5000 x i32]
  %a = getelementptr i32, ptr %large, i32 %i
  store i32 1, ptr %a
  %b = getelementptr i32, ptr %small, i32 %i
  store i32 2, ptr %b
  %v = load i32, ptr %large
  %w = load i32, ptr %small
  store i32 %v, ptr addrspace(1) %p
  store i32 %w, ptr addrspace(1) %p
  ret void
}
