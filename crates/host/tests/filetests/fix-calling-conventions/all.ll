; Entry points and functions whose address is taken get C's convention, other functions a fast one, and their calls the
; same; all but entry points become internal.
; run: fix-calling-conventions
; check: define internal void @taken(
; check: define internal fastcc i32 @helper(
; check: define void @k(
; check: call fastcc i32 @helper(
; check: call void %f(
define spir_kernel void @k(ptr addrspace(1) %p, ptr %f) #0 {
  %v = call spir_func i32 @helper(i32 1)
  store i32 %v, ptr addrspace(1) %p, align 4
  store ptr @taken, ptr addrspace(1) %p, align 8
  call spir_func void %f()
  ret void
}
define spir_func i32 @helper(i32 %x) {
  ret i32 %x
}
define spir_func void @taken() {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
