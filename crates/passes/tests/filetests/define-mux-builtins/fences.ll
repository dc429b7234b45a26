; A memory barrier is a fence of its ordering; once inlined, one fence is left, and none for a relaxed one.
; run: define-mux-builtins,llvm(always-inline,function(sccp,simplifycfg))
; label: define spir_func void @f()
; next: fence acquire
; next: fence release
; next: fence acq_rel
; next: fence seq_cst
; next: fence acq_rel
; next: ret void
define spir_func void @f() {
  call spir_func void @__mux_mem_barrier(i32 1, i32 256)
  call spir_func void @__mux_mem_barrier(i32 1, i32 258)
  call spir_func void @__mux_mem_barrier(i32 0, i32 516)
  call spir_func void @__mux_mem_barrier(i32 2, i32 264)
  call spir_func void @__mux_mem_barrier(i32 1, i32 272)
  call spir_func void @__mux_sub_group_barrier(i32 0, i32 3, i32 264)
  ret void
}
declare spir_func void @__mux_mem_barrier(i32, i32)
declare spir_func void @__mux_sub_group_barrier(i32, i32, i32)
