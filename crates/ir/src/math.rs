//! Math builtins: primitive operations for which a CPU may have instructions, and which the
//! library's functions are made of: `__mux_exponent_f`, and for a vector of sixteen
//! `__mux_exponent_Dv16_f`.
//!
//! The library declares them, the vectorizer replaces scalar overloads by vector ones, and
//! DefineMuxBuiltins gives them their bodies, by default in bit operations ([`define`]). On one
//! target, scalars and all lanes of vectors have the same results.

use crate::builtin_info::Body;
use crate::mangling::mangle_type;
use llvm::{Builder, Function, Module, Opcode, RealPredicate, Type, Value};

/// An operation on floats or doubles, on 32-bit integers, or on vectors of them. The result has the
/// type of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Math {
    /// `⌊log2 |x|⌋`, for a subnormal number, too; -∞ for a zero, +∞ for an infinity.
    Exponent,
    /// The mantissa `m` in [¾, 1½) of a positive `x = m 2^e`; 1 for a zero and +∞, a NaN for a
    /// negative number.
    Mantissa,
    /// `x 2^n`, rounded once. `n` is an integer, of at most 240 in magnitude for a float and 2000
    /// for a double, and `x` is within [¼, 4), or zero, infinite or a NaN; otherwise the result is
    /// any number.
    Scale,
    /// `1 / √x` with a relative error of at most 2^-14: ∞ for zero with its sign, 0 for ∞, a NaN
    /// for a negative number.
    RsqrtEstimate,
    /// The number of `bfloat16` nearest to a float, ties to even; a quiet NaN for a NaN. Only for
    /// floats.
    BrainFloat,
    /// The sum of the third operand and of the products of the bytes of the first two.
    Dot(DotBytes),
    /// The same, where the last addition saturates: the sum of the products fits the type.
    DotSaturated(DotBytes),
}

/// The bytes of the first and the second operand of a dot product. Sums with signed bytes are
/// signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DotBytes {
    Unsigned,
    Signed,
    UnsignedAndSigned,
}

const NAMES: [(Math, &str); 11] = [
    (Math::Exponent, "exponent"),
    (Math::Mantissa, "mantissa"),
    (Math::Scale, "scale"),
    (Math::RsqrtEstimate, "rsqrt_estimate"),
    (Math::BrainFloat, "brain_float"),
    (Math::Dot(DotBytes::Unsigned), "dot_uu"),
    (Math::Dot(DotBytes::Signed), "dot_ss"),
    (Math::Dot(DotBytes::UnsignedAndSigned), "dot_us"),
    (Math::DotSaturated(DotBytes::Unsigned), "dot_sat_uu"),
    (Math::DotSaturated(DotBytes::Signed), "dot_sat_ss"),
    (Math::DotSaturated(DotBytes::UnsignedAndSigned), "dot_sat_us"),
];

impl Math {
    pub fn all() -> impl Iterator<Item = Math> {
        NAMES.iter().map(|&(math, _)| math)
    }

    /// The name, without a type.
    pub(crate) fn prefix(self) -> String {
        format!("__mux_{}", NAMES.iter().find(|(math, _)| *math == self).expect("each has a name").1)
    }

    /// The name for operands of a type; `None` if there is no such overload.
    pub fn name(self, ty: Type) -> Option<String> {
        let scalar = ty.scalar();
        let letter = match scalar.float_bits() {
            Some(32) => 'f',
            Some(64) => 'd',
            None if scalar.is_int() && scalar.int_bits() == 32 => 'i',
            _ => return None,
        };
        self.types()
            .contains(letter)
            .then(|| mangle_type(ty, true))
            .flatten()
            .map(|suffix| format!("{}_{suffix}", self.prefix()))
    }

    /// The builtin that a function of this name is.
    pub fn from_name(name: &str) -> Option<Self> {
        let rest = name.strip_prefix("__mux_")?;
        NAMES.iter().find_map(|&(math, text)| {
            let ty = rest.strip_prefix(text)?.strip_prefix('_')?;
            is_type(ty, math.types()).then_some(math)
        })
    }

    /// The types of its overloads, and of their elements, as they are mangled.
    fn types(self) -> &'static str {
        match self {
            Math::BrainFloat => "f",
            // Scalable vectors have unsigned elements, as mux-ir mangles them.
            Math::Dot(_) | Math::DotSaturated(_) => "ij",
            _ => "fd",
        }
    }

    pub fn operands(self) -> usize {
        match self {
            Math::Scale => 2,
            Math::Dot(_) | Math::DotSaturated(_) => 3,
            _ => 1,
        }
    }

    /// The function for operands of a type, declared now if it was not.
    ///
    /// # Panics
    /// For a type of which there is no overload.
    pub fn declare(self, module: &Module, ty: Type) -> Function {
        let name = self.name(ty).expect("the operation has such an overload");
        if let Some(f) = module.function(&name) {
            return f;
        }
        let f = module.add_function(&name, ty.function(&vec![ty; self.operands()]));
        f.set_call_conv(llvm::CallConv::SpirFunc);
        ["nounwind", "willreturn", "nosync"].into_iter().for_each(|flag| f.set_flag(flag));
        f.set_memory_none();
        f
    }
}

/// Whether this is one of these types, or a vector of one.
fn is_type(text: &str, types: &str) -> bool {
    let is_known = |text: &str| text.len() == 1 && types.contains(text);
    // `u5nxv4f` of a scalable vector: the length of what follows it, and the number of lanes.
    let is_digit = |c: char| c.is_ascii_digit();
    if let Some(scalable) = text.strip_prefix('u') {
        let lanes = scalable.trim_start_matches(is_digit).strip_prefix("nxv");
        return lanes.is_some_and(|lanes| is_known(lanes.trim_start_matches(is_digit)));
    }
    let element = match text.strip_prefix("Dv").map(|rest| rest.split_once('_')) {
        None => text,
        Some(Some((lanes, element))) if lanes.parse::<u32>().is_ok() => element,
        Some(_) => return false,
    };
    is_known(element)
}

/// The bit layout of a floating-point type.
struct Format {
    /// The type itself, and integers of the same size.
    ty: Type,
    int: Type,
    /// The bits of the fraction.
    fraction: u32,
    bias: i64,
}

impl Format {
    fn of(module: &Module, ty: Type) -> Format {
        let bits = ty.scalar().float_bits().expect("a number");
        let int = module.context().int(bits);
        let int = if ty == ty.scalar() { int } else { int.vector(ty.width()) };
        let (fraction, bias) = if bits == 32 { (23, 127) } else { (52, 1023) };
        Format { ty, int, fraction, bias }
    }

    fn int(&self, b: &Builder, value: i64) -> Value {
        self.filled(b, self.int, self.int.scalar().const_signed(value))
    }

    fn number(&self, b: &Builder, value: f64) -> Value {
        self.filled(b, self.ty, self.ty.scalar().const_float(value))
    }

    fn filled(&self, b: &Builder, ty: Type, value: Value) -> Value {
        if ty == ty.scalar() { value } else { b.splat(value, ty.width(), "") }
    }

    fn bits(&self, b: &Builder, x: Value) -> Value {
        b.cast(Opcode::LLVMBitCast, x, self.int, "")
    }

    fn of_bits(&self, b: &Builder, bits: Value) -> Value {
        b.cast(Opcode::LLVMBitCast, bits, self.ty, "")
    }

    fn power_of_two(&self, b: &Builder, n: i32) -> Value {
        self.number(b, 2f64.powi(n))
    }
}

/// The magnitude of x, scaled to a normal number if it is subnormal; and whether it was.
fn normal(body: &Body<'_>, format: &Format, x: Value) -> (Value, Value) {
    let b = &body.b;
    let size = b.call(body.module.intrinsic("llvm.fabs", &[format.ty]), &[x], "size");
    let smallest = format.power_of_two(b, 1 - format.bias as i32);
    let small = b.fcmp(RealPredicate::LLVMRealOLT, size, smallest, "small");
    let up = b.binary(Opcode::LLVMFMul, size, format.power_of_two(b, format.fraction as i32), "up");
    (b.select(small, up, size, "normal"), small)
}

/// Builds the body in bit operations and returns its result.
pub(crate) fn define(body: &Body<'_>, math: Math) -> Value {
    let (b, x) = (&body.b, body.function.param(0));
    if let Math::Dot(bytes) | Math::DotSaturated(bytes) = math {
        let [y, sum] = [1, 2].map(|i| body.function.param(i));
        let products = dot(b, bytes, x, y);
        return match math {
            Math::Dot(_) => b.add(sum, products, ""),
            _ => saturating_sum(body.module, b, bytes, products, sum),
        };
    }
    let format = Format::of(body.module, x.ty());
    match math {
        Math::Exponent => exponent(body, &format, x),
        Math::Mantissa => mantissa(body, &format, x),
        Math::Scale => scale(b, &format, x, body.function.param(1)),
        Math::RsqrtEstimate => {
            let root = b.call(body.module.intrinsic("llvm.sqrt", &[format.ty]), &[x], "");
            b.binary(Opcode::LLVMFDiv, format.number(b, 1.0), root, "")
        }
        Math::BrainFloat => brain_float(b, &format, x),
        Math::Dot(_) | Math::DotSaturated(_) => unreachable!("they are on integers"),
    }
}

fn exponent(body: &Body<'_>, format: &Format, x: Value) -> Value {
    use RealPredicate::*;
    let b = &body.b;
    let (normal, small) = normal(body, format, x);
    let fraction = format.int(b, i64::from(format.fraction));
    let biased = b.binary(Opcode::LLVMLShr, format.bits(b, normal), fraction, "");
    let lifted = format.int(b, format.bias + i64::from(format.fraction));
    let bias = b.select(small, lifted, format.int(b, format.bias), "");
    let exponent = b.cast(Opcode::LLVMSIToFP, b.sub(biased, bias, ""), format.ty, "exponent");
    // Zeros, NaNs and infinities.
    let zero = b.fcmp(LLVMRealOEQ, x, format.number(b, 0.0), "");
    let result = b.select(zero, format.number(b, f64::NEG_INFINITY), exponent, "");
    let finite = b.fcmp(LLVMRealOLT, normal, format.number(b, f64::INFINITY), "");
    b.select(finite, result, normal, "")
}

fn mantissa(body: &Body<'_>, format: &Format, x: Value) -> Value {
    use RealPredicate::*;
    let b = &body.b;
    let (normal, _) = normal(body, format, x);
    let bits = format.bits(b, normal);
    let point = i64::from(format.fraction);
    let fraction = b.and(bits, format.int(b, (1 << point) - 1), "fraction");
    // From 1½ on, the exponent is one less.
    let upper = b.and(bits, format.int(b, 1 << (point - 1)), "");
    let less = b.add(upper, upper, "less");
    let one = b.sub(format.int(b, format.bias << point), less, "");
    let result = format.of_bits(b, b.add(fraction, one, ""));
    let valid = b.fcmp(LLVMRealOGE, x, format.number(b, 0.0), "valid");
    b.select(valid, result, format.number(b, f64::NAN), "")
}

/// Scales by two multiplications, of which the first is exact. Does not convert `n` to an integer,
/// since that of a NaN is poison.
fn scale(b: &Builder, format: &Format, x: Value, n: Value) -> Value {
    let magic = 1.5 * 2f64.powi(format.fraction as i32);
    let sum = b.binary(Opcode::LLVMFAdd, n, format.number(b, magic), "");
    // The low bits of the sum are those of n; the others are shifted out.
    let bits = format.bits(b, sum);
    let point = format.int(b, i64::from(format.fraction));
    let half = b.binary(Opcode::LLVMAShr, bits, format.int(b, 1), "");
    let first = b.binary(Opcode::LLVMShl, half, point, "");
    let second = b.sub(b.binary(Opcode::LLVMShl, bits, point, ""), first, "");
    let one = format.int(b, format.bias << format.fraction);
    let [first, second] = [first, second].map(|power| format.of_bits(b, b.add(power, one, "")));
    let once = b.binary(Opcode::LLVMFMul, x, first, "");
    b.binary(Opcode::LLVMFMul, once, second, "")
}

fn brain_float(b: &Builder, format: &Format, x: Value) -> Value {
    let bits = format.bits(b, x);
    let odd = b.and(b.binary(Opcode::LLVMLShr, bits, format.int(b, 16), ""), format.int(b, 1), "odd");
    // Half of a unit, or a little less where the unit is even: a tie is rounded down then.
    let rounded = b.add(bits, b.add(odd, format.int(b, 0x7fff), ""), "");
    let quiet = b.binary(Opcode::LLVMOr, bits, format.int(b, 0x40_0000), "");
    let is_nan = b.fcmp(RealPredicate::LLVMRealUNO, x, x, "");
    let result = b.select(is_nan, quiet, rounded, "");
    format.of_bits(b, b.and(result, format.int(b, -0x1_0000), ""))
}

/// The sum of the products of bytes.
fn dot(b: &Builder, bytes: DotBytes, x: Value, y: Value) -> Value {
    let ty = x.ty();
    let int = |value: u32| {
        let one = ty.scalar().const_int(value.into());
        if ty == ty.scalar() { one } else { b.splat(one, ty.width(), "") }
    };
    let byte = |word: Value, i: u32, is_signed: bool| {
        let top = b.binary(Opcode::LLVMShl, word, int(24 - 8 * i), "");
        b.binary(if is_signed { Opcode::LLVMAShr } else { Opcode::LLVMLShr }, top, int(24), "")
    };
    let (x_signed, y_signed) = (bytes == DotBytes::Signed, bytes != DotBytes::Unsigned);
    let product = |i: u32| b.mul(byte(x, i, x_signed), byte(y, i, y_signed), "");
    (1..4).fold(product(0), |sum, i| b.add(sum, product(i), ""))
}

/// The sum of a dot product and an integer, which saturates.
pub fn saturating_sum(module: &Module, b: &Builder, bytes: DotBytes, x: Value, y: Value) -> Value {
    let name = if bytes == DotBytes::Unsigned { "llvm.uadd.sat" } else { "llvm.sadd.sat" };
    b.call(module.intrinsic(name, &[x.ty()]), &[x, y], "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use llvm::Context;

    #[test]
    fn every_one_is_found_by_its_name() {
        let c = Context::new();
        for math in Math::all() {
            let scalable = c.float().vector(llvm::Width::scalable(4));
            for ty in [c.float(), c.double(), c.float().vector(16), c.double().vector(3), scalable] {
                let is_double = ty.scalar().float_bits() == Some(64);
                let none = match math {
                    Math::BrainFloat => is_double,
                    Math::Dot(_) | Math::DotSaturated(_) => true,
                    _ => false,
                };
                assert_eq!(math.name(ty).is_none(), none);
                let Some(name) = math.name(ty) else { continue };
                assert_eq!(Math::from_name(&name), Some(math), "{name}");
            }
        }
        assert_eq!(Math::Exponent.name(c.float().vector(16)).unwrap(), "__mux_exponent_Dv16_f");
        assert_eq!(Math::Exponent.name(c.half()), None);
        let dot = Math::DotSaturated(DotBytes::Signed);
        for ty in [c.i32(), c.i32().vector(8), c.i32().vector(llvm::Width::scalable(4))] {
            assert_eq!(Math::from_name(&dot.name(ty).unwrap()), Some(dot));
        }
        assert_eq!((Math::Exponent.name(c.i32()), dot.name(c.i64())), (None, None));
        for name in [
            "__mux_exponent",
            "__mux_exponent_",
            "__mux_exponent_i",
            "__mux_scale_Dv_f",
            "exponent_f",
            "__mux_brain_float_d",
            "__mux_dot_uu_f",
        ] {
            assert_eq!(Math::from_name(name), None, "{name}");
        }
    }
}
