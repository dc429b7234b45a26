//! Interleave groups: loads or stores of one block that are done together as fields of records.
//!
//! Accesses whose addresses differ by constants are *fields* of records, one record per lane:
//! `p[i].x` and `p[i].y`, or the scalarized `float4 v = p[i]`. Contiguous (*dense*) records are
//! read by wide loads and deinterleaved by shuffles; records at arbitrary addresses are loaded
//! whole, one per lane. In scalable vectors there are groups of whole dense records only, where the
//! backend has code for them ([`MemoryOps::has_records`]). The loads of a group are done at its
//! first member and the stores at its last one: no instruction in between may access the memory.

use crate::memory::{MemoryOps, is_word};
use crate::shape::{Shape, Shapes};
use ir::Builtin;
use ir::address_space::PRIVATE;
use llvm::{Block, Module, Opcode, Type, Value, Width};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The most fields of dense records.
const MOST_FIELDS: i64 = 8;

/// The most bytes of records at arbitrary addresses.
pub const MOST_BYTES: i64 = 16;

/// Loads or stores that are done together; LLVM's loop vectorizer calls it `InterleaveGroup`, too.
#[derive(Debug)]
pub struct InterleaveGroup {
    /// The address of offset 0.
    pub root: Value,
    /// Each access with its offset in bytes, in the order of the block.
    pub members: Vec<(Value, i64)>,
    /// The type of the first member; others have the same size.
    pub element: Type,
    pub size: i64,
    pub is_store: bool,
    /// The lanes' records are contiguous and short.
    pub dense: bool,
}

impl InterleaveGroup {
    pub fn first_offset(&self) -> i64 {
        self.members.iter().map(|m| m.1).min().expect("a group is not empty")
    }

    pub fn last_offset(&self) -> i64 {
        self.members.iter().map(|m| m.1).max().expect("a group is not empty")
    }

    /// The number of the field at an offset.
    pub fn field(&self, offset: i64) -> u32 {
        ((offset - self.first_offset()) / self.size) as u32
    }

    pub fn align(&self) -> u32 {
        self.members
            .iter()
            .map(|m| m.0.alignment())
            .min()
            .expect("a group is not empty")
            .min(self.size as u32)
    }

    /// The member at which the whole group is done.
    pub fn leader(&self) -> Value {
        let members = &self.members;
        if self.is_store { members[members.len() - 1].0 } else { members[0].0 }
    }

    /// The length of a record, in elements.
    pub fn fields(&self, shape: Shape) -> u32 {
        match shape {
            Shape::Strided(stride) if self.dense => (stride.abs() / self.size) as u32,
            _ => self.field(self.last_offset()) + 1,
        }
    }

    /// Whether the group is possible, and better than single accesses.
    fn pays(&self, shape: Shape) -> bool {
        let complete = self.members.len() as u32 == self.fields(shape);
        match (self.dense, self.is_store) {
            (true, is_store) => complete || !is_store,
            (false, true) => complete && [2, 4].contains(&self.members.len()),
            (false, false) => self.members.len() > 1,
        }
    }

    /// Whether the group is possible in scalable vectors: all fields of dense records. Missing ones
    /// may be read if the alignment says that they are in the same page.
    fn pays_scalable(&self, shape: Shape, memory: &dyn MemoryOps, width: Width) -> bool {
        let (fields, size) = (self.fields(shape), self.size as u32);
        let complete = self.members.iter().map(|m| m.1).collect::<HashSet<_>>().len() as u32 == fields;
        let whole = complete || !self.is_store && self.start_align() >= fields * size;
        let word = self.element.is_int() && is_word(size, fields) && self.start_align() >= fields * size;
        let forwards = matches!(shape, Shape::Strided(stride) if stride > 0);
        let code = word || self.align() >= size && memory.has_records(size, fields, width);
        self.dense && forwards && whole && code
    }

    /// The alignment of the first field.
    pub fn start_align(&self) -> u32 {
        let first = self.first_offset();
        let aligns = self.members.iter().filter(|m| m.1 == first).map(|m| m.0.alignment());
        aligns.max().expect("a group is not empty")
    }

    /// Whether an access at this offset can be a field of the same records.
    fn takes(&self, shape: Shape, root: Value, offset: i64, size: i64) -> bool {
        let (first, last) = (self.first_offset().min(offset), self.last_offset().max(offset));
        let most = match shape {
            Shape::Strided(stride) if self.dense => stride.abs(),
            _ => MOST_BYTES,
        };
        let twice = self.is_store && self.members.iter().any(|m| m.1 == offset);
        let even = (offset - self.first_offset()) % size == 0;
        self.root == root && self.size == size && even && !twice && last - first + size <= most
    }
}

/// The groups of a block, by their members.
#[derive(Default)]
pub struct InterleaveGroups {
    by_member: HashMap<Value, Rc<InterleaveGroup>>,
}

impl InterleaveGroups {
    pub fn of(
        module: &Module,
        shapes: &Shapes,
        width: Width,
        memory: &dyn MemoryOps,
        block: Block,
    ) -> InterleaveGroups {
        let mut found = InterleaveGroups::default();
        // Records at arbitrary addresses are concatenated to vectors of `width` elements.
        if width.known().is_some_and(|width| !width.is_power_of_two() || width < 4) {
            return found;
        }
        let pays = |group: &InterleaveGroup| {
            let shape = shapes.get(group.root);
            match width.known() {
                Some(width) => group.fields(shape).next_power_of_two() <= width && group.pays(shape),
                None => group.pays_scalable(shape, memory, width),
            }
        };
        let mut open: Vec<InterleaveGroup> = Vec::new();
        for i in block.instructions() {
            let Some(access) = Candidate::of(module, shapes, i) else {
                let reads = i.is_load() && !i.is_atomic() && !i.is_volatile();
                let (stay, close): (Vec<_>, Vec<_>) =
                    open.into_iter().partition(|g| !touches_memory(i) || reads && !g.is_store);
                open = stay;
                close.into_iter().for_each(|group| found.close(group, pays));
                continue;
            };
            let Candidate { root, offset, element, size, shape, dense } = access;
            let is_store = i.is_store();
            let joins = |g: &InterleaveGroup| g.is_store == is_store && g.takes(shape, root, offset, size);
            let own = open.iter().position(joins).map(|n| open.remove(n));
            // A group's stores move down and its loads move up: neither may pass another access,
            // except loads each other.
            let (stay, close) = open.into_iter().partition(|g: &InterleaveGroup| !is_store && !g.is_store);
            open = stay;
            close.into_iter().for_each(|g| found.close(g, pays));
            let mut own = own.unwrap_or_else(|| InterleaveGroup {
                root,
                members: vec![],
                element,
                size,
                is_store,
                dense,
            });
            own.members.push((i, offset));
            open.push(own);
        }
        open.into_iter().for_each(|group| found.close(group, pays));
        found
    }

    pub fn get(&self, access: Value) -> Option<Rc<InterleaveGroup>> {
        self.by_member.get(&access).cloned()
    }

    fn close(&mut self, group: InterleaveGroup, pays: impl Fn(&InterleaveGroup) -> bool) {
        if pays(&group) {
            let group = Rc::new(group);
            self.by_member.extend(group.members.iter().map(|m| (m.0, group.clone())));
        }
    }
}

/// A load or store that may join a group.
struct Candidate {
    root: Value,
    offset: i64,
    element: Type,
    size: i64,
    shape: Shape,
    dense: bool,
}

impl Candidate {
    fn of(module: &Module, shapes: &Shapes, i: Value) -> Option<Candidate> {
        let (address, element) = match i.opcode()? {
            Opcode::LLVMLoad => (i.operand(0), i.ty()),
            Opcode::LLVMStore => (i.operand(1), i.operand(0).ty()),
            _ => return None,
        };
        let plain = element.is_float() || element.is_int() && element.int_is_whole_bytes();
        if !plain || i.is_atomic() || i.is_volatile() {
            return None;
        }
        let (root, offset) = root_of(module, address);
        let (shape, size) = (shapes.get(root), module.size_of(element) as i64);
        let (grouped, dense) = match shape {
            Shape::Uniform => (false, false),
            Shape::Strided(stride) if stride.abs() <= size => (false, false),
            Shape::Strided(stride) => {
                let dense = stride % size == 0 && stride.abs() / size <= MOST_FIELDS;
                // Without dense records, private memory is left alone: other accesses may write it
                // in pieces of another size.
                (dense || address.ty().address_space() != PRIVATE, dense)
            }
            Shape::StridedBy(..) | Shape::Varying => (true, false),
        };
        grouped.then_some(Candidate { root, offset, element, size, shape, dense })
    }
}

/// Whether an instruction other than a plain access may read or write memory.
fn touches_memory(i: Value) -> bool {
    match i.opcode() {
        Some(Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMFence) => true,
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => true,
        Some(Opcode::LLVMCall) => match i.called_function() {
            Some(f) => !f.is_memory_none() && !Builtin::of(f).is_some_and(Builtin::is_work_item_query),
            None => true,
        },
        _ => false,
    }
}

/// Splits an address into a root and a constant offset in bytes.
fn root_of(module: &Module, mut address: Value) -> (Value, i64) {
    let mut offset = 0i64;
    while address.opcode() == Some(Opcode::LLVMGetElementPtr)
        && let Some(bytes) = constant_offset(module, address)
        && let Some(sum) = offset.checked_add(bytes)
    {
        offset = sum;
        address = address.operand(0);
    }
    (address, offset)
}

fn constant_offset(module: &Module, gep: Value) -> Option<i64> {
    let mut ty = gep.gep_source_type();
    let mut offset = 0i64;
    for n in 1..gep.num_operands() {
        let index = gep.operand(n).as_const_signed()?;
        if n > 1 && ty.is_struct() {
            offset = offset.checked_add(module.offset_of(ty, index as u32) as i64)?;
            ty = ty.struct_fields()[index as usize];
            continue;
        }
        if n > 1 {
            ty = ty.element();
        }
        offset = offset.checked_add(index.checked_mul(module.size_of(ty) as i64)?)?;
    }
    Some(offset)
}
