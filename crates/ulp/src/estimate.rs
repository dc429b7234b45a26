//! Estimates of the exact result in double-double arithmetic: most results can be judged by them,
//! without MPFR.

use crate::dd::{Dd, constants, power_of_two, product};
use crate::functions::Unit;
use crate::special::{erf, erfc, lgamma, tgamma};
use crate::{Form, Function, Type};

/// The function's result for these arguments; an integer argument is the second. `None` at the
/// corners of a function, and where the result is not known well enough.
type Estimate = fn(f64, f64, f64) -> Option<Dd>;

/// The largest error of an estimate, in ULP of a double.
const DOUBT: f64 = 1e-6;

/// Judges results of one function without MPFR, where it can.
pub struct Estimator {
    first: Estimate,
    second: Option<Estimate>,
    ty: Type,
    form: Form,
    unit: Unit,
}

impl Estimator {
    pub fn new(function: &Function, ty: Type) -> Option<Self> {
        let name = function.name;
        let name = name.strip_prefix("half_").or(name.strip_prefix("native_")).unwrap_or(name);
        let second: Option<Estimate> = match name {
            "sincos" => Some(|x, _, _| estimate_sin_cos(x).map(|(_, cos)| cos)),
            "lgamma_r" => Some(|x, _, _| {
                let minus = x < 0.0 && (0.5 * x.floor()).fract() != 0.0;
                Some(if minus { -Dd::ONE } else { Dd::ONE })
            }),
            _ => None,
        };
        let known = function.second.is_none() || second.is_some();
        known.then(|| {
            Some(Self { first: estimate(name)?, second, ty, form: function.form, unit: function.unit })
        })?
    }

    /// Whether the error of this result, and of that through the pointer, is certainly below `bar`.
    pub fn is_below(&self, bar: f64, arguments: [f64; 3], first: u64, second: Option<u64>) -> bool {
        let [x, y, z] = arguments;
        let below = |estimate: Estimate, result: u64, int: bool| {
            let Some(truth) = estimate(x, y, z) else { return false };
            if int {
                return f64::from(result as i32) == truth.hi;
            }
            let Some(error) = self.error(truth, result) else { return false };
            match self.unit {
                Unit::Ulp => error.ulps < bar - DOUBT,
                Unit::Ulps(allowed) => error.ulps / allowed(x) < bar - DOUBT,
                Unit::Absolute => error.absolute < bar * (1.0 - DOUBT),
            }
        };
        below(self.first, first, self.form == Form::ToInt)
            && match (self.second, second) {
                (Some(estimate), Some(result)) => below(estimate, result, self.form == Form::AndInt),
                _ => true,
            }
    }

    /// Nothing where the corner cases begin.
    fn error(&self, truth: Dd, result: u64) -> Option<Error> {
        let result = self.ty.to_f64(result);
        let magnitude = truth.hi.abs();
        let (least, most) = [(1e-20, 65504.0), (1e-60, 3.4e38), (1e-290, 1e300)][self.ty as usize];
        if !result.is_finite() || !(least..most).contains(&magnitude) {
            return None;
        }
        // The last place of the smaller one, should the truth be just below a power of two.
        let exponent = ((magnitude * (1.0 - 1e-15)).to_bits() >> 52) as i64 - 1023;
        let lowest = exponent.max(self.ty.min_exponent().into()) - i64::from(self.ty.precision() - 1);
        let absolute = ((result - truth.hi) - truth.lo).abs();
        Some(Error { absolute, ulps: absolute * power_of_two(-lowest) })
    }
}

struct Error {
    absolute: f64,
    ulps: f64,
}

fn one(x: f64) -> Dd {
    x.into()
}

/// Whether it can be squared and divided by.
fn is_middling(x: f64) -> bool {
    (1e-130..1e130).contains(&x.abs())
}

fn estimate_sin_cos(x: f64) -> Option<(Dd, Dd)> {
    (x.abs() < 1e9).then(|| one(x).sin_cos())
}

fn estimate_sin_cos_pi(x: f64) -> Option<(Dd, Dd)> {
    (x.abs() < 1e15).then(|| one(x).sin_cos_pi())
}

/// √(1 - x²)
fn other_side(x: f64) -> Dd {
    ((Dd::ONE - one(x)) * (Dd::ONE + one(x))).sqrt()
}

fn asin(x: f64) -> Option<Dd> {
    (x.abs() < 1.0 && x.abs() > 1e-150).then(|| one(x).atan2(other_side(x)))
}

fn acos(x: f64) -> Option<Dd> {
    (x.abs() < 1.0).then(|| other_side(x).atan2(one(x)))
}

fn atan(x: f64) -> Option<Dd> {
    (1e-150..1e150).contains(&x.abs()).then(|| one(x).atan2(Dd::ONE))
}

/// Both brought to a middling size together.
fn atan2(y: f64, x: f64) -> Option<Dd> {
    let size = x.abs().max(y.abs());
    let least = x.abs().min(y.abs());
    if !size.is_normal() || !least.is_normal() {
        return None;
    }
    let exponent = (size.to_bits() >> 52) as i64 - 1023;
    let half = power_of_two(-exponent / 2);
    let (x, y) = (x * half * half, y * half * half);
    (x.abs().min(y.abs()) > 1e-140).then(|| one(y).atan2(one(x)))
}

fn hypot(x: f64, y: f64) -> Option<Dd> {
    (is_middling(x) && is_middling(y)).then(|| (product(x, x) + product(y, y)).sqrt())
}

fn exp(x: Dd) -> Option<Dd> {
    (x.hi.abs() < 690.0).then(|| x.exp())
}

fn ln(x: f64) -> Option<Dd> {
    (x > 0.0 && x.is_normal()).then(|| one(x).ln())
}

fn exp_m1(x: f64) -> Option<Dd> {
    (x.abs() < 690.0 && x.abs() > 1e-290).then(|| one(x).exp_m1())
}

fn ln_1p(x: Dd) -> Option<Dd> {
    (x.hi > -1.0 && x.hi < 1e290 && x.hi.abs() > 1e-140).then(|| x.ln_1p())
}

fn power(x: f64, y: f64) -> Option<Dd> {
    if x < 0.0 && y.fract() != 0.0 {
        return None;
    }
    let value = exp(ln(x.abs())? * one(y))?;
    Some(if x < 0.0 && (0.5 * y).fract() != 0.0 { -value } else { value })
}

fn root(x: f64, n: f64) -> Option<Dd> {
    if n == 0.0 || x < 0.0 && (0.5 * n).fract() == 0.0 {
        return None;
    }
    let value = exp(ln(x.abs())? / one(n))?;
    Some(if x < 0.0 { -value } else { value })
}

fn sinh(x: f64) -> Option<Dd> {
    let e = exp_m1(x.abs())?;
    let value = (e + e / (Dd::ONE + e)).scaled(0.5);
    Some(if x < 0.0 { -value } else { value })
}

fn cosh(x: f64) -> Option<Dd> {
    let e = exp(one(x))?;
    Some((e + Dd::ONE / e).scaled(0.5))
}

fn tanh(x: f64) -> Option<Dd> {
    if x.abs() > 300.0 {
        return Some(one(1f64.copysign(x)));
    }
    let e = exp_m1(2.0 * x.abs())?;
    let value = e / (e + one(2.0));
    Some(if x < 0.0 { -value } else { value })
}

fn asinh(x: f64) -> Option<Dd> {
    let a = x.abs();
    if !(1e-140..1e140).contains(&a) {
        return None;
    }
    let square = product(a, a);
    let value = ln_1p(one(a) + square / (Dd::ONE + (Dd::ONE + square).sqrt()))?;
    Some(if x < 0.0 { -value } else { value })
}

fn acosh(x: f64) -> Option<Dd> {
    if !(x > 1.0 && x < 1e140) {
        return None;
    }
    let t = one(x) - Dd::ONE;
    ln_1p(t + (t * (t + one(2.0))).sqrt())
}

fn atanh(x: f64) -> Option<Dd> {
    let a = x.abs();
    if !(1e-140..1.0).contains(&a) {
        return None;
    }
    let value = ln_1p(one(2.0 * a) / (Dd::ONE - one(a)))?.scaled(0.5);
    Some(if x < 0.0 { -value } else { value })
}

fn estimate(name: &str) -> Option<Estimate> {
    Some(match name {
        "acos" => |x, _, _| acos(x),
        "acosh" => |x, _, _| acosh(x),
        "acospi" => |x, _, _| Some(acos(x)? / constants().pi),
        "asin" => |x, _, _| asin(x),
        "asinh" => |x, _, _| asinh(x),
        "asinpi" => |x, _, _| Some(asin(x)? / constants().pi),
        "atan" => |x, _, _| atan(x),
        "atan2" => |y, x, _| atan2(y, x),
        "atan2pi" => |y, x, _| Some(atan2(y, x)? / constants().pi),
        "atanh" => |x, _, _| atanh(x),
        "atanpi" => |x, _, _| Some(atan(x)? / constants().pi),
        "cbrt" => |x, _, _| root(x, 3.0),
        "cos" => |x, _, _| Some(estimate_sin_cos(x)?.1),
        "cosh" => |x, _, _| cosh(x),
        "cospi" => |x, _, _| Some(estimate_sin_cos_pi(x)?.1),
        "divide" | "x / y" => |x, y, _| (is_middling(x) && is_middling(y)).then(|| one(x) / one(y)),
        "erf" => |x, _, _| erf(x),
        "erfc" => |x, _, _| erfc(x),
        "exp" => |x, _, _| exp(one(x)),
        "exp2" => |x, _, _| exp(constants().ln2 * one(x)),
        "exp10" => |x, _, _| exp(constants().ln10 * one(x)),
        "expm1" => |x, _, _| exp_m1(x),
        "fdim" => |x, y, _| (x > y).then(|| one(x) - one(y)),
        "fma" => |x, y, z| {
            let exact = (1e-250..1e290).contains(&(x * y).abs()) && z.is_finite();
            exact.then(|| product(x, y) + one(z))
        },
        "hypot" => |x, y, _| hypot(x, y),
        "lgamma" | "lgamma_r" => |x, _, _| lgamma(x),
        "log" => |x, _, _| ln(x),
        "log2" => |x, _, _| Some(ln(x)? / constants().ln2),
        "log10" => |x, _, _| Some(ln(x)? / constants().ln10),
        "log1p" => |x, _, _| ln_1p(one(x)),
        "pow" | "pown" => |x, y, _| power(x, y),
        "powr" => |x, y, _| if x > 0.0 { power(x, y) } else { None },
        "recip" | "1 / x" => |x, _, _| is_middling(x).then(|| Dd::ONE / one(x)),
        "rootn" => |x, n, _| root(x, n),
        "rsqrt" => |x, _, _| (1e-250..1e300).contains(&x).then(|| Dd::ONE / one(x).sqrt()),
        "sin" | "sincos" => |x, _, _| Some(estimate_sin_cos(x)?.0),
        "sinh" => |x, _, _| sinh(x),
        "sqrt" => |x, _, _| (1e-250..1e300).contains(&x).then(|| one(x).sqrt()),
        "sinpi" => |x, _, _| Some(estimate_sin_cos_pi(x)?.0),
        "tan" => |x, _, _| {
            let (sin, cos) = estimate_sin_cos(x)?;
            Some(sin / cos)
        },
        "tanh" => |x, _, _| tanh(x),
        "tanpi" => |x, _, _| {
            let (sin, cos) = estimate_sin_cos_pi(x)?;
            (cos.hi != 0.0).then(|| sin / cos)
        },
        "tgamma" => |x, _, _| tgamma(x),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;
    use crate::sample::{Arguments, Random};
    use rug::{Assign, Float};

    #[test]
    fn estimates_are_near_the_truth() {
        let ty = Type::Double;
        for function in functions() {
            let Some(estimator) = Estimator::new(&function, ty) else { continue };
            let mut random = Random::new(7);
            let all = Arguments::random(&function, ty, 1000, &mut random);
            let (mut made, mut worst, mut at) = (0, 0.0, Vec::new());
            for i in 0..all.count() {
                let mut x: Vec<f64> = (0..3).map(|k| f64::from_bits(all.values[k][i])).collect();
                let mut values: Vec<Float> = x.iter().map(|x| Float::with_val(128, *x)).collect();
                if function.form == Form::WithInt {
                    x[1] = all.integers[i].into();
                    values[1].assign(x[1]);
                }
                let Some(found) = (estimator.first)(x[0], x[1], x[2]) else { continue };
                if !(1e-290..1e300).contains(&found.hi.abs()) {
                    continue;
                }
                let truth = (function.truth)(&values, ty);
                let off = Float::with_val(200, &truth - found.hi) - found.lo;
                let ulp = (Float::with_val(53, 1) << (truth.get_exp().unwrap_or(0) - 53)).to_f64();
                let off = off.to_f64().abs() / ulp;
                made += 1;
                if off > worst {
                    (worst, at) = (off, x);
                }
            }
            assert!(worst < DOUBT, "{}: off by {worst} ULP at {at:?}", function.name);
            assert!(made > all.count() / 8, "{}: {made} of {} estimated", function.name, all.count());
        }
    }
}
