//! Gamma and error functions on sums of two doubles. `None` where a result would be a small
//! difference of large numbers.

use crate::dd::{Dd, TABLE_PRECISION, constants, number, product};
use rug::Float;
use rug::float::Constant;
use std::sync::LazyLock;

/// A polynomial with the lowest coefficient first; those from the `exact`-th on are small enough
/// for doubles.
fn polynomial(coefficients: &[Dd], exact: usize, x: Dd) -> Dd {
    let (low, high) = coefficients.split_at(exact);
    let rest = high.iter().rev().fold(0.0, |sum, c| sum * x.hi + c.hi);
    low.iter().rev().fold(Dd::from(rest), |sum, c| sum * x + *c)
}

/// Taylor's coefficients of e^(x²) erfc(x) at the eighths from 0 to 28, by y' = 2 x y - 2 / √π.
fn scaled_erfc(x: Dd) -> Dd {
    static ROWS: LazyLock<Vec<[Dd; 20]>> = LazyLock::new(|| {
        let slope = 2u32 / Float::with_val(TABLE_PRECISION, Constant::Pi).sqrt();
        let row = |i: u32| {
            let a = number(f64::from(i) / 8.0);
            let square = Float::with_val(TABLE_PRECISION, &a * &a);
            let mut y = vec![square.exp() * a.clone().erfc()];
            for n in 0..20u32 {
                let mut next = 2u32 * Float::with_val(TABLE_PRECISION, &a * &y[n as usize]);
                match n {
                    0 => next -= &slope,
                    _ => next += 2u32 * y[n as usize - 1].clone(),
                }
                y.push(next / (n + 1));
            }
            std::array::from_fn(|n| Dd::from(&y[n]))
        };
        (0..=224).map(row).collect()
    });
    let n = (8.0 * x.hi).round();
    polynomial(&ROWS[n as usize], 6, x - Dd::from(n / 8.0))
}

pub fn erfc(x: f64) -> Option<Dd> {
    let a = x.abs();
    if a > 27.9 {
        return None;
    }
    let value = (-product(a, a)).exp() * scaled_erfc(a.into());
    Some(if x < 0.0 { Dd::from(2.0) - value } else { value })
}

pub fn erf(x: f64) -> Option<Dd> {
    static SERIES: LazyLock<Vec<Dd>> = LazyLock::new(|| {
        let mut power = 2u32 / Float::with_val(TABLE_PRECISION, Constant::Pi).sqrt();
        let term = |n: u32| {
            if n > 0 {
                power /= -(n as i32);
            }
            Dd::from(&(power.clone() / (2 * n + 1)))
        };
        (0..20).map(term).collect()
    });
    if x.abs() < 0.5 {
        return Some(polynomial(&SERIES, 7, product(x, x)) * x.into());
    }
    let value = Dd::ONE - erfc(x.abs())?;
    Some(if x < 0.0 { -value } else { value })
}

/// log Γ(w) for w ≥ 24 (Stirling).
fn stirling(w: Dd) -> Dd {
    static TERMS: LazyLock<(Vec<Dd>, Dd)> = LazyLock::new(|| {
        let quotients = [
            (1, 12),
            (-1, 360),
            (1, 1260),
            (-1, 1680),
            (1, 1188),
            (-691, 360_360),
            (1, 156),
            (-3617, 122_400),
            (43867, 244_188),
            (-174_611, 125_400),
            (77683, 5796),
        ];
        let terms = quotients.map(|(n, d)| Dd::from(f64::from(n)) / Dd::from(f64::from(d)));
        let constant = (2u32 * Float::with_val(TABLE_PRECISION, Constant::Pi)).ln() / 2u32;
        (terms.to_vec(), Dd::from(&constant))
    });
    let inverse = Dd::ONE / w;
    let rest = inverse * polynomial(&TERMS.0, 3, inverse * inverse);
    (w - Dd::from(0.5)) * w.ln() - w + TERMS.1 + rest
}

/// log Γ(x + n) and x (x + 1) … (x + n - 1), with x + n ≥ 24.
fn shifted(x: Dd) -> (Dd, Dd) {
    let (mut w, mut factors) = (x, Dd::ONE);
    while w.hi < 24.0 {
        factors = factors * w;
        w = w + Dd::ONE;
    }
    (stirling(w), factors)
}

fn positive_lgamma(x: Dd) -> Option<Dd> {
    let (log, factors) = shifted(x);
    let value = log - factors.abs().ln();
    (value.hi.abs() > 1e-4).then_some(value)
}

pub fn lgamma(x: f64) -> Option<Dd> {
    if !(1e-290..1e290).contains(&x.abs()) {
        return None;
    }
    if x > 0.0 {
        return positive_lgamma(x.into());
    }
    if x.floor() == x || x < -1e9 {
        return None;
    }
    let other = positive_lgamma(Dd::ONE - Dd::from(x))?;
    let sine = (constants().pi / Dd::from(x).sin_cos_pi().0.abs()).ln();
    let value = sine - other;
    (value.hi.abs() > 1e-4 * other.hi.abs()).then_some(value)
}

pub fn tgamma(x: f64) -> Option<Dd> {
    if x.abs() > 170.0 || x.abs() < 1e-290 || (x < 0.0 && x.floor() == x) {
        return None;
    }
    let gamma = |x: Dd| {
        let (log, factors) = shifted(x);
        log.exp() / factors
    };
    if x > 0.0 {
        return Some(gamma(x.into()));
    }
    let (sine, _) = Dd::from(x).sin_cos_pi();
    Some(constants().pi / (sine * gamma(Dd::ONE - Dd::from(x))))
}
