; The uniform counter of a loop with a barrier is read and computed anew in one region. Kept once for the work-group, the
; first work-item's store would be the second one's start: it is kept for each work-item.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; not: live_group
; check: header:
; next: %$d = getelementptr inbounds i8, ptr %live_item, i64 0
; next: store i32 %next, ptr %$d
; not: live_group
; check: %$s = getelementptr inbounds i8, ptr %live_item, i64 0
; next: %$old = load i32, ptr %$s
; next: %next = add i32 %$old, 1
; not: live_group
; module:
; check: "mux-live-mem-usage"="4,0"
define spir_kernel void @k(i32 %n) {
entry:
  br label %header
header:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %exit
body:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %next = add i32 %i, 1
  br label %header
exit:
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
