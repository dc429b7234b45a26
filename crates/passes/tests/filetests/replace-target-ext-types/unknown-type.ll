; A type that the target has nothing for is an error where it is used.
; run: replace-target-ext-types
; error: replace-target-ext-types: in function 'f': the type target("spirv.Queue") is used, and the target has none
; error: call void @use(target("spirv.Queue") %q)
define void @f(target("spirv.Queue") %q) {
  call void @use(target("spirv.Queue") %q)
  ret void
}
declare void @use(target("spirv.Queue"))
