; A loop waits for its sum: each value takes four registers where there are enough.
; run: run-vecz<mode=always;registers=26>
; label: define spir_kernel void @__vecz_v64_vp_k(
; check: fadd <64 x float>
define spir_kernel void @k(ptr addrspace(1) %p, i64 %n) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = add i64 %i, %j
  %a = getelementptr float, ptr addrspace(1) %p, i64 %at
  %v = load float, ptr addrspace(1) %a, align 4
  %more = fadd float %sum, %v
  %next = add i64 %j, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  %out = getelementptr float, ptr addrspace(1) %p, i64 %i
  store float %more, ptr addrspace(1) %out, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" "mux-group-agnostic" }
attributes #1 = { memory(none) nounwind willreturn }
