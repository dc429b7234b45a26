; A barrier under a branch that work-items may not agree on is watched: who arrives, and who leaves.
; run: check-kernels<barriers>
; label: define spir_kernel void @k() #0 {
; next: entry:
; next: %id = call i64 @__mux_get_local_id(i32 0)
; next: %c = icmp ult i64 %id, 4
; next: br i1 %c, label %then, label %end
; next: then:
; next: %0 = call spir_func i64 @__mux_get_global_id(i32 0)
; next: %1 = call spir_func i64 @__mux_get_global_id(i32 1)
; next: %2 = call spir_func i64 @__mux_get_global_id(i32 2)
; next: %3 = call spir_func i32 @__mux_check(ptr addrspacecast (ptr addrspace(1) @check.site to ptr), i64 0, i64 0, i64 0, i64 %0, i64 %1, i64 %2)
; next: call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
; next: br label %end
; next: end:
; next: %4 = call spir_func i64 @__mux_get_global_id(i32 0)
; next: %5 = call spir_func i64 @__mux_get_global_id(i32 1)
; next: %6 = call spir_func i64 @__mux_get_global_id(i32 2)
; next: %7 = call spir_func i32 @__mux_check(ptr addrspacecast (ptr addrspace(1) @check.site.1 to ptr), i64 0, i64 0, i64 0, i64 %4, i64 %5, i64 %6)
; next: ret void
; next: }

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
