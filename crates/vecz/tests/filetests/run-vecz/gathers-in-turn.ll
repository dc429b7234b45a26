; A chain of gathers waits for their latency: where they are fast, each value takes four registers.
; run: run-vecz<mode=always;memory=gathers>
; label: define spir_kernel void @__vecz_v64_vp_k(
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %t, i64 %n) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %out = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %first = load i32, ptr addrspace(1) %out, align 4
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = phi i32 [ %first, %entry ], [ %v, %loop ]
  %index = sext i32 %at to i64
  %a = getelementptr i32, ptr addrspace(1) %t, i64 %index
  %v = load i32, ptr addrspace(1) %a, align 4
  %next = add i64 %j, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" "mux-group-agnostic" }
attributes #1 = { memory(none) nounwind willreturn }
