//! The functions that are measured: their arguments, the error that OpenCL allows, and the exact
//! result by MPFR.

use crate::Type;
use rug::Float;
use rug::float::Special;
use rug::ops::Pow;
use std::cmp::Ordering;

/// What a function takes and gives. G is the type of floating-point numbers it is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// G f(G)
    One,
    /// G f(G, G)
    Two,
    /// G f(G, G, G)
    Three,
    /// G f(G, int)
    WithInt,
    /// int f(G)
    ToInt,
    /// G f(G, G *)
    AndOne,
    /// G f(G, int *)
    AndInt,
    /// G f(G, G, int *)
    TwoAndInt,
}

impl Form {
    /// How many floating-point arguments there are.
    pub fn arguments(self) -> usize {
        match self {
            Form::Two | Form::TwoAndInt => 2,
            Form::Three => 3,
            _ => 1,
        }
    }

    /// Whether the one argument is all there is.
    pub fn is_of_one(self) -> bool {
        self.arguments() == 1 && self != Form::WithInt
    }
}

/// What an error is counted in.
#[derive(Clone, Copy)]
pub enum Unit {
    Ulp,
    /// So many ULP, which depend on the first argument.
    Ulps(fn(f64) -> f64),
    /// As it is.
    Absolute,
}

#[derive(Clone)]
pub struct Function {
    pub name: &'static str,
    /// The expression to measure, with $x, $y and $z for the arguments, if it is not a call of the
    /// function of that name.
    pub expression: Option<&'static str>,
    pub form: Form,
    pub unit: Unit,
    /// The largest error allowed, for half, float and double: `None` where there is no such
    /// function.
    pub bars: [Option<f64>; 3],
    pub truth: Truth,
    /// The exact value that is written through the pointer.
    pub second: Option<Truth>,
    /// Arguments for which OpenCL promises nothing are left out.
    pub domain: fn(&[Float]) -> bool,
    /// The domain for people; empty where it is everything.
    pub place: &'static str,
}

/// From the arguments (an integer as a number), at the precision of the first.
pub type Truth = fn(&[Float], Type) -> Float;

const ANY: f64 = f64::INFINITY;

pub fn everywhere(_: &[Float]) -> bool {
    true
}

fn function(name: &'static str, form: Form, bars: [f64; 3], truth: Truth) -> Function {
    let bars = bars.map(Some);
    let (second, domain) = (None, everywhere as fn(&[Float]) -> bool);
    Function { name, expression: None, form, unit: Unit::Ulp, bars, truth, second, domain, place: "" }
}

fn special(like: &Float, value: Special) -> Float {
    Float::with_val(like.prec(), value)
}

fn number(like: &Float, value: f64) -> Float {
    Float::with_val(like.prec(), value)
}

pub fn is_odd(value: &Float) -> bool {
    value.is_integer() && !Float::with_val(value.prec(), value / 2u32).is_integer()
}

/// The table of "Relative Error as ULPs" in OpenCL C (full profile), and of cl_khr_fp16.
pub fn functions() -> Vec<Function> {
    use Form::*;
    // half, float, double
    let exact = [0.0; 3];
    let rounded = [0.5; 3];
    let mut list = vec![
        function("acos", One, [2.0, 4.0, 4.0], |x, _| x[0].clone().acos()),
        function("acosh", One, [2.0, 4.0, 4.0], |x, _| x[0].clone().acosh()),
        function("acospi", One, [2.0, 5.0, 5.0], |x, _| x[0].clone().acos_pi()),
        function("asin", One, [2.0, 4.0, 4.0], |x, _| x[0].clone().asin()),
        function("asinh", One, [2.0, 4.0, 4.0], |x, _| x[0].clone().asinh()),
        function("asinpi", One, [2.0, 5.0, 5.0], |x, _| x[0].clone().asin_pi()),
        function("atan", One, [2.0, 5.0, 5.0], |x, _| x[0].clone().atan()),
        function("atan2", Two, [2.0, 6.0, 6.0], |x, _| x[0].clone().atan2(&x[1])),
        function("atanh", One, [2.0, 5.0, 5.0], |x, _| x[0].clone().atanh()),
        function("atanpi", One, [2.0, 5.0, 5.0], |x, _| x[0].clone().atan_pi()),
        function("atan2pi", Two, [2.0, 6.0, 6.0], |x, _| x[0].clone().atan2_pi(&x[1])),
        function("cbrt", One, [2.0, 2.0, 2.0], |x, _| x[0].clone().cbrt()),
        function("ceil", One, exact, |x, _| x[0].clone().ceil()),
        function("copysign", Two, exact, |x, _| x[0].clone().copysign(&x[1])),
        function("cos", One, [2.0, 4.0, 4.0], |x, _| x[0].clone().cos()),
        function("cosh", One, [2.0, 4.0, 4.0], |x, _| x[0].clone().cosh()),
        function("cospi", One, [2.0, 4.0, 4.0], cospi),
        function("erfc", One, [4.0, 16.0, 16.0], |x, _| x[0].clone().erfc()),
        function("erf", One, [4.0, 16.0, 16.0], |x, _| x[0].clone().erf()),
        function("exp", One, [2.0, 3.0, 3.0], |x, _| x[0].clone().exp()),
        function("exp2", One, [2.0, 3.0, 3.0], |x, _| x[0].clone().exp2()),
        function("exp10", One, [2.0, 3.0, 3.0], |x, _| x[0].clone().exp10()),
        function("expm1", One, [2.0, 3.0, 3.0], |x, _| x[0].clone().exp_m1()),
        function("fabs", One, exact, |x, _| x[0].clone().abs()),
        function("fdim", Two, rounded, fdim),
        function("floor", One, exact, |x, _| x[0].clone().floor()),
        function("fma", Three, rounded, |x, _| x[0].clone().mul_add(&x[1], &x[2])),
        function("fmax", Two, exact, |x, _| extreme(x, Ordering::Greater)),
        function("fmin", Two, exact, |x, _| extreme(x, Ordering::Less)),
        function("fmod", Two, exact, |x, _| Float::with_val(x[0].prec(), &x[0] % &x[1])),
        function("hypot", Two, [2.0, 4.0, 4.0], |x, _| x[0].clone().hypot(&x[1])),
        function("ilogb", ToInt, exact, ilogb),
        function("ldexp", WithInt, rounded, ldexp),
        function("lgamma", One, [ANY, ANY, ANY], lgamma),
        function("log", One, [2.0, 3.0, 3.0], |x, _| x[0].clone().ln()),
        function("log2", One, [2.0, 3.0, 3.0], |x, _| x[0].clone().log2()),
        function("log10", One, [2.0, 3.0, 3.0], |x, _| x[0].clone().log10()),
        function("log1p", One, [2.0, 2.0, 2.0], |x, _| x[0].clone().ln_1p()),
        function("logb", One, exact, logb),
        function("maxmag", Two, exact, |x, _| magnitude(x, Ordering::Greater)),
        function("minmag", Two, exact, |x, _| magnitude(x, Ordering::Less)),
        function("nextafter", Two, exact, nextafter),
        function("pow", Two, [4.0, 16.0, 16.0], |x, _| x[0].clone().pow(&x[1])),
        function("pown", WithInt, [4.0, 16.0, 16.0], |x, _| x[0].clone().pow(&x[1])),
        function("powr", Two, [4.0, 16.0, 16.0], powr),
        function("remainder", Two, exact, |x, _| remainder(x)),
        function("rint", One, exact, |x, _| x[0].clone().round_even()),
        function("rootn", WithInt, [4.0, 16.0, 16.0], rootn),
        function("round", One, exact, |x, _| x[0].clone().round()),
        function("rsqrt", One, [1.0, 2.0, 2.0], rsqrt),
        function("sin", One, [2.0, 4.0, 4.0], |x, _| x[0].clone().sin()),
        function("sinh", One, [2.0, 4.0, 4.0], |x, _| x[0].clone().sinh()),
        function("sinpi", One, [2.0, 4.0, 4.0], sinpi),
        function("sqrt", One, [0.5, 3.0, 0.5], |x, _| x[0].clone().sqrt()),
        function("tan", One, [2.0, 5.0, 5.0], |x, _| x[0].clone().tan()),
        function("tanh", One, [2.0, 5.0, 5.0], |x, _| x[0].clone().tanh()),
        function("tanpi", One, [2.0, 6.0, 6.0], tanpi),
        function("tgamma", One, [4.0, 16.0, 16.0], tgamma),
        function("trunc", One, exact, |x, _| x[0].clone().trunc()),
    ];
    let mut operator = |name, text, form, bars: [f64; 3], truth: Truth| {
        list.push(Function { expression: Some(text), ..function(name, form, bars, truth) });
    };
    operator("x + y", "$x + $y", Two, rounded, |x, _| Float::with_val(x[0].prec(), &x[0] + &x[1]));
    operator("x - y", "$x - $y", Two, rounded, |x, _| Float::with_val(x[0].prec(), &x[0] - &x[1]));
    operator("x * y", "$x * $y", Two, rounded, |x, _| Float::with_val(x[0].prec(), &x[0] * &x[1]));
    operator("x / y", "$x / $y", Two, [0.5, 2.5, 0.5], |x, _| Float::with_val(x[0].prec(), &x[0] / &x[1]));
    operator("1 / x", "1 / $x", One, [0.5, 2.5, 0.5], |x, _| x[0].clone().recip());

    let mut with_pointer = |name, form, bars: [f64; 3], truth: Truth, second: Truth| {
        list.push(Function { second: Some(second), ..function(name, form, bars, truth) });
    };
    with_pointer("fract", AndOne, rounded, fract, |x, _| x[0].clone().floor());
    with_pointer("modf", AndOne, exact, modf, |x, _| x[0].clone().trunc());
    with_pointer("sincos", AndOne, [2.0, 4.0, 4.0], |x, _| x[0].clone().sin(), |x, _| x[0].clone().cos());
    with_pointer("frexp", AndInt, exact, frexp, |x, _| number(&x[0], x[0].get_exp().unwrap_or(0).into()));
    with_pointer("lgamma_r", AndInt, [ANY, ANY, ANY], lgamma, lgamma_sign);
    with_pointer("remquo", TwoAndInt, exact, |x, _| remainder(x), quotient);

    let mut quick = |name, form, bar, truth, domain: fn(&[Float]) -> bool| {
        list.push(Function {
            bars: [None, Some(bar), None],
            domain,
            ..function(name, form, [bar; 3], truth)
        });
    };
    // half_: 8192 ULP, the angles within ±2^16. native_: up to us.
    quick("half_cos", One, 8192.0, |x, _| x[0].clone().cos(), angle);
    quick("half_divide", Two, 8192.0, |x, _| Float::with_val(x[0].prec(), &x[0] / &x[1]), everywhere);
    quick("half_exp", One, 8192.0, |x, _| x[0].clone().exp(), everywhere);
    quick("half_exp2", One, 8192.0, |x, _| x[0].clone().exp2(), everywhere);
    quick("half_exp10", One, 8192.0, |x, _| x[0].clone().exp10(), everywhere);
    quick("half_log", One, 8192.0, |x, _| x[0].clone().ln(), everywhere);
    quick("half_log2", One, 8192.0, |x, _| x[0].clone().log2(), everywhere);
    quick("half_log10", One, 8192.0, |x, _| x[0].clone().log10(), everywhere);
    quick("half_powr", Two, 8192.0, powr, everywhere);
    quick("half_recip", One, 8192.0, |x, _| x[0].clone().recip(), everywhere);
    quick("half_rsqrt", One, 8192.0, rsqrt, everywhere);
    quick("half_sin", One, 8192.0, |x, _| x[0].clone().sin(), angle);
    quick("half_sqrt", One, 8192.0, |x, _| x[0].clone().sqrt(), everywhere);
    quick("half_tan", One, 8192.0, |x, _| x[0].clone().tan(), angle);
    quick("native_cos", One, ANY, |x, _| x[0].clone().cos(), angle);
    quick("native_divide", Two, ANY, |x, _| Float::with_val(x[0].prec(), &x[0] / &x[1]), everywhere);
    quick("native_exp", One, ANY, |x, _| x[0].clone().exp(), normal_result);
    quick("native_exp2", One, ANY, |x, _| x[0].clone().exp2(), normal_result);
    quick("native_exp10", One, ANY, |x, _| x[0].clone().exp10(), normal_result);
    quick("native_log", One, ANY, |x, _| x[0].clone().ln(), normal);
    quick("native_log2", One, ANY, |x, _| x[0].clone().log2(), normal);
    quick("native_log10", One, ANY, |x, _| x[0].clone().log10(), normal);
    quick("native_powr", Two, ANY, powr, normal);
    quick("native_recip", One, ANY, |x, _| x[0].clone().recip(), everywhere);
    quick("native_rsqrt", One, ANY, rsqrt, everywhere);
    quick("native_sin", One, ANY, |x, _| x[0].clone().sin(), |x| angle(x) && !x[0].is_zero());
    quick("native_sqrt", One, ANY, |x, _| x[0].clone().sqrt(), everywhere);
    quick("native_tan", One, ANY, |x, _| x[0].clone().tan(), |x| angle(x) && !x[0].is_zero());
    list
}

fn angle(x: &[Float]) -> bool {
    x[0].is_finite() && x[0].clone().abs() <= 65536
}

fn normal(x: &[Float]) -> bool {
    x.iter().all(|x| x.is_normal() && x.get_exp().is_some_and(|e| e > -125))
        && x[0].is_sign_positive()
        && x.get(1).is_none_or(|y| Float::with_val(64, x[0].clone().log2() * y).abs() < 126)
}

fn normal_result(x: &[Float]) -> bool {
    x[0].is_finite() && x[0].clone().abs() < 37
}

fn fdim(x: &[Float], _: Type) -> Float {
    if x[0].is_nan() || x[1].is_nan() {
        return special(&x[0], Special::Nan);
    }
    if x[0] > x[1] { Float::with_val(x[0].prec(), &x[0] - &x[1]) } else { number(&x[0], 0.0) }
}

fn extreme(x: &[Float], wanted: Ordering) -> Float {
    match x[0].partial_cmp(&x[1]) {
        None => {
            if x[0].is_nan() {
                x[1].clone()
            } else {
                x[0].clone()
            }
        }
        Some(order) if order == wanted => x[0].clone(),
        Some(_) => x[1].clone(),
    }
}

fn magnitude(x: &[Float], wanted: Ordering) -> Float {
    match x[0].clone().abs().partial_cmp(&x[1].clone().abs()) {
        Some(Ordering::Equal) | None => extreme(x, wanted),
        Some(order) if order == wanted => x[0].clone(),
        Some(_) => x[1].clone(),
    }
}

fn ilogb(x: &[Float], _: Type) -> Float {
    let value = if x[0].is_nan() || x[0].is_infinite() {
        i32::MAX
    } else {
        x[0].get_exp().map_or(i32::MIN, |exponent| exponent - 1)
    };
    number(&x[0], value.into())
}

fn logb(x: &[Float], _: Type) -> Float {
    match x[0].get_exp() {
        Some(exponent) => number(&x[0], f64::from(exponent - 1)),
        None if x[0].is_zero() => special(&x[0], Special::NegInfinity),
        None => x[0].clone().abs(),
    }
}

fn ldexp(x: &[Float], _: Type) -> Float {
    x[0].clone() << x[1].to_f64().clamp(-100_000.0, 100_000.0) as i32
}

fn lgamma(x: &[Float], _: Type) -> Float {
    if x[0].is_infinite() { x[0].clone().abs() } else { x[0].clone().ln_abs_gamma().0 }
}

fn lgamma_sign(x: &[Float], _: Type) -> Float {
    // The sign is unspecified at poles and for NaN; ours is 0 there.
    if !x[0].is_finite() || x[0].is_zero() || x[0].is_integer() && x[0].is_sign_negative() {
        return special(&x[0], Special::Nan);
    }
    let below = x[0].clone().floor();
    number(&x[0], if x[0].is_sign_negative() && is_odd(&below) { -1.0 } else { 1.0 })
}

fn tgamma(x: &[Float], _: Type) -> Float {
    // Far beyond the range MPFR would compute for a long time.
    if x[0].is_finite() && x[0] > 1000 {
        return special(&x[0], Special::Infinity);
    }
    if x[0].is_finite() && x[0] < -1000 && !x[0].is_integer() {
        let tiny: Float = number(&x[0], 1.0) >> 100_000;
        return if is_odd(&x[0].clone().floor()) { -tiny } else { tiny };
    }
    x[0].clone().gamma()
}

fn nextafter(x: &[Float], ty: Type) -> Float {
    if x[0].is_nan() || x[1].is_nan() {
        return special(&x[0], Special::Nan);
    }
    if x[0] == x[1] {
        return x[1].clone();
    }
    let bits = ty.nearest(&x[0]);
    let up = x[1] > x[0];
    let next = if x[0].is_zero() {
        if up { 1 } else { 1 | ty.sign_bit() }
    } else if up == x[0].is_sign_positive() {
        bits + 1
    } else {
        bits - 1
    };
    ty.value(next)
}

fn powr(x: &[Float], _: Type) -> Float {
    let (base, power) = (&x[0], &x[1]);
    let nan = special(base, Special::Nan);
    if base.is_nan() || power.is_nan() || (base.is_sign_negative() && !base.is_zero()) {
        return nan;
    }
    if power.is_zero() && (base.is_zero() || base.is_infinite()) || power.is_infinite() && *base == 1 {
        return nan;
    }
    base.clone().abs().pow(power)
}

fn rsqrt(x: &[Float], _: Type) -> Float {
    // MPFR takes the positive side of both zeros.
    if x[0].is_zero() { x[0].clone().recip() } else { x[0].clone().recip_sqrt() }
}

fn rootn(x: &[Float], _: Type) -> Float {
    let n = x[1].to_f64() as i32;
    let even = n % 2 == 0;
    if n == 0 || x[0].is_nan() || even && x[0].is_sign_negative() && !x[0].is_zero() {
        return special(&x[0], Special::Nan);
    }
    let root = x[0].clone().abs().root_i(n);
    if x[0].is_sign_negative() && !even { -root } else { root }
}

fn remainder(x: &[Float]) -> Float {
    x[0].clone().remainder(&x[1])
}

/// The low seven bits of the quotient's magnitude, with its sign.
fn quotient(x: &[Float], _: Type) -> Float {
    if !x[0].is_finite() || x[1].is_nan() || x[1].is_zero() {
        return special(&x[0], Special::Nan);
    }
    let rest = remainder(x);
    let long = |value: &Float| Float::with_val(4400, value);
    let whole = if x[1].is_infinite() { long(&number(&x[0], 0.0)) } else { (long(&x[0]) - rest) / &x[1] };
    let low = whole.clone().abs() % 128u32;
    Float::with_val(x[0].prec(), if whole.is_sign_negative() { -low } else { low })
}

fn fract(x: &[Float], ty: Type) -> Float {
    if x[0].is_infinite() {
        return number(&x[0], 0.0).copysign(&x[0]);
    }
    if x[0].is_zero() {
        return x[0].clone();
    }
    let below_one = ty.value(ty.nearest(&number(&x[0], 1.0)) - 1);
    let fraction = Float::with_val(x[0].prec() + 1200, &x[0] - x[0].clone().floor());
    if fraction > below_one { below_one } else { Float::with_val(x[0].prec(), fraction) }
}

fn modf(x: &[Float], _: Type) -> Float {
    if x[0].is_infinite() {
        return number(&x[0], 0.0).copysign(&x[0]);
    }
    Float::with_val(x[0].prec(), &x[0] - x[0].clone().trunc()).copysign(&x[0])
}

fn frexp(x: &[Float], _: Type) -> Float {
    match x[0].get_exp() {
        Some(exponent) => x[0].clone() >> exponent,
        None => x[0].clone(),
    }
}

fn sinpi(x: &[Float], _: Type) -> Float {
    if x[0].is_integer() { number(&x[0], 0.0).copysign(&x[0]) } else { x[0].clone().sin_pi() }
}

fn cospi(x: &[Float], _: Type) -> Float {
    let value = x[0].clone().cos_pi();
    if value.is_zero() { value.abs() } else { value }
}

fn tanpi(x: &[Float], _: Type) -> Float {
    let twice = Float::with_val(x[0].prec(), &x[0] * 2u32);
    if !x[0].is_finite() || !twice.is_integer() {
        return x[0].clone().tan_pi();
    }
    if x[0].is_integer() {
        let zero = number(&x[0], 0.0).copysign(&x[0]);
        return if is_odd(&x[0]) { -zero } else { zero };
    }
    let odd = is_odd(&x[0].clone().floor());
    special(&x[0], if odd { Special::NegInfinity } else { Special::Infinity })
}
