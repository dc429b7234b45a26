//! Own elements: memory of which each work-item accesses bytes that no other one does.
//!
//! If all offsets into a root are the same sum of IDs and counters of loops, each times a number,
//! then work-items meet nowhere as long as the numbers are large enough for the range, like the
//! digits of a number: `4 * x + 4 * w * y` with accesses of four bytes, if `w` is at least the
//! global size of x. Whether they are is computed where the kernel begins; nothing is told to the
//! runtime then.

use super::linear::{Counters, Linear, Prologue, Term, Variable};
use analysis::Dominators;
use ir::Builtin;
use llvm::{Block, IntPredicate, Opcode, Value};

/// An access: its offset and size in bytes, and the IDs that are constants where it is done.
pub struct Element {
    pub offset: Linear,
    pub size: u64,
    pub fixed: Vec<(Variable, i64)>,
}

/// The work-items that may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of a work-group, in local memory.
    Group,
    Range,
}

/// Part of an offset that is a counter from 0 to before `extent`, times a factor.
struct Digit {
    constant: i64,
    number: Option<Value>,
    extent: Value,
}

/// The IDs that are known to be constants in a block, by the conditions of branches to it.
pub fn fixed_ids(dominators: &Dominators, block: Block) -> Vec<(Variable, i64)> {
    let mut fixed = Vec::new();
    let mut at = Some(block);
    while let Some(block) = at {
        at = dominators.immediate(block);
        let [before] = block.predecessors()[..] else { continue };
        let Some(condition) = before.terminator().and_then(|branch| branch.condition()) else { continue };
        if condition.opcode() != Some(Opcode::LLVMICmp) {
            continue;
        }
        let [yes, no] = before.successors()[..] else { continue };
        let equal = match condition.int_predicate() {
            IntPredicate::LLVMIntEQ => yes,
            IntPredicate::LLVMIntNE => no,
            _ => continue,
        };
        let (Some(n), true) = (condition.operand(1).as_const_signed(), equal == block && yes != no) else {
            continue;
        };
        let Some(sum) = Linear::of(condition.operand(0), &Counters::new()) else { continue };
        if let ([Term { variable, constant: 1, number: None }], [], 0) =
            (sum.terms.as_slice(), sum.bases.as_slice(), sum.constant)
        {
            fixed.push((*variable, n));
        }
    }
    fixed
}

/// A condition under which accesses are to different bytes for different work-items; `None` if
/// there is none that is known.
pub fn condition(
    prologue: &Prologue<'_>,
    counters: &Counters,
    elements: &[Element],
    scope: Scope,
) -> Option<Value> {
    let first = elements.first()?;
    let same_terms = |one: &Linear| {
        one.terms.len() == first.offset.terms.len()
            && one.terms.iter().all(|term| first.offset.terms.contains(term))
            && one.bases == first.offset.bases
    };
    if !elements.iter().all(|e| same_terms(&e.offset)) {
        return None;
    }
    let is_fixed = |id: Variable| {
        let of = |e: &Element| e.fixed.iter().find(|(v, _)| *v == id).map(|(_, n)| *n);
        of(first).is_some() && elements.iter().all(|e| of(e) == of(first))
    };
    let b = &prologue.b;
    let word = b.context().i64();
    let is_one = |n: Value| b.icmp(IntPredicate::LLVMIntEQ, n, b.i64(1), "");
    let mut tests = Vec::new();
    let mut digits = Vec::new();
    for term in &first.offset.terms {
        let extent = match (term.variable, scope) {
            (Variable::GroupId(_), Scope::Group) => continue,
            (Variable::GlobalId(d) | Variable::LocalId(d), Scope::Group) | (Variable::LocalId(d), _) => {
                prologue.query(Builtin::GetEnqueuedLocalSize, d)
            }
            (Variable::GlobalId(d), Scope::Range) => prologue.query(Builtin::GetGlobalSize, d),
            (Variable::GroupId(d), Scope::Range) => prologue.query(Builtin::GetNumGroups, d),
            (Variable::Counter(phi), _) => {
                let counter = counters.get(&phi)?;
                digits.push(Digit {
                    constant: term.constant.checked_mul(counter.step)?.checked_abs()?,
                    number: term.number,
                    extent: counter.rounds(prologue),
                });
                continue;
            }
        };
        digits.push(Digit { constant: term.constant.checked_abs()?, number: term.number, extent });
    }
    // Each dimension is part of the sum, or has one work-item.
    let has = |id: Variable| first.offset.terms.iter().any(|t| t.variable == id) || is_fixed(id);
    for d in 0..3 {
        let [global, local, group] =
            [Variable::GlobalId(d), Variable::LocalId(d), Variable::GroupId(d)].map(has);
        match scope {
            Scope::Group if global != local => {}
            Scope::Group if !global => tests.push(is_one(prologue.query(Builtin::GetEnqueuedLocalSize, d))),
            Scope::Range if global && !local && !group || local && group && !global => {}
            Scope::Range if local && !global => tests.push(is_one(prologue.query(Builtin::GetNumGroups, d))),
            Scope::Range if group && !global => {
                tests.push(is_one(prologue.query(Builtin::GetEnqueuedLocalSize, d)));
            }
            Scope::Range if !global => tests.push(is_one(prologue.query(Builtin::GetGlobalSize, d))),
            // Two terms of the same ID are no digits.
            _ => return None,
        }
    }
    let smallest = digits.iter().filter(|d| d.number.is_none()).map(|d| d.constant).min();
    let (span, places) = clusters(elements, smallest)?;
    digits.extend(places.map(|(constant, count)| Digit { constant, number: None, extent: b.i64(count) }));
    // The smallest factors first: constants, then those times a number.
    let numbers: Vec<Value> = digits.iter().filter_map(|d| d.number).collect();
    if digits.iter().any(|d| d.constant == 0) || numbers.iter().any(|n| *n != numbers[0]) {
        return None;
    }
    digits.sort_by_key(|d| (d.number.is_some(), d.constant));
    let mut covered = word.const_int(span);
    for Digit { constant, number, extent } in digits {
        let constant = word.const_signed(constant);
        let factor = number.map_or(constant, |value| b.mul(prologue.number(value), constant, ""));
        let fits = b.icmp(IntPredicate::LLVMIntSGE, factor, covered, "");
        let alone = is_one(extent);
        tests.push(b.binary(Opcode::LLVMOr, alone, fits, ""));
        covered = b.select(alone, covered, b.mul(factor, extent, ""), "");
    }
    // So that indices of 32 bits cannot have wrapped.
    tests.push(b.icmp(IntPredicate::LLVMIntULE, covered, b.i64(1 << 31), ""));
    tests.into_iter().reduce(|x, y| b.and(x, y, "check.apart"))
}

/// The bytes from the first to the end of the last access of a work-item that lie together, and the
/// distance and number of such places: `out[i]` and `out[i + 128]` are two.
fn clusters(elements: &[Element], smallest: Option<i64>) -> Option<(u64, Option<(i64, u64)>)> {
    let mut ends: Vec<(i64, i64)> = elements
        .iter()
        .map(|e| Some((e.offset.constant, e.offset.constant.checked_add(e.size as i64)?)))
        .collect::<Option<_>>()?;
    ends.sort_unstable();
    let mut found: Vec<(i64, i64)> = Vec::new();
    for (start, end) in ends {
        match found.last_mut() {
            Some(last) if smallest.is_none_or(|f| start - last.0 < f) => last.1 = last.1.max(end),
            _ => found.push((start, end)),
        }
    }
    let span = found.iter().map(|(start, end)| end - start).max()?;
    let distance = found.windows(2).map(|w| w[1].0 - w[0].0).min();
    let places = match distance {
        None => None,
        Some(distance) => {
            let (low, high) = (found.first()?.0, found.last()?.0);
            if found.iter().any(|(start, _)| (start - low) % distance != 0) {
                return None;
            }
            Some((distance, ((high - low) / distance + 1) as u64))
        }
    };
    Some((span as u64, places))
}
