//! The bodies of the group builtins that need no other invocation: those over the lanes of a
//! vector, and those over a sub-group of one work-item, which scalar kernels have.

use crate::builtin_info::Body;
use crate::group::{Arithmetic, Group, GroupOp, GroupScope};
use llvm::{IntPredicate, Opcode, Type, Value, const_vector};

/// Whether there is a body for this builtin.
pub(crate) fn can_define(group: Group) -> bool {
    group.scope != GroupScope::Work
}

/// Builds the body and returns its result.
pub(crate) fn define(body: &Body<'_>, group: Group) -> Value {
    let value = body.function.param(0);
    let ty = value.ty();
    if ty.is_vector() || ty.is_scalable_vector() { of_vector(body, group.op) } else { of_one(body, group.op) }
}

/// The body for a group of one work-item.
fn of_one(body: &Body<'_>, op: GroupOp) -> Value {
    let (b, param) = (&body.b, |i| body.function.param(i));
    let value = param(0);
    match op {
        GroupOp::ScanExclusive(a) => a.identity(value.ty()),
        // A logical operation gives 0 or 1.
        GroupOp::Reduce(a) | GroupOp::ScanInclusive(a) => {
            a.combine(body.module, b, a.identity(value.ty()), value)
        }
        GroupOp::ShuffleUp | GroupOp::ShuffleDown => {
            // The index is 0 plus or minus the delta, and the other operand is one sub-group away.
            let here = b.icmp(IntPredicate::LLVMIntEQ, param(2), b.i32(0), "here");
            let (current, other) =
                if op == GroupOp::ShuffleUp { (param(1), param(0)) } else { (param(0), param(1)) };
            b.select(here, current, other, "")
        }
        GroupOp::Any
        | GroupOp::All
        | GroupOp::Broadcast
        | GroupOp::Shuffle
        | GroupOp::ShuffleXor
        | GroupOp::Result => value,
    }
}

fn of_vector(body: &Body<'_>, op: GroupOp) -> Value {
    let (b, value) = (&body.b, body.function.param(0));
    let scalable = value.ty().is_scalable_vector();
    match op {
        GroupOp::ScanInclusive(a) if scalable => lane_by_lane(body, a, value, Wanted::Inclusive),
        GroupOp::ScanExclusive(a) if scalable => lane_by_lane(body, a, value, Wanted::Exclusive),
        GroupOp::Broadcast => b.extract_element(value, body.function.param(1), ""),
        GroupOp::ScanInclusive(a) => inclusive(body, a, value),
        GroupOp::ScanExclusive(a) => moved_up(body, a, inclusive(body, a, value), 1),
        _ => {
            let a = op.arithmetic().expect("only reductions are left");
            if scalable { by_intrinsic(body, a, value) } else { reduced(body, a, value) }
        }
    }
}

/// Tree reduction: combines the upper half with the lower one until one lane is left. With an odd
/// number of lanes, the last one is combined at the end.
fn reduced(body: &Body<'_>, a: Arithmetic, value: Value) -> Value {
    let b = &body.b;
    let mut lanes = value.ty().len() as u32;
    let mut value = value;
    let mut rest = a.identity(value.ty().element());
    // A logical operation gives 0 or 1, also over one lane.
    let mut has_rest = a.is_logical();
    while lanes > 1 {
        if lanes % 2 == 1 {
            let last = b.extract_element(value, b.i32(lanes - 1), "");
            rest = a.combine(body.module, b, rest, last);
            has_rest = true;
        }
        lanes /= 2;
        let [low, high] = [0, lanes].map(|first| {
            let mask: Vec<u32> = (first..first + lanes).collect();
            b.shuffle(value, value.ty().poison(), &mask, "")
        });
        value = a.combine(body.module, b, low, high);
    }
    let last = b.extract_element(value, b.i32(0), "");
    if has_rest { a.combine(body.module, b, rest, last) } else { last }
}

/// Inclusive scan of the lanes in log2(width) steps (Hillis and Steele).
fn inclusive(body: &Body<'_>, a: Arithmetic, value: Value) -> Value {
    let lanes = value.ty().len() as u32;
    let mut sums = value;
    let mut by = 1;
    while by < lanes {
        sums = a.combine(body.module, &body.b, moved_up(body, a, sums, by), sums);
        by *= 2;
    }
    sums
}

/// Shifts the lanes up, and fills with the identity.
fn moved_up(body: &Body<'_>, a: Arithmetic, value: Value, by: u32) -> Value {
    let ty = value.ty();
    let lanes = ty.len() as u32;
    let identity = const_vector(&vec![a.identity(ty.element()); lanes as usize]);
    let mask: Vec<u32> = (0..lanes).map(|lane| if lane < by { lanes + lane } else { lane - by }).collect();
    body.b.shuffle(value, identity, &mask, "")
}

/// What a loop over the lanes gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Inclusive,
    Exclusive,
    Reduction,
}

/// The scan or reduction of a vector of unknown length.
fn lane_by_lane(body: &Body<'_>, a: Arithmetic, value: Value, wanted: Wanted) -> Value {
    let (b, module) = (&body.b, body.module);
    let (ty, i64) = (value.ty(), module.context().i64());
    let before = b.block().expect("the builder is in a block");
    let scale = b.call(module.intrinsic("llvm.vscale", &[i64]), &[], "");
    let lanes = b.mul(scale, b.i64(ty.len()), "lanes");
    let [lane_block, after] = ["lane", "after"].map(|name| body.function.append_block(name));
    b.br(lane_block);
    b.position_at_end(lane_block);
    let [lane, sum] = [i64, ty.element()].map(|ty| b.phi(ty, ""));
    let sums = (wanted != Wanted::Reduction).then(|| b.phi(ty, ""));
    let with_this = a.combine(module, b, sum, b.extract_element(value, lane, ""));
    let own = if wanted == Wanted::Exclusive { sum } else { with_this };
    let scan = sums.map(|sums| (sums, ty.poison(), b.insert_element(sums, own, lane, "sums")));
    let next = b.add(lane, b.i64(1), "");
    let phis = [(lane, i64.zero(), next), (sum, a.identity(ty.element()), with_this)];
    for (phi, start, then) in phis.into_iter().chain(scan) {
        phi.add_incoming(start, before);
        phi.add_incoming(then, lane_block);
    }
    b.cond_br(b.icmp(IntPredicate::LLVMIntULT, next, lanes, "more"), lane_block, after);
    b.position_at_end(after);
    scan.map_or(with_this, |(_, _, scan)| scan)
}

/// LLVM's own reduction, which vectors of unknown length need. CPUs have none of products.
fn by_intrinsic(body: &Body<'_>, a: Arithmetic, value: Value) -> Value {
    use Arithmetic::*;
    if a.is_logical() && value.ty().element().int_bits() > 1 {
        let truths = body.b.icmp(IntPredicate::LLVMIntNE, value, value.ty().zero(), "");
        return body.b.cast(Opcode::LLVMZExt, by_intrinsic(body, a, truths), value.ty().element(), "");
    }
    let (b, ty): (_, Type) = (&body.b, value.ty());
    let call = |name: &str, args: &[Value]| b.call(body.module.intrinsic(name, &[ty]), args, "");
    let start = || a.identity(ty.element());
    match a {
        Add => call("llvm.vector.reduce.add", &[value]),
        Mul | FMul => lane_by_lane(body, a, value, Wanted::Reduction),
        // Each sum is rounded to half, which CPUs without arithmetic on halves do one by one.
        FAdd if ty.element().float_bits() == Some(16) => lane_by_lane(body, a, value, Wanted::Reduction),
        FAdd => call("llvm.vector.reduce.fadd", &[start(), value]),
        SMin => call("llvm.vector.reduce.smin", &[value]),
        UMin => call("llvm.vector.reduce.umin", &[value]),
        FMin => call("llvm.vector.reduce.fmin", &[value]),
        SMax => call("llvm.vector.reduce.smax", &[value]),
        UMax => call("llvm.vector.reduce.umax", &[value]),
        FMax => call("llvm.vector.reduce.fmax", &[value]),
        And | LogicalAnd => call("llvm.vector.reduce.and", &[value]),
        Or | LogicalOr => call("llvm.vector.reduce.or", &[value]),
        Xor | LogicalXor => call("llvm.vector.reduce.xor", &[value]),
    }
}
