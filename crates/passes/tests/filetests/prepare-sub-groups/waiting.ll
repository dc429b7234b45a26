; A sub-group may wait for another one where a loop reads atomically and ends by what memory holds. Such a loop comes into the kernel.
; run: transfer-kernel-metadata,prepare-sub-groups
; label: define spir_kernel void @waits(
; not: call
; check: call i32 @__mux_get_sub_group_id()
; not: call
; check: load atomic i32
; module:
; check: "mux-base-fn-name"="waits" "mux-independent-subgroups" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="takes_a_lock" "mux-independent-subgroups" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="flag_by_phi" "mux-independent-subgroups" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="old_style" "mux-independent-subgroups" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="waits_for_value" "mux-independent-subgroups" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="required" "mux-independent-subgroups" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="takes_back" "mux-independent-subgroups" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="takes_work" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="adds" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="counts" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="plain_loads" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="meets" "mux-kernel"="entry-point" "mux-orig-fn"
; check: "mux-base-fn-name"="does_not_ask" "mux-independent-subgroups" "mux-kernel"="entry-point" "mux-orig-fn"
define spir_kernel void @waits(ptr addrspace(1) %p) {
  %id = call i32 @__mux_get_sub_group_id()
  call void @wait(ptr addrspace(1) %p)
  ret void
}
define internal spir_func void @wait(ptr addrspace(1) %p) {
  br label %loop
loop:
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %more = icmp eq i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}
define spir_kernel void @takes_a_lock(ptr addrspace(1) %p) {
  %id = call i32 @__mux_get_sub_group_id()
  br label %loop
loop:
  %v = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic
  %got = extractvalue { i32, i1 } %v, 1
  br i1 %got, label %done, label %loop
done:
  ret void
}
define spir_kernel void @flag_by_phi(ptr addrspace(1) %p) {
entry:
  %id = call i32 @__mux_get_sub_group_id()
  br label %loop
loop:
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %yes, label %latch
yes:
  br label %latch
latch:
  %more = phi i1 [ true, %yes ], [ false, %loop ]
  br i1 %more, label %loop, label %done
done:
  ret void
}
define spir_kernel void @old_style(ptr addrspace(1) %p) {
  %id = call i32 @__mux_get_sub_group_id()
  br label %loop
loop:
  call void @__mux_mem_barrier(i32 2, i32 520)
  %v = load i32, ptr addrspace(1) %p
  %more = icmp eq i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}
define spir_kernel void @waits_for_value(ptr addrspace(1) %p) {
entry:
  %id = call i32 @__mux_get_sub_group_id()
  %first = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  br label %loop
loop:
  %x = cmpxchg ptr addrspace(1) %p, i32 %first, i32 %id monotonic monotonic
  %got = extractvalue { i32, i1 } %x, 1
  br i1 %got, label %done, label %loop
done:
  ret void
}
define spir_kernel void @required(ptr addrspace(1) %p) !intel_reqd_sub_group_size !0 {
  br label %loop
loop:
  %v = load volatile i32, ptr addrspace(1) %p
  %more = icmp eq i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}
define spir_kernel void @takes_back(ptr addrspace(1) %p) {
  %id = call i32 @__mux_get_sub_group_id()
  br label %loop
loop:
  %v = atomicrmw sub ptr addrspace(1) %p, i32 1 monotonic
  %got = icmp sgt i32 %v, 0
  br i1 %got, label %done, label %back
back:
  %w = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  br label %loop
done:
  ret void
}
define spir_kernel void @takes_work(ptr addrspace(1) %p) {
  %id = call i32 @__mux_get_sub_group_id()
  br label %loop
loop:
  %v = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %more = icmp ult i32 %v, 100
  br i1 %more, label %loop, label %done
done:
  ret void
}
define spir_kernel void @adds(ptr addrspace(1) %p) {
entry:
  %id = call i32 @__mux_get_sub_group_id()
  %first = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %found, %loop ]
  %new = add i32 %old, %id
  %x = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic
  %found = extractvalue { i32, i1 } %x, 0
  %got = extractvalue { i32, i1 } %x, 1
  br i1 %got, label %done, label %loop
done:
  ret void
}
define spir_kernel void @counts(ptr addrspace(1) %p, i32 %n) {
entry:
  %id = call i32 @__mux_get_sub_group_id()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %v = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
define spir_kernel void @plain_loads(ptr addrspace(1) %p) {
  %id = call i32 @__mux_get_sub_group_id()
  br label %loop
loop:
  %v = load i32, ptr addrspace(1) %p
  %more = icmp eq i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}
define spir_kernel void @meets(ptr addrspace(1) %p) {
  %id = call i32 @__mux_get_sub_group_id()
  br label %loop
loop:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %more = icmp eq i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}
define spir_kernel void @does_not_ask(ptr addrspace(1) %p) {
  br label %loop
loop:
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %more = icmp eq i32 %v, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}
declare i32 @__mux_get_sub_group_id()
declare void @__mux_mem_barrier(i32, i32)
declare void @__mux_work_group_barrier(i32, i32, i32)
!0 = !{i32 8}
