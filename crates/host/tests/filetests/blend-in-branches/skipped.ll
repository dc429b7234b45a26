; A region's result is blended at its end, whichever side the mask takes it from; what is blended with a value of the join stays.
; run: blend-in-branches
; label: define <8 x double> @far(
; label: then:
; check: %$t = select <8 x i1> %mask, <8 x double> %y, <8 x double> %a
; next: %$r = select <8 x i1> %mask, <8 x double> %a, <8 x double> %x
; label: join:
; next: %t = phi <8 x double> [ %$t, %then ], [ %y, %open ]
; next: %r = phi <8 x double> [ %$r, %then ], [ %x, %open ]
; next: %q = phi <8 x double> [ %x, %then ], [ poison, %open ]
; check: %u = select <8 x i1> %mask, <8 x double> %q, <8 x double> %r
define <8 x double> @far(<8 x double> %x, <8 x double> %y, <8 x i1> %mask, i1 %any) {
open:
  br i1 %any, label %then, label %join
then:
  %a = fmul <8 x double> %x, %y
  br label %join
join:
  %p = phi <8 x double> [ %a, %then ], [ poison, %open ]
  %q = phi <8 x double> [ %x, %then ], [ poison, %open ]
  %r = select <8 x i1> %mask, <8 x double> %p, <8 x double> %x
  %t = select <8 x i1> %mask, <8 x double> %y, <8 x double> %p
  %u = select <8 x i1> %mask, <8 x double> %q, <8 x double> %r
  %sum = fadd <8 x double> %t, %u
  ret <8 x double> %sum
}
