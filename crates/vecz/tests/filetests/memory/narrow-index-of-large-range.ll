; In a range whose IDs may exceed 32 bits, an ID cut to 32 bits may wrap within a vector, even where the addition of
; an unknown value does not. Local IDs, and 64-bit indices, stay consecutive.
; run: run-vecz<width=8;mode=always>
; label: define spir_kernel void @__vecz_v8_int(
; check: @llvm.masked.scatter.*
; label: define spir_kernel void @__vecz_v8_uint(
; check: @llvm.masked.scatter.*
; label: define spir_kernel void @__vecz_v8_sum(
; check: @llvm.masked.scatter.*
; label: define spir_kernel void @__vecz_v8_local(
; check: store <8 x float>
; count: 0 @llvm.masked.*
; label: define spir_kernel void @__vecz_v8_long(
; check: store <8 x float>
; count: 0 @llvm.masked.*
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @int(ptr addrspace(1) %y, i32 %m) #2 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %s = shl i64 %i, 32
  %n = ashr exact i64 %s, 32
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}
define spir_kernel void @uint(ptr addrspace(1) %y, i32 %m) #2 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %n = and i64 %i, 4294967295
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}
define spir_kernel void @sum(ptr addrspace(1) %y, i32 %m) #2 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %t = trunc i64 %i to i32
  %a = add nsw i32 %t, %m
  %n = sext i32 %a to i64
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}
define spir_kernel void @local(ptr addrspace(1) %y, i32 %m) #2 {
  %i = call i64 @__mux_get_local_id(i32 0)
  %n = and i64 %i, 4294967295
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}
define spir_kernel void @long(ptr addrspace(1) %y, i32 %m) #2 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %n = add i64 %i, 1
  %p = getelementptr float, ptr addrspace(1) %y, i64 %n
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
declare i64 @__mux_get_local_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
attributes #2 = { "mux-kernel"="entry-point" "mux-large-range" }
