//! Which arguments are tried: where functions have corners, and random ones around them.

use crate::{Form, Function, Type};

/// A generator of our own (splitmix64, of Steele, Lea and Flood), so that a run can be had again.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Zeros, infinities, NaN, the ends of the ranges, integers and halves, powers of two, the ends of
/// the ranges of results, multiples of π/2; of all of these the neighbours, and both signs.
pub fn corners(ty: Type, few: bool) -> Vec<u64> {
    let infinity = ty.infinity();
    let least_normal = 1 << (ty.precision() - 1);
    let mut centres = vec![0, 1, least_normal, infinity - 1, infinity, infinity + 1, ty.near(1.0)];
    let mut add = |value: f64| centres.push(ty.near(value));
    for i in 1..if few { 6 } else { 200 } {
        add(f64::from(i) * 0.5);
    }
    let exponents = [-149, -126, -60, -30, -24, -12, -2, 10, 22, 23, 24, 25, 31, 52, 53, 54, 64, 127, 1000];
    for exponent in exponents {
        add(2f64.powi(exponent));
    }
    if !few {
        for exponent in -200..130 {
            add(2f64.powi(exponent));
        }
        for limit in [
            88.722839, 103.972, 87.3365, 709.7827, 745.133, 708.396, 38.5318, 44.8535, 308.2547, 323.3, 128.0,
        ] {
            add(limit);
        }
        for limit in [
            35.04,
            171.62,
            10.0,
            3.9,
            5.9,
            27.2,
            std::f64::consts::FRAC_1_SQRT_2,
            std::f64::consts::SQRT_2,
            0.1,
            0.3,
            0.7,
            1.1,
        ] {
            add(limit);
        }
        for i in 1..400 {
            add(f64::from(i) * std::f64::consts::FRAC_PI_4);
        }
        for exponent in 8..120 {
            add(2f64.powi(exponent) * std::f64::consts::FRAC_PI_2);
        }
    }
    let mut all = Vec::new();
    for centre in centres {
        let around = if few { -1..=1 } else { -3..=3 };
        for step in around {
            let bits = centre.wrapping_add_signed(step) & (ty.sign_bit() - 1);
            all.extend([bits, bits | ty.sign_bit()]);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn corner_integers() -> Vec<i32> {
    let mut all: Vec<i32> = (-10..=10).collect();
    for i in [24, 31, 127, 128, 150, 1023, 1075, 2047, 65535, 1 << 23, 1 << 24, (1 << 24) + 1] {
        all.extend([i, -i]);
    }
    all.extend([i32::MIN, i32::MIN + 1, i32::MAX, i32::MAX - 1]);
    all
}

/// Any bits, or a number of a size at which functions do something, or a number of few bits.
fn random_value(ty: Type, corners: &[u64], random: &mut Random) -> u64 {
    let any = random.next() >> (64 - ty.bits());
    let sign = if any & 1 == 0 { 0 } else { ty.sign_bit() };
    match random.below(16) {
        0..4 => any,
        4 | 5 => corners[random.below(corners.len() as u64) as usize],
        // Few bits, of which products and powers are exact or nearly so.
        6 => any & !((1 << random.below(u64::from(ty.precision()))) - 1),
        // Around one, in the scale of exponents and then even closer.
        7..10 => {
            let value = 2f64.powf(random.unit() * 24.0 - 14.0);
            ty.near(value) | sign
        }
        10 | 11 => ty.near(random.unit() * 4.0) | sign,
        12 | 13 => ty.near(random.unit() * 150.0) | sign,
        14 => {
            let most = if ty == Type::Double { 800.0 } else { 40.0 };
            ty.near(random.unit() * most) | sign
        }
        _ => {
            let distance = 2f64.powf(random.unit() * -f64::from(ty.precision()));
            ty.near(if any & 2 == 0 { 1.0 + distance } else { 1.0 - distance }) | sign
        }
    }
}

fn random_integer(random: &mut Random) -> i32 {
    let any = random.next() as i32;
    match random.below(4) {
        0 => any,
        1 => any >> 16,
        2 => any >> 22,
        _ => any >> 27,
    }
}

/// A second argument that makes a result of middling size more likely.
fn matching(ty: Type, name: &str, x: u64, random: &mut Random) -> u64 {
    let value = ty.to_f64(x);
    if name.contains("pow") {
        let power = (random.unit() * 2.0 - 1.0) * 150.0 / value.abs().log2();
        return ty.near(if power.is_finite() { power } else { 3.0 });
    }
    let factor = 2f64.powf(random.unit() * 60.0 - 30.0);
    ty.near(value * factor) | if random.below(2) == 0 { 0 } else { ty.sign_bit() }
}

/// The arguments of many calls: for each argument a column.
#[derive(Default)]
pub struct Arguments {
    pub values: [Vec<u64>; 3],
    pub integers: Vec<i32>,
}

impl Arguments {
    pub fn count(&self) -> usize {
        self.values[0].len()
    }

    fn push(&mut self, x: u64, y: u64, z: u64, n: i32) {
        self.values[0].push(x);
        self.values[1].push(y);
        self.values[2].push(z);
        self.integers.push(n);
    }

    /// Corners, then random ones, `count` in all unless there are more corners. Of half, all values
    /// where the count allows it.
    pub fn structured(function: &Function, ty: Type, count: usize, random: &mut Random) -> Self {
        let mut all = Self::default();
        match function.form {
            Form::Two | Form::TwoAndInt => {
                let corners = corners(ty, true);
                for &x in &corners {
                    corners.iter().for_each(|&y| all.push(x, y, 0, 0));
                }
            }
            Form::Three => {
                let corners = corners(ty, true);
                for _ in 0..count / 4 {
                    let mut pick = || corners[random.below(corners.len() as u64) as usize];
                    all.push(pick(), pick(), pick(), 0);
                }
            }
            Form::WithInt => {
                for x in corners(ty, true) {
                    corner_integers().into_iter().for_each(|n| all.push(x, 0, 0, n));
                }
            }
            _ if ty == Type::Half && count >= 1 << 16 => (0..1 << 16).for_each(|x| all.push(x, 0, 0, 0)),
            _ => corners(ty, false).into_iter().for_each(|x| all.push(x, 0, 0, 0)),
        }
        all.fill(function, ty, count, random);
        all
    }

    pub fn random(function: &Function, ty: Type, count: usize, random: &mut Random) -> Self {
        let mut all = Self::default();
        all.fill(function, ty, count, random);
        all
    }

    /// Random calls up to this many, and then to a multiple of 48.
    fn fill(&mut self, function: &Function, ty: Type, count: usize, random: &mut Random) {
        let corners = corners(ty, false);
        let mut missing = count.saturating_sub(self.count());
        missing += (48 - (self.count() + missing) % 48) % 48;
        for _ in 0..missing {
            let x = random_value(ty, &corners, random);
            let y = match random.below(2) {
                0 => random_value(ty, &corners, random),
                _ => matching(ty, function.name, x, random),
            };
            self.push(x, y, random_value(ty, &corners, random), random_integer(random));
        }
    }
}
