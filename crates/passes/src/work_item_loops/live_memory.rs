//! The live memory of a work-group: where the values that are live across barriers are stored.
//!
//! It is two blocks: one with a struct per work-item (or per call of a vector version), and one
//! with a struct for the work-group, for uniform values. The wrapper allocates both, and passes
//! each region the address of its work-item's struct and of the group's.
//!
//! Scalable vectors lie at the end of a struct, whose size then depends on `vscale`. Their offsets
//! there are those of vectors with a `vscale` of 1, times the actual one.

use ir::{Builtin, attributes};
use llvm::{Builder, Module, Opcode, Type, Value};
use std::collections::HashMap;

/// The slot of a value or array in the live memory.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) offset: u64,
    /// The offset is in the scalable part of the struct, and counts times `vscale`.
    pub(super) scalable: bool,
    /// One slot for the work-group, instead of one per work-item.
    pub(super) uniform: bool,
    /// The second slot of a uniform value that some region both loads and stores.
    pub(super) next: Option<u64>,
}

/// The layout of the live memory.
pub struct LiveMemory {
    pub(super) slots: HashMap<Value, Slot>,
    pub(super) item: Area,
    /// The scalable part of a work-item's struct, where `vscale` is 1.
    pub(super) scalable: Area,
    pub(super) group: Area,
    /// The same of the group's struct: arrays that all work-items share.
    pub(super) scalable_group: Area,
    /// The offset of the number of a work-item's next region in its struct, if sub-groups take
    /// turns or work-items may leave.
    pub(super) next: Option<u64>,
    /// For each region, the uniform values that it both loads and stores.
    pub(super) renewed: Vec<Vec<Renewed>>,
}

/// The type that a value has in memory. Scalable vectors of masks, and of integers of 24 bits and
/// the like, have no layout in memory on all CPUs: they are kept in the next wider elements.
pub(super) fn stored_type(ty: Type) -> Type {
    let element = ty.scalar();
    if !ty.is_scalable_vector() || !element.is_int() {
        return ty;
    }
    element.context_int(element.int_bits().next_power_of_two().max(8)).vector(ty.width())
}

/// A uniform value that a region both loads and stores: its type and its two offsets.
pub(super) struct Renewed {
    pub(super) ty: Type,
    pub(super) now: u64,
    pub(super) next: u64,
}

/// The two blocks of live memory of a running work-group.
#[derive(Clone, Copy)]
pub struct Memory {
    items: Value,
    group: Value,
}

/// A struct that grows field by field.
#[derive(Default)]
pub(super) struct Area {
    pub(super) size: u64,
    align: u64,
}

impl Area {
    pub(super) fn add(&mut self, size: u64, align: u64) -> u64 {
        let offset = self.size.next_multiple_of(align);
        self.size = offset + size;
        self.align = self.align.max(align);
        offset
    }

    fn padded(&self) -> u64 {
        self.size.next_multiple_of(self.align.max(1))
    }

    /// The size of this part of a struct, which another one follows.
    fn before(&self, next: &Area) -> u64 {
        self.size.next_multiple_of(self.align.max(next.align).max(1))
    }

    /// The bytes lost to an alignment above that of work-group memory.
    fn slack(&self) -> u64 {
        if self.align > ir::WORK_GROUP_MEMORY_ALIGN { self.align } else { 0 }
    }
}

impl LiveMemory {
    pub fn usage(&self) -> attributes::LiveMemory {
        let per_group = self.fixed_group() + self.group.slack() + self.item.slack();
        attributes::LiveMemory {
            per_item: self.fixed_item(),
            per_group,
            scalable_per_item: self.scalable.padded(),
            scalable_per_group: self.scalable_group.padded(),
        }
    }

    /// The size of the fixed part of a work-item's struct: the scalable part begins there.
    pub(super) fn fixed_item(&self) -> u64 {
        self.item.before(&self.scalable)
    }

    /// The size of the fixed part of the group's struct.
    pub(super) fn fixed_group(&self) -> u64 {
        self.group.before(&self.scalable_group)
    }

    /// The distance in bytes of a slot from the start of its struct, the group's if it is uniform.
    /// In the scalable part `at` counts times `vscale`.
    pub(super) fn offset(
        &self,
        module: &Module,
        b: &Builder,
        at: u64,
        scalable: bool,
        uniform: bool,
    ) -> Value {
        let size = module.size_type();
        let at = size.const_int(at);
        if !scalable {
            return at;
        }
        let fixed = if uniform { self.fixed_group() } else { self.fixed_item() };
        b.add(b.mul(module.vscale(b, size), at, ""), size.const_int(fixed), "")
    }

    /// The bytes of a struct with both parts.
    fn bytes(module: &Module, b: &Builder, fixed: u64, scalable: &Area) -> Value {
        let size = module.size_type();
        if scalable.size == 0 {
            return size.const_int(fixed);
        }
        let scaled = b.mul(module.vscale(b, size), size.const_int(scalable.padded()), "");
        b.add(scaled, size.const_int(fixed), "")
    }

    /// Allocates the memory at the start of the wrapper, for `calls` calls of a region.
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
        if self.item.size + self.scalable.size > 0 {
            let own = Self::bytes(module, b, self.fixed_item(), &self.scalable);
            memory.items = alloc(&self.item, b.mul(calls(), own, ""), "live.items");
        }
        if self.group.size + self.scalable_group.size > 0 {
            let all = Self::bytes(module, b, self.fixed_group(), &self.scalable_group);
            memory.group = alloc(&self.group, all, "live.group");
        }
        memory
    }

    /// Before the loops over a region: the *next* slots start with the current values, since a
    /// region need not store.
    pub fn begin(&self, module: &Module, b: &Builder, memory: Memory, region: usize) {
        for Renewed { ty, now, next } in &self.renewed[region] {
            self.copy(module, b, memory, *ty, *now, *next);
        }
    }

    /// After the loops over a region: the *next* slots become the current values.
    pub fn end(&self, module: &Module, b: &Builder, memory: Memory, region: usize) {
        for Renewed { ty, now, next } in &self.renewed[region] {
            self.copy(module, b, memory, *ty, *next, *now);
        }
    }

    fn copy(&self, module: &Module, b: &Builder, memory: Memory, ty: Type, from: u64, to: u64) {
        let place = |at: u64| {
            let offset = self.offset(module, b, at, ty.is_scalable_vector(), true);
            b.gep(module.context().i8(), memory.group, &[offset], "")
        };
        let value = b.load(ty, place(from), "");
        b.store(value, place(to));
    }

    /// The live-memory argument of a region that is shared by the work-group.
    pub fn group_argument(&self, memory: Memory) -> Value {
        memory.group
    }

    /// The two live-memory arguments of a region, for one work-item.
    pub fn arguments(&self, module: &Module, b: &Builder, memory: Memory, item: Value) -> [Value; 2] {
        let context = b.context();
        let at = if self.item.size + self.scalable.size == 0 {
            memory.items
        } else {
            let own = Self::bytes(module, b, self.fixed_item(), &self.scalable);
            let offset = b.mul_nowrap(item, own, "");
            b.gep(context.i8(), memory.items, &[offset], "live.item")
        };
        [at, memory.group]
    }
}
