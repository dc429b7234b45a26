; A barrier's schedule that nobody knows is refused: taken for "unordered", it could give wrong results.
; run: prepare-barriers,work-item-loops
; error: in function 'k': 'onc' is no value of the attribute mux-barrier-schedule: expected is unordered, once or linear
; error: call void @__mux_work_group_barrier(i32 0, i32 2, i32 528)
define void @k(ptr addrspace(1) %p) "mux-kernel"="entry-point" {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 528) "mux-barrier-schedule"="onc"
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
