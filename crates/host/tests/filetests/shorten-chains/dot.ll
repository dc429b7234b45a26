; The sum of a short loop is carried by an addition; one that LLVM may reorder stays, and so does fma.
; run: shorten-chains
; label: define spir_kernel void @dot(
; check: fmul float %x, %y
; next: %t = fadd float %$_, %s
; check: call reassoc float @llvm.fmuladd.f32(float %x, float %y, float %r)
; check: call float @llvm.fma.f32(float %x, float %y, float %f)
declare float @llvm.fmuladd.f32(float, float, float)
declare float @llvm.fma.f32(float, float, float)
define spir_kernel void @dot(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %r = phi float [ 0.0, %entry ], [ %q, %loop ]
  %f = phi float [ 0.0, %entry ], [ %g, %loop ]
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %i
  %pb = getelementptr float, ptr addrspace(1) %b, i64 %i
  %x = load float, ptr addrspace(1) %pa
  %y = load float, ptr addrspace(1) %pb
  %t = call float @llvm.fmuladd.f32(float %x, float %y, float %s)
  %q = call reassoc float @llvm.fmuladd.f32(float %x, float %y, float %r)
  %g = call float @llvm.fma.f32(float %x, float %y, float %f)
  %j = add i64 %i, 1
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %done
done:
  store float %t, ptr addrspace(1) %out
  store float %q, ptr addrspace(1) %out
  store float %g, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
