//! Finds kernels that rely on lock-step execution: a work-item reads local memory that another
//! work-item of its sub-group has written, without a barrier in between.
//!
//! ```text
//! s[l] = x;            ; lane l stores
//! y = s[l ^ 1];        ; and reads what its neighbour stored
//! ```
//!
//! This is a data race in OpenCL, but GPUs run the work-items of a sub-group in lock-step, and much
//! code relies on that. Vector code runs them in lock-step, too; scalar code would read the value
//! before the store.
//!
//! A load is suspicious if a store to the same array reaches it without a work-group barrier and
//! its address is not known to be the work-item's own. Both addresses are sums of terms
//! ([`Address`]): the work-item's own slots are those that have the same stride from lane to lane
//! and differ by less than that.

use crate::shape::{Shape, Shapes};
use crate::structure::{Role, Structure};
use analysis::Dominators;
use ir::Builtin;
use ir::address_space::LOCAL;
use ir::metadata::{self, Vectorization};
use llvm::{Block, Module, Opcode, Value};
use std::collections::HashSet;

/// A store, and a load in another lane that may read the stored value before the next barrier.
#[derive(Clone, Copy)]
pub struct Exchange {
    pub store: Value,
    pub load: Value,
}

/// The first exchange between lanes, which are consecutive in this dimension, if there is any.
pub fn find_exchange(
    module: &Module,
    structure: &Structure,
    shapes: &Shapes,
    dimension: u32,
) -> Option<Exchange> {
    let accesses = structure.order.iter().flat_map(|block| block.instructions());
    let is_local = |address: Value| address.ty().is_ptr() && address.ty().address_space() == LOCAL;
    let stores: Vec<Value> =
        accesses.filter(|i| i.is_store() && !i.is_atomic() && is_local(i.operand(1))).collect();
    if stores.is_empty() {
        return None;
    }
    let dominators = Dominators::of(structure.cfg.clone());
    let search = Search { module, structure, shapes, dimension, dominators };
    stores.into_iter().find_map(|store| {
        let loads = reached_loads(store).into_iter().filter(|load| is_local(load.operand(0)));
        let mut foreign = loads.filter(|load| !search.is_own(store, *load));
        foreign.next().map(|load| Exchange { store, load })
    })
}

/// Whether no lane of a vector of this width is beyond the end of a row of the work-group, so that
/// there is no tail, whose work-items scalar code would run one by one.
pub fn has_no_tail(module: &Module, kernel: llvm::Function, how: Vectorization) -> bool {
    let along = |size: [u64; 3]| match how.dimension {
        Vectorization::LINEAR => size.iter().product(),
        d => size[d as usize],
    };
    let size = metadata::reqd_work_group_size(module, kernel);
    let width = how.width.known().map(u64::from);
    width.is_some_and(|width| size.is_some_and(|size| along(size).is_multiple_of(width)))
}

/// The loads that a store may reach without a work-group barrier.
fn reached_loads(store: Value) -> Vec<Value> {
    let ends = |i: Value| Builtin::called_by(i).is_some_and(Builtin::is_work_group_barrier);
    let mut loads = Vec::new();
    // Returns whether a barrier ends the scan.
    let mut scan = |first: Option<Value>| {
        let mut next = first;
        while let Some(i) = next {
            if ends(i) {
                return true;
            }
            if i.is_load() && !i.is_atomic() {
                loads.push(i);
            }
            next = i.next();
        }
        false
    };
    let mut work: Vec<Block> = match scan(store.next()) {
        true => Vec::new(),
        false => store.block().map(|b| b.successors()).unwrap_or_default(),
    };
    let mut seen = HashSet::new();
    while let Some(block) = work.pop() {
        if seen.insert(block) && !scan(block.first()) {
            work.extend(block.successors());
        }
    }
    loads
}

struct Search<'a> {
    module: &'a Module,
    structure: &'a Structure,
    shapes: &'a Shapes,
    /// The dimension in which lanes are consecutive.
    dimension: u32,
    dominators: Dominators,
}

impl Search<'_> {
    /// Whether a lane's load cannot read the value that another lane stored.
    fn is_own(&self, store: Value, load: Value) -> bool {
        let (to, from) = (self.address(store.operand(1)), self.address(load.operand(0)));
        // Arrays in local memory, and arguments that point to it, do not overlap. Pointers that are
        // swapped in a loop are taken for those of two buffers.
        if let (Some(a), Some(b)) = (to.root, from.root)
            && a != b
        {
            return true;
        }
        if to.lane != from.lane {
            return false;
        }
        if to.lane == 0 && !to.varying {
            return self.is_by_one_lane(store, load);
        }
        let size = self.module.size_of(store.operand(0).ty()).max(self.module.size_of(load.ty())) as i64;
        match to.distance(&from, self.shapes) {
            Distance::Constant(0) => true,
            // Within the slot of one lane.
            Distance::Constant(bytes) => bytes.abs() + size <= to.lane.abs(),
            // Probably within the slot: `s[l * N + i]`.
            Distance::Uniform => to.lane.abs() > size,
            // `s[bin * N + l]` is the slot of lane `l`; `s[a[l]]` can be any.
            Distance::Varying => to.lane != 0,
        }
    }

    /// Whether only lanes that ran the store, to one address for all of them, run the load.
    fn is_by_one_lane(&self, store: Value, load: Value) -> bool {
        let (Some(store), Some(load)) = (store.block(), load.block()) else { return false };
        let mut block = Some(store);
        while let Some(at) = block {
            let diverges =
                |opener: Block| opener.terminator().is_some_and(|t| self.shapes.is_varying_branch(t));
            if matches!(self.structure.roles.get(&at), Some(Role::Then(opener)) if diverges(*opener)) {
                return self.dominators.block_dominates(at, load);
            }
            block = self.dominators.immediate(at);
        }
        self.dominators.block_dominates(store, load)
    }

    fn address(&self, value: Value) -> Address {
        let mut address = Address::default();
        address.add(self, value, 1, MOST_TERMS);
        address
    }

    /// Whether adding this to an index leads to the same work-item's next element: the size of the
    /// work-group.
    fn is_group_size(&self, mut step: Value) -> bool {
        while matches!(step.opcode(), Some(Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt)) {
            step = step.operand(0);
        }
        let function = self.structure.order[0].function();
        let size = metadata::reqd_work_group_size(self.module, function);
        match (step.as_const_int(), size) {
            (Some(step), Some(size)) => {
                let all: u64 = size.iter().product();
                step > 0 && (step % all == 0 || step % size[self.dimension as usize] == 0)
            }
            _ => Builtin::called_by(step) == Some(Builtin::GetLocalSize),
        }
    }
}

/// The depth to which an address is decomposed.
const MOST_TERMS: u32 = 12;

/// An address as a sum.
#[derive(Default)]
struct Address {
    /// The base pointer.
    root: Option<Value>,
    /// The stride from lane to lane, in bytes.
    lane: i64,
    offset: i64,
    /// Values that are not decomposed further, with their factors.
    terms: Vec<(Value, i64)>,
    /// Whether some term varies from lane to lane other than by a stride.
    varying: bool,
}

/// The difference of two addresses in one lane.
enum Distance {
    Constant(i64),
    Uniform,
    Varying,
}

impl Address {
    fn add(&mut self, search: &Search<'_>, value: Value, factor: i64, depth: u32) {
        use Opcode::*;
        if let Some(constant) = value.as_const_signed() {
            self.offset = self.offset.wrapping_add(constant.wrapping_mul(factor));
            return;
        }
        if depth == 0 {
            return self.leaf(search, value, factor);
        }
        let constant = |n: u32| value.operand(n).as_const_signed();
        match value.opcode() {
            Some(LLVMAdd) => {
                self.add(search, value.operand(0), factor, depth - 1);
                self.add(search, value.operand(1), factor, depth - 1);
            }
            Some(LLVMOr) if value.is_disjoint_or() => {
                self.add(search, value.operand(0), factor, depth - 1);
                self.add(search, value.operand(1), factor, depth - 1);
            }
            Some(LLVMSub) => {
                self.add(search, value.operand(0), factor, depth - 1);
                self.add(search, value.operand(1), factor.wrapping_neg(), depth - 1);
            }
            Some(LLVMMul) if constant(1).is_some() => {
                let by = constant(1).unwrap_or(1);
                self.add(search, value.operand(0), factor.wrapping_mul(by), depth - 1);
            }
            // A sign extension from 32 bits.
            Some(LLVMAShr) if constant(1) == Some(32) && is_shl_by_32(value.operand(0)) => {
                self.add(search, value.operand(0).operand(0), factor, depth - 1);
            }
            Some(LLVMShl) if constant(1).is_some_and(|n| (0..32).contains(&n)) => {
                let by = 1 << constant(1).unwrap_or(0);
                self.add(search, value.operand(0), factor.wrapping_mul(by), depth - 1);
            }
            _ if is_conversion(value) => {
                self.add(search, value.operand(0), factor, depth - 1);
            }
            Some(LLVMGetElementPtr) => self.add_element(search, value, depth - 1),
            Some(LLVMPHI) if value.ty().is_int() => {
                // `for (i = l; …; i += n)`: begins at the lane's own element.
                match induction(search.structure, value) {
                    Some((start, step)) => {
                        self.add(search, start, factor, depth - 1);
                        if !search.is_group_size(step) {
                            self.leaf(search, step, factor);
                        }
                    }
                    None => self.leaf(search, value, factor),
                }
            }
            _ => self.leaf(search, value, factor),
        }
    }

    /// Adds the base and the indices of an element's address.
    fn add_element(&mut self, search: &Search<'_>, element: Value, depth: u32) {
        self.add(search, element.operand(0), 1, depth);
        let mut ty = element.gep_source_type();
        for (n, index) in element.operands().skip(1).enumerate() {
            if n > 0 && ty.is_struct() {
                let field = index.as_const_int().unwrap_or(0) as u32;
                self.offset = self.offset.wrapping_add(search.module.offset_of(ty, field) as i64);
                ty = ty.struct_fields()[field as usize];
                continue;
            }
            if n > 0 {
                ty = ty.element();
            }
            self.add(search, index, search.module.size_of(ty) as i64, depth);
        }
    }

    fn leaf(&mut self, search: &Search<'_>, value: Value, factor: i64) {
        if value.ty().is_ptr() && search.shapes.get(value) == Shape::Uniform {
            self.root = Some(value);
            return;
        }
        match search.shapes.get(value) {
            Shape::Uniform => {}
            Shape::Strided(by) => self.lane = self.lane.wrapping_add(by.wrapping_mul(factor)),
            Shape::StridedBy(..) | Shape::Varying => self.varying = true,
        }
        match self.terms.iter_mut().find(|(known, _)| *known == value) {
            Some((_, known)) => *known = known.wrapping_add(factor),
            None => self.terms.push((value, factor)),
        }
    }

    fn distance(&self, other: &Address, shapes: &Shapes) -> Distance {
        let factor = |of: &Address, value: Value| of.terms.iter().find(|t| t.0 == value).map_or(0, |t| t.1);
        let values = self.terms.iter().chain(&other.terms).map(|t| t.0);
        let differing: Vec<Value> = values.filter(|v| factor(self, *v) != factor(other, *v)).collect();
        if differing.is_empty() {
            return Distance::Constant(self.offset.wrapping_sub(other.offset));
        }
        let varies = |v: &Value| matches!(shapes.get(*v), Shape::Varying | Shape::StridedBy(..));
        if differing.iter().any(varies) { Distance::Varying } else { Distance::Uniform }
    }
}

fn is_shl_by_32(value: Value) -> bool {
    value.opcode() == Some(Opcode::LLVMShl) && value.operand(1).as_const_int() == Some(32)
}

/// Whether an integer is its first operand in another width, or a part of it that is an index as
/// well as the whole: instcombine writes `(ulong)(uint)(l << 8)` as `(l << 8) & 0xffffff00`.
fn is_conversion(value: Value) -> bool {
    use Opcode::*;
    let shift = |v: Value| match v.opcode() {
        Some(LLVMShl) => v.operand(1).as_const_int().unwrap_or(0),
        _ => 0,
    };
    match value.opcode() {
        Some(LLVMZExt | LLVMSExt | LLVMTrunc | LLVMFreeze) => true,
        Some(LLVMAnd) => value.operand(1).as_const_int().is_some_and(|mask| {
            let low = shift(value.operand(0)).min(31);
            mask | ((1 << low) - 1) == u64::from(u32::MAX)
        }),
        _ => false,
    }
}

/// The first value and the step of an induction variable.
fn induction(structure: &Structure, phi: Value) -> Option<(Value, Value)> {
    let found = structure.loops.get(&phi.block()?)?;
    let incoming = phi.incoming();
    let from = |block: Block| incoming.iter().find(|(_, from)| *from == block).map(|(value, _)| *value);
    let (start, next) = (from(found.preheader)?, from(found.latch)?);
    if next.opcode() != Some(Opcode::LLVMAdd) {
        return None;
    }
    let step = match [next.operand(0), next.operand(1)] {
        [a, step] if a == phi => step,
        [step, a] if a == phi => step,
        _ => return None,
    };
    Some((start, step))
}
