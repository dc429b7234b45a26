; Work-items beyond the range's end skip the rest: the kernel counts as if all passed the guard.
; Local memory is no traffic.
; run: count-work
; check: "mux-work"="4;1"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %l, i64 %n) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %work, label %end
work:
  %x = load float, ptr addrspace(3) %l, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}
declare i64 @__mux_get_global_id(i32)
attributes #0 = { "mux-kernel"="entry-point" }
