; Builtins with a fixed answer: the options of the target and the sub-group size 1.
; run: add-scheduling-parameters,define-mux-builtins
; label: define internal spir_func i1 @__mux_isftz()
; check: ret i1 false
; label: define internal spir_func i1 @__mux_usefast()
; check: ret i1 false
; label: define internal spir_func i1 @__mux_isembeddedprofile()
; check: ret i1 false
; label: define internal spir_func i32 @__mux_get_max_sub_group_size()
; check: ret i32 1
; label: define internal spir_func i32 @__mux_get_sub_group_size(
; check: ret i32 1
; label: define internal spir_func i32 @__mux_get_sub_group_local_id(
; check: ret i32 0
define spir_func void @f() {
  %a = call spir_func i1 @__mux_isftz()
  %b = call spir_func i1 @__mux_usefast()
  %c = call spir_func i1 @__mux_isembeddedprofile()
  %d = call spir_func i32 @__mux_get_max_sub_group_size()
  %e = call spir_func i32 @__mux_get_sub_group_size()
  %g = call spir_func i32 @__mux_get_sub_group_local_id()
  ret void
}
declare spir_func i1 @__mux_isftz()
declare spir_func i1 @__mux_usefast()
declare spir_func i1 @__mux_isembeddedprofile()
declare spir_func i32 @__mux_get_max_sub_group_size()
declare spir_func i32 @__mux_get_sub_group_size()
declare spir_func i32 @__mux_get_sub_group_local_id()
