//! What -cl-unsafe-math-optimizations and -cl-fast-relaxed-math may do to float functions: the
//! table of "Unsafe Math Optimizations" in OpenCL C, of the bars for implementations that are not
//! derived. A function that the table does not name keeps the bar of the full profile.

use crate::functions::{Unit, everywhere, is_odd};
use crate::{Function, functions};
use rug::Float;
use std::f64::consts::PI;

type Domain = fn(&[Float]) -> bool;

fn within(x: &Float, bound: f64) -> bool {
    x.clone().abs() <= bound
}

/// Whether its size is from 2^-n to 2^n.
fn has_size(x: &Float, n: i32) -> bool {
    x.is_finite() && within(x, 2f64.powi(n)) && !within(x, 2f64.powi(-n) * (1.0 - 1e-9))
}

fn near_one(x: &[Float]) -> bool {
    x[0] >= 0.5 && x[0] <= 2
}

fn within_pi(x: &[Float]) -> bool {
    within(&x[0], PI)
}

fn within_one(x: &[Float]) -> bool {
    within(&x[0], 1.0)
}

fn within_88(x: &[Float]) -> bool {
    within(&x[0], 88.0)
}

fn power(x: &[Float]) -> bool {
    let negative = x[0] < 0;
    !(x[0].is_zero() && x[1].is_zero()) && (!negative || x[1].is_integer() && within(&x[1], 16_777_216.0))
}

fn root(x: &[Float]) -> bool {
    x[0] > 0 && !x[1].is_zero() || x[0] < 0 && is_odd(&x[1]) || x[0].is_zero() && x[1] > 0
}

/// The float functions of the table, as relaxed builds promise them.
pub fn relaxed_functions() -> Vec<Function> {
    let full = functions();
    let named =
        |name: &str| full.iter().find(|f| f.name == name).expect("a function of the full table").clone();
    let mut list = Vec::new();
    let mut add = |function: Function, bar: f64, unit: Unit, domain: Domain, place: &'static str| {
        list.push(Function { bars: [None, Some(bar), None], unit, domain, place, ..function });
    };

    add(named("1 / x"), 2.5, Unit::Ulp, |x| has_size(&x[0], 126), "2^-126 ≤ |x| ≤ 2^126");
    let sizes: Domain = |x| has_size(&x[0], 62) && has_size(&x[1], 62);
    add(named("x / y"), 2.5, Unit::Ulp, sizes, "2^-62 ≤ |x|, |y| ≤ 2^62");
    for name in ["acos", "asin", "atan"] {
        add(named(name), 4096.0, Unit::Ulp, everywhere, "");
    }
    for name in [
        "acosh", "acospi", "asinh", "asinpi", "atanpi", "atan2", "atan2pi", "cbrt", "exp10", "expm1",
        "log1p", "tan", "tanh",
    ] {
        add(named(name), 8192.0, Unit::Ulp, everywhere, "");
    }
    add(named("atanh"), 8192.0, Unit::Ulp, |x| x[0].clone().abs() < 1, "|x| < 1");
    add(named("tanpi"), 8192.0, Unit::Ulp, within_one, "|x| ≤ 1");
    for name in ["cosh", "sinh"] {
        add(named(name), 8192.0, Unit::Ulp, within_88, "|x| ≤ 88");
    }
    for name in ["cos", "sin", "sincos"] {
        add(named(name), 2f64.powi(-11), Unit::Absolute, within_pi, "|x| ≤ π");
    }
    for name in ["cospi", "sinpi"] {
        add(named(name), 2f64.powi(-11), Unit::Absolute, within_one, "|x| ≤ 1");
    }
    for name in ["exp", "exp2"] {
        add(named(name), 1.0, Unit::Ulps(|x| 3.0 + (2.0 * x).abs().floor()), everywhere, "");
    }
    for name in ["log", "log2", "log10"] {
        add(named(name), 2f64.powi(-21), Unit::Absolute, near_one, "½ ≤ x ≤ 2");
        add(named(name), 3.0, Unit::Ulp, |x| !near_one(x), "elsewhere");
    }
    add(named("pow"), 8192.0, Unit::Ulp, power, "x ≥ 0, or y an integer up to ±2^24");
    add(named("pown"), 8192.0, Unit::Ulp, |x| !(x[0].is_zero() && x[1].is_zero()), "");
    add(named("powr"), 8192.0, Unit::Ulp, |x| power(x) && x[0] >= 0, "x ≥ 0");
    add(named("rootn"), 8192.0, Unit::Ulp, root, "x ≥ 0, or n odd");
    list
}
