; A struct by reference is packed as the struct, and its place handed on.
; run: transfer-kernel-metadata,lower-to-mux-builtins,add-scheduling-parameters,add-kernel-wrapper
; module:
; check: %MuxPackedArgs.k = type { i8, %S, i32 }
; label: define spir_func void @k.mux-kernel-wrapper(
; check: %s.at = getelementptr inbounds *%MuxPackedArgs.k, ptr %packed_args, i32 0, i32 1
; check: call spir_func void @k.mux-sched-wrapper(i8 %a, ptr %s.at, i32 %b, ptr
%S = type { i64, i32 }
define spir_kernel void @k(i8 %a, ptr byval(%S) align 8 %s, i32 %b) {
  ret void
}
