; Each iteration of a divergent loop takes the version for the lanes that are left. The uniform counter is stepped
; once for both versions.
; run: run-vecz<width=16;mode=always>
; label: define spir_kernel void @__vecz_v16_k(
; check: br i1 %all, label %body.all, label %body.some
; check: %next = phi <16 x i64>
; count: 1 add i64 %n, 1
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %x) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  br label %body
body:
  %n = phi i64 [ 0, %entry ], [ %m, %body ]
  %at = phi i64 [ %i, %entry ], [ %next, %body ]
  %q = getelementptr i64, ptr addrspace(1) %x, i64 %at
  %next = load i64, ptr addrspace(1) %q, align 8
  %m = add i64 %n, 1
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %body, label %end
end:
  %p = getelementptr i64, ptr addrspace(1) %y, i64 %i
  store i64 %m, ptr addrspace(1) %p, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
