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
//! epochs are ordered. Others count how often it has waited for asynchronous copies of each class
//! (`copies.rs`), which are accesses of nobody: no barrier ends them. Fences are told to the
//! runtime too: with atomics they order work-items of different groups. The scheme is that of
//! FastTrack (Flanagan and Freund, PLDI 2009), with epochs of groups in place of clocks of threads.
//!
//! Accesses that cannot be part of a race need nothing (`sharing.rs`). Those to local memory are
//! looked at by code of the kernel, and only races are told to the runtime (`cells.rs`).

use super::accesses::{self, Bytes, MemoryAccess};
use super::cells::Cells;
use super::copies::Copies;
use super::pixels;
use super::provenance::Provenance;
use super::sharing::{self, Need, Ordering, Shared};
use super::sites::{Sites, What};
use super::versions::Quiet;
use ir::address_space::{CONSTANT, GENERIC, GLOBAL, LOCAL};
use ir::check::{Access, Event, LaunchField, Memory, Root};
use ir::{Builtin, Dma, attributes};
use llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// How the epochs are packed into a word.
const LOCAL_EPOCH: u64 = 1;
const GLOBAL_EPOCH: u64 = 1 << 20;
const SUB_GROUP_EPOCH: u64 = 1 << 40;
/// Of the first class of copies, and the bits of each.
const COPY_EPOCH: u64 = 1 << 52;
const COPY_BITS: u64 = 3;

/// What races have to do in a kernel, from before it got its second version.
pub struct Plan {
    needs: HashMap<(Value, Access), Need>,
    cells: Option<Cells>,
}

impl Plan {
    /// Finds which accesses have to be noted. What depends on the launch is computed where the
    /// kernel begins.
    pub fn new(
        module: &Module,
        kernel: Function,
        provenance: &mut Provenance<'_>,
        narrow: &HashSet<Value>,
    ) -> Plan {
        let shared = sharing::shared(module, kernel, provenance, is_shared);
        let needs = sharing::needs(module, kernel, provenance, &shared, narrow);
        let noted = |s: &&Shared| needs[&(s.access.instruction, s.access.access)] != Need::Never;
        let noted: Vec<&Shared> = shared.iter().filter(noted).collect();
        let cells = Cells::plan(module, kernel, provenance, &noted);
        Plan { needs, cells }
    }

    /// The conditions under which accesses that need something only sometimes need nothing.
    pub fn quiet(&self, module: &Module, kernel: Function) -> Vec<Value> {
        sharing::quiet(module, kernel, &self.needs)
    }
}

/// Adds the checks to a kernel and its second version.
pub fn check(
    module: &Module,
    kernel: Function,
    plan: Plan,
    quiet: Option<&Quiet>,
    sites: &Sites<'_>,
    provenance: &mut Provenance<'_>,
    narrow: &HashSet<Value>,
) {
    let originals: HashMap<Value, Value> =
        quiet.into_iter().flat_map(|quiet| &quiet.copies).map(|(old, new)| (*new, *old)).collect();
    let mut noted = Vec::new();
    for shared in sharing::shared(module, kernel, provenance, is_shared) {
        let instruction = shared.access.instruction;
        let original = originals.get(&instruction).copied();
        let key = (original.unwrap_or(instruction), shared.access.access);
        let need = match plan.needs.get(&key).copied().unwrap_or(Need::Always) {
            Need::If(_) if original.is_some() => Need::Never,
            need => need,
        };
        if need != Need::Never {
            noted.push((shared, need, narrow.contains(&key.0), original.is_some()));
        }
    }
    let pixels = pixels::shared(kernel);
    if noted.is_empty() && pixels.is_empty() {
        return;
    }
    if !noted.is_empty() && Ordering::of(kernel).fences {
        attributes::set_messages(kernel);
    }
    let epochs = Epochs::count(module, kernel, sites);
    let mut cells = plan.cells.map(|cells| cells.write(module, kernel, sites, &epochs, &noted));
    // Work-items of different groups are compared in the order in which they run.
    let mut serial: [Vec<Option<Value>>; 2] = Default::default();
    // What pointers of unknown roots may point to, before more addresses become numbers.
    let reachable = provenance.escaped_variables(GENERIC);
    for (shared, need, is_narrow, is_copy) in &noted {
        let flag = if let Need::If(flag) = need { Some(*flag) } else { None };
        if cells.as_mut().is_some_and(|cells| cells.note(provenance, shared, flag)) {
            continue;
        }
        for part in parts(module, provenance, shared, flag, &reachable) {
            if !part.local {
                serial[usize::from(*is_copy)].push(flag);
            }
            tell(module, (kernel, sites), &epochs, shared.access, &part, *is_narrow);
        }
    }
    let in_flight = (!pixels.is_empty()).then(|| provenance.launch_field(LaunchField::InFlight));
    let b = provenance.after_fields();
    let flags: Vec<Value> =
        pixels.iter().zip(in_flight.into_iter().cycle()).map(|(p, word)| p.flag(module, &b, word)).collect();
    serial.iter_mut().for_each(|serial| serial.extend(flags.iter().copied().map(Some)));
    // Before blocks are split for pixels, and after their flags.
    let first = |block: Block| block.first_non_phi().expect("a block has a terminator");
    let starts = match quiet {
        Some(quiet) => [first(quiet.checked), first(quiet.start)],
        None => [b.insertion_point().expect("a block has a terminator"); 2],
    };
    for (start, flags) in starts.into_iter().zip(serial).filter(|(_, flags)| !flags.is_empty()) {
        let b = Builder::before(module.context(), start);
        let either = |x: Option<Value>, y: Option<Value>| Some(b.binary(Opcode::LLVMOr, x?, y?, ""));
        let value = flags.into_iter().reduce(either).flatten().unwrap_or_else(|| b.i64(1));
        b.store(value, provenance.launch_field_at(&b, LaunchField::Serial));
    }
    for (pixel, flag) in pixels.iter().zip(flags) {
        pixel.tell(module, kernel, sites, &epochs, flag);
    }
}

/// The part of an access that is to local memory, or to global memory.
struct Part {
    local: bool,
    roots: Vec<Root>,
    /// The access is to this memory, and has to be told of, where this word is not 0.
    flag: Option<Value>,
}

/// The parts of an access: a pointer may be one to private, to local, or to global memory.
fn parts(
    module: &Module,
    provenance: &mut Provenance<'_>,
    shared: &Shared,
    flag: Option<Value>,
    reachable: &[(Value, Root)],
) -> Vec<Part> {
    let class = |root: &Root| match root.memory {
        Memory::Private => None,
        Memory::Local | Memory::LocalArgument => Some(true),
        Memory::Argument | Memory::Program => Some(false),
    };
    let of_class = |roots: &[(Value, Root)], local: bool| -> Vec<Root> {
        roots.iter().filter(|(_, root)| class(root) == Some(local)).map(|(_, root)| root.clone()).collect()
    };
    let pointer = shared.access.pointer;
    let b = Builder::before(module.context(), shared.access.instruction);
    let either = |x: Value, y: Value| b.binary(Opcode::LLVMOr, x, y, "");
    let told = |condition: Option<Value>| match condition {
        None => flag,
        Some(condition) => Some(b.select(condition, flag.unwrap_or(b.i64(1)), b.i64(0), "check.told")),
    };
    match shared.roots.as_deref() {
        Some(roots) => {
            let classes: HashSet<Option<bool>> = roots.iter().map(|(_, root)| class(root)).collect();
            let mut parts = Vec::new();
            for local in [true, false].into_iter().filter(|local| classes.contains(&Some(*local))) {
                let own = of_class(roots, local);
                let condition = (classes.len() > 1).then(|| {
                    let number = provenance.place(pointer).number;
                    let is =
                        |root: &Root| b.icmp(IntPredicate::LLVMIntEQ, number, b.i64(root.number.into()), "");
                    own.iter().map(is).reduce(either).expect("there is a root of the class")
                });
                parts.push(Part { local, flag: told(condition), roots: own });
            }
            parts
        }
        // The address says what it is.
        None if pointer.ty().address_space() == GENERIC => {
            let number = |value: Value| b.cast(Opcode::LLVMPtrToInt, value, b.context().i64(), "");
            let address = number(pointer);
            let mut is_in = |local: Option<bool>| {
                let variables = reachable.iter().filter(|(_, root)| class(root) == local);
                let inside = variables.map(|(value, _)| {
                    let size = provenance.sizes(*value)[0];
                    b.icmp(IntPredicate::LLVMIntULT, b.sub(address, number(*value), ""), size, "")
                });
                inside.collect::<Vec<_>>().into_iter().reduce(either)
            };
            let (private, local) = (is_in(None), is_in(Some(true)));
            let not = |v: Value| b.binary(Opcode::LLVMXor, v, v.ty().const_int(1), "");
            let is_own = [private, local].into_iter().flatten().reduce(either);
            let global = Part { local: false, roots: Vec::new(), flag: told(is_own.map(not)) };
            let local = local.map(|local| Part { local: true, roots: Vec::new(), flag: told(Some(local)) });
            [Some(global), local].into_iter().flatten().collect()
        }
        None => {
            let local = pointer.ty().address_space() == LOCAL;
            vec![Part { local, roots: Vec::new(), flag }]
        }
    }
}

/// Whether several work-items may reach the memory of an access.
fn is_shared(access: &MemoryAccess, roots: Option<&[(Value, Root)]>) -> bool {
    let space = access.pointer.ty().address_space();
    match roots {
        None => matches!(space, GLOBAL | LOCAL | GENERIC),
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
    part: &Part,
    narrow: bool,
) {
    let context = module.context();
    let instruction = access.instruction;
    let what = What {
        event: Event::Shared,
        access: access.access,
        local: part.local,
        narrow,
        size: if let Bytes::Constant(n) = access.bytes { n as u32 } else { 0 },
        align: 1,
        note: String::new(),
        roots: part.roots.clone(),
    };
    let what =
        What { event: if accesses::is_copy(instruction) { Event::Copied } else { what.event }, ..what };
    let site = sites.site(kernel, instruction, what);
    let mut b = Builder::before(context, instruction);
    if let Some(flag) = part.flag {
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
    let class = b.i64(epochs.copies.class(access.instruction) << 32);
    let line = b.binary(Opcode::LLVMOr, line, class, "");
    sites.call(&b, site, [b.add(address, b.mul(i, stride, ""), ""), line, now]);
    i.add_incoming(b.i64(0), before);
    i.add_incoming(b.add(i, b.i64(1), ""), inside);
    b.br(head);
}

/// The variable with the epochs of a work-item.
pub struct Epochs {
    pub variable: Value,
    /// The one with the epochs of images.
    pub images: Value,
    copies: Copies,
    /// Whether sub-groups have epochs.
    has_sub_groups: bool,
}

impl Epochs {
    fn count(module: &Module, kernel: Function, sites: &Sites<'_>) -> Epochs {
        let context = module.context();
        let word = context.i64();
        let first = kernel.entry().first().expect("a block has a terminator");
        let b = Builder::before(context, first);
        let [variable, images] = ["check.epochs", "check.images"].map(|name| {
            let variable = b.alloca(word, 8, name);
            b.store(word.zero(), variable);
            variable
        });
        let mut has_sub_groups = false;
        let copies = Copies::of(module, kernel);
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
            let step = match builtin {
                Builtin::SubGroupBarrier => {
                    has_sub_groups = true;
                    SUB_GROUP_EPOCH
                }
                Builtin::Dma(Dma::Wait) => {
                    let b = Builder::before(context, i);
                    for class in copies.ended_by(i) {
                        // Without a carry to the next class.
                        let one = COPY_EPOCH << (COPY_BITS * class);
                        let all = one * ((1 << COPY_BITS) - 1);
                        let old = b.load(word, variable, "");
                        let new = b.and(b.add(old, b.i64(one), ""), b.i64(all), "");
                        b.store(b.binary(Opcode::LLVMOr, b.and(old, b.i64(!all), ""), new, ""), variable);
                    }
                    continue;
                }
                Builtin::MemBarrier => {
                    tell_fence();
                    continue;
                }
                _ => {
                    let [local, global] = sharing::ordered_by(i);
                    LOCAL_EPOCH * u64::from(local) + GLOBAL_EPOCH * u64::from(global)
                }
            };
            let image_step = if builtin.is_work_group_barrier() { GLOBAL_EPOCH } else { 0 };
            let Some(next) = i.next() else { continue };
            let b = Builder::before(context, next);
            for (variable, step) in [(variable, step), (images, image_step)] {
                if step > 0 {
                    b.store(b.add(b.load(word, variable, ""), b.i64(step), ""), variable);
                }
            }
        }
        Epochs { variable, images, copies, has_sub_groups }
    }
}
