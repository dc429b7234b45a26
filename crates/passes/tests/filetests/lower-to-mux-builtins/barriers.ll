; Barriers: flags become kinds of memory, memory_scope becomes a mux scope; the ID is given later.
; run: lower-to-mux-builtins
; label: define spir_func void @f()
; next: call spir_func void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
; next: call spir_func void @__mux_work_group_barrier(i32 0, i32 2, i32 520)
; next: call spir_func void @__mux_work_group_barrier(i32 0, i32 2, i32 776)
; next: call spir_func void @__mux_work_group_barrier(i32 0, i32 1, i32 520)
; next: call spir_func void @__mux_work_group_barrier(i32 0, i32 0, i32 520)
; next: call spir_func void @__mux_sub_group_barrier(i32 0, i32 3, i32 264)
; next: call spir_func void @__mux_sub_group_barrier(i32 0, i32 2, i32 264)
; next: ret void
; module:
; check: declare spir_func void @__mux_work_group_barrier(i32, i32, i32) #$b
; check: attributes #$b = { convergent noduplicate nounwind willreturn }
define spir_func void @f() {
  call spir_func void @_Z7barrierj(i32 1)
  call spir_func void @_Z18work_group_barrierj(i32 2)
  call spir_func void @_Z18work_group_barrierj12memory_scope(i32 3, i32 1)
  call spir_func void @_Z18work_group_barrierj12memory_scope(i32 2, i32 2)
  call spir_func void @_Z18work_group_barrierj12memory_scope(i32 2, i32 3)
  call spir_func void @_Z17sub_group_barrierj(i32 1)
  call spir_func void @_Z17sub_group_barrierj12memory_scope(i32 1, i32 1)
  ret void
}
declare spir_func void @_Z7barrierj(i32)
declare spir_func void @_Z18work_group_barrierj(i32)
declare spir_func void @_Z18work_group_barrierj12memory_scope(i32, i32)
declare spir_func void @_Z17sub_group_barrierj(i32)
declare spir_func void @_Z17sub_group_barrierj12memory_scope(i32, i32)
