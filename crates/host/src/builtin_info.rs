//! The builtins of this CPU: the default ones, and those of [`Math`] as AVX-512 instructions.
//!
//! AVX-512 and its extensions have an instruction, or some, for each operation of [`Math`]. A
//! vector is split into registers, and its last part padded to the smallest register that holds it.
//! A scalar is a vector of one lane: all take the same instructions.

use ir::{Builtin, BuiltinInfo, DefaultBuiltinInfo, DotBytes, Math, TargetType, define_with, saturating_sum};
use llvm::{Builder, Function, IntPredicate, Module, Opcode, Type, Value};

#[derive(Clone, Copy, Debug)]
pub(crate) struct HostBuiltinInfo {
    pub(crate) options: DefaultBuiltinInfo,
    pub(crate) instructions: MathInstructions,
}

impl BuiltinInfo for HostBuiltinInfo {
    fn define(&self, module: &Module, function: Function, builtin: Builtin) -> bool {
        match builtin {
            Builtin::Math(math) if self.instructions.define(module, function, math) => true,
            _ => self.options.define_default(module, function, builtin),
        }
    }

    /// This CPU counts the leading zeros of 64 bits in one instruction, which not every target has.
    fn inline_library_call(
        &self,
        module: &Module,
        b: &Builder,
        call: Value,
        name: &str,
        _params: &str,
    ) -> Option<Value> {
        let ty = call.ty();
        let args = call.call_args();
        let &[x] = args.as_slice() else { return None };
        if name != "clz" || x.ty() != ty || !ty.scalar().is_int() || ty.scalar().int_bits() != 64 {
            return None;
        }
        let zero_is_defined = module.context().i1().zero();
        Some(b.call(module.intrinsic("llvm.ctlz", &[ty]), &[x, zero_is_defined], ""))
    }

    fn options(&self) -> DefaultBuiltinInfo {
        self.options
    }

    fn target_type(&self, module: &Module, ty: TargetType) -> Option<Type> {
        self.options.target_type(module, ty)
    }
}

/// The instruction sets of an x86-64 CPU that have operations of [`Math`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MathInstructions {
    /// AVX-512 for registers of all sizes (AVX512VL).
    avx512: bool,
    /// Rounding to `bfloat16` (AVX512BF16).
    bf16: bool,
    /// Dot products of bytes (AVX512VNNI or AVX-VNNI).
    vnni: bool,
}

impl MathInstructions {
    /// Those of a CPU with these features, by LLVM's names.
    pub fn of(has: impl Fn(&str) -> bool) -> MathInstructions {
        let avx512 = has("avx512f") && has("avx512vl");
        let vnni = avx512 && has("avx512vnni") || has("avxvnni");
        MathInstructions { avx512, bf16: avx512 && has("avx512bf16"), vnni }
    }

    /// Whether dot products of bytes are instructions.
    pub fn has_dot_products(self) -> bool {
        self.vnni
    }

    /// Defines an operation, unless there are no instructions for it.
    pub fn define(self, module: &Module, function: Function, math: Math) -> bool {
        let has = match math {
            Math::BrainFloat => self.bf16,
            Math::Dot(_) | Math::DotSaturated(_) => self.vnni,
            _ => self.avx512,
        };
        if has {
            let largest = if self.avx512 { 512 } else { 256 };
            define_with(module, function, |b| by_registers(module, b, function, math, largest));
        }
        has
    }
}

fn bits_of(element: Type) -> u32 {
    element.float_bits().unwrap_or_else(|| element.int_bits())
}

/// A register of 16, 32 or 64 bytes.
struct Register {
    element: Type,
    lanes: u32,
}

impl Register {
    /// The smallest register that holds `lanes` lanes, or the one of `largest` bits if none does.
    fn of(element: Type, lanes: u32, largest: u32) -> Register {
        let bits = bits_of(element);
        let lanes = lanes.next_power_of_two().clamp(128 / bits, largest / bits);
        Register { element, lanes }
    }

    fn ty(&self) -> Type {
        self.element.vector(self.lanes)
    }

    fn bits(&self) -> u32 {
        self.lanes * bits_of(self.element)
    }

    /// `ps.512` for sixteen floats.
    fn suffix(&self) -> String {
        let kind = if self.element.float_bits() == Some(32) { "ps" } else { "pd" };
        format!("{kind}.{}", self.bits())
    }
}

fn by_registers(module: &Module, b: &Builder, function: Function, math: Math, largest: u32) -> Value {
    let ty = function.return_type();
    let params: Vec<Value> = (0..math.operands()).map(|i| function.param(i as u32)).collect();
    if !ty.is_vector() {
        let register = Register::of(ty, 1, largest);
        let first = |v: &Value| b.insert_element(register.ty().poison(), *v, b.i64(0), "");
        let args: Vec<Value> = params.iter().map(first).collect();
        return b.extract_element(instruction(module, b, math, &register, &args), b.i64(0), "");
    }
    let all = ty.len() as u32;
    let mut result = ty.poison();
    let mut start = 0;
    while start < all {
        let register = Register::of(ty.element(), all - start, largest);
        let lanes = register.lanes.min(all - start);
        // Lanes beyond the end of the vector repeat the first lane of this register.
        let cut: Vec<u32> =
            (0..register.lanes).map(|lane| start + if lane < lanes { lane } else { 0 }).collect();
        let args: Vec<Value> = params.iter().map(|v| b.shuffle(*v, ty.poison(), &cut, "")).collect();
        let part = instruction(module, b, math, &register, &args);
        let widened: Vec<u32> = (0..all).map(|lane| lane % register.lanes).collect();
        let part = b.shuffle(part, register.ty().poison(), &widened, "");
        let own = |lane: u32| (start..start + lanes).contains(&lane);
        let joined: Vec<u32> = (0..all).map(|lane| if own(lane) { all + lane } else { lane }).collect();
        result = if lanes == all { part } else { b.shuffle(result, part, &joined, "") };
        start += lanes;
    }
    result
}

/// Rounds a whole register to `bfloat16`. The instruction takes subnormal numbers for zero. With
/// the lowest bit of their exponent set they are as far apart as they were, and rounded as they
/// should be; the bit is taken out of the result.
fn brain_float(module: &Module, b: &Builder, register: &Register, x: Value) -> Value {
    let (ty, lanes) = (register.ty(), register.lanes);
    let ints = module.context().i32().vector(lanes);
    let int = |value: u64| b.splat(module.context().i32().const_int(value), lanes, "");
    let bits = b.cast(Opcode::LLVMBitCast, x, ints, "");
    let exponent = b.and(bits, int(0x7f80_0000), "");
    let small = b.icmp(IntPredicate::LLVMIntEQ, exponent, ints.zero(), "small");
    let lifted = b.binary(Opcode::LLVMOr, bits, int(0x80_0000), "");
    let x = b.cast(Opcode::LLVMBitCast, b.select(small, lifted, bits, ""), ty, "");
    let rounded = match lanes {
        // The smallest instruction has room for twice the lanes.
        4 => {
            let f = module.intrinsic("llvm.x86.avx512bf16.mask.cvtneps2bf16.128", &[]);
            let all = b.splat(module.context().i1().const_int(1), lanes, "");
            b.call(f, &[x, f.return_type().zero(), all], "")
        }
        _ => {
            let name = format!("llvm.x86.avx512bf16.cvtneps2bf16.{}", register.bits());
            b.call(module.intrinsic(&name, &[]), &[x], "")
        }
    };
    let shorts = module.context().int(16).vector(lanes.max(8));
    let short = b.cast(Opcode::LLVMBitCast, rounded, shorts, "");
    let cut: Vec<u32> = (0..lanes).collect();
    let short = b.shuffle(short, shorts.poison(), &cut, "");
    // In 16 bits, so that nothing is left of the float where only these are asked for.
    let bit = b.splat(module.context().int(16).const_int(0x80), lanes, "");
    let lowered = b.select(small, b.sub(short, bit, ""), short, "");
    let wide = b.cast(Opcode::LLVMZExt, lowered, ints, "");
    b.cast(Opcode::LLVMBitCast, b.binary(Opcode::LLVMShl, wide, int(16), ""), ty, "")
}

/// `vpdpbusd`: the sum of `sum` and of products of unsigned bytes by signed ones, or with a last
/// addition that saturates (`vpdpbusds`).
fn multiply_bytes(
    module: &Module,
    b: &Builder,
    register: &Register,
    name: &str,
    [x, y, sum]: [Value; 3],
) -> Value {
    let f = module.intrinsic(&format!("llvm.x86.avx512.{name}.{}", register.bits()), &[]);
    b.call(f, &[sum, x, y], "")
}

/// With the top bit of each byte turned over, unsigned bytes are signed ones that are 128 less, and
/// signed ones unsigned ones that are 128 more: 128 times the other operand makes up for it.
fn dot(module: &Module, b: &Builder, register: &Register, bytes: DotBytes, args: &[Value]) -> Value {
    let &[x, y, sum] = args else { unreachable!("it has three operands") };
    let multiply = |x, y, sum| multiply_bytes(module, b, register, "vpdpbusd", [x, y, sum]);
    let tops = b.splat(module.context().i32().const_int(0x8080_8080), register.lanes, "");
    let turned = |v: Value| b.binary(Opcode::LLVMXor, v, tops, "");
    let zero = register.ty().zero();
    match bytes {
        DotBytes::UnsignedAndSigned => multiply(x, y, sum),
        // The signed bytes of `tops` are -128, the unsigned ones 128.
        DotBytes::Unsigned => b.sub(multiply(x, turned(y), sum), multiply(x, tops, zero), ""),
        DotBytes::Signed => b.sub(multiply(turned(x), y, sum), multiply(tops, y, zero), ""),
    }
}

fn dot_saturated(
    module: &Module,
    b: &Builder,
    register: &Register,
    bytes: DotBytes,
    args: &[Value],
) -> Value {
    let &[x, y, sum] = args else { unreachable!("it has three operands") };
    if bytes == DotBytes::UnsignedAndSigned {
        return multiply_bytes(module, b, register, "vpdpbusds", [x, y, sum]);
    }
    let products = dot(module, b, register, bytes, &[x, y, register.ty().zero()]);
    saturating_sum(module, b, bytes, products, sum)
}

/// The instruction for a whole register.
fn instruction(module: &Module, b: &Builder, math: Math, register: &Register, args: &[Value]) -> Value {
    /// Mantissas in [¾, 1½), and a NaN for a negative number.
    const INTERVAL: u32 = 0b1111;
    /// The rounding mode and the exception masks are those of MXCSR.
    const AS_SET: u32 = 4;
    let (ty, suffix) = (register.ty(), register.suffix());
    // All lanes are active. A mask has at least eight bits.
    let context = module.context();
    let mask = context.int(register.lanes.max(8)).const_signed(-1);
    let (name, mut operands) = match math {
        Math::BrainFloat => return brain_float(module, b, register, args[0]),
        Math::Dot(bytes) => return dot(module, b, register, bytes, args),
        Math::DotSaturated(bytes) => return dot_saturated(module, b, register, bytes, args),
        Math::Exponent => ("mask.getexp", args.to_vec()),
        Math::Mantissa => ("mask.getmant", vec![args[0], b.i32(INTERVAL)]),
        Math::Scale => ("mask.scalef", args.to_vec()),
        Math::RsqrtEstimate => ("rsqrt14", args.to_vec()),
    };
    operands.extend([ty.zero(), mask]);
    // Only the 512-bit instructions have an operand for the rounding mode.
    if register.bits() == 512 && math != Math::RsqrtEstimate {
        operands.push(b.i32(AS_SET));
    }
    let f = module.intrinsic(&format!("llvm.x86.avx512.{name}.{suffix}"), &[]);
    b.call(f, &operands, "")
}
