//! The builtins of this CPU: the default ones, and those of [`Math`] as AVX-512 instructions.
//!
//! AVX-512 has an instruction for each operation of [`Math`]. A vector is split into registers, and
//! its last part padded to the smallest register that holds it. A scalar is a vector of one lane:
//! all take the same instructions.

use ir::{Builtin, BuiltinInfo, DefaultBuiltinInfo, Math, TargetType, define_with};
use llvm::{Builder, Function, Module, Type, Value};

#[derive(Clone, Copy, Debug)]
pub(crate) struct HostBuiltinInfo {
    pub(crate) options: DefaultBuiltinInfo,
    /// Whether the CPU has AVX-512 for registers of all sizes (AVX512VL).
    pub(crate) avx512: bool,
}

impl BuiltinInfo for HostBuiltinInfo {
    fn define(&self, module: &Module, function: Function, builtin: Builtin) -> bool {
        match builtin {
            Builtin::Math(math) if self.avx512 => {
                define_math(module, function, math);
                true
            }
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

/// Defines an operation of [`Math`] by instructions of AVX-512 (AVX512VL).
pub fn define_math(module: &Module, function: Function, math: Math) {
    define_with(module, function, |b| by_registers(module, b, function, math));
}

/// A register of 16, 32 or 64 bytes.
struct Register {
    element: Type,
    lanes: u32,
}

impl Register {
    /// The smallest register that holds `lanes` lanes, or the largest register if none does.
    fn of(element: Type, lanes: u32) -> Register {
        let largest = 512 / element.float_bits().expect("a number");
        let lanes = lanes.next_power_of_two().clamp(largest / 4, largest);
        Register { element, lanes }
    }

    fn ty(&self) -> Type {
        self.element.vector(self.lanes)
    }

    fn bits(&self) -> u32 {
        self.lanes * self.element.float_bits().expect("a number")
    }

    /// `ps.512` for sixteen floats.
    fn suffix(&self) -> String {
        let kind = if self.element.float_bits() == Some(32) { "ps" } else { "pd" };
        format!("{kind}.{}", self.bits())
    }
}

fn by_registers(module: &Module, b: &Builder, function: Function, math: Math) -> Value {
    let ty = function.return_type();
    let params: Vec<Value> = (0..math.operands()).map(|i| function.param(i as u32)).collect();
    if !ty.is_vector() {
        let register = Register::of(ty, 1);
        let first = |v: &Value| b.insert_element(register.ty().poison(), *v, b.i64(0), "");
        let args: Vec<Value> = params.iter().map(first).collect();
        return b.extract_element(instruction(module, b, math, &register, &args), b.i64(0), "");
    }
    let all = ty.len() as u32;
    let mut result = ty.poison();
    let mut start = 0;
    while start < all {
        let register = Register::of(ty.element(), all - start);
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
