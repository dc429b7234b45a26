; An access is done only if its offset is below the limit that the launch says; else it is told.
; run: check-kernels<bounds>
; label: define spir_kernel void @k(ptr addrspace(1) %p, i64 %i) #0 !kernel_arg_name !0 {
; next: %check.record = call spir_func ptr addrspace(2) @__mux_check_record()
; next: %1 = getelementptr inbounds i64, ptr addrspace(2) %check.record, i32 3
; next: %check.p.writable = load i64, ptr addrspace(2) %1, align 8, !invariant.load !1
; next: %check.limit = call i64 @llvm.usub.sat.i64(i64 %check.p.writable, i64 3)
; next: %2 = getelementptr inbounds i64, ptr addrspace(2) %check.record, i32 2
; next: %check.p.readable = load i64, ptr addrspace(2) %2, align 8, !invariant.load !1
; next: %3 = getelementptr inbounds i64, ptr addrspace(2) %check.record, i32 1
; next: %check.p.before = load i64, ptr addrspace(2) %3, align 8, !invariant.load !1
; next: %j = mul i64 %i, %i
; next: %4 = mul i64 %j, 4
; next: %check.offset = add i64 %check.p.before, %4
; next: %at = getelementptr i32, ptr addrspace(1) %p, i64 %j
; next: %check.ok = icmp ult i64 %check.offset, %check.limit
; next: br i1 %check.ok, label %check.do, label %check.bad
; next: check.do:
; next: store i32 1, ptr addrspace(1) %at, align 4
; next: br label %check.next
; next: check.bad:
; next: %5 = call spir_func i64 @__mux_get_global_id(i32 0)
; next: %6 = call spir_func i64 @__mux_get_global_id(i32 1)
; next: %7 = call spir_func i64 @__mux_get_global_id(i32 2)
; next: %8 = call spir_func i32 @__mux_check(ptr addrspacecast (ptr addrspace(1) @check.site to ptr), i64 %check.offset, i64 0, i64 4, i64 %5, i64 %6, i64 %7)
; next: br label %check.next
; next: check.next:
; next: ret void
; next: }

define spir_kernel void @k(ptr addrspace(1) %p, i64 %i) #0 !kernel_arg_name !0 {
  %j = mul i64 %i, %i
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %j
  store i32 1, ptr addrspace(1) %at, align 4
  ret void
}

attributes #0 = { "mux-kernel"="entry-point" }

!0 = !{!"p", !"i"}
