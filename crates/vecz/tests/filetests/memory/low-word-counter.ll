; A loop over a `uint` that steps by the global size: InstCombine keeps it in 64 bits, of which the low
; word is used. In 32 bits it is strided, and its accesses are contiguous unless it wraps within the vector.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_unsigned(
; check: %consecutive = icmp ule i32 %*, -8
; check: @llvm.masked.load.v8f32.*
; label: define spir_kernel void @__vecz_v8_signed(
; check: %consecutive = icmp sle i32 %*, 2147483640
; check: @llvm.masked.load.v8f32.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @unsigned(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n) #0 {
entry:
  %id = call i64 @__mux_get_global_id(i32 0)
  %size = call i64 @__mux_get_global_size(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %next, %loop ], [ %id, %entry ]
  %s = phi float [ %t, %loop ], [ 0.0, %entry ]
  %low = and i64 %i, 4294967295
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i64 %low
  %v = load float, ptr addrspace(1) %p, align 4
  %t = fadd float %s, %v
  %next = add i64 %low, %size
  %word = trunc i64 %next to i32
  %more = icmp ult i32 %word, %n
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr inbounds float, ptr addrspace(1) %y, i64 %id
  store float %t, ptr addrspace(1) %q, align 4
  ret void
}
define spir_kernel void @signed(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n) #0 {
entry:
  %id = call i64 @__mux_get_global_id(i32 0)
  %size = call i64 @__mux_get_global_size(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %next, %loop ], [ %id, %entry ]
  %s = phi float [ %t, %loop ], [ 0.0, %entry ]
  %high = shl i64 %i, 32
  %low = ashr exact i64 %high, 32
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i64 %low
  %v = load float, ptr addrspace(1) %p, align 4
  %t = fadd float %s, %v
  %next = add i64 %low, %size
  %word = trunc i64 %next to i32
  %more = icmp slt i32 %word, %n
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr inbounds float, ptr addrspace(1) %y, i64 %id
  store float %t, ptr addrspace(1) %q, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare i64 @__mux_get_global_size(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
