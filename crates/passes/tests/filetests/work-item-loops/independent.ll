; Sub-groups that may wait for each other take turns: a region ends each time round the loop, and each sub-group keeps the number of its
; next one. They go on together after the barrier.
; run: transfer-kernel-metadata,prepare-sub-groups,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.0(
; check: load atomic
; check: store i1 %more, ptr
; check: ret i32 2
; label: define internal spir_func i32 @k.mux-barrier-region.2(
; check: %$more = load i1, ptr
; check: br i1 %$more, label %wait, label %done
; label: define spir_func void @k.mux-barrier-wrapper(
; check: %live.items = call spir_func ptr @__mux_alloc_work_group_memory(
; check: region.1:
; next: call spir_func void @__mux_mem_barrier(i32 2, i32 264)
; check: turns:
; next: store i1 false, ptr %more
; check: %$first = call spir_func i32 @k.mux-barrier-region.0(
; check: store i32 %$first, ptr
; check: %here = icmp eq i32 %$next, 1
; next: br i1 %here, label %run.1, label %ran.1
; check: switch i32 %$own, label %turned [
; next: i32 2, label %turn.2
; check: %again = icmp uge i32 %$then, 2
; check: turn.2:
; check: call spir_func i32 @k.mux-barrier-region.2(
; check: br i1 %$goes_on, label %turns, label %meet
; check: switch i32 %$together, label %exit [
; next: i32 1, label %region.1
define spir_kernel void @k(ptr addrspace(1) %p) {
entry:
  %id = call i32 @__mux_get_sub_group_id()
  br label %wait
wait:
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %more = icmp ne i32 %v, %id
  br i1 %more, label %wait, label %done
done:
  store i32 %id, ptr addrspace(1) %p
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
declare i32 @__mux_get_sub_group_id()
declare void @__mux_work_group_barrier(i32, i32, i32)
