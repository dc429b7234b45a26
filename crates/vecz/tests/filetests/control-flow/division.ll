; Inactive lanes divide by one: their divisor may be zero, unless it is a constant.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: %$d = select <4 x i1> *, <4 x i32> %$v, <4 x i32> <i32 1, i32 1, i32 1, i32 1>
; check: sdiv <4 x i32> *, %$d
; check: udiv <4 x i32> *, <i32 10, i32 10, i32 10, i32 10>
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %d) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %pd = getelementptr i32, ptr addrspace(1) %d, i64 %i
  %v = load i32, ptr addrspace(1) %pd, align 4
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %end, label %then
then:
  %r = sdiv i32 100, %v
  %q = udiv i32 %r, 10
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %q, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
