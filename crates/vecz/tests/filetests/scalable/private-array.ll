; A private array is interleaved: rows of all lanes, whose size is a multiple of vscale.
; run: run-vecz<width=nxv4;mode=always>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: = alloca <vscale x 16 x i8>, i32 8, align 16
; check: %vscale = call i64 @llvm.vscale.i64()
; check: call void @llvm.masked.store.nxv4i32.p0(
; check: call <vscale x 4 x i32> @llvm.masked.load.nxv4i32.p0(
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p, i64 %n) #0 {
  %a = alloca [8 x i32], align 4
  %i = call i64 @__mux_get_global_id(i32 0)
  %word = trunc i64 %i to i32
  %one = and i64 %n, 7
  %to = getelementptr i32, ptr %a, i64 %one
  store i32 %word, ptr %to, align 4
  %next = add i64 %n, 1
  %two = and i64 %next, 7
  %of = getelementptr i32, ptr %a, i64 %two
  %x = load i32, ptr %of, align 4
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %i
  store i32 %x, ptr addrspace(1) %at, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
