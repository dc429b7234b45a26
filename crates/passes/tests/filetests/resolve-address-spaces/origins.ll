; A generic pointer is followed to where it became generic, also through selects and PHIs.
; run: resolve-address-spaces
; label: define spir_kernel void @k(
; check: %$in = phi i1 [ true, %a ], [ false, %b ]
; check: select i1 %$in, ptr addrspace(1) %$cast, ptr addrspace(1) null
; not: call
; check: store ptr addrspace(3) null, ptr %q1
; check: store i32 2, ptr %q2
; check: ret void
define spir_kernel void @k(ptr addrspace(1) %g, ptr addrspace(3) %l, i1 %c, ptr %q0, ptr %q1, ptr %q2) #0 {
entry:
  br i1 %c, label %a, label %b
a:
  %p = addrspacecast ptr addrspace(1) %g to ptr addrspace(4)
  br label %end
b:
  %r = addrspacecast ptr addrspace(3) %l to ptr addrspace(4)
  br label %end
end:
  %s = phi ptr addrspace(4) [ %p, %a ], [ %r, %b ]
  %t = getelementptr i8, ptr addrspace(4) %s, i64 4
  %u = call ptr addrspace(1) @__to_global(ptr addrspace(4) %t)
  store ptr addrspace(1) %u, ptr %q0
  %only = addrspacecast ptr addrspace(1) %g to ptr addrspace(4)
  %v = call ptr addrspace(3) @__to_local(ptr addrspace(4) %only)
  store ptr addrspace(3) %v, ptr %q1
  %f = call i32 @_Z9get_fencePU3AS4v(ptr addrspace(4) %only)
  store i32 %f, ptr %q2
  ret void
}
declare ptr addrspace(1) @__to_global(ptr addrspace(4))
declare ptr addrspace(3) @__to_local(ptr addrspace(4))
declare i32 @_Z9get_fencePU3AS4v(ptr addrspace(4))
attributes #0 = { "mux-kernel"="entry-point" }
