//! Addresses by a clamped index, `base[clamp(x, 0, w - 1) + row]`, as images and borders have them.
//!
//! ```text
//! %i = smin(smax(%x, 0), %last)     %x strided        the lanes are contiguous if the first one
//! %o = %row + (%i << 2)             nsw          →    is not below 0 and the last one not above
//! load i32, base + sext %o                            %last: two comparisons of scalars
//! ```
//!
//! Sums may stand between two bounds, as InstCombine puts them: `smin(smax(%x, 2) - 2, %last)`.
//!
//! With `nsw` the active lanes' offsets are those of unlimited integers, so that lane 0's address
//! follows in 64 bits, whether it is active or not.

use crate::Stopped;
use crate::packetize::Packetizer;
use crate::shape::{Shape, Shapes};
use llvm::{IntPredicate, Module, Opcode, Value};

pub(crate) struct ClampedIndex {
    base: Value,
    /// The strided index before it is clamped, and the bytes per step of it.
    index: Value,
    stride: i64,
    scale: i64,
    lower: Vec<Bound>,
    upper: Vec<Bound>,
    /// Uniform values that are added to the address, each with its factor in bytes.
    terms: Vec<(Value, i64)>,
}

/// A uniform bound of the sum of the index and the terms from number `inner` on.
struct Bound {
    value: Value,
    inner: usize,
}

impl ClampedIndex {
    /// Matches an address of this form whose lanes are `size` bytes apart where nothing is clamped.
    pub fn of(module: &Module, shapes: &Shapes, address: Value, size: i64) -> Option<ClampedIndex> {
        if address.opcode() != Some(Opcode::LLVMGetElementPtr) || address.num_operands() != 2 {
            return None;
        }
        let (base, offset) = (address.operand(0), address.operand(1));
        if shapes.get(base) != Shape::Uniform {
            return None;
        }
        let mut found = ClampedIndex {
            base,
            index: offset,
            stride: 0,
            scale: 0,
            lower: Vec::new(),
            upper: Vec::new(),
            terms: Vec::new(),
        };
        found.follow(shapes, offset, module.size_of(address.gep_source_type()) as i64)?;
        let clamped = !found.lower.is_empty() || !found.upper.is_empty();
        (clamped && found.stride > 0 && found.scale.checked_mul(found.stride) == Some(size)).then_some(found)
    }

    /// Decomposes an offset into terms and the index.
    fn follow(&mut self, shapes: &Shapes, value: Value, scale: i64) -> Option<()> {
        use Opcode::*;
        let clamped = !self.lower.is_empty() || !self.upper.is_empty();
        if let Shape::Strided(stride) = shapes.get(value) {
            (self.index, self.stride, self.scale) = (value, stride, scale);
            return Some(());
        }
        if !value.is_instruction() {
            return None;
        }
        // Asked only for sums and products.
        let exact = || value.ty().int_bits() == 64 || value.has_no_signed_wrap();
        let uniform = |n: u32| shapes.get(value.operand(n)) == Shape::Uniform;
        match value.opcode()? {
            LLVMSExt if !clamped => self.follow(shapes, value.operand(0), scale),
            LLVMAdd if exact() && (uniform(0) || uniform(1)) => {
                let (term, rest) = if uniform(0) { (0, 1) } else { (1, 0) };
                self.terms.push((value.operand(term), scale));
                self.follow(shapes, value.operand(rest), scale)
            }
            LLVMShl if !clamped && exact() => {
                let bits = value.operand(1).as_const_int().filter(|bits| *bits < 32)?;
                self.follow(shapes, value.operand(0), scale.checked_mul(1 << bits)?)
            }
            LLVMMul if !clamped && exact() => {
                let factor = value.operand(1).as_const_signed()?;
                self.follow(shapes, value.operand(0), scale.checked_mul(factor)?)
            }
            LLVMCall => {
                let name = value.called_function()?.name();
                let (bound, rest) = if uniform(1) { (1, 0) } else { (0, 1) };
                uniform(bound).then_some(())?;
                let bound = Bound { value: value.operand(bound), inner: self.terms.len() };
                if name.starts_with("llvm.smax.") {
                    self.lower.push(bound);
                } else if name.starts_with("llvm.smin.") {
                    self.upper.push(bound);
                } else {
                    return None;
                }
                self.follow(shapes, value.operand(rest), scale)
            }
            _ => None,
        }
    }
}

impl Packetizer<'_> {
    /// The test whether no lane is clamped, and the address of lane 0 where that is so.
    pub(crate) fn unclamped(&self, found: &ClampedIndex) -> Result<(Value, Value), Stopped> {
        let context = self.plan.module.context();
        let wide = |p: &Self, value: Value| -> Result<Value, Stopped> {
            let value = p.packets.scalar(value)?;
            let is_wide = value.ty().int_bits() == 64;
            Ok(if is_wide { value } else { p.b.cast(Opcode::LLVMSExt, value, p.b.i64(0).ty(), "") })
        };
        let first = wide(self, found.index)?;
        let stride = context.i64().const_signed(found.stride);
        let steps = self.b.mul(self.last_number(context.i64()), stride, "");
        let last = self.b.add(first, steps, "");
        let mut whole = None;
        let mut require = |p: &Self, predicate, value, bound| {
            let holds = p.b.icmp(predicate, value, bound, "");
            whole = Some(whole.map_or(holds, |others| p.b.and(others, holds, "consecutive")));
        };
        // A sum of a few words does not wrap in 64 bits.
        let with_terms = |p: &Self, index: Value, bound: &Bound| {
            found.terms[bound.inner..]
                .iter()
                .try_fold(index, |sum, (term, _)| Ok::<_, Stopped>(p.b.add(sum, wide(p, *term)?, "")))
        };
        for bound in &found.lower {
            let limit = wide(self, bound.value)?;
            require(self, IntPredicate::LLVMIntSGE, with_terms(self, first, bound)?, limit);
        }
        for bound in &found.upper {
            let limit = wide(self, bound.value)?;
            require(self, IntPredicate::LLVMIntSLE, with_terms(self, last, bound)?, limit);
        }
        if found.upper.is_empty() {
            // Without an upper bound, the index could wrap between the first lane and the last.
            let most = context.i64().const_signed(i32::MAX.into());
            require(self, IntPredicate::LLVMIntSLE, last, most);
        }
        let scaled = |p: &Self, value: Value, scale: i64| {
            p.b.binary(Opcode::LLVMMul, value, p.b.i64(0).ty().const_signed(scale), "")
        };
        let mut offset = scaled(self, first, found.scale);
        for (term, scale) in &found.terms {
            let term = wide(self, *term)?;
            offset = self.b.add(scaled(self, term, *scale), offset, "");
        }
        let base = self.packets.scalar(found.base)?;
        let address = self.b.gep_anywhere(context.i8(), base, &[offset], "");
        Ok((whole.expect("there is a bound"), address))
    }
}
