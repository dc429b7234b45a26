; A function that is called on several ways is no recursion.
; run: refuse-recursion
; check: define void @a()
define void @a() {
  call void @b()
  call void @c()
  ret void
}
define void @b() {
  call void @c()
  ret void
}
define void @c() {
  ret void
}
