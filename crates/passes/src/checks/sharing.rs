//! Sharing: which accesses several work-items may make to the same bytes with nothing between them
//! that orders them, so that races have to look at them.
//!
//! - Memory that the kernel only reads, or only accesses atomically, is no matter, unless another
//!   argument overlaps it (`ArgumentField::Overlaps`), nor is memory of which each work-item has
//!   its own elements (`own_elements.rs`).
//! - Local memory is looked at from barrier to barrier: `tile[y][x] = …; barrier; … tile[k][x]` has
//!   an interval of own elements, and one of reads.

use super::accesses::{self, Bytes, MemoryAccess};
use super::linear::{self, Counters, Linear, Prologue};
use super::own_elements::{self, Element, Scope};
use super::provenance::Provenance;
use analysis::{Cfg, Dominators};
use ir::check::{Access, ArgumentField, Memory, Root};
use ir::{Builtin, MemSemantics};
use llvm::{Block, Function, IntPredicate, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Whether an access has to be noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Never,
    /// Where this word of the kernel's entry is not 0.
    If(Value),
    Always,
}

impl Need {
    /// Something is needed where a word is not 0.
    fn of(word: Value) -> Need {
        match word.as_const_int() {
            Some(0) => Need::Never,
            Some(_) => Need::Always,
            None => Need::If(word),
        }
    }
}

/// An access to memory that work-items share, with the roots that its pointer may have.
pub struct Shared {
    pub access: MemoryAccess,
    pub roots: Option<Vec<(Value, Root)>>,
}

impl Shared {
    /// The only root.
    pub fn root(&self) -> Option<&(Value, Root)> {
        match self.roots.as_deref() {
            Some([root]) => Some(root),
            _ => None,
        }
    }

    fn writes(&self) -> bool {
        self.access.access != Access::Read
    }

    fn may_be_in(&self, root: Value) -> bool {
        self.roots.iter().flatten().any(|(other, _)| *other == root)
    }
}

/// What orders accesses beside barriers of the work-group.
#[derive(Clone, Copy, Debug)]
pub struct Ordering {
    /// Fences, which order with atomics.
    pub fences: bool,
    /// Barriers of sub-groups.
    pub sub_groups: bool,
    /// Asynchronous copies, which no barrier ends.
    pub copies: bool,
}

impl Ordering {
    pub fn of(kernel: Function) -> Ordering {
        let all = kernel.instructions();
        let calls = |is: fn(Builtin) -> bool| all.iter().any(|i| Builtin::called_by(*i).is_some_and(is));
        Ordering {
            fences: all.iter().any(|i| i.opcode() == Some(Opcode::LLVMFence))
                || calls(|b| b == Builtin::MemBarrier),
            sub_groups: calls(|b| b == Builtin::SubGroupBarrier),
            copies: calls(|b| matches!(b, Builtin::Dma(_))),
        }
    }
}

/// Which memory a barrier of the work-group orders: local, and global.
pub fn ordered_by(i: Value) -> [bool; 2] {
    let orders = |bit: u32| i.operand(2).as_const_int().is_none_or(|semantics| semantics as u32 & bit != 0);
    match Builtin::called_by(i) {
        Some(Builtin::WorkGroupBarrier) => {
            [orders(MemSemantics::WORK_GROUP_MEMORY), orders(MemSemantics::CROSS_WORK_GROUP_MEMORY)]
        }
        Some(other) if other.is_work_group_barrier() => [true; 2],
        _ => [false; 2],
    }
}

/// Finds what accesses of a kernel need. Words and conditions are written where it begins.
pub fn needs(
    module: &Module,
    kernel: Function,
    provenance: &mut Provenance<'_>,
    shared: &[Shared],
    narrow: &HashSet<Value>,
) -> HashMap<(Value, Access), Need> {
    let dominators = Dominators::of(Rc::new(Cfg::of(kernel)));
    let counters = linear::counters(kernel);
    let ordering = Ordering::of(kernel);
    let mut finder = Finder { module, kernel, provenance, narrow, dominators, counters, ordering };
    let mut needs: HashMap<(Value, Access), Need> = HashMap::new();
    let key = |s: &Shared| (s.access.instruction, s.access.access);
    needs.extend(shared.iter().map(|s| (key(s), Need::Always)));
    // A pointer that may be to anything.
    if shared.iter().any(|s| s.roots.is_none()) && shared.iter().any(Shared::writes) {
        return needs;
    }
    let mut seen = HashSet::new();
    for (value, root) in shared.iter().filter_map(Shared::root) {
        let same: Vec<&Shared> = shared.iter().filter(|s| s.may_be_in(*value)).collect();
        if !seen.insert(*value) || same.iter().any(|s| s.root().is_none()) {
            continue;
        }
        match root.memory {
            Memory::Argument => {
                let need = finder.of_argument(root, &same);
                needs.extend(same.iter().map(|s| (key(s), need)));
            }
            Memory::Local | Memory::LocalArgument => {
                needs.extend(finder.of_local(&same).into_iter().map(|(s, need)| (key(s), need)));
            }
            Memory::Program if !same.iter().any(|s| s.writes()) => {
                needs.extend(same.iter().map(|s| (key(s), Need::Never)));
            }
            Memory::Program | Memory::Private => {}
        }
    }
    needs
}

struct Finder<'a, 'p, 'm> {
    module: &'a Module,
    kernel: Function,
    provenance: &'p mut Provenance<'m>,
    narrow: &'a HashSet<Value>,
    dominators: Dominators,
    counters: Counters,
    ordering: Ordering,
}

impl<'a> Finder<'a, '_, '_> {
    /// What the accesses to an argument in global memory need.
    fn of_argument(&mut self, root: &Root, same: &[&Shared]) -> Need {
        let overlaps = self.provenance.field(root.number, ArgumentField::Overlaps);
        if !same.iter().any(|s| s.writes()) || self.is_only_atomic(same, true) {
            return Need::If(overlaps);
        }
        let Some(elements) = self.elements(same) else { return Need::Always };
        let next = overlaps.next().expect("a load is no terminator");
        let b = llvm::Builder::before(self.module.context(), next);
        let prologue = Prologue { module: self.module, b };
        let apart = own_elements::condition(&prologue, &self.counters, &elements, Scope::Range);
        let Some(apart) = apart else { return Need::Always };
        let b = &prologue.b;
        let together = b.select(apart, b.i64(0), b.i64(1), "");
        Need::of(b.binary(Opcode::LLVMOr, overlaps, together, "check.meets"))
    }

    /// Whether accesses are all atomic, and order nothing by that. Atomics of a narrow scope are
    /// races between groups.
    fn is_only_atomic(&self, same: &[&Shared], groups: bool) -> bool {
        let is_wide = |s: &Shared| !groups || !self.narrow.contains(&s.access.instruction);
        !self.ordering.fences && same.iter().all(|s| s.access.access == Access::Atomic && is_wide(s))
    }

    /// What the accesses to a root in local memory need.
    fn of_local(&mut self, same: &[&'a Shared]) -> Vec<(&'a Shared, Need)> {
        let mut needs: HashMap<Value, Need> = HashMap::new();
        if self.ordering.copies {
            return Vec::new();
        }
        for interval in intervals(self.kernel) {
            let inside: Vec<&Shared> =
                same.iter().copied().filter(|s| interval.contains(&s.access.instruction)).collect();
            let need = self.of_interval(&inside);
            for s in &inside {
                let old = needs.entry(s.access.instruction).or_insert(Need::Never);
                *old = self.either(*old, need);
            }
        }
        same.iter().filter_map(|s| Some((*s, *needs.get(&s.access.instruction)?))).collect()
    }

    /// What accesses to local memory with no barrier between them need.
    fn of_interval(&mut self, inside: &[&Shared]) -> Need {
        if !inside.iter().any(|s| s.writes()) || self.is_only_atomic(inside, false) {
            return Need::Never;
        }
        let Some(elements) = self.elements(inside) else { return Need::Always };
        let prologue = Prologue { module: self.module, b: self.provenance.after_fields() };
        let apart = own_elements::condition(&prologue, &self.counters, &elements, Scope::Group);
        let b = &prologue.b;
        apart.map_or(Need::Always, |apart| Need::of(b.select(apart, b.i64(0), b.i64(1), "check.meets")))
    }

    fn either(&self, one: Need, other: Need) -> Need {
        match (one, other) {
            (Need::Always, _) | (_, Need::Always) => Need::Always,
            (Need::Never, need) | (need, Need::Never) => need,
            (Need::If(x), Need::If(y)) if x == y => one,
            (Need::If(x), Need::If(y)) => {
                let later = self.kernel.entry().instructions().into_iter().rev().find(|i| *i == x || *i == y);
                let Some(next) = later.and_then(Value::next) else { return Need::Always };
                let b = llvm::Builder::before(self.module.context(), next);
                Need::If(b.binary(Opcode::LLVMOr, x, y, "check.meets"))
            }
        }
    }

    /// Accesses as sums of IDs and counters.
    fn elements(&mut self, same: &[&Shared]) -> Option<Vec<Element>> {
        same.iter()
            .map(|s| {
                let Bytes::Constant(size) = s.access.bytes else { return None };
                let at = s.access.instruction.block()?;
                let offset = self.provenance.place(s.access.pointer).offset;
                let inside = |(_, counter): &(&Value, &linear::Counter)| {
                    self.dominators.block_dominates(counter.body, at)
                };
                let counters: Counters =
                    self.counters.iter().filter(inside).map(|(phi, counter)| (*phi, *counter)).collect();
                let offset = Linear::of(offset, &counters)?;
                Some(Element { offset, size, fixed: own_elements::fixed_ids(&self.dominators, at) })
            })
            .collect()
    }
}

/// The accesses that lie between barriers that order local memory: for each way from the entry or
/// from a barrier on, those that come before the next one.
fn intervals(kernel: Function) -> Vec<HashSet<Value>> {
    let is_barrier = |i: &Value| ordered_by(*i)[0];
    let mut starts: Vec<Option<Value>> = vec![kernel.entry().first()];
    starts.extend(kernel.instructions().into_iter().filter(is_barrier).map(Value::next));
    let mut found = Vec::new();
    for start in starts.into_iter().flatten() {
        let mut inside = HashSet::new();
        let mut seen: HashSet<Block> = HashSet::new();
        let mut work = vec![start];
        while let Some(first) = work.pop() {
            let (mut at, mut ends) = (Some(first), false);
            while let Some(i) = at {
                if is_barrier(&i) {
                    ends = true;
                    break;
                }
                inside.insert(i);
                at = i.next();
            }
            let block = first.block().expect("an instruction is in a block");
            let next = if ends { Vec::new() } else { block.successors() };
            work.extend(next.into_iter().filter(|block| seen.insert(*block)).filter_map(Block::first));
        }
        found.push(inside);
    }
    found
}

/// The conditions under which accesses that need something only sometimes need nothing.
pub fn quiet(module: &Module, kernel: Function, needs: &HashMap<(Value, Access), Need>) -> Vec<Value> {
    let words: HashSet<Value> = needs
        .values()
        .filter_map(|need| if let Need::If(word) = need { Some(*word) } else { None })
        .collect();
    // In the order of the entry, so that code is the same each time.
    let inside = kernel.entry().instructions().into_iter().filter(|i| words.contains(i)).collect::<Vec<_>>();
    let is_zero = |word: Value| {
        let b = llvm::Builder::before(module.context(), word.next().expect("it is no terminator"));
        b.icmp(IntPredicate::LLVMIntEQ, word, b.i64(0), "")
    };
    inside.into_iter().map(is_zero).collect()
}

/// The accesses to memory that several work-items may reach.
pub fn shared(
    module: &Module,
    kernel: Function,
    provenance: &mut Provenance<'_>,
    is_shared: impl Fn(&MemoryAccess, Option<&[(Value, Root)]>) -> bool,
) -> Vec<Shared> {
    accesses::all(module, kernel)
        .into_iter()
        .map(|access| Shared { roots: provenance.roots_of(access.pointer), access })
        .filter(|s| is_shared(&s.access, s.roots.as_deref()))
        .collect()
}
