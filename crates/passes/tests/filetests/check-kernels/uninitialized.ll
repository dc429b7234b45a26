; A variable that has no value yet has a shadow of all ones, which is told where it reaches memory.
; run: check-kernels<uninitialized>
; label: define spir_kernel void @k(ptr addrspace(1) %p, i1 %c) #0 !kernel_arg_name !0 {
; next: entry:
; next: %check.record = call spir_func ptr addrspace(2) @__mux_check_record()
; next: %0 = getelementptr inbounds i64, ptr addrspace(2) %check.record, i32 5
; next: %check.p.shadow = load i64, ptr addrspace(2) %0, align 8, !invariant.load !1
; next: %1 = icmp eq i64 %check.p.shadow, 0
; next: %2 = getelementptr inbounds i64, ptr addrspace(2) %check.record, i32 3
; next: %check.p.writable = load i64, ptr addrspace(2) %2, align 8, !invariant.load !1
; next: %check.limit = call i64 @llvm.usub.sat.i64(i64 %check.p.writable, i64 3)
; next: %3 = getelementptr inbounds i64, ptr addrspace(2) %check.record, i32 2
; next: %check.p.readable = load i64, ptr addrspace(2) %3, align 8, !invariant.load !1
; next: %4 = getelementptr inbounds i64, ptr addrspace(2) %check.record, i32 1
; next: %check.p.before = load i64, ptr addrspace(2) %4, align 8, !invariant.load !1
; next: br i1 %1, label %check.all.quiet, label %check.all
; next: check.all:
; next: br i1 %c, label %then, label %end
; next: then:
; next: br label %end
; next: end:
; next: %x.0.shadow = phi i32 [ 0, %then ], [ -1, %check.all ]
; next: %x.0 = phi i32 [ 1, %then ], [ 0, %check.all ]
; next: %check.ok = icmp ult i64 %check.p.before, %check.limit
; next: br i1 %check.ok, label %check.do, label %check.bad
; next: check.do:
; next: %5 = icmp ne i32 %x.0.shadow, 0
; next: br i1 %5, label %check.bad4, label %check.next3
; next: check.bad4:
; next: %6 = call spir_func i64 @__mux_get_global_id(i32 0)
; next: %7 = call spir_func i64 @__mux_get_global_id(i32 1)
; next: %8 = call spir_func i64 @__mux_get_global_id(i32 2)
; next: %9 = call spir_func i32 @__mux_check(ptr addrspacecast (ptr addrspace(1) @check.site.1 to ptr), i64 %check.p.before, i64 0, i64 0, i64 %6, i64 %7, i64 %8)
; next: br label %check.next3
; next: check.next3:
; next: store i32 %x.0, ptr addrspace(1) %p, align 4
; next: %10 = icmp ne i64 %check.p.shadow, 0
; next: %11 = add i64 %check.p.shadow, %check.p.before
; next: %12 = inttoptr i64 %11 to ptr addrspace(1)
; next: br i1 %10, label %check.shadow, label %check.on
; next: check.shadow:
; next: store i32 0, ptr addrspace(1) %12, align 1
; next: br label %check.on
; next: check.on:
; next: br label %check.next
; next: check.bad:
; next: %13 = call spir_func i64 @__mux_get_global_id(i32 0)
; next: %14 = call spir_func i64 @__mux_get_global_id(i32 1)
; next: %15 = call spir_func i64 @__mux_get_global_id(i32 2)
; next: %16 = call spir_func i32 @__mux_check(ptr addrspacecast (ptr addrspace(1) @check.site to ptr), i64 %check.p.before, i64 0, i64 4, i64 %13, i64 %14, i64 %15)
; next: br label %check.next

define spir_kernel void @k(ptr addrspace(1) %p, i1 %c) #0 !kernel_arg_name !0 {
entry:
  %x = alloca i32, align 4
  br i1 %c, label %then, label %end

then:
  store i32 1, ptr %x, align 4
  br label %end

end:
  %v = load i32, ptr %x, align 4
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { "mux-kernel"="entry-point" }

!0 = !{!"p", !"c"}
