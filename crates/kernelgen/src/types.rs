//! Types and values, and the arithmetic of one lane.

/// The widest vector of the generator.
pub(crate) const MAX_LANES: usize = 8;

/// The scalar types of OpenCL C that the generator uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Scalar {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::I8 => "char",
            Self::U8 => "uchar",
            Self::I16 => "short",
            Self::U16 => "ushort",
            Self::I32 => "int",
            Self::U32 => "uint",
            Self::I64 => "long",
            Self::U64 => "ulong",
            Self::F16 => "half",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    pub(crate) fn bits(self) -> u32 {
        self.bytes() as u32 * 8
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// The signed integer type of the same width: what a comparison of vectors yields.
    pub(crate) fn to_signed(self) -> Self {
        match self.bytes() {
            1 => Self::I8,
            2 => Self::I16,
            4 => Self::I32,
            _ => Self::I64,
        }
    }
}

/// A scalar (`lanes == 1`) or a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Type {
    pub scalar: Scalar,
    pub lanes: u8,
}

impl Type {
    pub(crate) const INT: Self = Self::scalar(Scalar::I32);
    pub(crate) const UINT: Self = Self::scalar(Scalar::U32);

    pub(crate) const fn scalar(scalar: Scalar) -> Self {
        Self { scalar, lanes: 1 }
    }

    pub(crate) const fn vector(scalar: Scalar, lanes: u8) -> Self {
        Self { scalar, lanes }
    }

    pub(crate) fn is_vector(self) -> bool {
        self.lanes > 1
    }

    pub(crate) fn element(self) -> Self {
        Self::scalar(self.scalar)
    }

    pub(crate) fn count(self) -> usize {
        self.lanes as usize
    }

    /// In memory, where a vector of three has the room of one of four.
    pub(crate) fn bytes(self) -> usize {
        self.scalar.bytes() * self.count().next_power_of_two()
    }

    pub(crate) fn name(self) -> String {
        if self.is_vector() {
            format!("{}{}", self.scalar.name(), self.lanes)
        } else {
            self.scalar.name().to_string()
        }
    }
}

/// The bits of each lane, zero-extended. Lanes past the end of the type are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value(pub(crate) [u64; MAX_LANES]);

impl Value {
    pub(crate) const ZERO: Self = Self([0; MAX_LANES]);

    pub(crate) fn one(bits: u64) -> Self {
        let mut value = Self::ZERO;
        value.0[0] = bits;
        value
    }

    pub(crate) fn splat(ty: Type, bits: u64) -> Self {
        let mut value = Self::ZERO;
        value.0[..ty.count()].fill(bits);
        value
    }

    pub(crate) fn load(ty: Type, bytes: &[u8]) -> Self {
        let mut value = Self::ZERO;
        let width = ty.scalar.bytes();
        for (lane, chunk) in value.0[..ty.count()].iter_mut().zip(bytes.chunks_exact(width)) {
            let mut raw = [0; 8];
            raw[..width].copy_from_slice(chunk);
            *lane = u64::from_le_bytes(raw);
        }
        value
    }

    pub(crate) fn store(&self, ty: Type, bytes: &mut [u8]) {
        let width = ty.scalar.bytes();
        for (lane, chunk) in self.0.iter().zip(bytes.chunks_exact_mut(width)) {
            chunk.copy_from_slice(&lane.to_le_bytes()[..width]);
        }
    }
}

/// Operators on two operands of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BinOp {
    /// Wrapping: printed through unsigned casts where C would not wrap.
    Add,
    Sub,
    Mul,
    /// Printed as plain signed arithmetic: the operands must be such that nothing overflows.
    AddExact,
    SubExact,
    MulExact,
    Div,
    Rem,
    And,
    Or,
    Xor,
    /// The amount is masked by the width of the type, in the source too.
    Shl,
    Shr,
    /// The smaller and the larger of integers.
    Min,
    Max,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnOp {
    Neg,
    Not,
}

/// What makes an operation undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    Division,
    Overflow,
}

/// Cuts `bits` down to the width of the type.
pub(crate) fn truncate(scalar: Scalar, bits: u64) -> u64 {
    bits & (u64::MAX >> (64 - scalar.bits()))
}

/// The integer that these bits mean; only the bits of the result count for a `ulong`.
pub(crate) fn extend(scalar: Scalar, bits: u64) -> i64 {
    if scalar.is_signed() {
        let shift = 64 - scalar.bits();
        ((bits << shift) as i64) >> shift
    } else {
        bits as i64
    }
}

/// The smallest value of a signed type.
pub(crate) fn signed_min(scalar: Scalar) -> i64 {
    i64::MIN >> (64 - scalar.bits())
}

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn bits_of(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// The value of a half.
pub(crate) fn f64_of_half(bits: u64) -> f64 {
    let (exponent, fraction) = (bits >> 10 & 0x1f, bits & 0x3ff);
    let magnitude = match exponent {
        0 => fraction as f64 * 2f64.powi(-24),
        0x1f if fraction == 0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => f64::from_bits((exponent + 1008) << 52 | fraction << 42),
    };
    if bits >> 15 & 1 == 1 { -magnitude } else { magnitude }
}

/// The half nearest to a number, the even one of two.
pub(crate) fn half_of(x: f64) -> u64 {
    let sign = u64::from(x.is_sign_negative()) << 15;
    let x = x.abs();
    let magnitude = if x.is_nan() {
        0x7e00
    } else if x >= 65520.0 {
        0x7c00
    } else if x < 2f64.powi(-14) {
        (x * 2f64.powi(24)).round_ties_even() as u64
    } else {
        let bits = x.to_bits();
        let (kept, rest) = (bits >> 42, bits & ((1 << 42) - 1));
        let up = rest > 1 << 41 || (rest == 1 << 41 && kept & 1 == 1);
        // The exponent's bias, and what rounding carries into it.
        kept + u64::from(up) - (1008 << 10)
    };
    sign | magnitude
}

/// The value of a floating-point number, which every `double` can hold.
pub(crate) fn value_of(s: Scalar, bits: u64) -> f64 {
    match s {
        Scalar::F16 => f64_of_half(bits),
        Scalar::F32 => f64::from(f32_of(bits)),
        _ => f64::from_bits(bits),
    }
}

/// One lane of a binary operator.
pub(crate) fn binary(op: BinOp, s: Scalar, a: u64, b: u64) -> Result<u64, Fault> {
    if s == Scalar::F32 {
        let (x, y) = (f32_of(a), f32_of(b));
        return Ok(bits_of(match op {
            BinOp::Add => x + y,
            BinOp::Sub => x - y,
            BinOp::Mul => x * y,
            _ => unreachable!("{op:?} on float"),
        }));
    }
    if s.is_float() {
        let (x, y) = (value_of(s, a), value_of(s, b));
        let result = match op {
            BinOp::Add => x + y,
            BinOp::Sub => x - y,
            BinOp::Mul => x * y,
            _ => unreachable!("{op:?} on floating-point numbers"),
        };
        // Sums and products of halves are exact as doubles.
        return Ok(if s == Scalar::F16 { half_of(result) } else { result.to_bits() });
    }
    let amount = (b & u64::from(s.bits() - 1)) as u32;
    let raw = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::AddExact | BinOp::SubExact | BinOp::MulExact => exact(op, s, a, b)?,
        BinOp::Div | BinOp::Rem => divide(op, s, a, b)?,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => a << amount,
        BinOp::Shr if s.is_signed() => (extend(s, a) >> amount) as u64,
        BinOp::Shr => a >> amount,
        BinOp::Min | BinOp::Max => {
            let less = compare(CmpOp::Lt, s, a, b);
            if less == (op == BinOp::Min) { a } else { b }
        }
    };
    Ok(truncate(s, raw))
}

fn exact(op: BinOp, s: Scalar, a: u64, b: u64) -> Result<u64, Fault> {
    let (x, y) = (i128::from(extend(s, a)), i128::from(extend(s, b)));
    let result = match op {
        BinOp::AddExact => x + y,
        BinOp::SubExact => x - y,
        _ => x * y,
    };
    let min = i128::from(signed_min(s));
    if result < min || result > -(min + 1) { Err(Fault::Overflow) } else { Ok(result as u64) }
}

fn divide(op: BinOp, s: Scalar, a: u64, b: u64) -> Result<u64, Fault> {
    if b == 0 {
        return Err(Fault::Division);
    }
    if !s.is_signed() {
        return Ok(if op == BinOp::Div { a / b } else { a % b });
    }
    let (x, y) = (extend(s, a), extend(s, b));
    if y == -1 && x == signed_min(s) {
        return Err(Fault::Overflow);
    }
    Ok(if op == BinOp::Div { x / y } else { x % y } as u64)
}

/// One lane of a comparison.
pub(crate) fn compare(op: CmpOp, s: Scalar, a: u64, b: u64) -> bool {
    fn by<T: PartialOrd>(op: CmpOp, x: T, y: T) -> bool {
        match op {
            CmpOp::Eq => x == y,
            CmpOp::Ne => x != y,
            CmpOp::Lt => x < y,
            CmpOp::Le => x <= y,
            CmpOp::Gt => x > y,
            CmpOp::Ge => x >= y,
        }
    }
    match s {
        s if s.is_float() => by(op, value_of(s, a), value_of(s, b)),
        s if s.is_signed() => by(op, extend(s, a), extend(s, b)),
        _ => by(op, a, b),
    }
}

/// One lane of a unary operator.
pub(crate) fn unary(op: UnOp, s: Scalar, a: u64) -> u64 {
    match (op, s) {
        (UnOp::Neg, s) if s.is_float() => a ^ 1 << (s.bits() - 1),
        (UnOp::Neg, _) => truncate(s, a.wrapping_neg()),
        (UnOp::Not, _) => truncate(s, !a),
    }
}

/// A C cast between scalars; floating point to integer is not among them (see [`to_int`]).
pub(crate) fn cast(from: Scalar, to: Scalar, bits: u64) -> u64 {
    match (from, to) {
        (from, to) if from == to => bits,
        (from, Scalar::F64) if from.is_float() => value_of(from, bits).to_bits(),
        (from, Scalar::F32) if from.is_float() => bits_of(value_of(from, bits) as f32),
        (from, Scalar::F16) if from.is_float() => half_of(value_of(from, bits)),
        // What a double has no room for is beyond all halves.
        (from, Scalar::F16) if from.is_signed() => half_of(extend(from, bits) as f64),
        (_, Scalar::F16) => half_of(bits as f64),
        (from, _) if from.is_float() => unreachable!("float to int without a guard"),
        (from, Scalar::F32) if from.is_signed() => bits_of(extend(from, bits) as f32),
        (_, Scalar::F32) => bits_of(bits as f32),
        (from, Scalar::F64) if from.is_signed() => (extend(from, bits) as f64).to_bits(),
        (_, Scalar::F64) => (bits as f64).to_bits(),
        (from, to) => truncate(to, extend(from, bits) as u64),
    }
}

/// The limit inside which [`to_int`] converts, as a number of the type.
pub(crate) fn to_int_limit(scalar: Scalar) -> u64 {
    cast(Scalar::F64, scalar, f64::to_bits(if scalar == Scalar::F16 { 60_000.0 } else { 1_073_741_824.0 }))
}

/// The guarded conversion of a float to `int`: zero for what is too big, and for NaN.
pub(crate) fn to_int(from: Scalar, bits: u64) -> u64 {
    let (x, limit) = (value_of(from, bits), value_of(from, to_int_limit(from)));
    if x > -limit && x < limit { truncate(Scalar::I32, x as i64 as u64) } else { 0 }
}

/// How many elements the constant table of a type has, a power of two.
pub(crate) fn table_len(scalar: Scalar) -> usize {
    match scalar.bits() {
        8 => 256,
        64 => 16,
        bits => 1024 / bits as usize,
    }
}

/// An element of the constant table of a type.
pub(crate) fn table_element(scalar: Scalar, index: usize) -> u64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    truncate(scalar, mixed ^ mixed >> 29)
}

/// A class of floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Nan,
    Infinite,
    Finite,
    Normal,
}

impl Class {
    pub(crate) const ALL: [Class; 4] = [Class::Nan, Class::Infinite, Class::Finite, Class::Normal];

    /// The function that tells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Class::Nan => "isnan",
            Class::Infinite => "isinf",
            Class::Finite => "isfinite",
            Class::Normal => "isnormal",
        }
    }

    pub(crate) fn has(self, scalar: Scalar, bits: u64) -> bool {
        let x = value_of(scalar, bits);
        let least = match scalar {
            Scalar::F16 => 1.0 / 16384.0,
            Scalar::F32 => f64::from(f32::MIN_POSITIVE),
            _ => f64::MIN_POSITIVE,
        };
        match self {
            Class::Nan => x.is_nan(),
            Class::Infinite => x.is_infinite(),
            Class::Finite => x.is_finite(),
            Class::Normal => x.is_finite() && x.abs() >= least,
        }
    }
}

/// What a NaN is replaced with in `double`s: a number, since `as_double` may be missing.
pub(crate) const F64_FOR_NAN: f64 = -12345.0;

/// One lane with a NaN replaced by the one chosen representation.
pub(crate) fn canonical(s: Scalar, bits: u64) -> u64 {
    match s {
        Scalar::F16 if f64_of_half(bits).is_nan() => 0x7e00,
        Scalar::F32 if f32_of(bits).is_nan() => 0x7fc0_0000,
        Scalar::F64 if f64::from_bits(bits).is_nan() => F64_FOR_NAN.to_bits(),
        _ => bits,
    }
}
