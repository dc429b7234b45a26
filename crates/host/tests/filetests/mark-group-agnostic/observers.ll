; Kernels that can observe their work-groups: by a local ID, by a barrier in a function they call, by a pointer to local
; memory, by a local variable.
; run: mark-group-agnostic
; count: 4 define spir_kernel void @* #0
; not: mux-group-agnostic
@tile = internal addrspace(3) global [16 x i32] undef, align 4
define spir_kernel void @id(ptr addrspace(1) %p) #0 {
  %i = call i64 @__mux_get_local_id(i32 0)
  store i64 %i, ptr addrspace(1) %p, align 8
  ret void
}
define spir_kernel void @barrier() #0 {
  call void @f()
  ret void
}
define void @f() {
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  ret void
}
define spir_kernel void @parameter(ptr addrspace(3) %p) #0 {
  ret void
}
define spir_kernel void @variable() #0 {
  store i32 1, ptr addrspace(3) @tile, align 4
  ret void
}
declare i64 @__mux_get_local_id(i32)
declare void @__mux_work_group_barrier(i32, i32, i32)
attributes #0 = { "mux-kernel"="entry-point" }
