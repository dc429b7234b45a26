//! Functions in f64, right to far more than a float: with them most float results need no MPFR.

use std::f64::consts::{FRAC_2_SQRT_PI, LN_10, PI};

pub type Estimate = fn(f64) -> f64;

/// The function in f64, for the names it is worth it for.
pub fn estimate(name: &str) -> Option<Estimate> {
    Some(match name {
        "acos" => f64::acos,
        "acosh" => |x| ((x - 1.0) + ((x - 1.0) * (x + 1.0)).sqrt()).ln_1p(),
        "acospi" => |x| x.acos() / PI,
        "asin" => f64::asin,
        "asinh" => f64::asinh,
        "asinpi" => |x| x.asin() / PI,
        "atan" => f64::atan,
        "atanh" => f64::atanh,
        "atanpi" => |x| x.atan() / PI,
        "cbrt" => f64::cbrt,
        "ceil" => f64::ceil,
        "cos" => f64::cos,
        "cosh" => f64::cosh,
        "cospi" => |x| (PI * turn(x)).cos(),
        "erf" => erf,
        "exp" => f64::exp,
        "exp2" => f64::exp2,
        "exp10" => |x| (x * LN_10).exp(),
        "expm1" => f64::exp_m1,
        "floor" => f64::floor,
        "log" => f64::ln,
        "log2" => f64::log2,
        "log10" => f64::log10,
        "log1p" => f64::ln_1p,
        "rsqrt" => |x| 1.0 / x.sqrt(),
        "sin" => f64::sin,
        "sinh" => f64::sinh,
        "sinpi" => |x| (PI * turn(x)).sin(),
        "sqrt" => f64::sqrt,
        "tan" => f64::tan,
        "tanh" => f64::tanh,
        "tanpi" => |x| (PI * (x - x.round())).tan(),
        "trunc" => f64::trunc,
        _ => return None,
    })
}

/// An angle of half turns without its whole turns.
fn turn(x: f64) -> f64 {
    x - 2.0 * (x / 2.0).round()
}

/// The series with positive terms, exp(-x²) Σ 2^n x^(2n+1) / (2n+1)!!.
fn erf(x: f64) -> f64 {
    if x.abs() > 4.5 {
        return 1f64.copysign(x);
    }
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term.abs() > sum.abs() * 1e-17 {
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
        n += 1.0;
    }
    FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

/// The error of a float as f64 sees it, in ULP; nothing where the corner cases begin.
pub fn estimated_error(function: Estimate, argument: u64, result: u64) -> Option<f64> {
    let truth = function(f64::from(f32::from_bits(argument as u32)));
    let result = f32::from_bits(result as u32);
    let magnitude = truth.abs();
    if !result.is_finite() || !(1e-37..3e38).contains(&magnitude) {
        return None;
    }
    let ulp = f64::from_bits((magnitude.to_bits() & 0x7ff0_0000_0000_0000) - (23 << 52));
    Some((f64::from(result) - truth).abs() / ulp)
}
