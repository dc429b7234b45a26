; RISC-V's segment accesses take at most eight registers: of three doubles for each of four lanes, two lanes at a time.
; run: run-vecz<width=nxv4;mode=always;memory=rvv>
; label: define spir_kernel void @__vecz_nxv4_vp_k(
; check: @llvm.riscv.vlseg3.mask.nxv2f64.i64(
; check: @llvm.riscv.vlseg3.mask.nxv2f64.i64(
; check: @llvm.vector.insert.nxv4f64.nxv2f64(
; check: call void @llvm.masked.store.nxv4f64.p1(
; not: gather
target datalayout = "e-i64:64-n8:16:32:64"
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = mul i64 %i, 3
  %x = getelementptr double, ptr addrspace(1) %p, i64 %at
  %y = getelementptr i8, ptr addrspace(1) %x, i64 8
  %z = getelementptr i8, ptr addrspace(1) %x, i64 16
  %a = load double, ptr addrspace(1) %x, align 8
  %b = load double, ptr addrspace(1) %y, align 8
  %c = load double, ptr addrspace(1) %z, align 8
  %d = fadd double %a, %b
  %e = fadd double %d, %c
  %to = getelementptr double, ptr addrspace(1) %q, i64 %i
  store double %e, ptr addrspace(1) %to, align 8
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
