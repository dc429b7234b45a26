; The high half of a product comes from a wider one, extended as the type is signed; of 64 bits it stays a call.
; run: optimal-builtin-replacement
; label: define spir_func void @f(
; next: %1 = sext i32 %x to i64
; next: %2 = sext i32 %x to i64
; next: %3 = mul i64 %1, %2
; next: %4 = lshr i64 %3, 32
; next: %a = trunc i64 %4 to i32
; next: %5 = zext <2 x i16> %y to <2 x i32>
; next: %6 = zext <2 x i16> %y to <2 x i32>
; next: %7 = mul <2 x i32> %5, %6
; next: %8 = lshr <2 x i32> %7, <i32 16, i32 16>
; next: %b = trunc <2 x i32> %8 to <2 x i16>
; next: %c = call spir_func i64 @_Z6mul_hill(i64 %z, i64 %z)
; next: ret void
define spir_func void @f(i32 %x, <2 x i16> %y, i64 %z) {
  %a = call spir_func i32 @_Z6mul_hiii(i32 %x, i32 %x)
  %b = call spir_func <2 x i16> @_Z6mul_hiDv2_tS_(<2 x i16> %y, <2 x i16> %y)
  %c = call spir_func i64 @_Z6mul_hill(i64 %z, i64 %z)
  ret void
}
declare spir_func i32 @_Z6mul_hiii(i32, i32)
declare spir_func <2 x i16> @_Z6mul_hiDv2_tS_(<2 x i16>, <2 x i16>)
declare spir_func i64 @_Z6mul_hill(i64, i64)
