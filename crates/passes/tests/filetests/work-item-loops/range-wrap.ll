; An ID plus something may wrap: only if that cannot have happened is there a bound.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: %$o = freeze i32 %o
; next: %$sum = sext i32 %$o to i64
; check: %$above = sub i64 %$sum, -1073741824
; next: %$small = icmp ule i64 %$above, 2147483648
; check: %$b = freeze i32 %b
; next: %$bound = zext i32 %$b to i64
; check: %$positive = icmp slt i64 %$bound, 2147483648
; check: and i1 %$small, %$positive
define spir_kernel void @k(ptr addrspace(1) %p, i32 %o, i32 %b) {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %x = trunc i64 %id to i32
  %sum = add i32 %x, %o
  %some = icmp ult i32 %sum, %b
  br i1 %some, label %then, label %end
then:
  %at = getelementptr float, ptr addrspace(1) %p, i64 %id
  store float 1.0, ptr addrspace(1) %at
  br label %end
end:
  ret void
}
declare i64 @__mux_get_local_id(i32)
