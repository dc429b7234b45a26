; The fourth element that is stored of three is the third; what is not stored stays.
; run: define-padding
; check: %four = shufflevector <3 x i8> %v, <3 x i8> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
; next: %$full = shufflevector <3 x i8> %v, <3 x i8> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 2>
; next: store <4 x i8> %$full, ptr addrspace(1) %p, align 4
; next: ret <4 x i8> %four
define <4 x i8> @f(ptr addrspace(1) %p, <3 x i8> %v) {
  %four = shufflevector <3 x i8> %v, <3 x i8> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
  store <4 x i8> %four, ptr addrspace(1) %p, align 4
  ret <4 x i8> %four
}
