; A kernel that was not vectorized is good for all ranges; and one for large ranges alone stays the kernel.
; run: join-large-ranges
; module:
; check: define void @small(ptr addrspace(1) %p) #$small
; check: define internal void @big(ptr addrspace(1) %p) #$big
; check: define void @alone() #$alone
; not: define
; check: attributes #$small = { "mux-kernel"="entry-point" *}
; check: attributes #$big = { "mux-large-range" "mux-orig-fn"="k" }
; check: attributes #$alone = { "mux-kernel"="entry-point" *}
define void @small(ptr addrspace(1) %p) #0 {
  ret void
}
define void @big(ptr addrspace(1) %p) #1 {
  ret void
}
define void @alone() #2 {
  ret void
}
attributes #0 = { "mux-kernel"="entry-point" "mux-orig-fn"="k" }
attributes #1 = { "mux-kernel"="entry-point" "mux-orig-fn"="k" "mux-large-range" }
attributes #2 = { "mux-kernel"="entry-point" "mux-orig-fn"="alone" "mux-large-range" }
