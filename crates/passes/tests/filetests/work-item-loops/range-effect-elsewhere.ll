; No bound where something is done for all work-items as well: a store, a call, a value that lives on for each of them.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @stores.mux-barrier-wrapper(
; not: freeze
; label: define spir_func void @calls.mux-barrier-wrapper(
; not: freeze
; label: define spir_func void @lives.mux-barrier-wrapper(
; not: freeze
define spir_kernel void @stores(ptr addrspace(3) %s, i64 %d) {
entry:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr float, ptr addrspace(3) %s, i64 %id
  %some = icmp ult i64 %id, %d
  br i1 %some, label %then, label %end
then:
  store float 1.0, ptr addrspace(3) %at
  br label %end
end:
  store float 2.0, ptr addrspace(3) %at
  ret void
}
define spir_kernel void @calls(ptr addrspace(3) %s, i64 %d) {
entry:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %id = call i64 @__mux_get_local_id(i32 0)
  %some = icmp ult i64 %id, %d
  call void @f()
  br i1 %some, label %then, label %end
then:
  %at = getelementptr float, ptr addrspace(3) %s, i64 %id
  store float 1.0, ptr addrspace(3) %at
  br label %end
end:
  ret void
}
define spir_kernel void @lives(ptr addrspace(3) %s, i64 %d) {
entry:
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr float, ptr addrspace(3) %s, i64 %id
  %some = icmp ult i64 %id, %d
  br i1 %some, label %then, label %end
then:
  %v = load float, ptr addrspace(3) %at
  br label %end
end:
  %w = phi float [ 0.0, %entry ], [ %v, %then ]
  call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)
  store float %w, ptr addrspace(3) %at
  ret void
}
declare void @f()
declare void @__mux_work_group_barrier(i32, i32, i32)
declare i64 @__mux_get_local_id(i32)
