//! Own elements: memory of which each work-item accesses bytes that no other one does.
//!
//! If all offsets into a root are the same sum of global IDs, each times a number, then work-items
//! meet nowhere as long as the numbers are large enough for the range: `4 * x + 4 * w * y` with
//! accesses of four bytes, if `w` is at least the global size of x. Whether they are is computed
//! where the kernel begins; nothing is told to the runtime then.

use super::linear::{Linear, Prologue, Term, Variable};
use ir::Builtin;
use llvm::{IntPredicate, Opcode, Value};

/// A condition under which accesses with these offsets and sizes, in bytes, are to different bytes
/// for different work-items; `None` if there is none that is known.
pub fn condition(prologue: &Prologue<'_>, accesses: &[(Linear, u64)]) -> Option<Value> {
    let (first, _) = accesses.first()?;
    if accesses.iter().any(|(sum, _)| sum.terms != first.terms || sum.bases != first.bases) {
        return None;
    }
    let low = accesses.iter().map(|(sum, _)| sum.constant).min()?;
    let ends = accesses.iter().map(|(sum, size)| sum.constant.checked_add(*size as i64));
    let span = ends.collect::<Option<Vec<_>>>()?.into_iter().max()? - low;
    let mut of: [Option<Term>; 3] = [None; 3];
    for term in &first.terms {
        let Variable::GlobalId(d) = term.variable else { return None };
        if of[d as usize].replace(*term).is_some() || term.constant <= 0 {
            return None;
        }
    }
    let b = &prologue.b;
    let word = b.context().i64();
    // The smallest factors first: constants, then numbers in the order of the dimensions.
    let mut order = [0, 1, 2];
    order.sort_by_key(|d| match of[*d] {
        Some(Term { constant, number: None, .. }) => (0, constant),
        Some(_) => (1, 0),
        None => (2, 0),
    });
    let mut covered = word.const_signed(span);
    let mut all: Option<Value> = None;
    for d in order {
        let size = prologue.query(Builtin::GetGlobalSize, d as u32);
        let alone = b.icmp(IntPredicate::LLVMIntEQ, size, b.i64(1), "");
        let apart = match of[d] {
            None => alone,
            Some(Term { constant, number, .. }) => {
                let constant = word.const_signed(constant);
                let factor = number.map_or(constant, |value| b.mul(prologue.number(value), constant, ""));
                let fits = b.icmp(IntPredicate::LLVMIntSGE, factor, covered, "");
                covered = b.select(alone, covered, b.mul(factor, size, ""), "");
                b.binary(Opcode::LLVMOr, alone, fits, "")
            }
        };
        all = Some(all.map_or(apart, |all| b.and(all, apart, "check.apart")));
    }
    all
}
