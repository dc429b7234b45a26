; The uniform counter of a loop with a barrier is read and computed anew in one region. With one place for the work-group, the
; first work-item's store would be the second one's start: there is a second place, which becomes the first when all have run.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; not: live_item
; check: %$s = getelementptr inbounds i8, ptr %live_group, i64 0
; next: %$old = load i32, ptr %$s
; check: header:
; next: %$d = getelementptr inbounds i8, ptr %live_group, i64 4
; next: store i32 %next, ptr %$d
; check: %next = add i32 %$old, 1
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.1:
; check: %$now = getelementptr inbounds i8, ptr %live.group, i64 0
; next: %$keep = load i32, ptr %$now
; next: %$next = getelementptr inbounds i8, ptr %live.group, i64 4
; next: store i32 %$keep, ptr %$next
; check: call spir_func i32 @k.mux-barrier-region.1(
; check: %$made = getelementptr inbounds i8, ptr %live.group, i64 4
; next: %$new = load i32, ptr %$made
; next: %$place = getelementptr inbounds i8, ptr %live.group, i64 0
; next: store i32 %$new, ptr %$place
; module:
; check: "mux-live-mem-usage"="0,8"
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
