; A function that is given a variable of its caller is inlined, also where another call gives it something
; else, and one that is handed it; one that only gets other memory, one that is noinline and one that is called by its address are not.
; run: inline-private-memory
; check: define internal void @fill(ptr %p) #$inlined
; check: define internal void @through(ptr %p) #$inlined
; check: define internal void @other(ptr %p) {
; check: define internal void @kept(ptr %p) #$kept
; check: define internal void @pointed_to(ptr %p) {
; check: define internal void @handed_on(ptr %p) #$inlined
; check: attributes #$inlined = { alwaysinline }
; check: attributes #$kept = { noinline }
define void @k(ptr %memory) {
  %w = alloca [16 x i32]
  %half = getelementptr i8, ptr %w, i64 32
  call void @fill(ptr %half)
  call void @fill(ptr %memory)
  call void @through(ptr %w)
  call void @other(ptr %memory)
  call void @kept(ptr %w)
  call void @pointed_to(ptr %w)
  store ptr @pointed_to, ptr %memory
  ret void
}
define internal void @fill(ptr %p) {
  store i32 1, ptr %p
  %rest = getelementptr i8, ptr %p, i64 4
  call void @handed_on(ptr %rest)
  ret void
}
define internal void @through(ptr %p) {
  store i32 2, ptr %p
  ret void
}
define internal void @other(ptr %p) {
  store i32 3, ptr %p
  ret void
}
define internal void @kept(ptr %p) #0 {
  store i32 4, ptr %p
  ret void
}
define internal void @pointed_to(ptr %p) {
  store i32 5, ptr %p
  ret void
}
define internal void @handed_on(ptr %p) {
  store i32 6, ptr %p
  ret void
}
attributes #0 = { noinline }
