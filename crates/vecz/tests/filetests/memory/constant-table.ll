; A small constant table is looked up by permutations of registers: four for 256 bytes, of which pairs are chosen by
; the index's highest bit. Without such instructions, and from memory that may change, it is a gather.
; run: run-vecz<width=16;mode=always;permutes=1>
; label: define spir_kernel void @__vecz_v16_bytes(
; count: 2 call <64 x i8> @llvm.x86.avx512.vpermi2var.qi.512(
; count: 0 @llvm.masked.gather.*
; label: define spir_kernel void @__vecz_v16_floats(
; check: call <16 x i32> @llvm.x86.avx512.permvar.si.512(
; check: bitcast <16 x i32> %$_ to <16 x float>
; label: define spir_kernel void @__vecz_v16_variable(
; check: @llvm.masked.gather.*
target datalayout = "e-i64:64-n8:16:32:64"
@s = internal addrspace(2) constant [256 x i8] c"\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08\01\02\03\04\05\06\07\08"
@f = internal addrspace(2) constant [5 x float] [float 1.0, float 2.0, float 3.0, float 4.0, float 5.0]
@v = internal addrspace(1) global [16 x float] zeroinitializer
define spir_kernel void @bytes(ptr addrspace(1) %x) #0 {
  %id = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr i8, ptr addrspace(1) %x, i64 %id
  %n = load i8, ptr addrspace(1) %p, align 1
  %i = zext i8 %n to i64
  %a = getelementptr [256 x i8], ptr addrspace(2) @s, i64 0, i64 %i
  %e = load i8, ptr addrspace(2) %a, align 1
  store i8 %e, ptr addrspace(1) %p, align 1
  ret void
}
define spir_kernel void @floats(ptr addrspace(1) %x) #0 {
  %id = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %x, i64 %id
  %n = load i32, ptr addrspace(1) %p, align 4
  %i = sext i32 %n to i64
  %a = getelementptr float, ptr addrspace(2) @f, i64 %i
  %e = load float, ptr addrspace(2) %a, align 4
  store float %e, ptr addrspace(1) %p, align 4
  ret void
}
define spir_kernel void @variable(ptr addrspace(1) %x) #0 {
  %id = call i64 @__mux_get_global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %x, i64 %id
  %n = load i32, ptr addrspace(1) %p, align 4
  %i = sext i32 %n to i64
  %a = getelementptr float, ptr addrspace(1) @v, i64 %i
  %e = load float, ptr addrspace(1) %a, align 4
  store float %e, ptr addrspace(1) %p, align 4
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
