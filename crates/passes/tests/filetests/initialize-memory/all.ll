; Local variables begin as zeros, kernels say that their local arguments do, private variables are filled.
; run: initialize-memory<local;private>
; check: @k.a = internal addrspace(3) global [8 x i32] zeroinitializer
; check: define spir_kernel void @k(ptr addrspace(3) %p) #$own
; next: %x = alloca [4 x i32], align 4
; next: call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 16, i1 false)
; next: call void @use(ptr %x)
; next: ret void
; check: attributes #$own = { "mux-zero-local" }
target datalayout = "e-p:64:64"

@k.a = internal addrspace(3) global [8 x i32] undef

declare void @use(ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)

define spir_kernel void @k(ptr addrspace(3) %p) {
  %x = alloca [4 x i32], align 4
  call void @llvm.lifetime.start.p0(i64 16, ptr %x)
  call void @use(ptr %x)
  call void @llvm.lifetime.end.p0(i64 16, ptr %x)
  ret void
}
