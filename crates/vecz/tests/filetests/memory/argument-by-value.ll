; Fields of a struct by value are the same for all work-items: they are loaded once, and no branch on them diverges.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; check: load i32, ptr %s, align 4
; check: br i1
; check: store <4 x i32>
; count: 0 @llvm.masked
; count: 0 <4 x ptr>
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %y, ptr readonly byref({ i32, i32 }) %s) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %y, i64 %i
  %n = load i32, ptr %s, align 4
  %c = icmp sgt i32 %n, 3
  br i1 %c, label %then, label %end
then:
  %field = getelementptr i8, ptr %s, i64 4
  %m = load i32, ptr %field, align 4
  store i32 %m, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
