; A loop that is left in its middle: for the lanes that go on the counter is the same, so that what it addresses is
; contiguous.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: %n = phi i64
; check: call <4 x i32> @llvm.masked.load.v4i32.p1(
; not: @llvm.masked.gather
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y, i64 %most) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  br label %body
body:
  %n = phi i64 [ 0, %entry ], [ %next, %more ]
  %at = add i64 %i, %n
  %p = getelementptr i32, ptr addrspace(1) %x, i64 %at
  %v = load i32, ptr addrspace(1) %p, align 4
  %found = icmp eq i32 %v, 0
  br i1 %found, label %end, label %more
more:
  %next = add nuw i64 %n, 1
  %left = icmp ult i64 %next, %most
  br i1 %left, label %body, label %end
end:
  %result = phi i64 [ %n, %body ], [ %next, %more ]
  %q = getelementptr i64, ptr addrspace(1) %y, i64 %i
  store i64 %result, ptr addrspace(1) %q, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
