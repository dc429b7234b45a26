//! LowerHalf: computes with halves as floats, and keeps them as integers of 16 bits.
//!
//! ```text
//! %x = load half, ptr %p              %b = load i16, ptr %p
//! %y = fadd half %x, %z       ───►    %f = … %b as a float, by bit operations …
//!                                     %g = fadd float %f, …
//!                                     … %g rounded to 16 bits, by bit operations …
//! ```
//!
//! For CPUs without instructions for halves, whose code would call a compiler's library for each
//! conversion, and has no vectors of halves. Operations are rounded as IEEE 754 asks: a float has
//! more than twice the significand of a half, so that rounding twice is rounding once. Runs first
//! in the late stage, on scalars and the vectors that kernels are written with, and again at its
//! end, for what groups do with halves, and for `fabs` and `fneg`, which LLVM makes of operations
//! on a sign. Parameters and results of functions stay halves, and the functions are to be inlined.
//! Preserves control flow.

use analysis::Preserved;
use ir::Builtin;
use llvm::{Builder, Function, IntPredicate, Module, Opcode, Type, Value};
use passes::{Pass, PassContext, PassError};

#[derive(Clone, Copy, Debug, Default)]
pub struct LowerHalf;

impl Pass for LowerHalf {
    fn name(&self) -> &'static str {
        "lower-half"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for f in cx.module.functions() {
            lower(cx.module, f)?;
            inline_if_it_takes_halves(f);
        }
        Ok(Preserved::control_flow())
    }
}

/// Marks a function that takes or gives halves, to be inlined: from its parameters to its result
/// LLVM would make `fabs` of half again when it generates code. Those that print only convert.
fn inline_if_it_takes_halves(f: Function) {
    let is_half = |ty: Type| ty.scalar().float_bits() == Some(16);
    let takes = is_half(f.return_type()) || f.params().iter().any(|param| is_half(param.ty()));
    let prints = |i: Value| Builtin::called_by(i) == Some(Builtin::Printf);
    if takes && !f.is_declaration() && !f.instructions().into_iter().any(prints) {
        ["noinline", "optnone"].into_iter().for_each(|flag| f.remove_flag(flag));
        f.set_flag("alwaysinline");
    }
}

fn is_half(value: Value) -> bool {
    value.ty().scalar().float_bits() == Some(16)
}

fn is_vector(ty: Type) -> bool {
    ty.is_vector() || ty.is_scalable_vector()
}

/// The type of as many elements as another type has.
fn like(ty: Type, element: Type) -> Type {
    if is_vector(ty) { element.vector(ty.width()) } else { element }
}

fn lower(module: &Module, f: Function) -> Result<(), PassError> {
    let (mut replaced, mut phis) = (Vec::new(), Vec::new());
    for i in f.instructions() {
        if !is_half(i) && !i.operands().any(is_half) {
            continue;
        }
        let b = Builder::before(module.context(), i);
        b.set_place_of(i);
        let lowering = Lowering { module, b: &b };
        if i.is_phi() {
            let new = b.phi(lowering.bits_type(i.ty()), &i.name());
            let first = i.block().and_then(|block| block.first_non_phi());
            let b = Builder::before(module.context(), first.expect("a block has a terminator"));
            i.replace_all_uses_with(b.cast(Opcode::LLVMBitCast, new, i.ty(), ""));
            phis.push((i, new));
            continue;
        }
        if let Some(new) = lowering.instruction(i)? {
            if !i.ty().is_void() {
                i.replace_all_uses_with(new);
            }
            replaced.push(i);
        }
    }
    for &(old, new) in &phis {
        for (value, block) in old.incoming() {
            let end = block.terminator().expect("a block has a terminator");
            let b = Builder::before(module.context(), end);
            new.add_incoming(Lowering { module, b: &b }.bits(value), block);
        }
    }
    replaced.into_iter().chain(phis.into_iter().map(|(old, _)| old)).for_each(Value::erase);
    // Casts that nothing needs after all.
    for i in f.instructions().into_iter().rev() {
        if i.opcode() == Some(Opcode::LLVMBitCast) && is_half(i) && !i.is_used() {
            i.erase();
        }
    }
    Ok(())
}

struct Lowering<'a> {
    module: &'a Module,
    b: &'a Builder,
}

impl Lowering<'_> {
    fn bits_type(&self, half: Type) -> Type {
        like(half, self.module.context().int(16))
    }

    /// A constant of a type, in all elements if it is a vector.
    fn constant(&self, ty: Type, scalar: Value) -> Value {
        if is_vector(ty) { self.b.splat(scalar, ty.width(), "") } else { scalar }
    }

    fn int(&self, ty: Type, value: u64) -> Value {
        self.constant(ty, ty.scalar().const_int(value))
    }

    /// The bits of a half.
    fn bits(&self, half: Value) -> Value {
        let ty = self.bits_type(half.ty());
        match half.opcode() {
            _ if half.is_constant() => match half.const_splat().filter(|_| ty.is_scalable_vector()) {
                // LLVM folds no cast of such a vector.
                Some(element) => self.b.splat(element.const_bitcast(ty.element()), ty.width(), ""),
                None => half.const_bitcast(ty),
            },
            Some(Opcode::LLVMBitCast) if half.operand(0).ty() == ty => half.operand(0),
            _ => self.b.cast(Opcode::LLVMBitCast, half, ty, ""),
        }
    }

    fn half(&self, bits: Value) -> Value {
        self.b.cast(Opcode::LLVMBitCast, bits, like(bits.ty(), self.module.context().half()), "")
    }

    fn op(&self, op: Opcode, a: Value, constant: u64) -> Value {
        self.b.binary(op, a, self.int(a.ty(), constant), "")
    }

    /// A half as a float.
    fn extended(&self, half: Value) -> Value {
        use Opcode::*;
        let b = self.b;
        let bits = self.bits(half);
        let (word, float) = (like(bits.ty(), b.context().i32()), like(bits.ty(), b.context().float()));
        let wide = b.cast(LLVMZExt, bits, word, "");
        let size = self.op(LLVMAnd, wide, 0x7fff);
        let moved = self.op(LLVMShl, size, 13);
        let normal = self.op(LLVMAdd, moved, 112 << 23);
        // Infinities and NaNs have the largest exponent of either format; NaNs become quiet.
        let large = self.op(LLVMOr, moved, 0xff << 23);
        let is_nan = b.icmp(IntPredicate::LLVMIntUGT, size, self.int(word, 0x7c00), "");
        let large = b.select(is_nan, self.op(LLVMOr, large, 1 << 22), large, "");
        // A subnormal number counts units of 2^-24.
        let unit = self.constant(float, b.context().float().const_float(1.0 / f64::from(1 << 24)));
        let small = b.binary(LLVMFMul, b.cast(LLVMUIToFP, size, float, ""), unit, "");
        let small = b.cast(LLVMBitCast, small, word, "");
        let is_large = b.icmp(IntPredicate::LLVMIntUGE, size, self.int(word, 0x7c00), "");
        let is_small = b.icmp(IntPredicate::LLVMIntULT, size, self.int(word, 0x400), "");
        let size = b.select(is_large, large, b.select(is_small, small, normal, ""), "");
        let sign = self.op(LLVMShl, self.op(LLVMAnd, wide, 0x8000), 16);
        b.cast(LLVMBitCast, b.binary(LLVMOr, size, sign, ""), float, "")
    }

    /// The half nearest to a float or double, ties to even.
    fn truncated(&self, x: Value) -> Value {
        use Opcode::*;
        let b = self.b;
        let double = x.ty().scalar().float_bits() == Some(64);
        let (word, fraction, bias) = match double {
            true => (b.context().i64(), 52u32, 1023u64),
            false => (b.context().i32(), 23, 127),
        };
        let word = like(x.ty(), word);
        let bits = b.cast(LLVMBitCast, x, word, "");
        let total = word.scalar().int_bits();
        let size = self.op(LLVMAnd, bits, u64::MAX >> (65 - total));
        let dropped = u64::from(fraction - 10);
        // Normal numbers: the exponent is moved to the other bias, and half a unit is added, less a
        // little for even numbers. A carry into the exponent is right, up to infinity.
        let even = self.op(LLVMAnd, self.op(LLVMLShr, size, dropped), 1);
        let moved = self.op(LLVMSub, size, (bias - 15) << fraction);
        let rounded = b.binary(LLVMAdd, self.op(LLVMAdd, moved, (1 << (dropped - 1)) - 1), even, "");
        let normal = self.op(LLVMLShr, rounded, dropped);
        // Subnormal numbers: the sum with a number whose unit is 2^-24 is rounded as needed.
        let magic = f64::from(2f32).powi(fraction as i32 - 24);
        let magic = self.constant(x.ty(), x.ty().scalar().const_float(magic));
        let positive = b.cast(LLVMBitCast, size, x.ty(), "");
        let sum = b.cast(LLVMBitCast, b.binary(LLVMFAdd, positive, magic, ""), word, "");
        let small = b.binary(LLVMSub, sum, b.cast(LLVMBitCast, magic, word, ""), "");
        let infinite = self.int(word, 0x7c00);
        // A NaN keeps the top of its payload, and is quiet.
        let payload = self.op(LLVMAnd, self.op(LLVMLShr, size, dropped), 0x1ff);
        let nan = self.op(LLVMOr, payload, 0x7e00);
        let is = |predicate, limit: u64| b.icmp(predicate, size, self.int(word, limit), "");
        let is_small = is(IntPredicate::LLVMIntULT, (bias - 14) << fraction);
        let is_large = is(IntPredicate::LLVMIntUGE, (bias + 16) << fraction);
        let is_nan = is(IntPredicate::LLVMIntUGT, (2 * bias + 1) << fraction);
        let size = b.select(is_small, small, normal, "");
        let size = b.select(is_nan, nan, b.select(is_large, infinite, size, ""), "");
        let sign = self.op(LLVMAnd, self.op(LLVMLShr, bits, u64::from(total) - 16), 0x8000);
        let half = b.cast(LLVMTrunc, b.binary(LLVMOr, size, sign, ""), like(word, b.context().int(16)), "");
        self.half(half)
    }

    /// The value of an instruction on halves without instructions on halves; `None` if it stays.
    fn instruction(&self, i: Value) -> Result<Option<Value>, PassError> {
        use Opcode::*;
        let (b, name) = (self.b, i.name());
        let float = like(i.ty(), b.context().float());
        let opcode = i.opcode().expect("it is an instruction");
        Ok(Some(match opcode {
            LLVMFPExt => {
                let single = self.extended(i.operand(0));
                let longer = i.ty().scalar().float_bits() == Some(64);
                if longer { b.cast(LLVMFPExt, single, i.ty(), &name) } else { single }
            }
            LLVMFPTrunc => self.truncated(i.operand(0)),
            LLVMSIToFP | LLVMUIToFP => self.truncated(b.cast(opcode, i.operand(0), float, "")),
            LLVMFPToSI | LLVMFPToUI => b.cast(opcode, self.extended(i.operand(0)), i.ty(), &name),
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => {
                let result =
                    b.binary(opcode, self.extended(i.operand(0)), self.extended(i.operand(1)), &name);
                result.copy_flags_from(i);
                self.truncated(result)
            }
            LLVMBitCast if is_half(i.operand(0)) => {
                let bits = self.bits(i.operand(0));
                if bits.ty() == i.ty() { bits } else { b.cast(LLVMBitCast, bits, i.ty(), &name) }
            }
            LLVMFNeg => self.half(self.op(LLVMXor, self.bits(i.operand(0)), 0x8000)),
            LLVMFCmp => {
                let (x, y) = (self.extended(i.operand(0)), self.extended(i.operand(1)));
                b.fcmp(i.real_predicate(), x, y, &name)
            }
            LLVMSelect => {
                let (x, y) = (self.bits(i.operand(1)), self.bits(i.operand(2)));
                self.half(b.select(i.operand(0), x, y, &name))
            }
            LLVMFreeze => self.half(b.freeze(self.bits(i.operand(0)), &name)),
            LLVMExtractElement => self.half(b.extract_element(self.bits(i.operand(0)), i.operand(1), &name)),
            LLVMInsertElement => {
                let (vector, element) = (self.bits(i.operand(0)), self.bits(i.operand(1)));
                self.half(b.insert_element(vector, element, i.operand(2), &name))
            }
            // Of scalable vectors there is but the one that repeats the first element.
            LLVMShuffleVector if i.ty().is_scalable_vector() => {
                let first = b.extract_element(self.bits(i.operand(0)), b.i64(0), "");
                self.half(b.splat(first, i.ty().width(), &name))
            }
            LLVMShuffleVector => {
                let (x, y) = (self.bits(i.operand(0)), self.bits(i.operand(1)));
                // An undefined lane (-1) may be any.
                let mask: Vec<u32> = i.shuffle_mask().into_iter().map(|lane| lane.max(0) as u32).collect();
                self.half(b.shuffle(x, y, &mask, &name))
            }
            LLVMLoad if !i.is_atomic() => {
                let load = b.load(self.bits_type(i.ty()), i.operand(0), &name);
                load.set_alignment(i.alignment());
                if i.is_volatile() {
                    load.set_volatile();
                }
                self.half(load)
            }
            LLVMStore if !i.is_atomic() => {
                let store = b.store(self.bits(i.operand(0)), i.operand(1));
                store.set_alignment(i.alignment());
                if i.is_volatile() {
                    store.set_volatile();
                }
                store
            }
            LLVMCall => return self.call(i),
            _ => return Ok(None),
        }))
    }

    /// Whether the number with these bits is of one of the classes of `llvm.is.fpclass`.
    fn is_of_class(&self, bits: Value, class: u64) -> Value {
        use IntPredicate::*;
        let (b, ty) = (self.b, bits.ty());
        let size = self.op(Opcode::LLVMAnd, bits, 0x7fff);
        let less = |limit: u64| b.icmp(LLVMIntULT, size, self.int(ty, limit), "");
        let from_to = |from: u64, to: u64| {
            let above = self.op(Opcode::LLVMSub, size, from);
            b.icmp(LLVMIntULT, above, self.int(ty, to - from), "")
        };
        let negative = b.icmp(LLVMIntSLT, bits, self.int(ty, 0), "negative");
        let none = like(ty, b.context().i1()).zero();
        // Each class, with its bit for positive and that for negative numbers.
        let classes: [(u64, u64, &dyn Fn() -> Value); 6] = [
            (0x001, 0x001, &|| from_to(0x7c01, 0x7e00)),
            (0x002, 0x002, &|| from_to(0x7e00, 0x8000)),
            (0x200, 0x004, &|| from_to(0x7c00, 0x7c01)),
            (0x100, 0x008, &|| from_to(0x400, 0x7c00)),
            (0x080, 0x010, &|| from_to(1, 0x400)),
            (0x040, 0x020, &|| less(1)),
        ];
        classes.into_iter().fold(none, |any, (plus, minus, test)| {
            let one = match (class & plus != 0, class & minus != 0) {
                (false, false) => return any,
                (true, true) => test(),
                (true, false) => b.select(negative, none, test(), ""),
                (false, true) => b.and(test(), negative, ""),
            };
            b.binary(Opcode::LLVMOr, any, one, "")
        })
    }

    fn call(&self, i: Value) -> Result<Option<Value>, PassError> {
        use Opcode::*;
        let Some(f) = i.called_function().filter(|f| f.is_intrinsic()) else { return Ok(None) };
        let (b, name) = (self.b, f.name());
        let base = |name: &str| name.rsplit_once('.').map(|(base, _)| base.to_owned()).unwrap_or_default();
        let base = base(&name);
        let args = i.call_args();
        let halves = args.iter().all(|arg| is_half(*arg)) && is_half(i);
        Ok(Some(match base.as_str() {
            "llvm.fabs" => self.half(self.op(LLVMAnd, self.bits(args[0]), 0x7fff)),
            "llvm.copysign" => {
                let size = self.op(LLVMAnd, self.bits(args[0]), 0x7fff);
                let sign = self.op(LLVMAnd, self.bits(args[1]), 0x8000);
                self.half(b.binary(LLVMOr, size, sign, ""))
            }
            "llvm.canonicalize" => self.truncated(self.extended(args[0])),
            "llvm.is.fpclass" => {
                let class = args[1].as_const_int().expect("the mask is a constant");
                self.is_of_class(self.bits(args[0]), class)
            }
            // In doubles the product is exact, and the sum has bits enough not to be rounded twice.
            "llvm.fma" => {
                let wide = like(i.ty(), b.context().double());
                let [x, y, z] = [0, 1, 2].map(|n| b.cast(LLVMFPExt, self.extended(args[n]), wide, ""));
                self.truncated(b.binary(LLVMFAdd, b.binary(LLVMFMul, x, y, ""), z, ""))
            }
            _ if name.starts_with("llvm.fptosi.sat.") || name.starts_with("llvm.fptoui.sat.") => {
                let x = self.extended(args[0]);
                let base = &name["llvm.".len().."llvm.fptosi.sat".len()];
                b.call(self.module.intrinsic(&format!("llvm.{base}"), &[i.ty(), x.ty()]), &[x], "")
            }
            _ if halves => {
                // A reduction has the type of its vector.
                let typed = if base.starts_with("llvm.vector.reduce.") { args[0] } else { i };
                let ty = like(typed.ty(), b.context().float());
                let args: Vec<Value> = args.iter().map(|arg| self.extended(*arg)).collect();
                let result = b.call(self.module.intrinsic(&base, &[ty]), &args, &i.name());
                result.copy_flags_from(i);
                self.truncated(result)
            }
            _ => {
                return Err(PassError::at(i, format!("'{name}' has no form without halves on this CPU")));
            }
        }))
    }
}
