//! Operations of [`Math`] by instructions of the CPU that an object is made for.
//!
//! | CPU | exponent | mantissa | scale | estimate of 1/√x |
//! | --- | --- | --- | --- | --- |
//! | AVX-512 | `vgetexp` | `vgetmant` | `vscalef` | `vrsqrt14` |
//! | SVE | bit operations | bit operations | `fscale` | `fsqrt`, `fdiv` |
//! | SVE2 | `flogb` | bit operations | `fscale` | `fsqrt`, `fdiv` |
//! | others | bit operations | bit operations | multiplications | square root, division |
//!
//! Rounding to `bfloat16` is `vcvtneps2bf16` with AVX512BF16, dot products of bytes are `vpdpbusd`
//! with VNNI, and plain arithmetic on all others.
//!
//! Exponents, mantissas and scaling are exact, so that scalars may be computed in another way than
//! vectors. The estimates of Arm's and RISC-V's own instructions (`frsqrte`, `vfrsqrt7`) have seven
//! or eight bits, where fourteen are asked for, and differ: with the square root, objects for all
//! of these CPUs have the same results.

use host::MathInstructions;
use ir::{Math, define_with};
use llvm::{Builder, Function, Module, Opcode, RealPredicate, Type, Value, Width};

/// The instructions for mathematics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Instructions {
    #[default]
    None,
    X86(MathInstructions),
    Sve {
        two: bool,
    },
}

impl Instructions {
    /// Defines an operation if there are instructions for it.
    pub(crate) fn define(self, module: &Module, function: Function, math: Math) -> bool {
        let ty = function.return_type();
        match (self, math) {
            (Instructions::X86(own), _) if !ty.is_scalable_vector() => own.define(module, function, math),
            (Instructions::Sve { .. }, Math::Scale) => by_registers(module, function, scale),
            (Instructions::Sve { two: true }, Math::Exponent) => by_registers(module, function, exponent),
            _ => false,
        }
    }
}

/// Where an operation on whole registers is written.
struct Place<'a> {
    module: &'a Module,
    b: &'a Builder,
    /// The type of a register of floats or doubles.
    ty: Type,
}

impl Place<'_> {
    /// The register's type with integers in it.
    fn int(&self) -> Type {
        let bits = self.ty.element().float_bits().expect("floats or doubles");
        self.module.context().int(bits).vector(self.ty.width())
    }

    fn all_lanes(&self) -> Value {
        self.b.splat(self.b.context().i1().const_int(1), self.ty.width(), "")
    }

    fn splat(&self, number: f64) -> Value {
        self.b.splat(self.ty.element().const_float(number), self.ty.width(), "")
    }
}

/// Defines an operation on a scalable vector of one or several whole registers.
fn by_registers(module: &Module, function: Function, one: fn(&Place<'_>, &[Value]) -> Value) -> bool {
    let ty = function.return_type();
    let Some(bits) = ty.scalar().float_bits().filter(|_| ty.is_scalable_vector()) else { return false };
    let (lanes, all) = (128 / bits, ty.len() as u32);
    if !all.is_multiple_of(lanes) {
        return false;
    }
    define_with(module, function, |b| {
        let place = Place { module, b, ty: ty.element().vector(Width::scalable(lanes)) };
        if all == lanes {
            return one(&place, &function.params());
        }
        (0..all).step_by(lanes as usize).fold(ty.poison(), |result, from| {
            let from = b.i64(from.into());
            let cut = module.intrinsic("llvm.vector.extract", &[place.ty, ty]);
            let args: Vec<Value> =
                function.params().iter().map(|whole| b.call(cut, &[*whole, from], "")).collect();
            let part = one(&place, &args);
            b.call(module.intrinsic("llvm.vector.insert", &[ty, place.ty]), &[result, part, from], "")
        })
    });
    true
}

/// SVE's conversion gives a number for NaNs, where LLVM's would be poison.
fn scale(at: &Place<'_>, args: &[Value]) -> Value {
    let (b, mask, int) = (at.b, at.all_lanes(), at.int());
    let convert = at.module.intrinsic("llvm.aarch64.sve.fcvtzs", &[int, at.ty]);
    let n = b.call(convert, &[int.poison(), mask, args[1]], "n");
    b.call(at.module.intrinsic("llvm.aarch64.sve.fscale", &[at.ty]), &[mask, args[0], n], "")
}

fn exponent(at: &Place<'_>, args: &[Value]) -> Value {
    use RealPredicate::*;
    let (b, x) = (at.b, args[0]);
    let log = at.module.intrinsic("llvm.aarch64.sve.flogb", &[at.ty]);
    let log = b.call(log, &[at.int().poison(), at.all_lanes(), x], "log");
    let exponent = b.cast(Opcode::LLVMSIToFP, log, at.ty, "exponent");
    // Zeros, NaNs and infinities have the smallest and the largest integers.
    let zero = b.fcmp(LLVMRealOEQ, x, at.splat(0.0), "");
    let result = b.select(zero, at.splat(f64::NEG_INFINITY), exponent, "");
    let size = b.call(at.module.intrinsic("llvm.fabs", &[at.ty]), &[x], "size");
    let finite = b.fcmp(LLVMRealOLT, size, at.splat(f64::INFINITY), "");
    b.select(finite, result, size, "")
}
