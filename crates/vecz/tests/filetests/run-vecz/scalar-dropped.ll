; A target that knows that there is no tail drops the scalar kernel: the vector kernel runs alone, in steps of its width.
; run: run-vecz<width=8;mode=always>,llvm(internalize<preserve-gv=__vecz_v8_k>,globaldce),work-item-loops
; label: define spir_func void @__vecz_v8_k.mux-barrier-wrapper(
; check: call spir_func void @__vecz_v8_k(
; next: %$next = add nuw nsw i64 %x, 8
; not: call spir_func void @k(
; module:
; check: !{i32 8, i32 0, i32 0, null}
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr float, ptr addrspace(1) %p, i64 %i
  %v = load float, ptr addrspace(1) %a, align 4
  %w = fadd float %v, 1.0
  store float %w, ptr addrspace(1) %a, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
