; More private memory than any work-group can have is refused with its size.
; error: kernel 'k' has 1152921504606846976 bytes of private variables
; run: transfer-kernel-metadata,prepare-barriers
define spir_kernel void @k(ptr addrspace(1) %p, i64 %i) {
  %a = alloca [1152921504606846976 x i8]
  %at = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %at
  ret void
}
