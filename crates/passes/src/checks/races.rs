//! Races: accesses to memory that work-items share are told to the runtime, which keeps who
//! accessed each byte last, and in which epoch.
//!
//! ```text
//! store float %x, ptr addrspace(1) %p
//! ───►
//! call i32 @__mux_check(ptr @check.site, i64 %address, i64 4, i64 %epochs, …)
//! store float %x, ptr addrspace(1) %p
//! ```
//!
//! The epochs of a work-item count the barriers it has passed: those that order local memory, those
//! that order global memory, and those of its sub-group. Accesses of one work-group in different
//! epochs are ordered. A fourth one counts how often it has waited for asynchronous copies, which
//! are accesses of nobody: no barrier ends them. Fences are told to the runtime too: with atomics
//! they order work-items of different groups. The scheme is that of FastTrack (Flanagan and Freund,
//! PLDI 2009), with epochs of groups in place of clocks of threads.
//!
//! Memory that the kernel only reads needs nothing, unless another argument overlaps it
//! (`ArgumentField::Overlaps`), nor does memory of which each work-item has its own elements
//! (`own_elements.rs`).

use super::accesses::{self, Bytes, MemoryAccess};
use super::linear::{Counters, Linear, Prologue};
use super::own_elements;
use super::provenance::Provenance;
use super::sites::{Sites, What};
use ir::address_space::{CONSTANT, GLOBAL, LOCAL};
use ir::check::{Access, ArgumentField, Event, Memory, Root};
use ir::{Builtin, Dma, MemSemantics};
use llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// How the epochs are packed into a word.
const LOCAL_EPOCH: u64 = 1;
const GLOBAL_EPOCH: u64 = 1 << 20;
const SUB_GROUP_EPOCH: u64 = 1 << 40;
const COPY_EPOCH: u64 = 1 << 56;

pub fn check(
    module: &Module,
    kernel: Function,
    sites: &Sites<'_>,
    provenance: &mut Provenance<'_>,
    narrow: &HashSet<Value>,
) {
    let all: Vec<_> = accesses::all(module, kernel)
        .into_iter()
        .map(|access| (access, provenance.roots_of(access.pointer)))
        .filter(|(access, roots)| is_shared(access, roots.as_deref()))
        .collect();
    if all.is_empty() {
        return;
    }
    let writes = |access: &MemoryAccess| access.access != Access::Read;
    let unknown_writes = all.iter().any(|(access, roots)| roots.is_none() && writes(access));
    let epochs = Epochs::count(module, kernel, sites);
    let none = Counters::new();
    let mut quiet: HashMap<Value, Option<Value>> = HashMap::new();
    for (access, roots) in &all {
        let root = match roots.as_deref() {
            Some([(value, root)]) if !unknown_writes => Some((*value, root)),
            _ => None,
        };
        // A flag that is not 0 where accesses to this root have to be told.
        let flag = root.and_then(|(value, root)| {
            *quiet.entry(value).or_insert_with(|| {
                let same: Vec<_> = all
                    .iter()
                    .filter(|(_, roots)| roots.iter().flatten().any(|(other, _)| *other == value))
                    .collect();
                let is_only =
                    |roots: &Option<Vec<(Value, Root)>>| roots.as_ref().is_some_and(|r| r.len() == 1);
                if root.memory != Memory::Argument || !same.iter().all(|(_, roots)| is_only(roots)) {
                    return None;
                }
                let overlaps = provenance.field(root.number, ArgumentField::Overlaps);
                if !same.iter().any(|(access, _)| writes(access)) {
                    return Some(overlaps);
                }
                let sums = same.iter().map(|(access, _)| match access.bytes {
                    Bytes::Constant(n) => {
                        Some((Linear::of(provenance.place(access.pointer).offset, &none)?, n))
                    }
                    _ => None,
                });
                let sums: Vec<_> = sums.collect::<Option<_>>()?;
                let prologue = Prologue { module, b: after(module, overlaps) };
                let apart = own_elements::condition(&prologue, &sums)?;
                let b = &prologue.b;
                let together = b.cast(
                    Opcode::LLVMZExt,
                    b.binary(Opcode::LLVMXor, apart, apart.ty().const_int(1), ""),
                    overlaps.ty(),
                    "",
                );
                Some(b.binary(Opcode::LLVMOr, overlaps, together, "check.meets"))
            })
        });
        let nothing = Vec::new();
        let is_narrow = narrow.contains(&access.instruction);
        tell(module, (kernel, sites), &epochs, *access, roots.as_ref().unwrap_or(&nothing), flag, is_narrow);
    }
}

/// A builder after an instruction.
fn after(module: &Module, instruction: Value) -> Builder {
    Builder::before(module.context(), instruction.next().expect("it is no terminator"))
}

/// Whether several work-items may reach the memory of an access.
fn is_shared(access: &MemoryAccess, roots: Option<&[(Value, Root)]>) -> bool {
    let space = access.pointer.ty().address_space();
    match roots {
        // A generic pointer may be one to private memory.
        None => matches!(space, GLOBAL | LOCAL),
        Some(roots) => {
            let is_own = |root: &Root| {
                root.memory == Memory::Private
                    || root.memory == Memory::Program && root.constant
                    || root.size >= 1 << 40
            };
            space != CONSTANT && !roots.iter().all(|(_, root)| is_own(root))
        }
    }
}

fn tell(
    module: &Module,
    (kernel, sites): (Function, &Sites<'_>),
    epochs: &Epochs,
    access: MemoryAccess,
    roots: &[(Value, Root)],
    flag: Option<Value>,
    narrow: bool,
) {
    let context = module.context();
    let instruction = access.instruction;
    let is_local = match roots {
        [] => access.pointer.ty().address_space() == LOCAL,
        roots => roots.iter().all(|(_, root)| matches!(root.memory, Memory::Local | Memory::LocalArgument)),
    };
    let what = What {
        event: Event::Shared,
        access: access.access,
        local: is_local,
        narrow,
        size: if let Bytes::Constant(n) = access.bytes { n as u32 } else { 0 },
        align: 1,
        note: String::new(),
        roots: roots.iter().map(|(_, root)| root.clone()).collect(),
    };
    let what =
        What { event: if accesses::is_copy(instruction) { Event::Copied } else { what.event }, ..what };
    let site = sites.site(kernel, instruction, what);
    let mut b = Builder::before(context, instruction);
    if let Some(flag) = flag {
        let before = b.block().expect("the builder is in a block");
        let next = Block::split_before(instruction, "check.alone");
        let shared = kernel.append_block("check.overlaps");
        shared.move_before(next);
        before.terminator().expect("the block was split").erase();
        let end = Builder::at_end(context, before);
        end.set_place_of(instruction);
        let overlaps = end.icmp(IntPredicate::LLVMIntNE, flag, end.i64(0), "");
        end.cond_br(overlaps, shared, next);
        b = Builder::at_end(context, shared);
        b.set_place_of(instruction);
        let jump = b.br(next);
        b.position_before(jump);
        b.set_place_of(instruction);
    }
    if accesses::is_copy(instruction) {
        return tell_copy(module, (kernel, sites), epochs, access, site, b);
    }
    let bytes = access.bytes.span(&b);
    let bytes = match epochs.has_sub_groups {
        false => bytes,
        true => {
            let id = b.call(Builtin::GetSubGroupId.declare(module), &[], "");
            let high = b.binary(Opcode::LLVMShl, b.int_cast(id, context.i64(), ""), b.i64(32), "");
            b.binary(Opcode::LLVMOr, bytes, high, "")
        }
    };
    let address = b.cast(Opcode::LLVMPtrToInt, access.pointer, context.i64(), "");
    let now = b.load(context.i64(), epochs.variable, "check.epochs");
    sites.call(&b, site, [address, bytes, now]);
}

/// Tells of an asynchronous copy, line by line, as the first work-item of its group comes to it.
fn tell_copy(
    module: &Module,
    (kernel, sites): (Function, &Sites<'_>),
    epochs: &Epochs,
    access: MemoryAccess,
    site: Value,
    b: Builder,
) {
    let context = module.context();
    let [line, lines, stride] = access.bytes.lines(&b);
    let address = b.cast(Opcode::LLVMPtrToInt, access.pointer, context.i64(), "");
    let now = b.load(context.i64(), epochs.variable, "check.epochs");
    let id = b.call(Builtin::GetLocalLinearId.declare(module), &[], "");
    let first = b.icmp(IntPredicate::LLVMIntEQ, id, id.ty().zero(), "");
    // Other work-items have no line to tell of.
    let lines = b.select(first, lines, b.i64(0), "");
    let next = b.insertion_point().expect("the builder stands before an instruction");
    let before = b.block().expect("the builder is in a block");
    let after = Block::split_before(next, "check.copied");
    let [head, inside] = ["check.copy", "check.line"].map(|name| {
        let block = kernel.append_block(name);
        block.move_before(after);
        block
    });
    before.terminator().expect("the block was split").erase();
    let at = |block: Block| {
        let b = Builder::at_end(context, block);
        b.set_place_of(access.instruction);
        b
    };
    at(before).br(head);
    let b = at(head);
    let i = b.phi(context.i64(), "check.i");
    b.cond_br(b.icmp(IntPredicate::LLVMIntULT, i, lines, ""), inside, after);
    let b = at(inside);
    sites.call(&b, site, [b.add(address, b.mul(i, stride, ""), ""), line, now]);
    i.add_incoming(b.i64(0), before);
    i.add_incoming(b.add(i, b.i64(1), ""), inside);
    b.br(head);
}

/// The variable with the epochs of a work-item.
struct Epochs {
    variable: Value,
    /// Whether sub-groups have epochs.
    has_sub_groups: bool,
}

impl Epochs {
    fn count(module: &Module, kernel: Function, sites: &Sites<'_>) -> Epochs {
        let context = module.context();
        let word = context.i64();
        let first = kernel.entry().first().expect("a block has a terminator");
        let b = Builder::before(context, first);
        let variable = b.alloca(word, 8, "check.epochs");
        b.store(word.zero(), variable);
        let mut has_sub_groups = false;
        for i in kernel.instructions() {
            let tell_fence = || {
                let b = Builder::before(context, i);
                let site = sites.site(kernel, i, What::event(Event::Fence, ""));
                sites.call(&b, site, [b.i64(0), b.i64(0), b.load(word, variable, "")]);
            };
            if i.opcode() == Some(Opcode::LLVMFence) {
                tell_fence();
                continue;
            }
            let Some(builtin) = Builtin::called_by(i) else { continue };
            let orders = |argument: u32, bit: u32| {
                i.operand(argument).as_const_int().is_none_or(|s| s as u32 & bit != 0)
            };
            let step = match builtin {
                Builtin::WorkGroupBarrier => {
                    let local = if orders(2, MemSemantics::WORK_GROUP_MEMORY) { LOCAL_EPOCH } else { 0 };
                    local + if orders(2, MemSemantics::CROSS_WORK_GROUP_MEMORY) { GLOBAL_EPOCH } else { 0 }
                }
                Builtin::SubGroupBarrier => {
                    has_sub_groups = true;
                    SUB_GROUP_EPOCH
                }
                Builtin::Dma(Dma::Wait) => COPY_EPOCH,
                Builtin::MemBarrier => {
                    tell_fence();
                    continue;
                }
                other if other.is_work_group_barrier() => LOCAL_EPOCH + GLOBAL_EPOCH,
                _ => continue,
            };
            let Some(next) = i.next() else { continue };
            let b = Builder::before(context, next);
            b.store(b.add(b.load(word, variable, ""), b.i64(step), ""), variable);
        }
        Epochs { variable, has_sub_groups }
    }
}
