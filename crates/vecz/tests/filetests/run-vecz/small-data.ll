; Of bytes and 16-bit integers a register holds more lanes, unless a wider value follows from them.
; run: run-vecz<mode=always>
; label: define spir_kernel void @__vecz_v64_bytes(
; label: define spir_kernel void @__vecz_v32_shorts(
; label: define spir_kernel void @__vecz_v16_wide(
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @bytes(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %w = trunc i64 %i to i32
  %c = icmp slt i32 %w, %n
  br i1 %c, label %yes, label %no
yes:
  %a = getelementptr i8, ptr addrspace(1) %p, i64 %i
  %v = load i8, ptr addrspace(1) %a, align 1
  %x = add i8 %v, 1
  store i8 %x, ptr addrspace(1) %a, align 1
  br label %no
no:
  ret void
}
define spir_kernel void @shorts(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr i16, ptr addrspace(1) %p, i64 %i
  %v = load i16, ptr addrspace(1) %a, align 2
  %x = add i16 %v, 1
  store i16 %x, ptr addrspace(1) %a, align 2
  ret void
}
define spir_kernel void @wide(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr i8, ptr addrspace(1) %p, i64 %i
  %v = load i8, ptr addrspace(1) %a, align 1
  %x = zext i8 %v to i32
  %y = add i32 %x, 1000
  %b = getelementptr i32, ptr addrspace(1) %q, i64 %i
  store i32 %y, ptr addrspace(1) %b, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
