//! Uniformity and stride analysis: how a value differs from lane to lane.
//!
//! Lanes are consecutive work-items along one dimension. A value is *uniform* if it is the same in
//! all active lanes, *strided* if it grows by a constant or by a uniform value from each lane to
//! the next (affine), and *varying* (divergent) otherwise. The analysis starts optimistically and
//! iterates to a fixed point.
//!
//! Only active lanes count: inside of a divergent loop the induction variable is uniform, but the
//! values live out of the loop vary (temporal divergence). Loads are uniform as in
//! `analysis::Uniformity`.
//!
//! Narrow integers: `int i = get_global_id(0)` is strided if IDs are small. Local IDs are, and
//! global IDs of a kernel without the attribute `mux-large-range`
//! (`ir::attributes::SMALL_RANGE_END`).

use crate::collectives;
use crate::private::LANE;
use crate::structure::{Branch, Role, Structure};
use ir::attributes::SMALL_RANGE_END;
use ir::{Builtin, attributes};
use llvm::{Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Uniform,
    /// Grows by this from lane to lane: in units of an integer, in bytes for a pointer.
    Strided(i64),
    /// Grows by this multiple of a uniform value, whose definition dominates the strided value.
    StridedBy(Value, i64),
    Varying,
}

use Shape::*;

impl Shape {
    /// The shape of a value that is one of two, chosen uniformly: the same one for all lanes.
    fn join(self, other: Shape) -> Shape {
        if self == other { self } else { Varying }
    }

    fn stride(self) -> Option<i64> {
        match self {
            Uniform => Some(0),
            Strided(s) => Some(s),
            StridedBy(..) | Varying => None,
        }
    }

    /// The shape of the sum, or of the difference.
    fn plus(self, other: Shape, sign: i64) -> Shape {
        let by = |by: Value, times: Option<i64>| match times {
            Some(0) => Uniform,
            Some(times) => StridedBy(by, times),
            None => Varying,
        };
        match (self, other) {
            (StridedBy(..), Uniform) => self,
            (Uniform, StridedBy(value, times)) => by(value, times.checked_mul(sign)),
            (StridedBy(a, m), StridedBy(b, n)) if a == b => {
                by(a, n.checked_mul(sign).and_then(|n| m.checked_add(n)))
            }
            _ => {
                let sum = self.stride().zip(other.stride());
                Shape::from_stride(sum.and_then(|(a, b)| a.checked_add(b.checked_mul(sign)?)))
            }
        }
    }

    /// The shape of a constant multiple.
    fn times(self, factor: i64) -> Shape {
        match self {
            StridedBy(value, times) if factor != 0 => {
                times.checked_mul(factor).map_or(Varying, |times| StridedBy(value, times))
            }
            StridedBy(..) => Uniform,
            _ => Shape::from_stride(self.stride().and_then(|s| s.checked_mul(factor))),
        }
    }

    fn from_stride(stride: Option<i64>) -> Shape {
        match stride {
            Some(0) => Uniform,
            Some(s) => Strided(s),
            None => Varying,
        }
    }
}

pub struct Shapes {
    shapes: HashMap<Value, Shape>,
    /// The dimension in which lanes are consecutive.
    dimension: u32,
    /// The allocas that hold the interleaved private arrays of all lanes.
    shared: HashSet<Value>,
    /// Global IDs need not be small: the kernel has the attribute `mux-large-range`.
    large_range: bool,
}

impl Shapes {
    pub fn of(module: &Module, structure: &Structure, dimension: u32, shared: HashSet<Value>) -> Shapes {
        let large_range =
            structure.order.first().is_some_and(|entry| attributes::is_for_large_range(entry.function()));
        let mut shapes = Shapes { shapes: HashMap::new(), dimension, shared, large_range };
        loop {
            let mut changed = false;
            for block in &structure.order {
                for instruction in block.instructions() {
                    let new = shapes.transfer(module, structure, instruction);
                    changed |= shapes.shapes.insert(instruction, new) != Some(new);
                }
            }
            if !changed {
                return shapes;
            }
        }
    }

    /// The shape of a value; [`Uniform`] for one that was not visited yet.
    pub fn get(&self, value: Value) -> Shape {
        self.shapes.get(&value).copied().unwrap_or(Uniform)
    }

    pub fn is_varying_branch(&self, branch: Value) -> bool {
        branch.condition().is_some_and(|c| self.get(c) != Uniform)
    }

    fn all_uniform(&self, instruction: Value) -> bool {
        instruction.operands().all(|op| self.get(op) == Uniform)
    }

    fn transfer(&self, module: &Module, structure: &Structure, i: Value) -> Shape {
        let old = self.shapes.get(&i).copied();
        let new = self.compute(module, structure, i);
        // Monotone: a shape only goes down from Uniform to Strided to Varying, and a value with two
        // different strides is Varying.
        match (old, new) {
            (None, new) => new,
            (Some(Varying), _) => Varying,
            (Some(Strided(a)), Strided(b)) if a == b => new,
            (Some(StridedBy(..)), new) if old == Some(new) => new,
            (Some(Strided(_) | StridedBy(..)), _) => Varying,
            (Some(Uniform), new) => new,
        }
    }

    /// The shape of an instruction from those of its operands: the transfer function of the
    /// analysis, a table by opcode.
    fn compute(&self, module: &Module, structure: &Structure, i: Value) -> Shape {
        use Opcode::*;
        let Some(opcode) = i.opcode() else { return Varying };
        let operand = |n: u32| self.get(i.operand(n));
        match opcode {
            LLVMPHI => self.phi(structure, i),
            LLVMAlloca if self.shared.contains(&i) => Uniform,
            LLVMAlloca => Strided(lane_stride(module, i) as i64),
            LLVMLoad if operand(0) == Uniform && analysis::is_shared_load(i) => Uniform,
            LLVMLoad => Varying,
            LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFreeze => Varying,
            LLVMCall => self.call(i),
            LLVMAdd if i.ty().is_int() => operand(0).plus(operand(1), 1),
            LLVMSub if i.ty().is_int() => operand(0).plus(operand(1), -1),
            LLVMMul if i.ty().is_int() => {
                let product = |n: u32, by: u32| match (operand(n), i.operand(by).as_const_signed()) {
                    (Uniform, _) => None,
                    (shape, Some(factor)) => Some(shape.times(factor)),
                    (Strided(times), None) if operand(by) == Uniform => Some(StridedBy(i.operand(by), times)),
                    _ => None,
                };
                match (operand(0), operand(1)) {
                    (Uniform, Uniform) => Uniform,
                    _ => product(0, 1).or_else(|| product(1, 0)).unwrap_or(Varying),
                }
            }
            LLVMShl if i.ty().is_int() => match (operand(0), i.operand(1).as_const_int()) {
                (Uniform, _) if operand(1) == Uniform => Uniform,
                (shape, Some(by)) if by < 62 => shape.times(1 << by),
                _ => Varying,
            },
            // The forms that InstCombine gives `(long)(int)(x + 1)`, times a power of two, and
            // `(ulong)(uint)x` or, where x is known not to be negative, `(long)(int)x`.
            LLVMAShr if sign_extended_word(i).is_some() => {
                let word = sign_extended_word(i).expect("asked above");
                match self.get(word.x) {
                    Uniform => Uniform,
                    shape if shape != Varying && self.is_small_word(&word) => {
                        shape.times(word.times).times(word.scale)
                    }
                    _ => Varying,
                }
            }
            LLVMAnd if is_low_word(i) => {
                let shape = self.get(i.operand(0));
                let kept = shape == Uniform || shape != Varying && self.is_small_and_positive(i.operand(0));
                if kept { shape } else { Varying }
            }
            LLVMOr if i.is_disjoint_or() => {
                Shape::from_stride(operand(0).stride().zip(operand(1).stride()).map(|(a, b)| a + b))
            }
            LLVMTrunc if i.ty().is_int() => match operand(0) {
                Strided(s) if i.ty().int_bits() >= 32 && i32::try_from(s).is_ok() => Strided(s),
                other => {
                    if other == Uniform {
                        Uniform
                    } else {
                        Varying
                    }
                }
            },
            LLVMSExt | LLVMZExt if i.ty().is_int() => match operand(0) {
                Strided(s) if self.keeps_stride(i.operand(0), opcode == LLVMSExt) => Strided(s),
                row @ StridedBy(..) if opcode == LLVMSExt && self.is_row(i.operand(0)) => row,
                other => {
                    if other == Uniform {
                        Uniform
                    } else {
                        Varying
                    }
                }
            },
            LLVMGetElementPtr if i.ty().is_ptr() => self.gep(module, i),
            LLVMAddrSpaceCast | LLVMBitCast if i.ty().is_ptr() => operand(0),
            LLVMPtrToInt if i.ty().is_int() && i.ty().int_bits() == 64 => operand(0),
            LLVMSelect if operand(0) == Uniform => operand(1).join(operand(2)),
            _ => {
                if self.all_uniform(i) {
                    Uniform
                } else {
                    Varying
                }
            }
        }
    }

    fn phi(&self, structure: &Structure, phi: Value) -> Shape {
        let block = phi.block().expect("a PHI is in a block");
        match structure.roles[&block] {
            // Temporal divergence: lanes leave a divergent loop in different iterations, so its
            // live-out values vary.
            Role::Exit(header) => {
                let latch = structure.loops[&header].latch;
                if latch.terminator().is_some_and(|t| self.is_varying_branch(t)) {
                    return Varying;
                }
            }
            Role::Follows(opener) => {
                let is_join = match structure.branches.get(&opener) {
                    Some(Branch::Triangle { join, .. }) => *join == block,
                    Some(Branch::Latch { .. }) | None => false,
                };
                if is_join && opener.terminator().is_some_and(|t| self.is_varying_branch(t)) {
                    return Varying;
                }
            }
            Role::Entry | Role::Header | Role::Then(_) => {}
        }
        let known = phi
            .incoming()
            .into_iter()
            .map(|(v, _)| v)
            .filter(|v| !v.is_undef_or_poison() && (!v.is_instruction() || self.shapes.contains_key(v)));
        match known.map(|v| self.get(v)).reduce(Shape::join).unwrap_or(Uniform) {
            // On an edge with an undefined value, the stride's value may be undefined, too.
            StridedBy(..) if phi.incoming().iter().any(|(v, _)| v.is_undef_or_poison()) => Varying,
            shape => shape,
        }
    }

    fn call(&self, call: Value) -> Shape {
        use Builtin::*;
        let Some(f) = call.called_function() else { return Varying };
        let dimension = || call.operand(0).as_const_int();
        match Builtin::of(f) {
            Some(GetGlobalId | GetLocalId) => match dimension() {
                Some(d) if d == u64::from(self.dimension) => Strided(1),
                Some(_) => Uniform,
                None => Varying,
            },
            Some(GetGlobalLinearId | GetLocalLinearId) if self.dimension == 0 => Strided(1),
            Some(GetGlobalLinearId | GetLocalLinearId) => Varying,
            // A sub-group is a vector.
            Some(GetSubGroupLocalId) => Strided(1),
            Some(Printf | Check) => Varying,
            Some(Group(group)) => collectives::shape(group),
            Some(builtin) if builtin.is_rematerializable() || matches!(builtin, Math(_)) => {
                if self.all_uniform(call) { Uniform } else { Varying }
            }
            Some(_) => Uniform,
            None if f.name() == LANE => Strided(1),
            None if f.is_intrinsic() && f.is_memory_none() && self.all_uniform(call) => Uniform,
            None => Varying,
        }
    }

    /// Whether a 32-bit value keeps its stride when it is extended to 64 bits, in all lanes, also
    /// in inactive ones. `nsw` on a sum holds for active lanes only. With sign extension that is
    /// enough: an inactive lane is less than the width away from an active one, and no index is
    /// that close to the limits of 32 bits, except IDs of large ranges. With zero extension 0 is
    /// such a limit: there, only an ID plus a constant is safe.
    fn keeps_stride(&self, value: Value, signed: bool) -> bool {
        if value.ty().int_bits() < 32 {
            return false;
        }
        if self.multiple_of_id(value).is_some_and(|m| m.fits_word() && (signed || m.plus >= 0)) {
            return true;
        }
        match value.opcode() {
            Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl) if signed => {
                value.has_no_signed_wrap() && !self.large_range
            }
            // A disjoint OR carries nothing over.
            Some(Opcode::LLVMOr) => {
                let id = self.multiple_of_id(value.operand(0));
                value.is_disjoint_or() && id.is_some_and(|m| m.fits_word() && m.plus >= 0)
            }
            _ => false,
        }
    }

    /// Whether a value is `id * n`, plus perhaps a uniform value, in 32 bits with `nsw`, for a
    /// uniform `n` that is not a constant. Sign-extended, it is still strided from the value of
    /// lane 0: if lane 0 is inactive, its ID is smaller than that of an active lane, so that its
    /// value lies between the uniform part and that lane's value, neither of which wraps.
    fn is_row(&self, value: Value) -> bool {
        let fits = |v: Value| v.is_instruction() && v.ty().int_bits() == 32 && v.has_no_signed_wrap();
        let is_product = |v: Value| {
            let id = |n: u32| {
                let id = v.operand(n);
                id.opcode() == Some(Opcode::LLVMTrunc) && self.is_small_and_positive(id.operand(0))
            };
            v.opcode() == Some(Opcode::LLVMMul) && fits(v) && (id(0) || id(1))
        };
        let is_sum = |row: u32, other: u32| {
            let (row, other) = (value.operand(row), value.operand(other));
            is_product(row) && self.get(other) == Uniform
        };
        is_product(value)
            || value.opcode() == Some(Opcode::LLVMAdd) && fits(value) && (is_sum(0, 1) || is_sum(1, 0))
    }

    fn gep(&self, module: &Module, gep: Value) -> Shape {
        let mut shape = self.get(gep.operand(0));
        let mut ty = gep.gep_source_type();
        for n in 1..gep.num_operands() {
            let index = gep.operand(n);
            if n > 1 {
                if ty.is_struct() {
                    let Some(field) = index.as_const_int() else { return Varying };
                    ty = ty.struct_fields()[field as usize];
                    continue;
                }
                ty = ty.element();
            }
            // The address computation sign-extends a narrow index, which might have wrapped.
            let narrow = index.ty().is_int() && index.ty().int_bits() < 64;
            let whole = !narrow
                || match self.get(index) {
                    Uniform => true,
                    StridedBy(..) => self.is_row(index),
                    _ => self.keeps_stride(index, true),
                };
            if !whole {
                return Varying;
            }
            shape = shape.plus(self.get(index).times(module.size_of(ty) as i64), 1);
        }
        shape
    }

    /// Whether this is an ID that is known to be below `SMALL_RANGE_END`.
    fn is_small_id(&self, value: Value) -> bool {
        match Builtin::called_by(value) {
            Some(Builtin::GetLocalId | Builtin::GetLocalLinearId) => true,
            Some(Builtin::GetGlobalId) => !self.large_range,
            _ => false,
        }
    }

    /// The small ID that an integer is a multiple of, plus a constant: in 64 bits, or in 32 as long
    /// as nothing wraps.
    fn multiple_of_id(&self, value: Value) -> Option<MultipleOfId> {
        use Opcode::*;
        if self.is_small_id(value) {
            return Some(MultipleOfId { times: 1, plus: 0 });
        }
        let left = || self.multiple_of_id(value.operand(0));
        let constant = || value.operand(1).as_const_signed();
        match value.opcode()? {
            LLVMTrunc if value.ty().int_bits() == 32 => left(),
            LLVMShl => left()?.times(1i64.checked_shl(u32::try_from(constant()?).ok()?)?),
            LLVMMul => left()?.times(constant()?),
            LLVMAdd => left()?.plus(constant()?),
            LLVMOr if value.is_disjoint_or() => left()?.plus(constant()?),
            _ => None,
        }
    }

    /// Whether this fits a word before it is truncated and extended again.
    fn is_small_word(&self, word: &Word) -> bool {
        let inner = self.multiple_of_id(word.x).and_then(|m| m.times(word.times)?.plus(word.plus));
        inner.is_some_and(|m| m.fits_word())
    }

    /// Whether this is a small ID, or one plus a constant that is not negative.
    fn is_small_and_positive(&self, value: Value) -> bool {
        self.is_small_id(value) || self.offset_of_id(value).is_some_and(|c| (0..ROOM).contains(&c))
    }

    /// The constant that is added to an ID.
    fn offset_of_id(&self, value: Value) -> Option<i64> {
        let sum = value.opcode() == Some(Opcode::LLVMAdd) && self.is_small_id(value.operand(0));
        sum.then(|| value.operand(1).as_const_signed()).flatten()
    }
}

/// A constant below this can be added to a small ID without overflowing a signed 32-bit integer.
const ROOM: i64 = 1 << 30;

/// `times * id + plus`, for a small ID.
#[derive(Clone, Copy)]
struct MultipleOfId {
    times: i64,
    plus: i64,
}

impl MultipleOfId {
    fn times(self, factor: i64) -> Option<MultipleOfId> {
        let positive = Some(factor).filter(|factor| *factor > 0)?;
        let (times, plus) = (self.times.checked_mul(positive)?, self.plus.checked_mul(positive)?);
        MultipleOfId { times, plus }.fits_word().then_some(MultipleOfId { times, plus })
    }

    fn plus(self, constant: i64) -> Option<MultipleOfId> {
        let plus = self.plus.checked_add(constant)?;
        Some(MultipleOfId { plus, ..self }).filter(MultipleOfId::fits_word)
    }

    /// Whether this is a signed 32-bit integer for all small IDs. Lanes beyond the end of the
    /// range may wrap, but they are inactive.
    fn fits_word(&self) -> bool {
        let last =
            (SMALL_RANGE_END as i64 - 1).checked_mul(self.times).and_then(|n| n.checked_add(self.plus));
        self.plus >= -ROOM && last.is_some_and(|last| last <= i64::from(i32::MAX))
    }
}

/// `(int)(x * times + plus) * scale`, in 64 bits.
struct Word {
    x: Value,
    times: i64,
    plus: i64,
    scale: i64,
}

/// The parts of `ashr ((shl x, 32 + t) + (plus << 32)), n`, where x is taken `1 << t` times, and
/// the scale is `1 << (32 - n)`; or with `mul x, times << 32`.
fn sign_extended_word(value: Value) -> Option<Word> {
    let shift = |v: Value, op: Opcode| {
        let wide = v.ty().is_int() && v.ty().int_bits() == 64 && v.opcode() == Some(op);
        wide.then(|| v.operand(1).as_const_int()).flatten()
    };
    let n = shift(value, Opcode::LLVMAShr).filter(|n| (1..=32).contains(n))?;
    let mut inner = value.operand(0);
    let mut plus = 0;
    if inner.opcode() == Some(Opcode::LLVMAdd)
        && let Some(high) = inner.operand(1).as_const_signed().filter(|c| c & 0xffff_ffff == 0)
    {
        (inner, plus) = (inner.operand(0), high >> 32);
    }
    if !inner.is_instruction() || inner.ty().int_bits() != 64 {
        return None;
    }
    let times = match inner.opcode()? {
        Opcode::LLVMShl => {
            shift(inner, Opcode::LLVMShl).filter(|by| (32..=40).contains(by)).map(|by| 1 << (by - 32))
        }
        Opcode::LLVMMul => {
            let factor = inner.operand(1).as_const_signed().filter(|c| c & 0xffff_ffff == 0);
            factor.map(|c| c >> 32).filter(|times| (1..=256).contains(times))
        }
        _ => None,
    }?;
    Some(Word { x: inner.operand(0), times, plus, scale: 1 << (32 - n) })
}

/// Whether this is `and x, 0xffffffff`, or with 0x7fffffff, in 64 bits.
fn is_low_word(value: Value) -> bool {
    let is_mask = |v: Value| matches!(v.as_const_int(), Some(0xffff_ffff | 0x7fff_ffff));
    value.ty().is_int() && value.ty().int_bits() == 64 && is_mask(value.operand(1))
}

/// The distance in bytes between the lanes' copies of a private array.
pub fn lane_stride(module: &Module, alloca: Value) -> u64 {
    let ty = alloca.allocated_type();
    module.size_of(ty).next_multiple_of(u64::from(alloca.alignment().max(module.align_of(ty)))).max(1)
}
