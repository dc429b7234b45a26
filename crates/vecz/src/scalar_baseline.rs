//! The scalar baseline: the cost of a work-item in scalar code, in which LLVM's loop and SLP
//! vectorizers may vectorize loops and long sums.
//!
//! The loop vectorizer takes a loop of one block with contiguous accesses and integer reductions;
//! the SLP vectorizer takes the same after unrolling. Floating-point sums are left, since their
//! order matters. Vectorizing such a kernel across work-items gains little, or loses where each
//! lane walks through a row of its own: the cost estimate has to know.

use crate::structure::Structure;
use crate::vector_unit::VectorUnit;
use llvm::{Block, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// The fewest terms of a sum that counts as an unrolled loop.
const LEAST_TERMS: usize = 16;

/// The instructions that LLVM vectorizes in scalar code, each with the fraction of its cost that is
/// left.
pub fn discounts(module: &Module, unit: &VectorUnit, structure: &Structure) -> HashMap<Value, f64> {
    let mut found = HashMap::new();
    for (&header, l) in &structure.loops {
        if header == l.latch
            && structure.blocks_of_loop(header).len() == 1
            && let Some(bytes) = Body::of(module, header).and_then(|body| body.vectorized_bytes())
        {
            let part = part_of(bytes, unit);
            found.extend(header.instructions().into_iter().map(|i| (i, part)));
        }
    }
    for &block in &structure.order {
        for sum in block.instructions().into_iter().filter(|i| is_last_of_sum(*i)) {
            if let Some((members, bytes)) = unrolled_sum(module, sum) {
                let part = part_of(bytes, unit);
                found.extend(members.into_iter().map(|i| (i, part)));
            }
        }
    }
    found
}

/// The fraction of its cost that an operation on an element of this size has as part of a vector.
fn part_of(bytes: u64, unit: &VectorUnit) -> f64 {
    bytes.max(2) as f64 / f64::from(unit.alone_bytes)
}

/// A loop of one block.
pub struct Body<'a> {
    module: &'a Module,
    block: Block,
    /// The induction variables and their steps, in units or in bytes.
    counters: HashMap<Value, i64>,
}

impl<'a> Body<'a> {
    fn of(module: &'a Module, block: Block) -> Option<Body<'a>> {
        let mut body = Body { module, block, counters: HashMap::new() };
        for phi in block.phis() {
            let (next, _) = phi.incoming().into_iter().find(|(_, from)| *from == block)?;
            match body.step(phi, next) {
                Some(step) => {
                    body.counters.insert(phi, step);
                }
                None if body.is_reduction(phi, next) => {}
                None => return None,
            }
        }
        Some(body)
    }

    /// The loop with its induction variables, whatever else it carries.
    pub fn with_counters(module: &'a Module, block: Block) -> Body<'a> {
        let mut body = Body { module, block, counters: HashMap::new() };
        for phi in block.phis() {
            let next = phi.incoming().into_iter().find(|(_, from)| *from == block);
            if let Some(step) = next.and_then(|(next, _)| body.step(phi, next)) {
                body.counters.insert(phi, step);
            }
        }
        body
    }

    fn step(&self, phi: Value, next: Value) -> Option<i64> {
        match next.opcode()? {
            Opcode::LLVMAdd if next.operand(0) == phi => next.operand(1).as_const_signed(),
            Opcode::LLVMGetElementPtr if next.operand(0) == phi && next.num_operands() == 2 => {
                let size = self.module.size_of(next.gep_source_type()) as i64;
                next.operand(1).as_const_signed()?.checked_mul(size)
            }
            _ => None,
        }
    }

    /// Whether the PHI is an integer reduction whose intermediate values have no other use.
    fn is_reduction(&self, phi: Value, next: Value) -> bool {
        use Opcode::*;
        let own = |v: Value| v.users().into_iter().filter(|u| u.block() == Some(self.block)).count();
        let reduces = match next.opcode() {
            Some(LLVMAdd | LLVMAnd | LLVMOr | LLVMXor) => true,
            Some(LLVMCall) => next.called_function().is_some_and(|f| {
                let name = f.name();
                ["llvm.smax", "llvm.smin", "llvm.umax", "llvm.umin"].iter().any(|n| name.starts_with(n))
            }),
            _ => false,
        };
        let takes = |n: u32| next.operand(n) == phi;
        phi.ty().is_int() && reduces && (takes(0) || takes(1)) && own(phi) == 1 && own(next) == 1
    }

    /// The step of a value from one iteration to the next.
    pub fn growth(&self, value: Value) -> Option<i64> {
        use Opcode::*;
        if value.block() != Some(self.block) {
            return Some(0);
        }
        if let Some(step) = self.counters.get(&value) {
            return Some(*step);
        }
        let operand = |n: u32| self.growth(value.operand(n));
        match value.opcode()? {
            LLVMAdd => operand(0)?.checked_add(operand(1)?),
            LLVMOr if value.is_disjoint_or() => operand(0)?.checked_add(operand(1)?),
            LLVMSub => operand(0)?.checked_sub(operand(1)?),
            LLVMMul => operand(0)?.checked_mul(value.operand(1).as_const_signed()?),
            LLVMSExt | LLVMZExt | LLVMTrunc => operand(0),
            LLVMGetElementPtr if value.num_operands() == 2 => {
                let size = self.module.size_of(value.gep_source_type()) as i64;
                operand(0)?.checked_add(operand(1)?.checked_mul(size)?)
            }
            _ => None,
        }
    }

    /// The bytes of the widest element if LLVM vectorizes the loop, and `None` if it does not.
    fn vectorized_bytes(&self) -> Option<u64> {
        let mut widest = 0;
        for i in self.block.instructions() {
            let (address, ty) = match i.opcode()? {
                Opcode::LLVMLoad => (i.operand(0), i.ty()),
                Opcode::LLVMStore => (i.operand(1), i.operand(0).ty()),
                Opcode::LLVMCall if i.called_function().is_some_and(|f| f.is_intrinsic()) => continue,
                Opcode::LLVMCall | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence => {
                    return None;
                }
                _ => continue,
            };
            let size = self.module.size_of(ty);
            let growth = self.growth(address)?;
            let plain = !i.is_atomic() && !i.is_volatile();
            if !plain || growth.unsigned_abs() != size && (growth != 0 || i.is_store()) {
                return None;
            }
            widest = widest.max(if growth == 0 { 0 } else { size });
        }
        (widest > 0).then_some(widest)
    }
}

// ---- Sums --------------------------------------------------------------------------------------

fn is_sum(value: Value) -> bool {
    value.opcode() == Some(Opcode::LLVMAdd) && value.ty().is_int()
}

/// Whether this addition is the root of a tree of additions.
fn is_last_of_sum(value: Value) -> bool {
    is_sum(value) && !value.users().into_iter().any(|u| is_sum(u) && u.block() == value.block())
}

/// The instructions of a long sum of contiguous elements, or of products of such, and the size of
/// the widest element.
fn unrolled_sum(module: &Module, last: Value) -> Option<(HashSet<Value>, u64)> {
    let mut members = HashSet::new();
    let mut terms = Vec::new();
    let mut stack = vec![last];
    while let Some(value) = stack.pop() {
        let inner = is_sum(value) && value.block() == last.block();
        if inner && (value == last || value.users().len() == 1) {
            members.insert(value);
            stack.extend([value.operand(0), value.operand(1)]);
        } else {
            terms.push(value);
        }
    }
    if terms.len() < LEAST_TERMS {
        return None;
    }
    // The element indices that the terms load, by array.
    let mut arrays: HashMap<(Value, Option<Value>), Vec<i64>> = HashMap::new();
    let mut widest = 0;
    let mut others = 0;
    for term in terms {
        let mut parts = vec![term];
        let mut loads = 0;
        while let Some(part) = parts.pop() {
            match part.opcode() {
                Some(Opcode::LLVMSExt | Opcode::LLVMZExt) => parts.push(part.operand(0)),
                Some(Opcode::LLVMMul) => parts.extend([part.operand(0), part.operand(1)]),
                Some(Opcode::LLVMLoad) => {
                    let size = module.size_of(part.ty());
                    let (array, index, offset) = element(module, part.operand(0))?;
                    arrays.entry((array, index)).or_default().push(offset / size as i64);
                    widest = widest.max(size);
                    loads += 1;
                }
                _ => continue,
            }
            members.insert(part);
        }
        others += usize::from(loads == 0);
    }
    // One term need not be a load: the initial value of the sum.
    let neighbours = |offsets: &Vec<i64>| {
        let (first, last) = (offsets.iter().min(), offsets.iter().max());
        first.zip(last).is_some_and(|(a, b)| (b - a + 1) as usize == offsets.len())
    };
    let pays = others <= 1 && arrays.values().all(neighbours);
    pays.then_some((members, widest))
}

/// Splits an address into a base pointer, an index, and a constant offset in bytes.
fn element(module: &Module, address: Value) -> Option<(Value, Option<Value>, i64)> {
    let (mut address, mut offset) = (address, 0i64);
    while address.opcode() == Some(Opcode::LLVMGetElementPtr) && address.num_operands() == 2 {
        let size = module.size_of(address.gep_source_type()) as i64;
        let (base, index) = (address.operand(0), address.operand(1));
        if let Some(constant) = index.as_const_signed() {
            offset = offset.checked_add(constant.checked_mul(size)?)?;
            address = base;
            continue;
        }
        let (index, constant) = match index.opcode() {
            Some(Opcode::LLVMAdd) => match index.operand(1).as_const_signed() {
                Some(constant) => (index.operand(0), constant),
                None => (index, 0),
            },
            _ => (index, 0),
        };
        return Some((base, Some(index), offset.checked_add(constant.checked_mul(size)?)?));
    }
    Some((address, None, offset))
}
