; Code for known values of arguments must do the same arithmetic: a kernel with fast-math flags gets none.
; run: mark-steering-arguments
; check: fadd fast float
; module:
; not: mux-steering-args
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %t = fadd fast float %s, 1.0
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %t, ptr addrspace(1) %p, align 4
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
