; Barriers in an inner and an outer loop: each counter has its own places, and the inner one begins anew.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define internal spir_func i32 @k.mux-barrier-region.1(
; check: inner:
; next: %$s = getelementptr inbounds i8, ptr %live_group, i64 12
; next: store i32 %j.next, ptr %$s
; check: ret i32 1
; check: ret i32 2
; label: define internal spir_func i32 @k.mux-barrier-region.2(
; check: outer:
; next: %$s = getelementptr inbounds i8, ptr %live_group, i64 4
; next: store i32 %i.next, ptr %$s
; check: inner:
; next: %$t = getelementptr inbounds i8, ptr %live_group, i64 8
; next: store i32 0, ptr %$t
; check: ret i32 1
; check: ret i32 0
; label: define spir_func void @k.mux-barrier-wrapper(
; check: region.1:
; check: switch i32 %$n, label %region.1 [
; next: i32 2, label %region.2
; check: region.2:
; check: switch i32 %$m, label %exit [
; next: i32 1, label %region.1
; module:
; check: "mux-live-mem-usage"="0,16"
define spir_kernel void @k(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.latch ]
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %inner.latch
inner.latch:
  %j.next = add i32 %j, 1
  %j.more = icmp ult i32 %j.next, %n
  br i1 %j.more, label %inner, label %outer.latch
outer.latch:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %i.next = add i32 %i, 1
  %i.more = icmp ult i32 %i.next, %n
  br i1 %i.more, label %outer, label %exit
exit:
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
