; A scan with a single result, as the specification prints one, is refused: each lane has a result.
; run: define-mux-builtins
; error: in function 'k': the builtin '__mux_vec_group_scan_exclusive_mul_nxv1i64' is of type i64 (<vscale x 1 x i64>)
; error: expected is <vscale x 1 x i64> (<vscale x 1 x i64>): a scan has a result for each lane
declare i64 @__mux_vec_group_scan_exclusive_mul_nxv1i64(<vscale x 1 x i64>)
define i64 @k(<vscale x 1 x i64> %v) {
  %r = call i64 @__mux_vec_group_scan_exclusive_mul_nxv1i64(<vscale x 1 x i64> %v)
  ret i64 %r
}
