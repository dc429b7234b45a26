; The bound of a loop steers it; an argument that is only stored does not.
; run: mark-steering-arguments
; check: "mux-steering-args"="1"
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n, i32 %v) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" }
