//! Offsets as sums: a constant, numbers that are the same for all work-items, and IDs and counters
//! of loops times a factor. From the ranges of these the range of the offset follows, which is
//! computed once, where the kernel begins.

use analysis::{Dominators, Loops};
use ir::Builtin;
use llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value};
use std::collections::HashMap;

/// What varies in a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    GlobalId(u32),
    LocalId(u32),
    GroupId(u32),
    /// The counter of a loop.
    Counter(Value),
}

/// A variable times a constant, and perhaps times a number of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub variable: Variable,
    pub constant: i64,
    /// An argument, or a size of the range.
    pub number: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    pub constant: i64,
    /// Numbers that are the same for all work-items, with their factors.
    pub bases: Vec<(Value, i64)>,
    pub terms: Vec<Term>,
}

/// The counter of a loop: from its first value, upwards, to before or up to a bound.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    first: Value,
    bound: Value,
    /// The bound itself is reached.
    inclusive: bool,
    /// What it grows by.
    pub step: i64,
    /// The block that runs only while the counter is within the bound.
    pub body: Block,
}

impl Counter {
    /// How many values it takes, at least one.
    pub fn rounds(&self, prologue: &Prologue<'_>) -> Value {
        let b = &prologue.b;
        let (first, bound) = (prologue.number(self.first), prologue.number(self.bound));
        let last = if self.inclusive { bound } else { b.sub(bound, b.i64(1), "") };
        let step = b.context().i64().const_signed(self.step);
        let more = b.binary(Opcode::LLVMSDiv, b.sub(last, first, ""), step, "");
        let runs = b.icmp(IntPredicate::LLVMIntSGT, more, b.i64(0), "");
        b.add(b.select(runs, more, b.i64(0), ""), b.i64(1), "")
    }
}

pub type Counters = HashMap<Value, Counter>;

/// The loops of a kernel that count from one known number to another.
pub fn counters(kernel: Function) -> Counters {
    let dominators = Dominators::of(std::rc::Rc::new(analysis::Cfg::of(kernel)));
    let loops = Loops::of(&dominators);
    let mut found = Counters::new();
    for each in loops.iter().filter(|l| l.is_natural) {
        let Some(branch) = each.header.terminator() else { continue };
        let Some(compare) = branch.condition().filter(|c| c.opcode() == Some(Opcode::LLVMICmp)) else {
            continue;
        };
        let (phi, bound) = (compare.operand(0), compare.operand(1));
        let inclusive = match compare.int_predicate() {
            IntPredicate::LLVMIntSLT | IntPredicate::LLVMIntULT => false,
            IntPredicate::LLVMIntSLE | IntPredicate::LLVMIntULE => true,
            _ => continue,
        };
        let body = branch.successors()[0];
        let is_own = phi.is_phi() && phi.block() == Some(each.header) && each.contains(body);
        if !is_own || body.predecessors() != [each.header] || !is_known(bound) {
            continue;
        }
        let (mut first, mut step, mut counts) = (None, None, true);
        for (value, block) in phi.incoming() {
            match each.contains(block) {
                false => counts &= first.replace(value).is_none_or(|other| other == value),
                true => {
                    let steps = value.opcode() == Some(Opcode::LLVMAdd) && value.operand(0) == phi;
                    let by = Some(value).filter(|_| steps).and_then(|v| v.operand(1).as_const_signed());
                    counts &= by.is_some_and(|n| n > 0 && step.replace(n).is_none_or(|other| other == n));
                }
            }
        }
        if let Some((first, step)) = first.filter(|v| counts && is_known(*v)).zip(step) {
            found.insert(phi, Counter { first, bound, inclusive, step, body });
        }
    }
    found
}

/// Whether a value is known where the kernel begins.
fn is_known(value: Value) -> bool {
    value.as_const_int().is_some() || value.is_argument() && value.ty().is_int() || is_size(value)
}

fn is_size(value: Value) -> bool {
    matches!(Builtin::called_by(value), Some(Builtin::GetGlobalSize | Builtin::GetLocalSize))
        && value.operand(0).is_constant()
}

impl Linear {
    fn of_variable(variable: Variable) -> Linear {
        Linear { terms: vec![Term { variable, constant: 1, number: None }], ..Linear::default() }
    }

    /// The sum that a value is, if it is one.
    pub fn of(value: Value, counters: &Counters) -> Option<Linear> {
        if let Some(constant) = value.as_const_signed() {
            return Some(Linear { constant, ..Linear::default() });
        }
        if counters.contains_key(&value) {
            return Some(Linear::of_variable(Variable::Counter(value)));
        }
        // What a launch says of an argument is such a number, too.
        if is_known(value) || value.is_load() && value.name().starts_with("check.") {
            return Some(Linear { bases: vec![(value, 1)], ..Linear::default() });
        }
        let operand = |n: u32| Linear::of(value.operand(n), counters);
        match value.opcode()? {
            // Sums of fewer bits wrap.
            Opcode::LLVMTrunc if value.ty().int_bits() < 32 => None,
            Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMTrunc => operand(0),
            Opcode::LLVMAdd => operand(0)?.plus(&operand(1)?, 1),
            Opcode::LLVMSub => operand(0)?.plus(&operand(1)?, -1),
            Opcode::LLVMShl => operand(0)?.times(1i64.checked_shl(value.operand(1).as_const_int()? as u32)?),
            Opcode::LLVMMul => {
                let (x, y) = (operand(0)?, operand(1)?);
                match (x.as_constant(), y.as_constant()) {
                    (Some(n), _) => y.times(n),
                    (_, Some(n)) => x.times(n),
                    _ => x.times_number(&y).or_else(|| y.times_number(&x)),
                }
            }
            Opcode::LLVMCall => {
                let dimension = || value.operand(0).as_const_int().filter(|d| *d < 3).map(|d| d as u32);
                let variable = match Builtin::called_by(value)? {
                    Builtin::GetGlobalId => Variable::GlobalId(dimension()?),
                    Builtin::GetLocalId => Variable::LocalId(dimension()?),
                    Builtin::GetGroupId => Variable::GroupId(dimension()?),
                    _ => return None,
                };
                Some(Linear::of_variable(variable))
            }
            _ => None,
        }
    }

    fn as_constant(&self) -> Option<i64> {
        (self.bases.is_empty() && self.terms.is_empty()).then_some(self.constant)
    }

    fn plus(mut self, other: &Linear, sign: i64) -> Option<Linear> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(sign)?)?;
        self.bases.extend(other.bases.iter().map(|(v, n)| (*v, n * sign)));
        for term in &other.terms {
            let constant = term.constant.checked_mul(sign)?;
            let same = |own: &&mut Term| (own.variable, own.number) == (term.variable, term.number);
            match self.terms.iter_mut().find(same) {
                Some(own) => own.constant = own.constant.checked_add(constant)?,
                None => self.terms.push(Term { constant, ..*term }),
            }
        }
        Some(self)
    }

    fn times(mut self, n: i64) -> Option<Linear> {
        self.constant = self.constant.checked_mul(n)?;
        for (_, factor) in &mut self.bases {
            *factor = factor.checked_mul(n)?;
        }
        for term in &mut self.terms {
            term.constant = term.constant.checked_mul(n)?;
        }
        Some(self)
    }

    /// A sum of terms without a constant, times one number.
    fn times_number(&self, number: &Linear) -> Option<Linear> {
        let ([(value, n)], 0, []) = (number.bases.as_slice(), number.constant, number.terms.as_slice())
        else {
            return None;
        };
        if self.constant != 0 || !self.bases.is_empty() || self.terms.iter().any(|t| t.number.is_some()) {
            return None;
        }
        let mut product = self.clone();
        for term in &mut product.terms {
            *term = Term { constant: term.constant.checked_mul(*n)?, number: Some(*value), ..*term };
        }
        Some(product)
    }
}

/// The least and the greatest value of a sum, and the condition under which they are right: that
/// nothing can have wrapped. Written where the kernel begins.
pub struct Range {
    pub low: Value,
    pub high: Value,
    pub right: Value,
}

/// Writes code where a kernel begins.
pub struct Prologue<'a> {
    pub module: &'a Module,
    pub b: Builder,
}

/// Bounds of what is multiplied: an ID or counter, a number, and a constant together stay below
/// 2^62.
const MOST_COUNT: u64 = 1 << 28;
const MOST_NUMBER: u64 = 1 << 26;
const MOST_FACTOR: i64 = 1 << 7;

impl Prologue<'_> {
    /// A number that is known where the kernel begins, as 64 bits.
    pub fn number(&self, value: Value) -> Value {
        let word = self.b.context().i64();
        // A size of the range is asked for again.
        let value = match value.called_function() {
            Some(f) => self.b.call(f, &[value.operand(0)], ""),
            None => value,
        };
        match (value.as_const_signed(), value.ty().int_bits()) {
            (Some(n), _) => word.const_signed(n),
            (None, 64) => value,
            _ => self.b.cast(Opcode::LLVMSExt, value, word, ""),
        }
    }

    pub fn query(&self, builtin: Builtin, dimension: u32) -> Value {
        let value = self.b.call(builtin.declare(self.module), &[self.b.i32(dimension)], "");
        self.b.int_cast(value, self.b.context().i64(), "")
    }

    fn below(&self, value: Value, end: u64) -> Value {
        self.b.icmp(IntPredicate::LLVMIntULT, value, self.b.i64(end), "")
    }

    /// The range of a sum, at a block of the kernel as it was before checks.
    pub fn range(
        &self,
        sum: &Linear,
        counters: &Counters,
        at: Block,
        dominates: &dyn Fn(Block, Block) -> bool,
    ) -> Option<Range> {
        let b = &self.b;
        let word = b.context().i64();
        let (mut low, mut high) = (word.const_signed(sum.constant), word.const_signed(sum.constant));
        let mut right = b.context().i1().const_int(1);
        for (value, factor) in &sum.bases {
            let number = self.number(*value);
            right = b.and(right, self.below(number, 1 << 40), "");
            let product = b.mul(number, word.const_signed(*factor), "");
            (low, high) = (b.add(low, product, ""), b.add(high, product, ""));
        }
        for term in &sum.terms {
            if term.constant.abs() > MOST_FACTOR {
                return None;
            }
            let one = b.i64(1);
            let (first, last) = match term.variable {
                Variable::GlobalId(d) => {
                    let first = self.query(Builtin::GetGlobalOffset, d);
                    let size = self.query(Builtin::GetGlobalSize, d);
                    (first, b.sub(b.add(first, size, ""), one, ""))
                }
                Variable::LocalId(d) => {
                    (b.i64(0), b.sub(self.query(Builtin::GetEnqueuedLocalSize, d), one, ""))
                }
                Variable::GroupId(d) => (b.i64(0), b.sub(self.query(Builtin::GetNumGroups, d), one, "")),
                Variable::Counter(phi) => {
                    let counter = counters.get(&phi).filter(|c| dominates(c.body, at))?;
                    let (first, bound) = (self.number(counter.first), self.number(counter.bound));
                    // A loop that does not run has no range: the first value is one.
                    let last = if counter.inclusive { bound } else { b.sub(bound, one, "") };
                    let runs = b.icmp(IntPredicate::LLVMIntSGT, last, first, "");
                    (first, b.select(runs, last, first, ""))
                }
            };
            right = b.and(right, b.and(self.below(first, MOST_COUNT), self.below(last, MOST_COUNT), ""), "");
            let mut factor = word.const_signed(term.constant);
            if let Some(value) = term.number {
                let number = self.number(value);
                right = b.and(right, self.below(number, MOST_NUMBER), "");
                factor = b.mul(factor, number, "");
            }
            let (least, most) = if term.constant >= 0 { (first, last) } else { (last, first) };
            low = b.add(low, b.mul(factor, least, ""), "");
            high = b.add(high, b.mul(factor, most, ""), "");
        }
        Some(Range { low, high, right })
    }
}
