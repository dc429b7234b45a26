; Bytes under a mask are loaded lane by lane without branches: inactive lanes read what the first active one does.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_k(
; check: call i8 @llvm.cttz.i8(i8 *, i1 true)
; check: select <8 x i1> *, <8 x i32>
; count: 8 load i8
; count: 0 gather
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr addrspace(1) %t) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %py = getelementptr i32, ptr addrspace(1) %y, i64 %i
  %n = load i32, ptr addrspace(1) %py, align 4
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %yes, label %no
yes:
  %m = sext i32 %n to i64
  %p = getelementptr i8, ptr addrspace(1) %t, i64 %m
  %a = load i8, ptr addrspace(1) %p, align 1
  %w = zext i8 %a to i32
  store i32 %w, ptr addrspace(1) %py, align 4
  br label %no
no:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
