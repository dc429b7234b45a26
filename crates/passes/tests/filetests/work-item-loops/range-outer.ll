; A condition on y bounds the loop over y.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @k.mux-barrier-wrapper(
; check: %$d = freeze i64 %d
; check: %$row = phi i64 [ %$first, %loop.z ]
; check: phi i64 [ 0, %loop.y ]
; check: icmp ult i64 *, %size.x
; check: %$more = icmp ult i64 *, %$to
; not: %size.y
; check: icmp ult i64 *, %size.z
define spir_kernel void @k(ptr addrspace(1) %p, i64 %d) {
entry:
  %y = call i64 @__mux_get_local_id(i32 1)
  %some = icmp sge i64 %y, %d
  br i1 %some, label %then, label %end
then:
  %at = getelementptr float, ptr addrspace(1) %p, i64 %y
  store float 1.0, ptr addrspace(1) %at
  br label %end
end:
  ret void
}
declare i64 @__mux_get_local_id(i32)
