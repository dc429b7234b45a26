; Flags, orders and scopes that are no constants are translated when the kernel runs.
; run: lower-to-mux-builtins
; label: define spir_func void @f(
; next: %$m = and i32 %flags, 3
; next: %$s = shl i32 %$m, 8
; next: %$sem = or i32 %$s, 8
; next: call spir_func void @__mux_work_group_barrier(i32 0, i32 2, i32 %$sem)
; check: icmp eq i32 %order, 4
; check: %$ord = select i1 *, i32 0, i32 %
; check: icmp eq i32 %scope, 4
; check: %$sc = select i1 *, i32 4, i32 %
; check: %$sem2 = or i32 *, %$ord
; next: call spir_func void @__mux_mem_barrier(i32 %$sc, i32 %$sem2)
define spir_func void @f(i32 %flags, i32 %order, i32 %scope) {
  call spir_func void @_Z7barrierj(i32 %flags)
  call spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 %flags, i32 %order, i32 %scope)
  ret void
}
declare spir_func void @_Z7barrierj(i32)
declare spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32, i32, i32)
