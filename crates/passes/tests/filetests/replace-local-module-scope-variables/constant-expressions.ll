; Constant expressions of a variable, also in PHIs with two edges from one block, become instructions.
; run: transfer-kernel-metadata,replace-local-module-scope-variables
; label: define internal spir_func void @k(i32 %x, ptr addrspace(3) %local_vars)
; check: %$a = getelementptr inbounds %localVarTypes, ptr addrspace(3) %local_vars, i32 0, i32 0, i32 0
; check: %$e = getelementptr *i8, ptr addrspace(3) %$a, i64 8
; check: %$g = addrspacecast ptr addrspace(3) %$e to ptr addrspace(4)
; check: store i32 1, ptr addrspace(4) %$g
; not: @k.a
@k.a = internal addrspace(3) global [4 x i32] undef
define spir_kernel void @k(i32 %x) {
entry:
  store i32 1, ptr addrspace(4) addrspacecast (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @k.a, i64 8) to ptr addrspace(4))
  switch i32 %x, label %b [ i32 0, label %c
                            i32 1, label %c ]
b:
  br label %c
c:
  %p = phi ptr addrspace(3) [ getelementptr (i8, ptr addrspace(3) @k.a, i64 4), %entry ], [ getelementptr (i8, ptr addrspace(3) @k.a, i64 4), %entry ], [ @k.a, %b ]
  store i32 2, ptr addrspace(3) %p
  ret void
}
