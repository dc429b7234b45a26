//! Canonicalizes a kernel for `structure` by LLVM's own passes: one return, no switches, rotated
//! loops with a single exit at the latch, and every other branch runs or skips a region
//! (StructurizeCFG). Vectors are scalarized, since each lane has one scalar, unless partial
//! scalarization keeps them.

use crate::Stopped;
use crate::cost::static_cost;
use crate::flatten::flatten;
use crate::narrow_words::narrow_words;
use crate::private;
use crate::speculate::speculate;
use ir::Builtin;
use llvm::{Block, Builder, Context, Function, IntPredicate, Module, Opcode, TargetMachine, Type, Value};
use passes::{MOST_CASES, SourceLine, huge_switch};
use std::collections::{HashMap, HashSet};

/// After inlining: promotes arguments and results from memory to registers.
const CLEAN_UP: &str = "sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,adce";

/// A kernel with more instructions, after inlining, would take too long to compile.
const MOST_INSTRUCTIONS: usize = 20_000;

/// Unrolls short loops, and takes constants out of indices, `a[(long)(i | 1)]`, so that accesses to
/// neighbouring elements form interleave groups.
const UNROLL: &str = "loop-simplify,lcssa,loop(loop-rotate,loop-unroll-full),sroa,early-cse,\
    separate-const-offset-from-gep,early-cse,loop-mssa(licm)";

const PIPELINE: &str = "early-cse,dce,lower-switch,mergereturn,loop-simplify,\
    loop(loop-rotate),fix-irreducible,unify-loop-exits,structurizecfg,early-cse,dce,loop-simplify,lcssa";

/// Prepares a kernel. Returns its static cost before its vectors are scalarized.
pub fn prepare(
    module: &Module,
    kernel: Function,
    linear: bool,
    whole_vectors: bool,
    machine: Option<&TargetMachine>,
) -> Result<f64, Stopped> {
    if inline_calls(kernel)? {
        kernel.run_passes(CLEAN_UP, machine).map_err(Stopped::new)?;
    }
    if kernel.instructions().len() > MOST_INSTRUCTIONS {
        return Err(Stopped::new("the kernel is too large"));
    }
    // Cases become branches, and the mask of each would be computed from that of the one before.
    if let Some((switch, cases)) = huge_switch(kernel) {
        let place = SourceLine::of(switch);
        let message = format!("a switch of {cases} cases; at most {MOST_CASES} are vectorized");
        return Err(Stopped { message, instruction: None, place });
    }
    let barriers: Vec<Function> = module.functions().into_iter().filter(|f| is_barrier(*f)).collect();
    barriers.iter().for_each(|f| f.set_flag("noduplicate"));
    let unrolled = kernel.run_passes(UNROLL, machine).map_err(Stopped::new);
    barriers.iter().for_each(|f| f.remove_flag("noduplicate"));
    unrolled?;
    if linear {
        flatten(module, kernel);
    }
    let whole = machine.map_or(0.0, |machine| static_cost(kernel, machine));
    split_math(module, kernel);
    split_reductions(module, kernel);
    split_volatile(module, kernel);
    split_aggregates(module.context(), kernel);
    if !whole_vectors {
        kernel.scalarize(machine);
        split_bitcasts(module.context(), kernel);
    }
    private::expand_copies(module, kernel);
    narrow_words(module.context(), kernel);
    structurize(module, kernel, machine)?;
    Ok(whole)
}

/// Brings the control flow into the form of [`crate::structure`].
pub fn structurize(
    module: &Module,
    kernel: Function,
    machine: Option<&TargetMachine>,
) -> Result<(), Stopped> {
    kernel.run_passes(PIPELINE, machine).map_err(Stopped::new)?;
    speculate(module, kernel);
    extend_signed(module.context(), kernel);
    Ok(())
}

/// Makes sign extensions of words that LLVM extends by zeros, since it knows that they are not
/// negative where they are used, as in `if (x > 0) y = a[x - 1]`. That need not hold for lane 0,
/// which stands for a strided value even if it is inactive: sign-extended, its value still follows.
fn extend_signed(context: &Context, kernel: Function) {
    for i in kernel.instructions().into_iter().filter(|i| i.is_non_negative_zext()) {
        let b = Builder::before(context, i);
        i.replace_all_uses_with(b.cast(Opcode::LLVMSExt, i.operand(0), i.ty(), &i.name()));
        i.erase();
    }
}

/// Inlines the functions that the kernel calls, `noinline` or not, since there are no vector
/// versions of functions. Functions that print are instantiated instead: they pass their arguments
/// in memory of a single lane. So are those of images whose format is not known, which are long.
fn inline_calls(kernel: Function) -> Result<bool, Stopped> {
    let mut changed = false;
    loop {
        let instructions = kernel.instructions();
        if instructions.len() > MOST_INSTRUCTIONS {
            return Ok(changed);
        }
        let has_body = |i: &&Value| {
            let is_wanted = |f| !prints(f) && !passes::is_image_function(f);
            i.called_function().is_some_and(|f| !f.is_declaration() && is_wanted(f))
        };
        let Some(call) = instructions.iter().find(has_body) else { return Ok(changed) };
        if !changed && is_recursive(kernel) {
            return Err(Stopped::at(*call, "a function that is called calls itself"));
        }
        Function::inline(*call)
            .map_err(|why| Stopped::at(*call, format!("the call cannot be inlined ({why})")))?;
        changed = true;
    }
}

/// Whether the kernel's call graph has a cycle: inlining would not end.
fn is_recursive(kernel: Function) -> bool {
    let has_body = |f: &Function| !f.is_declaration();
    let callees = |f: Function| -> HashSet<Function> {
        f.instructions().into_iter().filter_map(|i| i.called_function()).filter(has_body).collect()
    };
    let functions = passes::reachable_functions(kernel).into_iter().filter(has_body);
    let mut calls: HashMap<Function, HashSet<Function>> = functions.map(|f| (f, callees(f))).collect();
    loop {
        let leaves: HashSet<Function> =
            calls.iter().filter(|(_, callees)| callees.is_empty()).map(|(f, _)| *f).collect();
        if leaves.is_empty() {
            return !calls.is_empty();
        }
        calls.retain(|f, _| !leaves.contains(f));
        calls.values_mut().for_each(|callees| callees.retain(|f| !leaves.contains(f)));
    }
}

fn is_barrier(f: Function) -> bool {
    Builtin::of(f).is_some_and(|builtin| builtin.is_barrier() || builtin.is_work_group_barrier())
}

fn prints(f: Function) -> bool {
    f.instructions().into_iter().any(|i| Builtin::called_by(i) == Some(Builtin::Printf))
}

/// Splits calls of mathematics on vectors, which the scalarizer leaves, into calls on their
/// elements.
fn split_math(module: &Module, kernel: Function) {
    for call in kernel.instructions() {
        let Some(Builtin::Math(math)) = Builtin::called_by(call) else { continue };
        if !call.ty().is_vector() {
            continue;
        }
        let one = math.declare(module, call.ty().element());
        let b = Builder::before(module.context(), call);
        let joined = (0..call.ty().len()).fold(call.ty().poison(), |joined, lane| {
            let args: Vec<Value> =
                call.call_args().into_iter().map(|v| b.extract_element(v, b.i64(lane), "")).collect();
            b.insert_element(joined, b.call(one, &args, ""), b.i64(lane), "")
        });
        call.replace_all_uses_with(joined);
        call.erase();
    }
}

/// Splits reductions of integer vectors, which the scalarizer leaves, into operations on their
/// elements: `any(x < y)` and `all(x < y)`.
fn split_reductions(module: &Module, kernel: Function) {
    use Opcode::*;
    for call in kernel.instructions() {
        let name = call.called_function().map(|f| f.name()).unwrap_or_default();
        let operation = name.strip_prefix("llvm.vector.reduce.").and_then(|rest| rest.split('.').next());
        let (vector, op) = match operation {
            Some("or") => (call.operand(0), Some(LLVMOr)),
            Some("and") => (call.operand(0), Some(LLVMAnd)),
            Some("xor") => (call.operand(0), Some(LLVMXor)),
            Some("add") => (call.operand(0), Some(LLVMAdd)),
            Some("mul") => (call.operand(0), Some(LLVMMul)),
            Some("smin" | "smax" | "umin" | "umax") => (call.operand(0), None),
            _ => continue,
        };
        if !vector.ty().is_vector() {
            continue;
        }
        let b = Builder::before(module.context(), call);
        let elements = (0..vector.ty().len()).map(|lane| b.extract_element(vector, b.i64(lane), ""));
        let joined = elements.reduce(|x, y| match op {
            Some(op) => b.binary(op, x, y, ""),
            None => {
                let name = format!("llvm.{}", operation.unwrap_or_default());
                b.call(module.intrinsic(&name, &[x.ty()]), &[x, y], "")
            }
        });
        call.replace_all_uses_with(joined.expect("a vector has elements"));
        call.erase();
    }
}

/// Splits volatile loads and stores of vectors, which the scalarizer leaves, into those of their
/// elements: each byte is accessed as often, and in order.
fn split_volatile(module: &Module, kernel: Function) {
    for access in kernel.instructions() {
        let (value, address) = match access.opcode() {
            Some(Opcode::LLVMLoad) => (access, access.operand(0)),
            Some(Opcode::LLVMStore) => (access.operand(0), access.operand(1)),
            _ => continue,
        };
        let element = value.ty().scalar();
        if !access.is_volatile()
            || !value.ty().is_vector()
            || element.is_int() && !element.int_is_whole_bytes()
        {
            continue;
        }
        let b = Builder::before(module.context(), access);
        let align = access.alignment().min(1 << module.size_of(element).trailing_zeros());
        let at = |lane: u64| b.gep(element, address, &[b.i64(lane)], "");
        let lanes = 0..value.ty().len();
        if access.is_load() {
            let whole = lanes.fold(value.ty().poison(), |whole, lane| {
                let load = b.load(element, at(lane), "");
                load.set_alignment(align);
                load.set_volatile();
                b.insert_element(whole, load, b.i64(lane), "")
            });
            access.replace_all_uses_with(whole);
        } else {
            for lane in lanes {
                let store = b.store(b.extract_element(value, b.i64(lane), ""), at(lane));
                store.set_alignment(align);
                store.set_volatile();
            }
        }
        access.erase();
    }
}

/// Splits PHIs of structures, as LLVM makes them of the results of compare-and-exchange in loops,
/// into PHIs of their fields.
fn split_aggregates(context: &Context, kernel: Function) {
    let is_field = |user: &Value| user.aggregate_index().is_some();
    let is_split = |phi: &Value| phi.is_phi() && phi.ty().is_struct() && phi.users().iter().all(is_field);
    // The users of one may be the fields of another.
    while let Some(phi) = kernel.instructions().into_iter().find(is_split) {
        let b = Builder::before(context, phi);
        let own: Vec<Value> = phi.ty().struct_fields().into_iter().map(|ty| b.phi(ty, &phi.name())).collect();
        let mut known: HashMap<Block, Vec<Value>> = HashMap::new();
        for (value, block) in phi.incoming() {
            let fields = known.entry(block).or_insert_with(|| {
                let b = Builder::before(context, block.terminator().expect("a block has a terminator"));
                (0..own.len()).map(|n| b.extract_value(value, n as u32, "")).collect()
            });
            own.iter().zip(fields).for_each(|(field, value)| field.add_incoming(*value, block));
        }
        for user in phi.users() {
            let field = own[user.aggregate_index().expect("all users take a field") as usize];
            user.replace_all_uses_with(field);
            user.erase();
        }
        phi.erase();
    }
}

/// Turns casts between a scalar and a short vector of the same bits, which the scalarizer leaves,
/// into shifts.
fn split_bitcasts(context: &Context, kernel: Function) {
    for cast in kernel.instructions().into_iter().filter(|i| i.opcode() == Some(Opcode::LLVMBitCast)) {
        let (from, to) = (cast.operand(0).ty(), cast.ty());
        if to.is_vector() && !from.is_vector() {
            split_scalar(context, cast);
        } else if from.is_vector() && !to.is_vector() {
            join_elements(context, cast);
        }
    }
}

/// The bits of a scalar type; none of a pointer.
fn bits(ty: Type) -> Option<u32> {
    if ty.is_int() { Some(ty.int_bits()) } else { ty.float_bits() }
}

/// Turns `extractelement (bitcast x to vector), n` into a shift of x.
fn split_scalar(context: &Context, cast: Value) {
    let (Some(all), Some(part)) = (bits(cast.operand(0).ty()), bits(cast.ty().element())) else { return };
    for user in cast.users() {
        let lane = (user.opcode() == Some(Opcode::LLVMExtractElement))
            .then(|| user.operand(1).as_const_int())
            .flatten();
        let Some(lane) = lane.filter(|lane| *lane < cast.ty().len()) else { continue };
        let b = Builder::before(context, user);
        let whole = b.cast(Opcode::LLVMBitCast, cast.operand(0), context.int(all), "");
        let shifted =
            b.binary(Opcode::LLVMLShr, whole, context.int(all).const_int(lane * u64::from(part)), "");
        let piece = b.cast(Opcode::LLVMTrunc, shifted, context.int(part), "");
        user.replace_all_uses_with(b.cast(Opcode::LLVMBitCast, piece, cast.ty().element(), ""));
        user.erase();
    }
}

/// Turns `icmp (bitcast mask to scalar), 0`, as LLVM writes whether any element is true, into
/// operations on the elements, and the same for all. No CPU has vectors of integers of four bits,
/// and not all backends bear scalable ones.
fn join_masks(context: &Context, cast: Value) {
    let mask = cast.operand(0);
    for user in cast.users().into_iter().filter(|user| user.opcode() == Some(Opcode::LLVMICmp)) {
        let negated = match user.int_predicate() {
            IntPredicate::LLVMIntEQ => true,
            IntPredicate::LLVMIntNE => false,
            _ => continue,
        };
        let with = user.operand(u32::from(user.operand(0) == cast));
        let (op, negated) = match with {
            _ if with.is_zero() => (Opcode::LLVMOr, negated),
            _ if with.as_const_signed() == Some(-1) => (Opcode::LLVMAnd, !negated),
            _ => continue,
        };
        let b = Builder::before(context, user);
        let elements = (0..mask.ty().len()).map(|lane| b.extract_element(mask, b.i64(lane), ""));
        let joined = elements.reduce(|x, y| b.binary(op, x, y, "")).expect("a vector has elements");
        let one = context.i1().const_int(1);
        user.replace_all_uses_with(if negated { b.binary(Opcode::LLVMXor, joined, one, "") } else { joined });
        user.erase();
    }
}

/// Turns `bitcast vector to scalar` into shifts of the elements.
fn join_elements(context: &Context, cast: Value) {
    let vector = cast.operand(0);
    if vector.ty().element() == context.i1() {
        join_masks(context, cast);
    }
    if !cast.is_used() {
        cast.erase();
        return;
    }
    let (Some(all), Some(part)) = (bits(cast.ty()), bits(vector.ty().element())) else { return };
    let b = Builder::before(context, cast);
    let whole = context.int(all);
    let joined = (0..vector.ty().len()).fold(whole.zero(), |sum, lane| {
        let element = b.extract_element(vector, b.i64(lane), "");
        let element = b.cast(Opcode::LLVMBitCast, element, context.int(part), "");
        let wide = b.cast(Opcode::LLVMZExt, element, whole, "");
        let placed = b.binary(Opcode::LLVMShl, wide, whole.const_int(lane * u64::from(part)), "");
        b.binary(Opcode::LLVMOr, sum, placed, "")
    });
    cast.replace_all_uses_with(b.cast(Opcode::LLVMBitCast, joined, cast.ty(), ""));
    cast.erase();
}
