//! Numbers as the unevaluated sum of two doubles (Dekker 1971, Knuth; the algorithms of Joldes,
//! Muller and Popescu 2017), some 104 bits, and the elementary functions on them.
//!
//! The functions are right to at least 75 bits, which is enough to tell ULPs of a double to a
//! millionth. Tables come from MPFR, once. Callers check the range in which that holds.

use rug::Float;
use rug::float::Constant;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug)]
pub struct Dd {
    pub hi: f64,
    pub lo: f64,
}

/// a + b without error.
fn two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    let t = hi - a;
    Dd { hi, lo: (a - (hi - t)) + (b - t) }
}

/// a + b without error, where a is the larger or zero.
fn quick_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    Dd { hi, lo: b - (hi - a) }
}

/// a b without error.
pub fn product(a: f64, b: f64) -> Dd {
    let hi = a * b;
    Dd { hi, lo: a.mul_add(b, -hi) }
}

impl From<f64> for Dd {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl From<&Float> for Dd {
    fn from(value: &Float) -> Self {
        let hi = value.to_f64();
        Self { hi, lo: Float::with_val(value.prec(), value - hi).to_f64() }
    }
}

impl Add for Dd {
    type Output = Dd;
    fn add(self, other: Dd) -> Dd {
        let (s, t) = (two_sum(self.hi, other.hi), two_sum(self.lo, other.lo));
        let v = quick_sum(s.hi, s.lo + t.hi);
        quick_sum(v.hi, t.lo + v.lo)
    }
}

impl Neg for Dd {
    type Output = Dd;
    fn neg(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Dd {
    type Output = Dd;
    fn sub(self, other: Dd) -> Dd {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Dd;
    fn mul(self, other: Dd) -> Dd {
        let p = product(self.hi, other.hi);
        quick_sum(p.hi, p.lo + self.hi.mul_add(other.lo, self.lo * other.hi))
    }
}

impl Div for Dd {
    type Output = Dd;
    fn div(self, other: Dd) -> Dd {
        let first = self.hi / other.hi;
        let rest = self - other * first.into();
        let second = rest.hi / other.hi;
        let rest = rest - other * second.into();
        quick_sum(first, second) + (rest.hi / other.hi).into()
    }
}

impl Dd {
    pub const ONE: Dd = Dd { hi: 1.0, lo: 0.0 };

    /// Times a power of two, or anything else that leaves both parts exact.
    pub fn scaled(self, factor: f64) -> Dd {
        Dd { hi: self.hi * factor, lo: self.lo * factor }
    }

    pub fn abs(self) -> Dd {
        if self.hi < 0.0 { -self } else { self }
    }

    pub fn sqrt(self) -> Dd {
        if self.hi == 0.0 {
            return self;
        }
        let root = self.hi.sqrt();
        quick_sum(root, (self - product(root, root)).hi / (2.0 * root))
    }

    pub fn exp(self) -> Dd {
        let e = Exp::new(self);
        e.scaled(e.table + e.table * e.rest)
    }

    /// e^x - 1, with a small relative error near zero too.
    pub fn exp_m1(self) -> Dd {
        let e = Exp::new(self);
        if e.is_near_zero { e.rest } else { e.scaled(e.table + e.table * e.rest) - Dd::ONE }
    }

    /// Of a positive normal number.
    pub fn ln(self) -> Dd {
        let bits = self.hi.to_bits();
        // From √½ to √2.
        let k = (bits.wrapping_sub(0x3fe6_a09e_667f_3bcd) as i64) >> 52;
        let down = power_of_two(-k / 2) * power_of_two(-k - -k / 2);
        let m = self.scaled(down);
        let near = (m - Dd::ONE).ln_1p_near();
        if k == 0 { near } else { constants().ln2 * (k as f64).into() + near }
    }

    /// log(1 + x)
    pub fn ln_1p(self) -> Dd {
        if (-0.29..0.42).contains(&self.hi) { self.ln_1p_near() } else { (Dd::ONE + self).ln() }
    }

    /// A step of Newton's from what the system knows.
    fn ln_1p_near(self) -> Dd {
        let guess = self.hi.ln_1p();
        let e = (-Dd::from(guess)).exp_m1();
        let rest = self + e + self * e;
        Dd::from(guess) + rest - (rest * rest).scaled(0.5)
    }

    /// The sine and the cosine of at most some 2^30.
    pub fn sin_cos(self) -> (Dd, Dd) {
        let c = constants();
        let n = (self.hi * std::f64::consts::FRAC_2_PI).round();
        let r = self - product(n, c.half_pi[0]) - product(n, c.half_pi[1]) - product(n, c.half_pi[2]);
        turn(sin_cos_near(r), n)
    }

    /// The sine and the cosine of π x.
    pub fn sin_cos_pi(self) -> (Dd, Dd) {
        let n = (2.0 * self.hi).round();
        let r = self - Dd::from(0.5 * n);
        turn(sin_cos_near(r * constants().pi), n)
    }

    /// The angle of (x, y), where neither is so small or large that products of them are not
    /// numbers.
    pub fn atan2(self, x: Dd) -> Dd {
        let guess = Dd::from(self.hi.atan2(x.hi));
        let (s, c) = guess.sin_cos();
        guess + (self * c - x * s) / (x * c + self * s)
    }
}

/// 2^k for k within the normal range.
pub fn power_of_two(k: i64) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// e^x = 2^k table (1 + rest)
struct Exp {
    k: i64,
    table: Dd,
    rest: Dd,
    is_near_zero: bool,
}

impl Exp {
    fn new(x: Dd) -> Self {
        let c = constants();
        let n = (x.hi * (256.0 * std::f64::consts::LOG2_E)).round();
        let r = x - product(n, c.ln2_256[0]) - product(n, c.ln2_256[1]) - product(n, c.ln2_256[2]);
        let square = r * r;
        let h = r.hi;
        let tail =
            h * h * h * h * (1.0 + h / 5.0 * (1.0 + h / 6.0 * (1.0 + h / 7.0 * (1.0 + h / 8.0)))) / 24.0;
        let rest = r + (square.scaled(0.5) + (square * r * c.sixth + tail.into()));
        let n = n as i64;
        Self { k: n >> 8, table: c.exp2[(n & 255) as usize], rest, is_near_zero: n == 0 }
    }

    fn scaled(&self, value: Dd) -> Dd {
        let half = self.k.clamp(-2000, 2000) / 2;
        let rest = self.k.clamp(-2000, 2000) - half;
        value.scaled(power_of_two(half)).scaled(power_of_two(rest))
    }
}

/// Of an angle of at most 0.82: from that of the nearest 1/16.
fn sin_cos_near(x: Dd) -> (Dd, Dd) {
    let c = constants();
    let n = (16.0 * x.hi).round();
    let r = x - Dd::from(n / 16.0);
    let square = r * r;
    let z = square.hi;
    let sin = r - square
        * r
        * (c.sixth - (z / 120.0 * (1.0 - z / 42.0 * (1.0 - z / 72.0 * (1.0 - z / 110.0)))).into());
    let four =
        square * square * (c.sixth.scaled(0.25) - (z / 720.0 * (1.0 - z / 56.0 * (1.0 - z / 90.0))).into());
    let cos = Dd::ONE - square.scaled(0.5) + four;
    if n == 0.0 {
        return (sin, cos);
    }
    let (s, co) = c.sines[n.abs() as usize];
    let s = if n < 0.0 { -s } else { s };
    (s * cos + co * sin, co * cos - s * sin)
}

/// The sine and the cosine that many quadrants on.
fn turn((sin, cos): (Dd, Dd), quadrants: f64) -> (Dd, Dd) {
    match (quadrants as i64) & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

pub struct Constants {
    pub pi: Dd,
    pub ln2: Dd,
    pub ln10: Dd,
    sixth: Dd,
    half_pi: [f64; 3],
    ln2_256: [f64; 3],
    exp2: Vec<Dd>,
    /// Sines and cosines of the sixteenths.
    sines: Vec<(Dd, Dd)>,
}

pub const TABLE_PRECISION: u32 = 400;

pub fn number(value: f64) -> Float {
    Float::with_val(TABLE_PRECISION, value)
}

fn three_parts(mut value: Float) -> [f64; 3] {
    [(); 3].map(|()| {
        let part = value.to_f64();
        value -= part;
        part
    })
}

pub fn constants() -> &'static Constants {
    static CONSTANTS: LazyLock<Constants> = LazyLock::new(|| {
        let pi = Float::with_val(TABLE_PRECISION, Constant::Pi);
        let ln2 = Float::with_val(TABLE_PRECISION, Constant::Log2);
        Constants {
            pi: Dd::from(&pi),
            ln2: Dd::from(&ln2),
            ln10: Dd::from(&number(10.0).ln()),
            sixth: Dd::from(&(number(1.0) / 6u32)),
            half_pi: three_parts(pi / 2u32),
            ln2_256: three_parts(ln2 / 256u32),
            exp2: (0..256).map(|i| Dd::from(&number(f64::from(i) / 256.0).exp2())).collect(),
            sines: (0..=14)
                .map(|i| {
                    let (sin, cos) = number(f64::from(i) / 16.0).sin_cos(number(0.0));
                    (Dd::from(&sin), Dd::from(&cos))
                })
                .collect(),
        }
    });
    &CONSTANTS
}
