//! Rewrites the function of a barrier region so that values live across barriers go through the
//! live memory; see `live_values.rs` for the rules.

use super::live_memory::{LiveMemory, Slot, stored_type};
use super::live_values::{Crossing, is_lifetime_marker};
use super::regions::Region;
use analysis::Cfg;
use llvm::{Block, Builder, Function, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// Rewrites one region's function: stores definitions, and loads or rematerializes values for
/// crossing uses.
pub struct Materializer<'a> {
    module: &'a Module,
    region: &'a Region,
    live: &'a LiveMemory,
    slots: &'a HashMap<Value, Slot>,
    /// The values that this region both loads and stores.
    rewritten: &'a HashSet<Value>,
    arrays: &'a HashSet<Value>,
    /// The control-flow graph of the region's function.
    cfg: Cfg,
    /// The values whose *next* slot each work-item initializes, since it may load it before it
    /// stores it.
    restarted: HashSet<Value>,
    /// The instruction before which code at the start of the region is inserted.
    at_start: Value,
    /// The values that are loaded or rematerialized at the start already, by the kernel's
    /// instruction.
    ready: HashMap<Value, Value>,
    /// The values at the end of a block for the PHIs of its successors.
    at_end: HashMap<(Block, Value), Value>,
    /// Instructions that are erased at the end, since they are insertion points.
    pub dead: Vec<Value>,
}

impl<'a> Materializer<'a> {
    pub fn new(
        module: &'a Module,
        region: &'a Region,
        live: &'a LiveMemory,
        rewritten: &'a HashSet<Value>,
        arrays: &'a HashSet<Value>,
    ) -> Self {
        let entry = region.function.entry().instructions();
        let at_start = entry.into_iter().find(|i| !i.is_alloca()).expect("the entry has a terminator");
        Materializer {
            module,
            region,
            live,
            slots: &live.slots,
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

    /// The live memory of the work-group or of the work-item: the function's last two parameters.
    fn base(&self, uniform: bool) -> Value {
        let f: Function = self.region.function;
        let n = f.params().len() as u32;
        f.param(if uniform { n - 1 } else { n - 2 })
    }

    /// The address of a value's slot; of the *next* slot if `renewed` and the region has one.
    fn slot_address(&self, b: &Builder, value: Value, renewed: bool, name: &str) -> Value {
        let slot = self.slots[&value];
        let next = slot.next.filter(|_| renewed && self.rewritten.contains(&value));
        let at = next.unwrap_or(slot.offset);
        let offset = self.live.offset(self.module, b, at, slot.scalable, slot.uniform);
        b.gep(self.module.context().i8(), self.base(slot.uniform), &[offset], name)
    }

    /// Drops the lifetime markers of arrays in the live memory, which lives as long as the
    /// work-group, and of allocas that this region does not have.
    pub fn drop_lifetime_markers(&mut self, in_order: &[Value]) {
        for &alloca in in_order.iter().filter(|v| v.is_alloca()) {
            if self.arrays.contains(&alloca) || !self.region.computes(alloca) {
                let users = self.region.map[&alloca].users();
                self.dead.extend(users.into_iter().filter(|u| is_lifetime_marker(*u)));
            }
        }
    }

    /// Replaces the arrays by their slots in the live memory.
    pub fn replace_arrays(&mut self, in_order: &[Value], debug: bool) {
        let b = self.builder(self.at_start);
        let mut debug_slots = [None; 2];
        for &array in in_order.iter().filter(|v| self.arrays.contains(v)) {
            let slot = self.slots[&array];
            let copy = self.region.map[&array];
            // Built even without uses in this region: the optimizer drops it.
            let mut address = self.slot_address(&b, array, false, &array.name());
            if copy.ty() != address.ty() {
                address = b.address_space_cast(address, copy.ty(), "");
            }
            self.ready.insert(array, address);
            if debug && copy.has_debug_declare() {
                // The base address is stored to the stack for debuggers: its register is soon
                // reused.
                let base = *debug_slots[usize::from(slot.uniform)].get_or_insert_with(|| {
                    let place = b.alloca(self.module.context().ptr(0), 0, "live.debug");
                    b.store(self.base(slot.uniform), place);
                    place
                });
                copy.move_debug_declare(base, true, slot.offset as i32);
            }
            copy.replace_all_uses_with(address);
            self.dead.push(copy);
        }
    }

    /// Stores each value with a slot after its definition, if this region computes it.
    pub fn store_definitions(&self, in_order: &[Value]) {
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
            let stored = stored_type(copy.ty());
            let copy = if stored == copy.ty() { copy } else { b.cast(Opcode::LLVMZExt, copy, stored, "") };
            b.store(copy, address);
        }
    }

    /// Makes a crossing use read the value from the live memory, or rematerialize it.
    pub fn mend(&mut self, crossing: &Crossing) {
        if self.arrays.contains(&crossing.value) {
            // Uses of arrays were replaced with the array's slot.
            return;
        }
        // A PHI reads its operand at the end of the incoming block.
        let from = crossing.user.is_phi().then(|| crossing.user.incoming()[crossing.operand as usize].1);
        let place = from.or(crossing.user.block()).expect("the user is in a block");
        let new = if !self.is_renewed_before(crossing.value, place) {
            let b = self.builder(self.at_start);
            let mut ready = std::mem::take(&mut self.ready);
            let new = self.compute(&b, crossing.value, None, &mut ready);
            self.ready = ready;
            new
        } else if let Some(from) = from {
            // A PHI must have the same value for several edges from one block.
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

    /// Whether a store of the value, or of one that it is rematerialized from, may reach the end of
    /// this block. (A definition in the same block before a use dominates it: that is no crossing
    /// use.)
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

    /// Loads or rematerializes the value where the builder is: in block `place`, or at the start of
    /// the region.
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
            let stored = stored_type(value.ty());
            let loaded = b.load(stored, address, &value.name());
            match stored == value.ty() {
                true => loaded,
                false => b.cast(Opcode::LLVMTrunc, loaded, value.ty(), &value.name()),
            }
        } else {
            let operands: Vec<Value> =
                value.operands().map(|operand| self.compute(b, operand, place, ready)).collect();
            // Cloned from the region's copy, for its debug location.
            let copy = self.region.map[&value].clone_instruction();
            for (i, operand) in operands.into_iter().enumerate() {
                copy.set_operand(i as u32, operand);
            }
            b.insert(copy, &value.name())
        };
        ready.insert(value, new);
        new
    }

    /// Initializes the *next* slot at the start of the region: a work-item that loads it before it
    /// stores it must not find the value of the work-item before it.
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

/// Whether a path of at least one edge leads from one block to another.
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
