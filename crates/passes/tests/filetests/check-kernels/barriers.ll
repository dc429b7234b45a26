; At a barrier under a branch that work-items may not agree on, each of them compares what the first one of its group found as
; its nth barrier; leaving the kernel is one more. Who finds something else tells the runtime.
; run: check-kernels<barriers>
; label: define spir_kernel void @k() #0 {
; check: then:
; next: %$n = load i64, ptr %check.met
; check: br i1 %check.is_first, label %check.first, label %check.on
; check: check.first:
; check: store i64 ptrtoint (ptr addrspace(1) @check.site to i64)
; check: br i1 %$bad, label %check.bad, label %$on
; check: check.bad:
; check: call spir_func i32 @__mux_check(ptr addrspacecast (ptr addrspace(1) @check.site to ptr), i64 0, i64 0, i64 %$n
; check: store i64 %$m, ptr %check.met
; next: call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
; label: end:
; check: call spir_func i32 @__mux_check(ptr addrspacecast (ptr addrspace(1) @check.site.1 to ptr), i64 0, i64 0, i64 %$e
; check: ret void

declare i64 @__mux_get_local_id(i32)
declare void @__mux_work_group_barrier(i32, i32, i32)

define spir_kernel void @k() #0 {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %c = icmp ult i64 %id, 4
  br i1 %c, label %then, label %end

then:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  br label %end

end:
  ret void
}

attributes #0 = { "mux-kernel"="entry-point" }
