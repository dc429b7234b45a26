; A kernel that returns a value is none.
; run: encode-kernel-metadata<kernel=k>,work-item-loops
; error: work-item-loops: in function 'k': a kernel must return void
define i32 @k() {
  ret i32 0
}
