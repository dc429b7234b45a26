; The whole chain for a kernel with local variables, a local pointer, a struct by value, a helper with a barrier in a
; loop, and atomics. Every function but the wrapper is inlined and gone.
; run: transfer-kernel-metadata,lower-to-mux-builtins,prepare-barriers,work-item-loops,replace-local-module-scope-variables,add-scheduling-parameters,add-kernel-wrapper,define-mux-builtins,llvm(always-inline,globaldce,default<O1>)
; module:
; count: 1 define
; count: 0 @__mux_
; count: 0 addrspace(3) global
; check: define *void @k.mux-kernel-wrapper(
; check: fence acq_rel
; check: fence acq_rel
; check: atomicrmw add
%S = type { i32, i32 }
@k.tile = internal addrspace(3) global [64 x i32] undef, align 4
define spir_func void @sync() {
  call spir_func void @_Z7barrierj(i32 1)
  ret void
}
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(3) %scratch, ptr byval(%S) align 4 %s) {
entry:
  %id = call spir_func i64 @_Z12get_local_idj(i32 0)
  %n = load i32, ptr %s
  %mine = getelementptr i32, ptr addrspace(3) @k.tile, i64 %id
  %theirs = getelementptr i32, ptr addrspace(3) %scratch, i64 %id
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %new, %loop ]
  store i32 %i, ptr addrspace(3) %mine
  call spir_func void @sync()
  %v = load i32, ptr addrspace(3) %theirs
  %new = add i32 %sum, %v
  call spir_func void @sync()
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %old = atomicrmw add ptr addrspace(1) %out, i32 %sum syncscope("device") monotonic
  ret void
}
declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func void @_Z7barrierj(i32)
