; A sum between the two bounds of a clamped index counts for the outer one, and for the address.
; run: transfer-kernel-metadata,run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: %$first = sext i32 %x to i64
; check: %$last = add i64 %$first, 3
; check: icmp sge i64 %$first, 2
; check: %$sum = add i64 %$last, -2
; check: icmp sle i64 %$sum, %$limit
; check: and i1
; check: all:
; check: load <4 x i32>
; check: some:
; check: call <4 x i32> @llvm.masked.gather.v4i32.v4p1(
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %row, i32 %last) {
  %id = call i64 @__mux_get_global_id(i32 0)
  %x = trunc i64 %id to i32
  %a = call i32 @llvm.smax.i32(i32 %x, i32 2)
  %t = add nsw i32 %a, -2
  %i = call i32 @llvm.smin.i32(i32 %t, i32 %last)
  %s = shl nsw i32 %i, 2
  %o = add nsw i32 %row, %s
  %w = sext i32 %o to i64
  %p = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %w
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
