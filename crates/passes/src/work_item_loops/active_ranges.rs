//! Active ranges: the IDs of the work-items that may have an effect in a region, from the branch
//! conditions that guard its effects.
//!
//! ```text
//! if (lid < d) s[lid] += s[lid + d];        for x in 0..min(d, size): region(x)
//! ```
//!
//! A region has an *effect* if it stores, or calls a function that may. (Stores of uniform live
//! values do not count: the loops run at least one work-item, and all would store the same.) An
//! effect happens only if all branches that control it are taken towards it. If such a condition
//! compares the work-item's ID with a loop-invariant value, all work-items with an effect lie in a
//! range of IDs, and the loops run over that range. The condition stays in the code: a range may be
//! too large, but never too small.
//!
//! A vector version runs a block if any lane is active in it, so that an effect happens only if the
//! conditions hold for some lane. *The* ID below is then the ID of that lane.

use super::rematerialization::splatted;
use analysis::{Cfg, Dominators};
use ir::Builtin;
use llvm::{Block, Function, IntPredicate, Opcode, Value};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The most effects of a region, and the most conditions of one effect, that are analysed.
const MOST_EFFECTS: usize = 6;
const MOST_CONDITIONS: usize = 8;

/// The largest depth of an expression that is hoisted before the loops.
const MOST_DEPTH: u32 = 12;

/// The largest offset of a lane: there are at most 64 lanes.
const MOST_STEP: i64 = 1024;

/// For each effect, conditions that hold where it happens; not necessarily all of them.
pub struct ActiveRanges(pub Vec<Vec<Condition>>);

pub enum Condition {
    /// A comparison of an ID with a loop-invariant value: the result of the instruction `compare`
    /// is `holds`.
    Range { id: Id, predicate: IntPredicate, bound: Value, compare: Value, holds: bool },
    /// A uniform, loop-invariant condition.
    Uniform { condition: Value, holds: bool },
}

/// A work-item's ID in one dimension, local or global, plus terms.
pub struct Id {
    pub dimension: u32,
    pub global: bool,
    /// The terms, innermost first.
    pub terms: Vec<Term>,
    /// The smallest and the largest offset of a lane.
    pub lanes: (i64, i64),
    /// The largest offset is so many times `vscale` larger: there are scalable vectors.
    pub scaled: u32,
}

pub enum Term {
    Plus(Value),
    Minus(Value),
    /// The sum so far is extended from 32 bits: it must fit a signed or an unsigned 32-bit integer.
    Extended {
        signed: bool,
    },
}

impl ActiveRanges {
    /// The active ranges of a function that is called for each work-item. Its parameter `group` is
    /// the live memory of the work-group, which no other pointer aliases. `None` if all work-items
    /// may have an effect.
    pub fn of(function: Function, group: Option<Value>) -> Option<ActiveRanges> {
        let dominators = Dominators::of(Rc::new(Cfg::of(function)));
        let finder = Finder { group, stored: stored_places(function, group), known: RefCell::default() };
        let mut children: HashMap<Block, Vec<Block>> = HashMap::new();
        for &block in &dominators.cfg().blocks[1..] {
            let parent = dominators.immediate(block).expect("only the entry has no dominator");
            children.entry(parent).or_default().push(block);
        }
        // Walks the dominator tree. A block has the conditions of its dominators, and that of the
        // branch that leads to it.
        let mut found = Vec::new();
        let mut stack: Vec<(Block, Vec<(Value, bool)>)> = vec![(function.entry(), Vec::new())];
        while let Some((block, conditions)) = stack.pop() {
            if block.instructions().into_iter().any(|i| finder.has_effect(i)) {
                if conditions.is_empty() || found.len() == MOST_EFFECTS {
                    return None;
                }
                found.push(conditions);
                continue;
            }
            for &child in children.get(&block).into_iter().flatten() {
                let mut conditions = conditions.clone();
                conditions.extend(condition_of(child));
                stack.push((child, conditions));
            }
        }
        let take_apart = |conditions: Vec<(Value, bool)>| {
            let mut parts = Vec::new();
            conditions
                .into_iter()
                .for_each(|(condition, holds)| finder.collect(condition, holds, &mut parts));
            parts.truncate(MOST_CONDITIONS);
            parts
        };
        let mut ranges = ActiveRanges(found.into_iter().map(take_apart).collect());
        ranges.forget_halves();
        (0..3).any(|d| ranges.narrow(d)).then_some(ranges)
    }

    /// If a comparison guards effects on both of its sides, the union of the two ranges is
    /// everything: only one side is kept.
    fn forget_halves(&mut self) {
        let as_it_is = |c: &Condition| match c {
            Condition::Range { compare, holds: true, .. } => Some(*compare),
            _ => None,
        };
        let kept: HashSet<Value> = self.0.iter().flatten().filter_map(as_it_is).collect();
        let is_half = |c: &Condition| match c {
            Condition::Range { compare, holds: false, .. } => kept.contains(compare),
            _ => false,
        };
        self.0.iter_mut().for_each(|conditions| conditions.retain(|c| !is_half(c)));
    }

    /// Whether the ranges restrict this dimension.
    pub fn narrow(&self, dimension: u32) -> bool {
        let in_dimension =
            |c: &Condition| matches!(c, Condition::Range { id, .. } if id.dimension == dimension);
        let says_something = |c: &Condition| in_dimension(c) || matches!(c, Condition::Uniform { .. });
        self.0.iter().all(|conditions| conditions.iter().any(says_something))
            && self.0.iter().flatten().any(in_dimension)
    }

    /// The comparisons that restrict this dimension.
    pub fn comparisons(&self, dimension: u32) -> impl Iterator<Item = Value> {
        self.0.iter().flatten().filter_map(move |condition| match condition {
            Condition::Range { id, compare, .. } if id.dimension == dimension => Some(*compare),
            _ => None,
        })
    }
}

/// The condition of the branch to a block with a single predecessor, and its value there.
fn condition_of(block: Block) -> Option<(Value, bool)> {
    let [before] = block.predecessors()[..] else { return None };
    let end = before.terminator().filter(|end| end.opcode() == Some(Opcode::LLVMBr))?;
    let [yes, no] = end.successors()[..] else { return None };
    end.condition().filter(|_| yes != no).map(|condition| (condition, yes == block))
}

/// The offset of an address in the live memory of the work-group.
fn place_in(group: Option<Value>, address: Value) -> Option<u64> {
    let group = group?;
    if address == group {
        return Some(0);
    }
    let is_offset = address.opcode() == Some(Opcode::LLVMGetElementPtr)
        && address.operand(0) == group
        && address.num_operands() == 2
        && address.gep_source_type().is_int()
        && address.gep_source_type().int_bits() == 8;
    if is_offset { address.operand(1).as_const_int() } else { None }
}

/// The offsets in the live memory of the work-group that the function stores to.
fn stored_places(function: Function, group: Option<Value>) -> HashSet<u64> {
    let stores = function.instructions().into_iter().filter(|i| i.is_store());
    stores.filter_map(|store| place_in(group, store.operand(1))).collect()
}

struct Finder {
    group: Option<Value>,
    stored: HashSet<u64>,
    known: RefCell<HashMap<Value, bool>>,
}

impl Finder {
    /// Whether an instruction has a side effect.
    fn has_effect(&self, i: Value) -> bool {
        match i.opcode() {
            Some(Opcode::LLVMStore) => {
                i.is_volatile()
                    || i.is_atomic()
                    || (place_in(self.group, i.operand(1)).is_none() && !is_own_array(i.operand(1)))
            }
            Some(Opcode::LLVMLoad) => i.is_volatile() || i.is_atomic(),
            Some(
                Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence | Opcode::LLVMVAArg,
            ) => true,
            Some(Opcode::LLVMCall) => match i.called_function() {
                Some(f) => {
                    let name = f.name();
                    let is_hint = ["llvm.lifetime.", "llvm.assume", "llvm.experimental.noalias.scope.decl"]
                        .iter()
                        .any(|hint| name.starts_with(hint));
                    let asks = Builtin::of(f).is_some_and(Builtin::is_rematerializable);
                    !(is_hint || asks || f.is_intrinsic() && f.only_reads_memory())
                }
                None => true,
            },
            _ => false,
        }
    }

    /// Splits a condition into a conjunction: conditions that must all hold for it to have the
    /// value `holds`.
    fn collect(&self, c: Value, holds: bool, found: &mut Vec<Condition>) {
        use Opcode::*;
        match c.opcode() {
            Some(LLVMXor) if is_true(c.operand(1)) => self.collect(c.operand(0), !holds, found),
            Some(LLVMAnd) if holds => {
                c.operands().for_each(|part| self.collect(part, true, found));
            }
            Some(LLVMOr) if !holds => {
                c.operands().for_each(|part| self.collect(part, false, found));
            }
            // `a && b` and `a || b` with short-circuit evaluation.
            Some(LLVMSelect) if holds && c.operand(2).is_zero() => {
                [0, 1].into_iter().for_each(|n| self.collect(c.operand(n), true, found));
            }
            Some(LLVMSelect) if !holds && is_true(c.operand(1)) => {
                [0, 2].into_iter().for_each(|n| self.collect(c.operand(n), false, found));
            }
            Some(LLVMShuffleVector) if c.is_instruction() => {
                if let Some(scalar) = splatted(c) {
                    self.collect(scalar, holds, found);
                }
            }
            Some(LLVMCall) if is_lane_reduction(c) => self.collect(c.operand(0), holds, found),
            Some(LLVMICmp) if is_bool(c.operand(0)) && c.operand(1).is_zero() => match c.int_predicate() {
                IntPredicate::LLVMIntEQ => self.collect(c.operand(0), !holds, found),
                IntPredicate::LLVMIntNE => self.collect(c.operand(0), holds, found),
                _ => {}
            },
            Some(LLVMICmp) => match self.range(c, holds) {
                Some(range) => found.push(range),
                None => self.collect_uniform(c, holds, found),
            },
            _ => self.collect_uniform(c, holds, found),
        }
    }

    fn collect_uniform(&self, condition: Value, holds: bool, found: &mut Vec<Condition>) {
        if is_bool(condition) && !is_vector(condition) && self.is_known(condition) {
            found.push(Condition::Uniform { condition, holds });
        }
    }

    fn range(&self, compare: Value, holds: bool) -> Option<Condition> {
        let [a, b] = [0, 1].map(|n| compare.operand(n));
        let said = compare.int_predicate();
        let predicate = if holds { said } else { inverted(said) };
        let (id, bound, predicate) = match self.id(a) {
            Some(id) => (id, b, predicate),
            None => (self.id(b)?, a, swapped(predicate)),
        };
        let bound = self.scalar(bound)?;
        let predicate = match predicate {
            // `!= 0` is an unsigned `> 0`.
            IntPredicate::LLVMIntNE if bound.is_zero() => IntPredicate::LLVMIntUGT,
            IntPredicate::LLVMIntNE => return None,
            other => other,
        };
        Some(Condition::Range { id, predicate, bound, compare, holds })
    }

    /// Matches a value as an ID plus terms.
    fn id(&self, value: Value) -> Option<Id> {
        use Opcode::*;
        let ty = value.ty().scalar();
        if !value.is_instruction() || !ty.is_int() || !(32..=64).contains(&ty.int_bits()) {
            return None;
        }
        let extended = |source: Value, signed: bool| {
            let mut id = self.id(source)?;
            id.terms.push(Term::Extended { signed });
            Some(id)
        };
        match value.opcode()? {
            LLVMCall => {
                let global = match Builtin::called_by(value)? {
                    Builtin::GetLocalId => false,
                    Builtin::GetGlobalId => true,
                    _ => return None,
                };
                let dimension = value.operand(0).as_const_int().filter(|d| *d < 3)? as u32;
                Some(Id { dimension, global, terms: Vec::new(), lanes: (0, 0), scaled: 0 })
            }
            LLVMTrunc => self.id(value.operand(0)),
            LLVMSExt => extended(value.operand(0), true),
            LLVMZExt => extended(value.operand(0), false),
            // InstCombine's form of a sign extension from 32 bits.
            LLVMAShr if ty.int_bits() == 64 && is_by_word(value) => {
                let shifted = value.operand(0);
                let is_pair = shifted.opcode() == Some(LLVMShl) && is_by_word(shifted);
                if is_pair { extended(shifted.operand(0), true) } else { None }
            }
            LLVMAnd if ty.int_bits() == 64 && value.operand(1).as_const_int() == Some(0xffff_ffff) => {
                extended(value.operand(0), false)
            }
            LLVMAdd => self.sum(value),
            LLVMOr if value.is_disjoint_or() => self.sum(value),
            LLVMSub => {
                let mut id = self.id(value.operand(0))?;
                id.terms.push(Term::Minus(self.scalar(value.operand(1))?));
                Some(id)
            }
            LLVMShuffleVector => self.id(splatted(value)?),
            _ => None,
        }
    }

    fn sum(&self, value: Value) -> Option<Id> {
        let (mut id, other) = match self.id(value.operand(0)) {
            Some(id) => (id, value.operand(1)),
            None => (self.id(value.operand(1))?, value.operand(0)),
        };
        match self.scalar(other) {
            Some(term) => id.terms.push(Term::Plus(term)),
            None => {
                let ((least, most), scaled) = lane_steps(other)?;
                id.lanes = (id.lanes.0 + least, id.lanes.1 + most);
                id.scaled += scaled;
                if id.lanes.0 < 0 || id.lanes.1 > MOST_STEP {
                    return None;
                }
            }
        }
        Some(id)
    }

    /// A loop-invariant scalar: the value itself, or the scalar that it is a splat of.
    fn scalar(&self, value: Value) -> Option<Value> {
        let scalar = match (is_vector(value), value.is_constant()) {
            (false, _) => value,
            (true, true) => value.const_splat()?,
            (true, false) => splatted(value)?,
        };
        self.is_known(scalar).then_some(scalar)
    }

    /// Whether a value is loop-invariant and can be speculated before the loops.
    fn is_known(&self, value: Value) -> bool {
        self.is_known_within(value, MOST_DEPTH)
    }

    fn is_known_within(&self, value: Value, depth: u32) -> bool {
        if !value.ty().is_int() || value.ty().int_bits() > 64 {
            return false;
        }
        if !value.is_instruction() {
            return value.is_argument() || value.as_const_int().is_some();
        }
        if let Some(&known) = self.known.borrow().get(&value) {
            return known;
        }
        let known = depth > 0 && self.is_computable(value, depth - 1);
        self.known.borrow_mut().insert(value, known);
        known
    }

    fn is_computable(&self, value: Value, depth: u32) -> bool {
        use Opcode::*;
        let all = || value.operands().all(|operand| self.is_known_within(operand, depth));
        match value.opcode() {
            Some(
                LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor
                | LLVMICmp | LLVMSelect | LLVMTrunc | LLVMZExt | LLVMSExt,
            ) => all(),
            Some(LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem) => {
                let traps = |by: i64| by == 0 || by == -1;
                value.operand(1).as_const_signed().is_some_and(|by| !traps(by)) && all()
            }
            Some(LLVMPHI) => match value.incoming()[..] {
                [(only, _)] => self.is_known_within(only, depth),
                _ => false,
            },
            // A uniform live value that the region does not store.
            Some(LLVMLoad) => {
                let place = place_in(self.group, value.operand(0));
                !value.is_volatile() && place.is_some_and(|place| !self.stored.contains(&place))
            }
            Some(LLVMCall) => match value.called_function() {
                Some(f) => match Builtin::of(f) {
                    Some(builtin) => {
                        use Builtin::*;
                        let is_of_group = matches!(
                            builtin,
                            GetLocalSize
                                | GetEnqueuedLocalSize
                                | GetGroupId
                                | GetNumGroups
                                | GetGlobalSize
                                | GetGlobalOffset
                                | GetWorkDim
                        );
                        is_of_group && value.call_args().iter().all(|a| a.as_const_int().is_some())
                    }
                    None => {
                        let name = f.name();
                        let extremes = ["llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax."];
                        extremes.iter().any(|e| name.starts_with(e))
                            && value.call_args().iter().all(|a| self.is_known_within(*a, depth))
                    }
                },
                None => false,
            },
            _ => false,
        }
    }
}

/// Whether an address is in an alloca of the function.
fn is_own_array(address: Value) -> bool {
    match address.opcode() {
        Some(Opcode::LLVMAlloca) => true,
        Some(Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) => {
            is_own_array(address.operand(0))
        }
        _ => false,
    }
}

/// Whether this is `llvm.vector.reduce.or` or `.and`: whatever their result, at least one lane has
/// it.
fn is_lane_reduction(call: Value) -> bool {
    call.called_function().is_some_and(|f| {
        let name = f.name();
        name.starts_with("llvm.vector.reduce.or.") || name.starts_with("llvm.vector.reduce.and.")
    }) && is_bool(call.operand(0))
}

fn is_bool(value: Value) -> bool {
    let ty = value.ty().scalar();
    ty.is_int() && ty.int_bits() == 1
}

/// Whether this is the constant true, or a vector of it.
fn is_true(value: Value) -> bool {
    if !value.is_constant() || !is_bool(value) {
        return false;
    }
    let one = if is_vector(value) { value.const_splat() } else { Some(value) };
    one.and_then(Value::as_const_int) == Some(1)
}

fn is_vector(value: Value) -> bool {
    value.ty().is_vector() || value.ty().is_scalable_vector()
}

fn is_by_word(shift: Value) -> bool {
    shift.operand(1).as_const_int() == Some(32)
}

/// The smallest and the largest element of the vector of the lanes' offsets; the latter is so many
/// times `vscale` larger as the number beside them says.
fn lane_steps(value: Value) -> Option<((i64, i64), u32)> {
    let function = if value.opcode() == Some(Opcode::LLVMCall) { value.called_function() } else { None };
    if function.is_some_and(|f| f.name().starts_with("llvm.experimental.stepvector.")) {
        return Some(((0, -1), value.ty().len() as u32));
    }
    if !value.ty().is_vector() || !value.is_constant() {
        return None;
    }
    let element = |n: u64| value.const_element(n as u32)?.as_const_signed();
    let first = element(0)?;
    let ends = (1..value.ty().len()).try_fold((first, first), |(least, most), n| {
        let step = element(n)?;
        Some((least.min(step), most.max(step)))
    });
    Some((ends?, 0))
}

fn inverted(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        LLVMIntEQ => LLVMIntNE,
        LLVMIntNE => LLVMIntEQ,
        LLVMIntUGT => LLVMIntULE,
        LLVMIntUGE => LLVMIntULT,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntULE => LLVMIntUGT,
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntSLT => LLVMIntSGE,
        LLVMIntSLE => LLVMIntSGT,
    }
}

fn swapped(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        LLVMIntEQ | LLVMIntNE => predicate,
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
    }
}
