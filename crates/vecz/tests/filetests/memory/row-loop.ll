; A loop in which each lane walks along a row of its own: four elements of each row are loaded at once and
; transposed, and the elements left over one by one.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_sums(
; check: load <4 x float>
; check: load <4 x float>
; check: load <4 x float>
; check: load <4 x float>
; check: shufflevector <4 x float>
; check: load float
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @sums(ptr addrspace(1) %a, ptr addrspace(1) %y, i32 %n) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %id = trunc i64 %i to i32
  %row = mul nsw i32 %id, %n
  %start = sext i32 %row to i64
  %first = getelementptr inbounds float, ptr addrspace(1) %a, i64 %start
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %end
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %p = phi ptr addrspace(1) [ %first, %entry ], [ %after, %loop ]
  %v = load float, ptr addrspace(1) %p, align 4
  %sum = fadd float %s, %v
  %after = getelementptr inbounds i8, ptr addrspace(1) %p, i64 4
  %next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %py = getelementptr float, ptr addrspace(1) %y, i64 %i
  store float %r, ptr addrspace(1) %py, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
