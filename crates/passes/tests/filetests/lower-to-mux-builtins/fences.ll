; Fences become memory barriers, of the device for the old functions, with OpenCL's orders (MemSemantics) and scopes (MemScope) translated.
; run: lower-to-mux-builtins
; label: define spir_func void @f()
; next: call spir_func void @__mux_mem_barrier(i32 1, i32 264)
; next: call spir_func void @__mux_mem_barrier(i32 1, i32 514)
; next: call spir_func void @__mux_mem_barrier(i32 1, i32 772)
; next: call spir_func void @__mux_mem_barrier(i32 4, i32 256)
; next: call spir_func void @__mux_mem_barrier(i32 2, i32 258)
; next: call spir_func void @__mux_mem_barrier(i32 1, i32 516)
; next: call spir_func void @__mux_mem_barrier(i32 0, i32 520)
; next: call spir_func void @__mux_mem_barrier(i32 3, i32 528)
; next: ret void
define spir_func void @f() {
  call spir_func void @_Z9mem_fencej(i32 1)
  call spir_func void @_Z14read_mem_fencej(i32 2)
  call spir_func void @_Z15write_mem_fencej(i32 3)
  call spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 1, i32 0, i32 0)
  call spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 1, i32 2, i32 1)
  call spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 3, i32 2)
  call spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 4, i32 3)
  call spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 5, i32 4)
  ret void
}
declare spir_func void @_Z9mem_fencej(i32)
declare spir_func void @_Z14read_mem_fencej(i32)
declare spir_func void @_Z15write_mem_fencej(i32)
declare spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32, i32, i32)
