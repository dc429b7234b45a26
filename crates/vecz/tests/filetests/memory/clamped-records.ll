; Whole records at a clamped index are read by wide loads where nothing is clamped, else one by one.
; run: transfer-kernel-metadata,run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: br i1 %consecutive, label %all, label %some
; label: all:
; check: load <4 x float>
; next: getelementptr
; next: load <4 x float>
; label: some:
; check: load <2 x float>
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %last) {
  %id = call i64 @__mux_get_global_id(i32 0)
  %x = trunc i64 %id to i32
  %a = call i32 @llvm.smax.i32(i32 %x, i32 0)
  %i = call i32 @llvm.smin.i32(i32 %a, i32 %last)
  %s = shl nsw i32 %i, 3
  %w = sext i32 %s to i64
  %p = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %w
  %v = load float, ptr addrspace(1) %p, align 4
  %p1 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 4
  %v1 = load float, ptr addrspace(1) %p1, align 4
  %sum = fadd float %v, %v1
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %id
  store float %sum, ptr addrspace(1) %q, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
