; No bound where the condition is no range, its other side is not known before the loops, or the way is that of a switch.
; run: transfer-kernel-metadata,prepare-barriers,work-item-loops
; label: define spir_func void @product.mux-barrier-wrapper(
; not: freeze
; label: define spir_func void @loaded.mux-barrier-wrapper(
; not: freeze
; label: define spir_func void @switched.mux-barrier-wrapper(
; not: freeze
; label: define spir_func void @halves.mux-barrier-wrapper(
; not: freeze
; label: define spir_func void @lanes.mux-barrier-wrapper(
; not: freeze
define spir_kernel void @product(ptr addrspace(1) %p, i64 %d) {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %far = mul i64 %id, %d
  %some = icmp ult i64 %far, %d
  br i1 %some, label %then, label %end
then:
  store float 1.0, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
define spir_kernel void @loaded(ptr addrspace(1) %p) {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %d = load i64, ptr addrspace(1) %p
  %some = icmp ult i64 %id, %d
  br i1 %some, label %then, label %end
then:
  store float 1.0, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
define spir_kernel void @switched(ptr addrspace(1) %p, i64 %d) {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  switch i64 %id, label %end [ i64 7, label %then ]
then:
  store float 1.0, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
define spir_kernel void @halves(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %d) {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %some = icmp ult i64 %id, %d
  br i1 %some, label %then, label %else
then:
  store float 1.0, ptr addrspace(1) %p
  br label %end
else:
  store float 1.0, ptr addrspace(1) %q
  br label %end
end:
  ret void
}
define spir_kernel void @lanes(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %first = insertelement <2 x i64> poison, i64 %id, i64 0
  %all = shufflevector <2 x i64> %first, <2 x i64> poison, <2 x i32> zeroinitializer
  %ids = add <2 x i64> %all, <i64 0, i64 1>
  %ds = load <2 x i64>, ptr addrspace(1) %q
  %mask = icmp ult <2 x i64> %ids, %ds
  %any = call i1 @llvm.vector.reduce.or.v2i1(<2 x i1> %mask)
  br i1 %any, label %then, label %end
then:
  store float 1.0, ptr addrspace(1) %p
  br label %end
end:
  ret void
}
declare i1 @llvm.vector.reduce.or.v2i1(<2 x i1>)
declare i64 @__mux_get_local_id(i32)
