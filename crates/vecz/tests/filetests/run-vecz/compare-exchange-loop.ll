; The result of a compare-and-exchange that goes round a loop as a structure does not keep a kernel scalar.
; run: run-vecz<width=4;mode=always>
; label: define spir_kernel void @__vecz_v4_k(
; count: 5 cmpxchg ptr addrspace(1)
; not: phi { i32, i1 }
define spir_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %i = call i64 @__mux_get_global_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %first = cmpxchg ptr addrspace(1) %at, i32 0, i32 1 monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %first, 1
  br i1 %done, label %exit, label %loop

loop:
  %last = phi { i32, i1 } [ %first, %entry ], [ %this, %loop ]
  %was = extractvalue { i32, i1 } %last, 0
  %more = add i32 %was, 1
  %this = cmpxchg ptr addrspace(1) %at, i32 %was, i32 %more monotonic monotonic, align 4
  %now = extractvalue { i32, i1 } %this, 1
  br i1 %now, label %exit, label %loop

exit:
  ret void
}
declare i64 @__mux_get_global_id(i32) #1
attributes #0 = { "mux-kernel"="entry-point" }
attributes #1 = { memory(none) nounwind willreturn }
