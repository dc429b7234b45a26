; The range chooses between two versions of a kernel. The memory is that of the version that needs more.
; run: join-large-ranges
; label: define void @k.mux-range-wrapper(ptr addrspace(1) %p)
; check: %$size = call spir_func i64 @__mux_get_global_size(i32 0)
; check: %room = sub i64 134217728, %$size
; check: icmp ule i64 %$size, 134217728
; check: %$offset = call spir_func i64 @__mux_get_global_offset(i32 0)
; check: icmp ule i64 %$offset, %room
; not: i32 1
; check: br i1 *, label %small, label %large
; check: call void @small(ptr addrspace(1) %p)
; check: call void @big(ptr addrspace(1) %p)
; module:
; check: define internal void @small(
; check: define internal void @big(
; check: define void @k.mux-range-wrapper(*) #$entry
; check: attributes #$entry = { *"mux-kernel"="entry-point" "mux-live-mem-usage"="8,20" *"mux-work-width"="16" }
define void @small(ptr addrspace(1) %p) #0 !max_work_dim !0 {
  ret void
}
define void @big(ptr addrspace(1) %p) #1 !max_work_dim !0 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" "mux-orig-fn"="k" "mux-base-fn-name"="k" "mux-work-width"="16" "mux-live-mem-usage"="4,20" }
attributes #1 = { "mux-kernel"="entry-point" "mux-orig-fn"="k" "mux-base-fn-name"="k.large" "mux-large-range" "mux-live-mem-usage"="8,0" }
!0 = !{i32 1}
