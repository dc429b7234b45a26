; A vector by a 32-bit index that may wrap: a test finds it contiguous, and otherwise whole words are gathered and scattered.
; run: run-vecz<width=4;mode=always;partial-scalarization>
; label: define spir_kernel void @__vecz_v4_k(
; check: %consecutive = icmp sle i32
; check: all:
; check: @llvm.masked.load.v16i8.*
; check: some:
; check: call <4 x i32> @llvm.masked.gather.v4i32.*
; check: bitcast <4 x i32> * to <16 x i8>
; check: @llvm.masked.store.v16i8.*
; check: call void @llvm.masked.scatter.v4i32.*
; count: 0 v16i8.v16p1
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %x, i32 %offset, i32 %n) #0 {
entry:
  %id = call i64 @__mux_get_global_id(i32 0)
  %i = trunc i64 %id to i32
  %c = icmp slt i32 %i, %n
  br i1 %c, label %yes, label %no
yes:
  %s = shl i32 %i, 2
  %o = add i32 %s, %offset
  %w = sext i32 %o to i64
  %p = getelementptr inbounds i8, ptr addrspace(1) %x, i64 %w
  %v = load <4 x i8>, ptr addrspace(1) %p, align 4
  %t = add <4 x i8> %v, %v
  store <4 x i8> %t, ptr addrspace(1) %p, align 4
  br label %no
no:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
