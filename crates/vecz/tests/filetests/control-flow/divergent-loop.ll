; A loop that lanes leave in different iterations has a mask of the lanes that are left. The counter is uniform; the
; value that leaves the loop is kept for each lane from its last iteration.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: phi i64
; label: define spir_kernel void @__vecz_v4_k(
; check: %mask = phi <4 x i1>
; label: define spir_kernel void @__vecz_v4_k(
; check: %kept = phi <4 x i64>
; label: define spir_kernel void @__vecz_v4_k(
; check: @llvm.vector.reduce.or.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  br label %body
body:
  %n = phi i64 [ 0, %entry ], [ %m, %body ]
  %m = add i64 %n, 1
  %more = icmp ult i64 %m, %i
  br i1 %more, label %body, label %end
end:
  %p = getelementptr i64, ptr addrspace(1) %y, i64 %i
  store i64 %m, ptr addrspace(1) %p, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
