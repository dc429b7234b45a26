//! Loop bounds from [`ActiveRanges`]: code before the work-item loops that computes which
//! work-items may be active in a region.
//!
//! All arithmetic is in signed 64 bits. The kernel's own may be in 32 bits and wrap, so the code
//! tests that it cannot have: a local size is below 2²⁹, and if the terms sum up to a value from
//! -2³⁰ to 2³⁰, the ID plus that sum fits a signed 32-bit integer. A condition that fails the test
//! is left out; without conditions the bounds are those of the whole work-group.

use super::active_ranges::{ActiveRanges, Condition, Id, Term};
use ir::Builtin;
use llvm::{Builder, IntPredicate, Module, Opcode, Value, Width};
use std::collections::HashMap;

/// The work-items from `first` to before `end` may be active. The range lies within the work-group,
/// and may be empty.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub first: Value,
    pub end: Value,
}

/// A bound beyond any ID, to which terms can be added without overflowing 64 bits.
const FAR: i64 = 1 << 40;

const MOST_SIZE: i64 = 1 << 29;
const MOST_SUM: i64 = 1 << 30;

/// The smaller or the larger of two values: `which` is `smin`, `umax` and so on.
pub fn extreme(module: &Module, b: &Builder, which: &str, x: Value, y: Value) -> Value {
    if x == y {
        return x;
    }
    b.call(module.intrinsic(&format!("llvm.{which}"), &[x.ty()]), &[x, y], "")
}

impl Bounds {
    /// The smallest range that contains both.
    pub fn or(self, module: &Module, b: &Builder, other: Bounds) -> Bounds {
        let first = extreme(module, b, "umin", self.first, other.first);
        Bounds { first, end: extreme(module, b, "umax", self.end, other.end) }
    }
}

/// Writes the code that computes bounds into a wrapper, before its loops.
pub struct Writer<'a> {
    pub module: &'a Module,
    pub b: &'a Builder,
    /// The arguments of the call, by parameters of the function whose ranges these are.
    pub values: HashMap<Value, Value>,
}

impl Writer<'_> {
    /// The bounds in one dimension, whose size is `size`.
    pub fn bounds(&mut self, ranges: &ActiveRanges, dimension: u32, size: Value) -> Bounds {
        let whole = self.b.int_cast(size, self.b.context().i64(), "");
        let around: Vec<(Value, Value)> =
            ranges.0.iter().map(|conditions| self.common(conditions, dimension, whole)).collect();
        let around = around.into_iter().reduce(|(first, end), (other_first, other_end)| {
            (self.extreme("smin", first, other_first), self.extreme("smax", end, other_end))
        });
        let (first, end) = around.expect("there is an effect, or there would be no ranges");
        let first = self.extreme("smin", first, whole);
        let end = self.extreme("smax", end, self.number(0));
        // The overflow tests assume local sizes up to this.
        let most = self.number(MOST_SIZE);
        let sane = self.b.icmp(IntPredicate::LLVMIntULT, whole, most, "");
        let first = self.b.select(sane, first, self.number(0), "");
        let end = self.b.select(sane, end, whole, "");
        let [first, end] = [first, end].map(|value| self.b.int_cast(value, size.ty(), ""));
        Bounds { first, end }
    }

    /// The range in which all conditions can hold: from the first to before the second, which may
    /// be less.
    fn common(&mut self, conditions: &[Condition], dimension: u32, whole: Value) -> (Value, Value) {
        let (mut first, mut end) = (self.number(0), whole);
        for condition in conditions {
            match condition {
                Condition::Range { id, predicate, bound, .. } if id.dimension == dimension => {
                    let (low, high) = self.limits(id, *predicate, *bound);
                    first = low.map_or(first, |low| self.extreme("smax", first, low));
                    end = high.map_or(end, |high| self.extreme("smin", end, high));
                }
                Condition::Range { .. } => {}
                Condition::Uniform { condition, holds } => {
                    let condition = self.frozen(*condition);
                    let pick = |some: Value, none: i64| match holds {
                        true => self.b.select(condition, some, self.number(none), ""),
                        false => self.b.select(condition, self.number(none), some, ""),
                    };
                    (first, end) = (pick(first, FAR), pick(end, 0));
                }
            }
        }
        (first, end)
    }

    /// The local IDs for which the condition can hold: from the first to before the second.
    fn limits(&mut self, id: &Id, predicate: IntPredicate, bound: Value) -> (Option<Value>, Option<Value>) {
        use IntPredicate::*;
        let unsigned = matches!(predicate, LLVMIntULT | LLVMIntULE | LLVMIntUGT | LLVMIntUGE);
        let (sum, mut sure) = self.sum(id);
        let bound = self.far_at_most(bound, unsigned);
        // id + sum + lane < bound, for the lane with the smallest offset; and so on.
        let rest = self.minus(bound, sum);
        let below = |by: i64| self.minus(rest, self.number(id.lanes.0 - by));
        let last = |by: i64| {
            let last = self.number(id.lanes.1 + by);
            if id.scaled == 0 {
                return last;
            }
            let wide = self.b.context().i64();
            let lanes = self.module.lane_count(self.b, Width::scalable(id.scaled), wide);
            self.b.add(lanes, last, "")
        };
        let from = |by: i64| self.minus(rest, last(-by));
        let (low, high) = match predicate {
            LLVMIntEQ => (Some(from(0)), Some(below(1))),
            LLVMIntSLT => (None, Some(below(0))),
            LLVMIntSLE => (None, Some(below(1))),
            LLVMIntSGE | LLVMIntUGE => (Some(from(0)), None),
            LLVMIntSGT | LLVMIntUGT => (Some(from(1)), None),
            LLVMIntULT | LLVMIntULE => {
                let zero = self.minus(self.b.sub(self.number(0), last(0), ""), sum);
                (Some(zero), Some(below(i64::from(predicate == LLVMIntULE))))
            }
            LLVMIntNE => (None, None),
        };
        // As an unsigned integer a negative value is very large: larger than every non-negative
        // bound, and perhaps than a negative one.
        match predicate {
            LLVMIntULT | LLVMIntULE => {
                sure.push(self.b.icmp(LLVMIntSLT, bound, self.number(1 << 31), ""));
            }
            LLVMIntUGT | LLVMIntUGE => sure.push(self.b.icmp(LLVMIntSGE, sum, self.number(0), "")),
            _ => {}
        }
        // Lower bounds below 0 are redundant.
        let low = low.filter(|low| low.as_const_signed().is_none_or(|low| low > 0));
        sure.retain(|s| s.as_const_int() != Some(1));
        let Some(sure) = sure.into_iter().reduce(|a, b| self.b.and(a, b, "")) else { return (low, high) };
        let or = |limit: Value, other: i64| self.b.select(sure, limit, self.number(other), "");
        (low.map(|low| or(low, 0)), high.map(|high| or(high, FAR)))
    }

    /// The sum of the terms added to the local ID, and the conditions under which nothing wraps.
    fn sum(&mut self, id: &Id) -> (Value, Vec<Value>) {
        let mut sum = if id.global { self.first_global_id(id.dimension) } else { self.number(0) };
        let mut sure = Vec::new();
        for term in &id.terms {
            match term {
                Term::Plus(value) => {
                    let value = self.extended(*value, false);
                    sum = if sum.is_zero() { value } else { self.b.add(sum, value, "") };
                }
                Term::Minus(value) => {
                    let value = self.extended(*value, false);
                    sum = self.b.sub(sum, value, "");
                }
                Term::Extended { signed } => sure.push(self.is_small(sum, *signed)),
            }
        }
        sure.push(self.is_small(sum, true));
        (sum, sure)
    }

    /// Whether a sum is small enough that an ID plus it fits a 32-bit integer, signed or unsigned.
    fn is_small(&self, sum: Value, signed: bool) -> Value {
        let least = if signed { -MOST_SUM } else { 0 };
        let above = self.b.sub(sum, self.number(least), "");
        self.b.icmp(IntPredicate::LLVMIntULE, above, self.number(MOST_SUM - least), "")
    }

    fn minus(&self, a: Value, b: Value) -> Value {
        if b.is_zero() { a } else { self.b.sub(a, b, "") }
    }

    /// The global ID of the work-item whose local ID is 0.
    fn first_global_id(&self, dimension: u32) -> Value {
        let number = self.b.i32(dimension);
        let zero = self.module.size_type().zero();
        self.b.call(Builtin::SetLocalId.declare(self.module), &[number, zero], "");
        let id = self.b.call(Builtin::GetGlobalId.declare(self.module), &[number], "");
        self.b.int_cast(id, self.b.context().i64(), "")
    }

    fn number(&self, value: i64) -> Value {
        self.b.context().i64().const_signed(value)
    }

    fn extreme(&self, which: &str, a: Value, b: Value) -> Value {
        extreme(self.module, self.b, which, a, b)
    }

    /// A value in 64 bits.
    fn extended(&mut self, value: Value, unsigned: bool) -> Value {
        let wide = self.b.context().i64();
        let value = self.frozen(value);
        if value.ty() == wide {
            return value;
        }
        self.b.cast(if unsigned { Opcode::LLVMZExt } else { Opcode::LLVMSExt }, value, wide, "")
    }

    /// A bound in 64 bits, clamped to [`FAR`], which is beyond any ID.
    fn far_at_most(&mut self, bound: Value, unsigned: bool) -> Value {
        let value = self.extended(bound, unsigned);
        if bound.ty() != value.ty() {
            return value;
        }
        let far = self.number(FAR);
        if unsigned {
            return self.extreme("umin", value, far);
        }
        let below = self.extreme("smin", value, far);
        self.extreme("smax", below, self.number(-FAR))
    }

    /// The value, computed before the loops and frozen: it may be poison if the function would not
    /// have computed it.
    fn frozen(&mut self, value: Value) -> Value {
        let computed = self.compute(value);
        if computed.is_constant() { computed } else { self.b.freeze(computed, "") }
    }

    /// Rematerializes a loop-invariant value before the loops, without poison-generating flags,
    /// which hold only where the kernel computes it.
    fn compute(&mut self, value: Value) -> Value {
        use Opcode::*;
        if let Some(&known) = self.values.get(&value) {
            return known;
        }
        if !value.is_instruction() {
            return value;
        }
        let opcode = value.opcode().expect("it is an instruction");
        let new = match opcode {
            LLVMPHI => self.compute(value.incoming()[0].0),
            LLVMLoad => {
                let address = value.operand(0);
                let place = match address.opcode() {
                    Some(LLVMGetElementPtr) => {
                        let group = self.compute(address.operand(0));
                        self.b.gep(self.b.context().i8(), group, &[address.operand(1)], "")
                    }
                    _ => self.compute(address),
                };
                self.b.load(value.ty(), place, &value.name())
            }
            LLVMCall => {
                let args: Vec<Value> = value.call_args().into_iter().map(|a| self.compute(a)).collect();
                self.b.call(value.called_function().expect("it is known"), &args, &value.name())
            }
            LLVMICmp => {
                let [a, b] = [0, 1].map(|n| self.compute(value.operand(n)));
                self.b.icmp(value.int_predicate(), a, b, &value.name())
            }
            LLVMSelect => {
                let [c, yes, no] = [0, 1, 2].map(|n| self.compute(value.operand(n)));
                self.b.select(c, yes, no, &value.name())
            }
            LLVMTrunc | LLVMZExt | LLVMSExt => {
                let from = self.compute(value.operand(0));
                self.b.cast(opcode, from, value.ty(), &value.name())
            }
            _ => {
                let [a, b] = [0, 1].map(|n| self.compute(value.operand(n)));
                self.b.binary(opcode, a, b, &value.name())
            }
        };
        self.values.insert(value, new);
        new
    }
}
