//! Which loads and stores are done together, and how each is done.
//!
//! Accesses of one block whose addresses differ by constants are *fields* of records, one for each lane: `p[i].x` and `p[i].y`, or what
//! is left of `float4 v = p[i]` when vectors have been split. Records that lie one after the other are read by wide loads and sorted
//! by shuffles; records anywhere are loaded one at a time, but whole. Loads are done where the first of a group is, stores where
//! the last is: nothing in between may touch the memory.

use crate::shape::{Shape, Shapes};
use ir::Builtin;
use ir::address_space::PRIVATE;
use llvm::{Block, Module, Opcode, Type, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// The longest records whose fields are sorted by shuffles.
const MOST_FIELDS: i64 = 8;

/// The longest records that are loaded as a whole from anywhere, in bytes.
const MOST_BYTES: i64 = 16;

/// Accesses that are done together.
#[derive(Debug)]
pub struct Group {
    /// The address of offset 0.
    pub root: Value,
    /// Each access with its offset in bytes, in the order of the block.
    pub members: Vec<(Value, i64)>,
    /// The type of the first member; others have the same size.
    pub element: Type,
    pub size: i64,
    pub is_store: bool,
    /// The lanes' records lie one after the other, and are short.
    pub dense: bool,
}

impl Group {
    pub fn first_offset(&self) -> i64 {
        self.members.iter().map(|m| m.1).min().expect("a group is not empty")
    }

    pub fn last_offset(&self) -> i64 {
        self.members.iter().map(|m| m.1).max().expect("a group is not empty")
    }

    /// The field that an offset is.
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

    /// The member at which all of it is done.
    pub fn leader(&self) -> Value {
        let members = &self.members;
        if self.is_store { members[members.len() - 1].0 } else { members[0].0 }
    }

    /// How long a record is, in elements.
    pub fn fields(&self, shape: Shape) -> u32 {
        match shape {
            Shape::Strided(stride) if self.dense => (stride.abs() / self.size) as u32,
            _ => self.field(self.last_offset()) + 1,
        }
    }

    /// Whether doing it together is possible, and better than one by one.
    fn pays(&self, shape: Shape) -> bool {
        let complete = self.members.len() as u32 == self.fields(shape);
        match (self.dense, self.is_store) {
            (true, is_store) => complete || !is_store,
            (false, true) => complete && [2, 4].contains(&self.members.len()),
            (false, false) => self.members.len() > 1,
        }
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
pub struct Groups {
    by_member: HashMap<Value, Rc<Group>>,
    width: u32,
}

impl Groups {
    pub fn of(module: &Module, shapes: &Shapes, width: u32, block: Block) -> Groups {
        let mut found = Groups { width, ..Groups::default() };
        // Vectors of `width` are filled by whole records.
        if !width.is_power_of_two() || width < 4 {
            return found;
        }
        let mut open: Vec<Group> = Vec::new();
        for i in block.instructions() {
            let Some(access) = Access::of(module, shapes, i) else {
                let reads = i.is_load() && !i.is_atomic() && !i.is_volatile();
                let (stay, close): (Vec<_>, Vec<_>) =
                    open.into_iter().partition(|g| !touches_memory(i) || reads && !g.is_store);
                open = stay;
                close.into_iter().for_each(|group| found.close(shapes, group));
                continue;
            };
            let Access { root, offset, element, size, shape, dense } = access;
            let is_store = i.is_store();
            let joins = |g: &Group| g.is_store == is_store && g.takes(shape, root, offset, size);
            let own = open.iter().position(joins).map(|n| open.remove(n));
            // Stores are done later than where they stand, and loads earlier.
            let (stay, close) = open.into_iter().partition(|g: &Group| !is_store && !g.is_store);
            open = stay;
            close.into_iter().for_each(|g| found.close(shapes, g));
            let mut own =
                own.unwrap_or_else(|| Group { root, members: vec![], element, size, is_store, dense });
            own.members.push((i, offset));
            open.push(own);
        }
        open.into_iter().for_each(|group| found.close(shapes, group));
        found
    }

    pub fn get(&self, access: Value) -> Option<Rc<Group>> {
        self.by_member.get(&access).cloned()
    }

    fn close(&mut self, shapes: &Shapes, group: Group) {
        let shape = shapes.get(group.root);
        let fits = group.fields(shape).next_power_of_two() <= self.width;
        if fits && group.pays(shape) {
            let group = Rc::new(group);
            self.by_member.extend(group.members.iter().map(|m| (m.0, group.clone())));
        }
    }
}

/// A plain load or store that may be in a group.
struct Access {
    root: Value,
    offset: i64,
    element: Type,
    size: i64,
    shape: Shape,
    dense: bool,
}

impl Access {
    fn of(module: &Module, shapes: &Shapes, i: Value) -> Option<Access> {
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
                // A private array is one record, which others may be written in pieces of another size.
                (dense || address.ty().address_space() != PRIVATE, dense)
            }
            Shape::StridedBy(..) | Shape::Varying => (true, false),
        };
        grouped.then_some(Access { root, offset, element, size, shape, dense })
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

/// An address without the constants that were added to it.
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

/// Whether an address follows from IDs and uniform values alone. Such addresses often turn out to be consecutive: `clamp(x, 0, w)`,
/// `i % n`, `i ^ n`.
pub fn is_computed_from_ids(shapes: &Shapes, address: Value) -> bool {
    /// How far back to look.
    const DEPTH: u32 = 8;
    fn follows(shapes: &Shapes, value: Value, depth: u32) -> bool {
        match shapes.get(value) {
            Shape::Uniform | Shape::Strided(_) => return true,
            Shape::StridedBy(..) => return false,
            Shape::Varying => {}
        }
        let plain = match value.opcode() {
            Some(Opcode::LLVMCall) => value.called_function().is_some_and(|f| f.is_intrinsic()),
            Some(Opcode::LLVMLoad | Opcode::LLVMPHI) | None => false,
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => false,
            Some(_) => true,
        };
        let data = |v: &Value| v.as_function().is_none();
        let plain = plain && !is_row(shapes, value);
        plain && depth > 0 && value.operands().filter(data).all(|v| follows(shapes, v, depth - 1))
    }
    shapes.get(address) == Shape::Varying && follows(shapes, address, DEPTH)
}

/// `i * n`, where lanes are as far apart as only the launch knows.
fn is_row(shapes: &Shapes, value: Value) -> bool {
    let strided = |n: u32| matches!(shapes.get(value.operand(n)), Shape::Strided(_));
    let product = matches!(value.opcode(), Some(Opcode::LLVMMul | Opcode::LLVMShl));
    matches!(shapes.get(value), Shape::StridedBy(..)) || product && (strided(0) || strided(1))
}

/// Whether lanes have rows of their own: the address is `i * n` and something.
pub fn has_own_rows(shapes: &Shapes, address: Value) -> bool {
    /// How far back to look.
    const DEPTH: u32 = 5;
    fn follows(shapes: &Shapes, value: Value, depth: u32) -> bool {
        let sum = matches!(
            value.opcode(),
            Some(
                Opcode::LLVMGetElementPtr
                    | Opcode::LLVMAdd
                    | Opcode::LLVMOr
                    | Opcode::LLVMSExt
                    | Opcode::LLVMZExt
            )
        );
        matches!(shapes.get(value), Shape::StridedBy(..) | Shape::Varying)
            && depth > 0
            && (is_row(shapes, value) || sum && value.operands().any(|v| follows(shapes, v, depth - 1)))
    }
    follows(shapes, address, DEPTH)
}
