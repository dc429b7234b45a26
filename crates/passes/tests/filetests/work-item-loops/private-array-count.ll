; An array written as a number of elements takes them all; more than 128 bytes of alignment cost a little more.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: mul i64 %items, 512
; check: %$n = add i64 %$b, 256
; check: %$m = call spir_func ptr @__mux_alloc_work_group_memory(i64 %$n)
; check: and i64 *, -256
; module:
; check: "mux-live-mem-usage"="512,256"
define spir_kernel void @k(ptr addrspace(1) %p, i64 %i) {
  %a = alloca i32, i32 65, align 256
  store i32 1, ptr %a
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %e = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %e
  store i32 %v, ptr addrspace(1) %p
  ret void
}
declare void @__mux_work_group_barrier(i32, i32, i32)
