; Builtins whose bodies need no facts stay as they are.
; run: add-scheduling-parameters
; label: define spir_func void @f() {
; next: %a = call spir_func i1 @__mux_isftz()
; next: %b = call spir_func i32 @__mux_get_max_sub_group_size()
; next: call spir_func void @__mux_mem_barrier(i32 1, i32 264)
; next: ret void
define spir_func void @f() {
  %a = call spir_func i1 @__mux_isftz()
  %b = call spir_func i32 @__mux_get_max_sub_group_size()
  call spir_func void @__mux_mem_barrier(i32 1, i32 264)
  ret void
}
declare spir_func i1 @__mux_isftz()
declare spir_func i32 @__mux_get_max_sub_group_size()
declare spir_func void @__mux_mem_barrier(i32, i32)
