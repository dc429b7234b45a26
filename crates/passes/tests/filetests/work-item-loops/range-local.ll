; Between two barriers only the work-items below a bound have something to do: the loop over x ends there. It runs one
; work-item at least, which says what comes next. The condition stays.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: icmp slt i32 %x, %d
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.1:
; check: %$d = freeze i32 %d
; next: %$end = sext i32 %$d to i64
; next: %$within = call i64 @llvm.smin.i64(i64 %size.x, i64 %$end)
; check: loop.y.1:
; check: %$last = sub i64 %size.x, 1
; check: %$first = call i64 @llvm.umin.i64(i64 *, i64 %$last)
; check: %$least = add nuw nsw i64 %$first, 1
; next: %$to = call i64 @llvm.umax.i64(i64 *, i64 %$least)
; check: loop.x.1:
; next: %$x = phi i64 [ %$first, %loop.y.1 ]
; check: icmp ult i64 *, %$to
; check: region.2:
; not: freeze
define spir_kernel void @k(ptr addrspace(3) %s, i32 %d) {
entry:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %id = call i64 @__mux_get_local_id(i32 0)
  %x = trunc i64 %id to i32
  %some = icmp slt i32 %x, %d
  br i1 %some, label %then, label %end
then:
  %at = getelementptr float, ptr addrspace(3) %s, i64 %id
  store float 1.0, ptr addrspace(3) %at
  br label %end
end:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
