; Atomic functions of SPIR-V become instructions, monotonic, without a scope, with fences for what their semantics ask for.
; run: lower-to-mux-builtins
; label: define spir_func void @f(
; check: %$l = load atomic i32, ptr addrspace(1) %p monotonic, align 4
; next: fence acquire
; next: fence release
; next: store atomic i32 %x, ptr addrspace(1) %p monotonic, align 4
; next: %$a = atomicrmw add ptr addrspace(1) %p, i32 %x monotonic, align 4
; next: %$i = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic, align 4
; next: fence release
; next: %$m = atomicrmw umax ptr addrspace(1) %p, i32 %x monotonic, align 4
; next: fence acquire
; next: %$g = atomicrmw fadd ptr addrspace(1) %p, float %y monotonic, align 4
; next: fence seq_cst
; next: %$c = cmpxchg ptr addrspace(1) %p, i32 0, i32 %x monotonic monotonic, align 4
; next: fence seq_cst
; next: extractvalue { i32, i1 } %$c, 0
; not: __spirv_
define spir_func void @f(ptr addrspace(1) %p, i32 %x, float %y) {
  %a = call spir_func i32 @_Z18__spirv_AtomicLoadPU3AS1Kiii(ptr addrspace(1) %p, i32 1, i32 514)
  call spir_func void @_Z19__spirv_AtomicStorePU3AS1iiii(ptr addrspace(1) %p, i32 1, i32 516, i32 %x)
  %b = call spir_func i32 @_Z18__spirv_AtomicIAddPU3AS1iiii(ptr addrspace(1) %p, i32 1, i32 512, i32 %x)
  %c = call spir_func i32 @_Z24__spirv_AtomicIIncrementPU3AS1iii(ptr addrspace(1) %p, i32 1, i32 512)
  %d = call spir_func i32 @_Z18__spirv_AtomicUMaxPU3AS1jiij(ptr addrspace(1) %p, i32 1, i32 520, i32 %x)
  %e = call spir_func float @_Z21__spirv_AtomicFAddEXTPU3AS1fiif(ptr addrspace(1) %p, i32 1, i32 512, float %y)
  %g = call spir_func i32 @_Z29__spirv_AtomicCompareExchangePU3AS1iiiiii(ptr addrspace(1) %p, i32 1, i32 528, i32 528, i32 %x, i32 0)
  ret void
}
declare spir_func i32 @_Z18__spirv_AtomicLoadPU3AS1Kiii(ptr addrspace(1), i32, i32)
declare spir_func void @_Z19__spirv_AtomicStorePU3AS1iiii(ptr addrspace(1), i32, i32, i32)
declare spir_func i32 @_Z18__spirv_AtomicIAddPU3AS1iiii(ptr addrspace(1), i32, i32, i32)
declare spir_func i32 @_Z24__spirv_AtomicIIncrementPU3AS1iii(ptr addrspace(1), i32, i32)
declare spir_func i32 @_Z18__spirv_AtomicUMaxPU3AS1jiij(ptr addrspace(1), i32, i32, i32)
declare spir_func float @_Z21__spirv_AtomicFAddEXTPU3AS1fiif(ptr addrspace(1), i32, i32, float)
declare spir_func i32 @_Z29__spirv_AtomicCompareExchangePU3AS1iiiiii(ptr addrspace(1), i32, i32, i32, i32, i32)
