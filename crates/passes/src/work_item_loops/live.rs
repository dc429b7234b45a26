//! What lives across barriers: values computed in one region and used in another, and private arrays.
//!
//! A *crossing use* is a use in a region that the definition does not dominate there: because the region does not contain
//! the definition (an external use), or because a loop brings control to the use first (an internal one). A value with
//! crossing uses is stored to the live memory right after each definition. Uses that no new definition comes before load it once at
//! the start of the region, others just before the use, where memory holds the newest value.
//!
//! A uniform value has one place for the whole work-group. Where a region both reads and computes it anew, as the counter of a loop
//! with a barrier, a work-item's store would be in the way of the next work-item's load: such a value has a second place, *next*,
//! which the region stores to. The wrapper makes it the value when all work-items have run. So no work-item has to run for the sake
//! of another region's uniform values, but one.
//!
//! Tidying: a value that is cheap to compute from others that are at hand is computed again instead ([`Tidy`]). It is the
//! same value: if `v` is computed from `s`, no path leads from a new definition of `s` to a use of `v` past `v`'s own
//! definition, since `s` dominates `v` and `v` its uses.

use super::regions::{Region, Regions};
use crate::PassError;
use analysis::{Cfg, Dominators, Uniformity};
use ir::{Builtin, attributes};
use llvm::{Block, Builder, Function, Module, Opcode, Type, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Where a value or array is kept.
#[derive(Clone, Copy)]
struct Slot {
    offset: u64,
    /// Kept once per work-group.
    uniform: bool,
    /// The second place of a uniform value that some region both reads and computes.
    next: Option<u64>,
}

/// The layout of the live memory.
pub struct LiveMemory {
    slots: HashMap<Value, Slot>,
    item: Area,
    group: Area,
    /// For each region, the types and places of the uniform values that it reads and computes.
    renewed: Vec<Vec<Renewed>>,
}

/// A uniform value that a region reads and computes.
struct Renewed {
    ty: Type,
    now: u64,
    next: u64,
}

/// The two blocks of live memory of a running work-group.
#[derive(Clone, Copy)]
pub struct Memory {
    items: Value,
    group: Value,
}

/// A struct that grows field by field.
#[derive(Default)]
struct Area {
    size: u64,
    align: u64,
}

impl Area {
    fn add(&mut self, size: u64, align: u64) -> u64 {
        let offset = self.size.next_multiple_of(align);
        self.size = offset + size;
        self.align = self.align.max(align);
        offset
    }

    fn padded(&self) -> u64 {
        self.size.next_multiple_of(self.align.max(1))
    }

    /// What alignments over that of work-group memory cost.
    fn slack(&self) -> u64 {
        if self.align > 128 { self.align } else { 0 }
    }
}

impl LiveMemory {
    pub fn usage(&self) -> attributes::LiveMemory {
        let per_group = self.group.padded() + self.group.slack() + self.item.slack();
        attributes::LiveMemory { per_item: self.item.padded(), per_group }
    }

    /// A place for the number of a work-item's next region.
    pub fn add_next(&mut self) -> u64 {
        self.item.add(4, 4)
    }

    /// Takes the memory at the start of the wrapper, for as many calls of a region as `calls` says.
    pub fn allocate(&self, module: &Module, b: &Builder, calls: impl FnOnce() -> Value) -> Memory {
        let size = module.size_type();
        let alloc = |area: &Area, bytes: Value, name: &str| {
            let bytes = b.add(bytes, size.const_int(area.slack()), "");
            let memory = b.call(Builtin::AllocWorkGroupMemory.declare(module), &[bytes], name);
            if area.slack() == 0 {
                return memory;
            }
            let address = b.cast(Opcode::LLVMPtrToInt, memory, size, "");
            let up = b.add(address, size.const_int(area.slack() - 1), "");
            let aligned = b.and(up, size.const_signed(-(area.align as i64)), "");
            b.gep(module.context().i8(), memory, &[b.sub(aligned, address, "")], name)
        };
        let mut memory =
            Memory { items: module.context().ptr(0).zero(), group: module.context().ptr(0).zero() };
        if self.item.size > 0 {
            let all = b.mul(calls(), size.const_int(self.item.padded()), "");
            memory.items = alloc(&self.item, all, "live.items");
        }
        if self.group.size > 0 {
            memory.group = alloc(&self.group, size.const_int(self.group.padded()), "live.group");
        }
        memory
    }

    /// Before the loops over a region: unless it computes a value anew, that stays what it is.
    pub fn begin(&self, module: &Module, b: &Builder, memory: Memory, region: usize) {
        for Renewed { ty, now, next } in &self.renewed[region] {
            self.copy(module, b, memory, *ty, *now, *next);
        }
    }

    /// After the loops over a region: what it computed becomes the value.
    pub fn end(&self, module: &Module, b: &Builder, memory: Memory, region: usize) {
        for Renewed { ty, now, next } in &self.renewed[region] {
            self.copy(module, b, memory, *ty, *next, *now);
        }
    }

    fn copy(&self, module: &Module, b: &Builder, memory: Memory, ty: Type, from: u64, to: u64) {
        let place = |offset: u64| {
            b.gep(module.context().i8(), memory.group, &[module.size_type().const_int(offset)], "")
        };
        let value = b.load(ty, place(from), "");
        b.store(value, place(to));
    }

    /// The argument of a region that is for the work-group.
    pub fn group_argument(&self, memory: Memory) -> Value {
        memory.group
    }

    /// The two live-memory arguments of a region, for one work-item.
    pub fn arguments(&self, b: &Builder, memory: Memory, item: Value) -> [Value; 2] {
        let context = b.context();
        let at = if self.item.size == 0 {
            memory.items
        } else {
            let offset = b.mul_nowrap(item, item.ty().const_int(self.item.padded()), "");
            b.gep(context.i8(), memory.items, &[offset], "live.item")
        };
        [at, memory.group]
    }
}

/// A use in a region's function of a value of the kernel that is not at hand there.
struct Crossing {
    user: Value,
    operand: u32,
    /// The kernel's instruction.
    value: Value,
}

/// Finds what crosses barriers, lays out the live memory and makes the regions use it. Without `uniformity`, every work-item has its own
/// of everything.
pub fn connect(
    module: &Module,
    regions: &mut Regions,
    uniformity: Option<&Uniformity>,
    debug: bool,
) -> Result<LiveMemory, PassError> {
    let crossings: Vec<Vec<Crossing>> = regions.functions.iter().map(find_crossings).collect();
    let arrays = crossing_allocas(regions, debug)?;

    let in_order = regions.kernel.instructions();
    let wanted: HashSet<Value> = crossings.iter().flatten().map(|c| c.value).collect();
    let mut tidy = Tidy { module, kept: HashSet::new(), arrays: &arrays };
    for &value in in_order.iter().filter(|v| wanted.contains(v) && !arrays.contains(v)) {
        tidy.keep_or_rematerialize(value);
    }
    let kept = tidy.kept;
    let rewritten = rewritten_values(regions, &crossings, &kept);

    let mut live = LiveMemory {
        slots: HashMap::new(),
        item: Area::default(),
        group: Area::default(),
        renewed: rewritten.iter().map(|_| Vec::new()).collect(),
    };
    for &value in in_order.iter().filter(|v| arrays.contains(v) || kept.contains(v)) {
        let is_array = arrays.contains(&value);
        let ty = if is_array { value.allocated_type() } else { value.ty() };
        if !ty.is_sized() || ty.is_scalable_vector() {
            return Err(PassError::at(value, "a value of this type cannot live across a barrier"));
        }
        if value.called_function().is_some_and(|f| f.name().starts_with("llvm.stacksave")) {
            return Err(PassError::at(value, "the stack pointer cannot live across a barrier"));
        }
        let align = module.align_of(ty).max(if is_array { value.alignment() } else { 1 });
        let count = if is_array { array_len(value).unwrap_or(1) } else { 1 };
        let uniform = !is_array && uniformity.is_some_and(|u| u.is_uniform(value));
        let area = if uniform { &mut live.group } else { &mut live.item };
        let mut place = || area.add(module.size_of(ty) * count, u64::from(align));
        let offset = place();
        let next = (uniform && rewritten.iter().any(|r| r.contains(&value))).then(place);
        live.slots.insert(value, Slot { offset, uniform, next });
        if let Some(next) = next {
            for (renewed, _) in live.renewed.iter_mut().zip(&rewritten).filter(|(_, r)| r.contains(&value)) {
                renewed.push(Renewed { ty, now: offset, next });
            }
        }
    }

    let may_hold_pointers = !arrays.is_empty() || kept.iter().any(|v| holds_pointer(v.ty()));
    for (r, (region, crossings)) in regions.functions.iter().zip(crossings).enumerate() {
        let rewritten = &rewritten[r];
        for i in (0..region.function.params().len() as u32).filter(|_| may_hold_pointers) {
            region.function.remove_param_flag(i, "nocapture");
            // A pointer from the live memory may point to what a parameter points to. Region 0 only puts them there.
            if r > 0 {
                region.function.remove_param_flag(i, "noalias");
            }
        }
        if live.group.size > 0 {
            // No pointer of the kernel's leads there: what it stores does not change what the work-group keeps.
            region.function.set_param_flag(region.function.params().len() as u32 - 1, "noalias");
        }
        let mut materializer = Materializer::new(module, region, &live.slots, rewritten, &arrays);
        materializer.drop_lifetime_markers(&in_order);
        materializer.replace_arrays(&in_order, debug);
        materializer.store_definitions(&in_order);
        for crossing in crossings {
            materializer.mend(&crossing);
        }
        materializer.dead.into_iter().for_each(Value::erase);
        if debug && r > 0 {
            keep_debug_records(module, region);
        }
        region.function.remove_unreachable_blocks();
    }
    Ok(live)
}

/// For each region, the kept values that it computes as well as reads from the live memory, directly or to compute others.
fn rewritten_values(
    regions: &Regions,
    crossings: &[Vec<Crossing>],
    kept: &HashSet<Value>,
) -> Vec<HashSet<Value>> {
    let of_region = |(region, crossings): (&Region, &Vec<Crossing>)| {
        let mut found = HashSet::new();
        let mut work: Vec<Value> = crossings.iter().map(|c| c.value).collect();
        let mut seen = HashSet::new();
        while let Some(value) = work.pop() {
            if !value.is_instruction() || !seen.insert(value) {
                continue;
            }
            if !kept.contains(&value) {
                work.extend(value.operands());
            } else if region.computes(value) {
                found.insert(value);
            }
        }
        found
    };
    regions.functions.iter().zip(crossings).map(of_region).collect()
}

fn holds_pointer(ty: Type) -> bool {
    if ty.is_struct() {
        ty.struct_fields().into_iter().any(holds_pointer)
    } else if ty.is_array() || ty.is_vector() {
        holds_pointer(ty.element())
    } else {
        ty.is_ptr()
    }
}

/// Declarations of source variables hold everywhere: those in blocks that the region does not run move to its start.
fn keep_debug_records(module: &Module, region: &Region) {
    let unreached: Vec<Block> =
        region.function.blocks().into_iter().filter(|b| !region.reached.contains(b)).collect();
    for &block in &unreached {
        for phi in block.phis() {
            phi.replace_all_uses_with(phi.ty().poison());
            phi.erase();
        }
    }
    let mut entry_end = region.function.entry().terminator().expect("the entry is complete");
    for block in unreached {
        let terminator = block.terminator().expect("the block is complete");
        // Records stand before an instruction, and go to the next one when it goes.
        for instruction in block.instructions().into_iter().filter(|i| *i != terminator) {
            if !instruction.ty().is_void() {
                instruction.replace_all_uses_with(instruction.ty().poison());
            }
            instruction.erase();
        }
        // The block after a barrier, which has no PHIs.
        let start = entry_end.successors()[0];
        for successor in terminator.successors() {
            successor.remove_predecessor(block);
        }
        terminator.erase();
        // Without a source line, since nothing of the block runs.
        let branch = Builder::at_end(module.context(), block).br(start);
        entry_end.set_successor(0, block);
        entry_end = branch;
    }
}

fn find_crossings(region: &Region) -> Vec<Crossing> {
    let original: HashMap<Value, Value> = region.map.iter().map(|(old, new)| (*new, *old)).collect();
    let dominators = Dominators::of(Rc::new(Cfg::of(region.function)));
    let cfg = dominators.cfg();
    let mut found = Vec::new();
    for block in &cfg.blocks {
        for user in block.instructions() {
            for operand in 0..user.num_operands() {
                let def = user.operand(operand);
                if !def.is_instruction() || is_lifetime_marker(user) {
                    continue;
                }
                if user.is_phi() {
                    let (_, from) = user.incoming()[operand as usize];
                    // The edge is gone with its block.
                    if cfg.number(from).is_none() {
                        continue;
                    }
                }
                if !dominators.dominates_use(def, user, operand)
                    && let Some(&value) = original.get(&def)
                {
                    found.push(Crossing { user, operand, value });
                }
            }
        }
    }
    found
}

/// The private arrays whose contents must outlive a barrier: all but those that only region 0 touches.
fn crossing_allocas(regions: &Regions, debug: bool) -> Result<HashSet<Value>, PassError> {
    let first = regions.blocks(0);
    let later: HashSet<Block> = (1..regions.len()).flat_map(|r| regions.blocks(r)).collect();
    let mut found = HashSet::new();
    for alloca in regions.kernel.instructions().into_iter().filter(|i| i.is_alloca()) {
        if array_len(alloca).is_none() {
            return Err(PassError::at(
                alloca,
                "a private array of variable size cannot be in a kernel with barriers",
            ));
        }
        let only_in_first = |block: Block| first.contains(&block) && !later.contains(&block);
        if (debug && alloca.has_debug_declare()) || !stays_within(alloca, &only_in_first) {
            found.insert(alloca);
        }
    }
    Ok(found)
}

/// How many elements an alloca has, if that is a constant.
fn array_len(alloca: Value) -> Option<u64> {
    alloca.operand(0).as_const_int()
}

/// Whether all uses of an address, and of addresses computed from it, are loads, stores and copies in blocks that `inside`
/// allows, and none gives the address away.
fn stays_within(address: Value, inside: &impl Fn(Block) -> bool) -> bool {
    address.users().into_iter().all(|user| {
        let Some(block) = user.block() else { return false };
        if !inside(block) {
            return is_lifetime_marker(user);
        }
        match user.opcode() {
            Some(Opcode::LLVMLoad) => true,
            Some(Opcode::LLVMStore) => user.operand(0) != address,
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast) => {
                stays_within(user, inside)
            }
            Some(Opcode::LLVMICmp) => true,
            Some(Opcode::LLVMCall) => user.called_function().is_some_and(|f| {
                let name = f.name();
                name.starts_with("llvm.lifetime.") || name.starts_with("llvm.mem")
            }),
            _ => false,
        }
    })
}

fn is_lifetime_marker(instruction: Value) -> bool {
    instruction.called_function().is_some_and(|f| f.name().starts_with("llvm.lifetime."))
}

/// Decides what is kept and what is computed again.
struct Tidy<'a> {
    module: &'a Module,
    kept: HashSet<Value>,
    arrays: &'a HashSet<Value>,
}

/// How deep a computation may be to be done again.
const MAX_DEPTH: u32 = 6;

impl Tidy<'_> {
    fn keep_or_rematerialize(&mut self, value: Value) {
        if self.kept.contains(&value) || self.is_cheap(value, MAX_DEPTH) {
            return;
        }
        // A narrow value is kept instead of the wide one that was made from it.
        match self.narrower_source(value) {
            Some(source) if source.is_instruction() => self.keep_or_rematerialize(source),
            Some(_) => {}
            None => {
                self.kept.insert(value);
            }
        }
    }

    fn is_available(&self, value: Value, depth: u32) -> bool {
        !value.is_instruction()
            || self.kept.contains(&value)
            || self.arrays.contains(&value)
            || (depth > 0 && self.is_cheap(value, depth - 1))
    }

    /// Whether the value can be computed from what is at hand in every region, at little cost.
    fn is_cheap(&self, value: Value, depth: u32) -> bool {
        is_recomputable(value) && value.operands().all(|operand| self.is_available(operand, depth))
    }

    /// The operand of a cast that loses nothing, or of a splat: to keep it is to keep the value.
    fn narrower_source(&self, value: Value) -> Option<Value> {
        match value.opcode()? {
            Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMFPExt => Some(value.operand(0)),
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => Some(value.operand(0)),
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr => {
                let same = self.module.size_of(value.ty()) == self.module.size_of(value.operand(0).ty());
                same.then(|| value.operand(0))
            }
            Opcode::LLVMShuffleVector => splatted(value),
            _ => None,
        }
    }
}

/// The scalar that fills all lanes of this vector.
pub fn splatted(shuffle: Value) -> Option<Value> {
    if shuffle.opcode() != Some(Opcode::LLVMShuffleVector) {
        return None;
    }
    let is_splat = shuffle.shuffle_mask().iter().all(|&lane| lane == 0);
    let source = shuffle.operand(0);
    let inserted = source.opcode() == Some(Opcode::LLVMInsertElement)
        && source.operand(0).is_undef_or_poison()
        && source.operand(2).is_zero();
    (is_splat && inserted && shuffle.operand(1).is_undef_or_poison()).then(|| source.operand(1))
}

/// Instructions that give the same result whenever they run, and cost about as much as a load.
fn is_recomputable(value: Value) -> bool {
    use Opcode::*;
    match value.opcode() {
        Some(LLVMCall) => Builtin::called_by(value).is_some_and(Builtin::is_rematerializable),
        Some(
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor
            | LLVMICmp | LLVMGetElementPtr | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPExt | LLVMFPTrunc
            | LLVMBitCast | LLVMAddrSpaceCast | LLVMPtrToInt | LLVMIntToPtr | LLVMUIToFP | LLVMSIToFP
            | LLVMInsertElement,
        ) => true,
        Some(LLVMShuffleVector) => splatted(value).is_some(),
        _ => false,
    }
}

/// Makes one region's function load, store and compute what crosses barriers.
struct Materializer<'a> {
    module: &'a Module,
    region: &'a Region,
    slots: &'a HashMap<Value, Slot>,
    /// The values that this region reads and computes.
    rewritten: &'a HashSet<Value>,
    arrays: &'a HashSet<Value>,
    /// Of the region.
    cfg: Cfg,
    /// The values whose next place each work-item sets at its start, since it may read it before it computes them.
    restarted: HashSet<Value>,
    /// Inserts at the start of the region.
    at_start: Value,
    /// What was made there already, by the kernel's instruction.
    ready: HashMap<Value, Value>,
    /// What was made at the end of a block for the PHIs after it.
    at_end: HashMap<(Block, Value), Value>,
    /// Instructions to erase when all is done, since others are inserted before them.
    dead: Vec<Value>,
}

impl<'a> Materializer<'a> {
    fn new(
        module: &'a Module,
        region: &'a Region,
        slots: &'a HashMap<Value, Slot>,
        rewritten: &'a HashSet<Value>,
        arrays: &'a HashSet<Value>,
    ) -> Self {
        let entry = region.function.entry().instructions();
        let at_start = entry.into_iter().find(|i| !i.is_alloca()).expect("the entry has a terminator");
        Materializer {
            module,
            region,
            slots,
            rewritten,
            arrays,
            cfg: Cfg::of(region.function),
            restarted: HashSet::new(),
            at_start,
            ready: HashMap::new(),
            at_end: HashMap::new(),
            dead: Vec::new(),
        }
    }

    fn builder(&self, before: Value) -> Builder {
        Builder::before(self.module.context(), before)
    }

    /// The live memory's two parameters are the last ones.
    fn base(&self, uniform: bool) -> Value {
        let f: Function = self.region.function;
        let n = f.params().len() as u32;
        f.param(if uniform { n - 1 } else { n - 2 })
    }

    /// Where a value or array is: what it was at the start of the region, or what the region has made of it.
    fn slot_address(&self, b: &Builder, value: Value, renewed: bool, name: &str) -> Value {
        let slot = self.slots[&value];
        let next = slot.next.filter(|_| renewed && self.rewritten.contains(&value));
        let offset = self.module.size_type().const_int(next.unwrap_or(slot.offset));
        b.gep(self.module.context().i8(), self.base(slot.uniform), &[offset], name)
    }

    /// The live memory lives as long as the work-group, and an alloca that this region has no need of not at all.
    fn drop_lifetime_markers(&mut self, in_order: &[Value]) {
        for &alloca in in_order.iter().filter(|v| v.is_alloca()) {
            if self.arrays.contains(&alloca) || !self.region.computes(alloca) {
                let users = self.region.map[&alloca].users();
                self.dead.extend(users.into_iter().filter(|u| is_lifetime_marker(*u)));
            }
        }
    }

    /// Puts the arrays into the live memory.
    fn replace_arrays(&mut self, in_order: &[Value], debug: bool) {
        let b = self.builder(self.at_start);
        let mut debug_slot = None;
        for &array in in_order.iter().filter(|v| self.arrays.contains(v)) {
            let slot = self.slots[&array];
            let copy = self.region.map[&array];
            // Built even if no use is left in this region: the optimizer drops it.
            let mut address = self.slot_address(&b, array, false, &array.name());
            if copy.ty() != address.ty() {
                address = b.address_space_cast(address, copy.ty(), "");
            }
            self.ready.insert(array, address);
            if debug && copy.has_debug_declare() {
                // A debugger follows the address on the stack; a register would not keep it.
                let base = *debug_slot.get_or_insert_with(|| {
                    let slot = b.alloca(self.module.context().ptr(0), 0, "live.debug");
                    b.store(self.base(false), slot);
                    slot
                });
                copy.move_debug_declare(base, true, slot.offset as i32);
            }
            copy.replace_all_uses_with(address);
            self.dead.push(copy);
        }
    }

    /// Stores each kept value after its definition, if this region computes it.
    fn store_definitions(&self, in_order: &[Value]) {
        for &value in in_order.iter().filter(|v| self.slots.contains_key(v) && !self.arrays.contains(v)) {
            if !self.region.computes(value) {
                continue;
            }
            let copy = self.region.map[&value];
            let block = copy.block().expect("the region computes it");
            let before = if copy.is_phi() { block.first_non_phi() } else { copy.next() }
                .expect("a block has a terminator");
            let b = self.builder(before);
            let address = self.slot_address(&b, value, true, "");
            b.store(copy, address);
        }
    }

    fn mend(&mut self, crossing: &Crossing) {
        if self.arrays.contains(&crossing.value) {
            // Its uses were replaced with the array.
            return;
        }
        // A PHI reads its operand at the end of the block it comes from.
        let from = crossing.user.is_phi().then(|| crossing.user.incoming()[crossing.operand as usize].1);
        let place = from.or(crossing.user.block()).expect("the user is in a block");
        let new = if !self.is_renewed_before(crossing.value, place) {
            let b = self.builder(self.at_start);
            let mut ready = std::mem::take(&mut self.ready);
            let new = self.compute(&b, crossing.value, None, &mut ready);
            self.ready = ready;
            new
        } else if let Some(from) = from {
            // A PHI may have several edges from one block, and then wants one value for all of them.
            let key = (from, crossing.value);
            if let Some(&known) = self.at_end.get(&key) {
                known
            } else {
                let b = self.builder(from.terminator().expect("a block has a terminator"));
                let new = self.compute(&b, crossing.value, Some(place), &mut HashMap::new());
                self.at_end.insert(key, new);
                new
            }
        } else {
            let b = self.builder(crossing.user);
            self.compute(&b, crossing.value, Some(place), &mut HashMap::new())
        };
        crossing.user.set_operand(crossing.operand, new);
    }

    /// Whether the value, or one it is computed from, may be stored anew before this block is left. (Within a block, what comes
    /// before a use dominates it, and is no crossing.)
    fn is_renewed_before(&self, value: Value, block: Block) -> bool {
        if self.arrays.contains(&value) || !value.is_instruction() {
            return false;
        }
        if self.slots.contains_key(&value) {
            let computed = self.region.map[&value].block().filter(|b| self.region.reached.contains(b));
            return computed.is_some_and(|from| leads(&self.cfg, from, block));
        }
        value.operands().any(|operand| self.is_renewed_before(operand, block))
    }

    /// Loads the value or computes it again, at the builder's place, which is in a block or at the start of the region.
    fn compute(
        &mut self,
        b: &Builder,
        value: Value,
        place: Option<Block>,
        ready: &mut HashMap<Value, Value>,
    ) -> Value {
        if !value.is_instruction() {
            return self.region.map.get(&value).copied().unwrap_or(value);
        }
        let renewed = place.is_some_and(|block| self.is_renewed_before(value, block));
        if let Some(&known) = ready.get(&value).or_else(|| self.ready.get(&value).filter(|_| !renewed)) {
            return known;
        }
        let new = if self.slots.contains_key(&value) {
            if renewed {
                self.restart(value);
            }
            let address = self.slot_address(b, value, renewed, "");
            b.load(value.ty(), address, &value.name())
        } else {
            let operands: Vec<Value> =
                value.operands().map(|operand| self.compute(b, operand, place, ready)).collect();
            // Of the region's copy, whose source location is the region's.
            let copy = self.region.map[&value].clone_instruction();
            for (i, operand) in operands.into_iter().enumerate() {
                copy.set_operand(i as u32, operand);
            }
            b.insert(copy, &value.name())
        };
        ready.insert(value, new);
        new
    }

    /// A work-item that reads the next place must not find what the one before it computed.
    fn restart(&mut self, value: Value) {
        if self.slots[&value].next.is_some()
            && self.rewritten.contains(&value)
            && self.restarted.insert(value)
        {
            let b = self.builder(self.at_start);
            let old = b.load(value.ty(), self.slot_address(&b, value, false, ""), &value.name());
            b.store(old, self.slot_address(&b, value, true, ""));
        }
    }
}

/// Whether a path of at least one step goes from one block to another.
fn leads(cfg: &Cfg, from: Block, to: Block) -> bool {
    let (Some(from), Some(to)) = (cfg.number(from), cfg.number(to)) else { return false };
    let mut seen = vec![false; cfg.blocks.len()];
    let mut stack = cfg.succs[from].clone();
    while let Some(block) = stack.pop() {
        if block == to {
            return true;
        }
        if !std::mem::replace(&mut seen[block], true) {
            stack.extend(cfg.succs[block].iter().copied());
        }
    }
    false
}
