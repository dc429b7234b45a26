; The functions of a cycle are named, from any of them around to itself.
; run: refuse-recursion
; error: recursion is not supported: 'f' calls 'g', which calls 'h', which calls 'f'
declare void @someone()
define void @leaf() {
  call void @someone()
  ret void
}
define void @f() {
  call void @leaf()
  call void @g()
  ret void
}
define void @g() {
  call void @leaf()
  call void @h()
  ret void
}
define void @h() {
  call void @f()
  call void @leaf()
  ret void
}
