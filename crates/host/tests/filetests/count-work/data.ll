; Which way a work-item goes depends on data: the kernel is not counted.
; run: count-work
; check: fmul float
; module:
; not: mux-work
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
  %x = load float, ptr addrspace(1) %p, align 4
  %large = fcmp ogt float %x, 1.0
  br i1 %large, label %square, label %end
square:
  %y = fmul float %x, %x
  br label %end
end:
  %z = phi float [ %x, %0 ], [ %y, %square ]
  store float %z, ptr addrspace(1) %p, align 4
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
