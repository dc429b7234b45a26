; In a loop over a row of its own, no lane tests whether rows are one element long.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: %at = phi ptr addrspace(1)
; count: 8 load i32
; count: 0 %contiguous
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x, i64 %n) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %row = mul i64 %i, %n
  %start = getelementptr i32, ptr addrspace(1) %x, i64 %row
  br label %body
body:
  %j = phi i64 [ 0, %entry ], [ %next, %body ]
  %at = phi ptr addrspace(1) [ %start, %entry ], [ %after, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %v = load i32, ptr addrspace(1) %at, align 4
  %more = add i32 %sum, %v
  %after = getelementptr i32, ptr addrspace(1) %at, i64 1
  %next = add i64 %j, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %more, ptr addrspace(1) %p, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
