//! The cost model: the cost of a work-item in scalar code, and as one lane of vector code.
//!
//! The cost of instructions is from LLVM's model of the machine ([`llvm::Function::costs`]); that
//! of memory accesses, and of operations that LLVM's model underestimates, from the description of
//! the vector unit ([`Costs`](crate::Costs)). Loops have the same assumed trip count on both sides,
//! but lanes of a divergent loop wait for the one that stays longest. A block under a divergent
//! branch runs in half of the cases in scalar code, and in most cases in vector code.

use crate::access_plan::{self, AccessPlan, Pattern};
use crate::interleave_groups::InterleaveGroups;
use crate::load_store::NarrowIndex;
use crate::private;
use crate::row_loops::records_of;
use crate::scalar_baseline::discounts;
use crate::shape::{Shape, Shapes};
use crate::structure::{Branch, Role, Structure, reached_before};
use crate::tables::Table;
use crate::vector_unit::VectorUnit;
use ir::Builtin;
use ir::address_space::{LOCAL, PRIVATE};
use llvm::{Block, Function, Module, Opcode, TargetMachine, Value, Width};
use passes::SourceLine;
use std::collections::HashMap;
use std::ops::Range;

/// The assumed trip count of a loop.
const ITERATIONS: f64 = 16.0;

/// The trip count of a divergent loop for a vector, relative to that for a single lane.
const WAITING: f64 = 1.6;

/// A kernel is made of vectors if these cost less than this fraction of their elements: its scalar
/// code is good already.
const MADE_OF_VECTORS: f64 = 0.8;

/// Estimates in cycles, for one work-item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub alone: f64,
    pub as_lane: f64,
    /// The instruction by which vector code loses most, if any does.
    pub worst: Option<Value>,
    /// Whether the cost depends on data: lanes part in a loop, or have cache lines of their own.
    depends_on_data: bool,
}

impl Estimate {
    /// The estimate for a kernel of this structure. `whole` is its static cost before operations on
    /// vectors were split.
    pub fn of(
        module: &Module,
        whole: f64,
        structure: &Structure,
        shapes: &Shapes,
        width: Width,
        unit: &VectorUnit,
        machine: &TargetMachine,
    ) -> Estimate {
        let kernel = structure.order[0].function();
        let costs = kernel.costs(machine, width);
        let count = f64::from(kernel.tuned_lanes(machine, width));
        let weights = weights(structure, shapes);
        let discounts = discounts(module, unit, structure);
        let private = private::to_interleave(module, kernel);
        let mut total = Estimate { alone: 0.0, as_lane: 0.0, worst: None, depends_on_data: false };
        let mut most = 0.0;
        for &block in &structure.order {
            let (alone, vector) = weights[&block];
            let masked = is_masked(structure, shapes, block);
            let groups = InterleaveGroups::of(module, shapes, width, unit.memory, block);
            let in_loop = structure.is_in_loop(block);
            let (scalable, lanes) = (width.scalable, f64::from(width.lanes));
            let (groups, private) = (&groups, &private);
            let records = records_of(module, structure, shapes, block).filter(|_| !scalable);
            let way = Way {
                module,
                shapes,
                unit,
                scalable,
                lanes,
                count,
                masked,
                in_loop,
                groups,
                records,
                private,
            };
            for i in block.instructions() {
                let (one, wide) = costs[&i];
                let (one, wide) = way.cost(i, one, wide);
                total.depends_on_data |= way.depends_on_data(structure, i);
                let one = alone * one * discounts.get(&i).copied().unwrap_or(1.0);
                let in_lane = vector * wide / count;
                total.alone += one;
                total.as_lane += in_lane;
                if in_lane - one > most {
                    (most, total.worst) = (in_lane - one, Some(i));
                }
            }
        }
        // Scalar code computes with the vectors that the kernel was written with.
        let split: f64 = costs.values().map(|c| c.0).sum();
        let vectors = (whole / split.max(1.0)).min(1.0);
        total.alone *= vectors * if vectors < MADE_OF_VECTORS { 0.7 } else { 1.0 };
        total
    }
}

/// Between these ratios of the two costs, an estimate of what depends on data says little.
const UNDECIDED: Range<f64> = 0.25..2.0;

impl Estimate {
    /// Whether only runs can tell which code is faster.
    pub fn is_undecided(&self) -> bool {
        self.depends_on_data && UNDECIDED.contains(&(self.as_lane / self.alone))
    }
}

/// Describes an instruction in vector code, for a remark on its cost.
pub fn describe(module: &Module, shapes: &Shapes, i: Value) -> Option<String> {
    use Opcode::*;
    let what = match i.opcode()? {
        LLVMLoad | LLVMStore if i.is_atomic() || i.is_volatile() => "access one lane after the other",
        LLVMLoad | LLVMStore => match (AccessPlan::of(module, shapes, i)?.pattern, i.is_load()) {
            (Pattern::FromIds | Pattern::Irregular, true) => "gather",
            (Pattern::FromIds | Pattern::Irregular, false) => "scatter",
            (Pattern::Strided(_) | Pattern::StridedBy(..), true) => "strided load",
            (Pattern::Strided(_) | Pattern::StridedBy(..), false) => "strided store",
            (_, true) => "load",
            (_, false) => "store",
        },
        LLVMAtomicRMW | LLVMAtomicCmpXchg => "atomic operation",
        LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => "division",
        LLVMBr => "divergent branch",
        LLVMCall => "call",
        _ => return None,
    };
    let line = SourceLine::of(i).map(|place| format!(" in line {}", place.line)).unwrap_or_default();
    Some(format!("{what}{line}"))
}

/// The cost of all instructions of a kernel, each executed once.
pub fn static_cost(kernel: Function, machine: &TargetMachine) -> f64 {
    kernel.costs(machine, Width::ONE).values().map(|c| c.0).sum()
}

/// The block whose instructions are estimated, and the context that their cost depends on.
struct Way<'a> {
    module: &'a Module,
    shapes: &'a Shapes,
    unit: &'a VectorUnit,
    scalable: bool,
    /// The lanes that the width names, which fill the registers that the unit names.
    lanes: f64,
    /// The lanes that there are: of scalable vectors, on the CPU that code is tuned for.
    count: f64,
    masked: bool,
    in_loop: bool,
    groups: &'a InterleaveGroups,
    /// The iterations that are done together, if the block is a row loop.
    records: Option<u64>,
    /// See [`private::to_interleave`].
    private: &'a HashMap<Value, i64>,
}

impl Way<'_> {
    /// The cost of an instruction in scalar code, and for all lanes in vector code.
    fn cost(&self, i: Value, one: f64, wide: f64) -> (f64, f64) {
        use Opcode::*;
        let costs = &self.unit.costs;
        match i.opcode() {
            Some(LLVMLoad | LLVMStore) => {
                (if self.steps_far(i) { costs.far_step } else { 1.0 }, self.access(i))
            }
            // Folded into addressing modes in scalar code; a vector of addresses is counted with
            // its accesses.
            Some(LLVMGetElementPtr | LLVMPHI | LLVMAlloca) => (0.25, 0.25),
            Some(LLVMBr) => {
                // A divergent branch computes and tests a mask. Scalar code predicts it, often
                // wrongly where neighbours part.
                let varying = self.shapes.is_varying_branch(i);
                let parts = i.block().is_some_and(|block| diverges(self.shapes, block));
                (if parts { costs.guess } else { 1.0 }, if varying { 4.0 } else { 1.0 })
            }
            // Atomic operations on local memory become plain ones. Others wait for the cache line,
            // whichever code they are in.
            Some(LLVMAtomicRMW | LLVMAtomicCmpXchg) => {
                let is_local = i.operand(0).ty().address_space() == LOCAL;
                let one = if is_local { 2.0 } else { 16.0 };
                let plain = is_local && !self.masked && !self.scalable;
                (one, if plain { self.count * (one + 1.0) } else { self.lane_by_lane(one) })
            }
            Some(LLVMCall) => self.call(i, one, wide),
            Some(LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem)
                if self.shapes.get(i) == Shape::Varying && !i.operand(1).is_constant() =>
            {
                let large = i.ty().scalar().int_bits() > 32;
                let wide = match large {
                    true => self.lane_by_lane(costs.division),
                    false => self.count * costs.division_lane,
                };
                (costs.division, wide)
            }
            // A product that is only added is fused with the sum, or done while sums wait for it.
            Some(LLVMFMul) if is_term(i) => (0.0, 0.0),
            // A select of masks is an operation on mask registers or whole words.
            Some(LLVMSelect) if i.ty().is_int() && i.ty().int_bits() == 1 => (1.0, costs.vector),
            // Shuffles, see `partial_scalarization`.
            Some(LLVMExtractElement | LLVMInsertElement | LLVMShuffleVector)
                if self.shapes.get(i) != Shape::Uniform =>
            {
                let ty = if i.ty().is_vector() { i.ty() } else { i.operand(0).ty() };
                (one, costs.shuffle * self.unit.registers_for(self.lanes * self.module.size_of(ty) as f64))
            }
            // Gathers take indices of any size.
            Some(LLVMSExt | LLVMZExt) if self.scalable && is_index(i) => (one, costs.vector),
            Some(LLVMSelect) if self.shapes.get(i) == Shape::Varying && costs.select.is_some() => {
                (one, costs.select.unwrap_or_default() * self.registers(i))
            }
            _ => match self.shapes.get(i) {
                Shape::Varying => (one, wide * self.factor(i)),
                // In the scalar work-item loop, uniform values are hoisted, and strided ones are
                // strength-reduced.
                Shape::Uniform if !self.in_loop => (0.0, 0.0),
                Shape::Strided(_) | Shape::StridedBy(..) if !self.in_loop => (0.25, one),
                _ => (one, one),
            },
        }
    }

    /// Whether the cost of an instruction depends on data: the latch of a divergent loop, a gather
    /// or scatter, an atomic operation.
    fn depends_on_data(&self, structure: &Structure, i: Value) -> bool {
        match i.opcode() {
            Some(Opcode::LLVMBr) => structure
                .loops
                .values()
                .any(|l| l.latch.terminator() == Some(i) && diverges(self.shapes, l.latch)),
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => true,
            Some(Opcode::LLVMLoad | Opcode::LLVMStore) => {
                let plan = AccessPlan::of(self.module, self.shapes, i).expect("it is a load or store");
                matches!(plan.pattern, Pattern::Irregular | Pattern::StridedBy(..))
                    && ![LOCAL, PRIVATE].contains(&plan.address.ty().address_space())
                    && Table::of(self.module, i, self.unit.permutes).is_none()
            }
            _ => false,
        }
    }

    /// The registers that an instruction's value fills in vector code.
    fn registers(&self, i: Value) -> f64 {
        self.unit.registers_for(self.lanes * self.module.size_of(i.ty()) as f64)
    }

    /// What LLVM's cost of a vector operation is multiplied by.
    fn factor(&self, i: Value) -> f64 {
        let costs = &self.unit.costs;
        let is_float = i.opcode() == Some(Opcode::LLVMFCmp) || i.ty().scalar().is_float();
        if is_float { costs.float } else { costs.vector }
    }

    /// Whether an access of scalar code has a cache line of its own in each iteration of its loop,
    /// while the lanes of a vector share lines: `a[i]` in a loop with `i += get_global_size(0)`.
    fn steps_far(&self, access: Value) -> bool {
        if !self.in_loop {
            return false;
        }
        let plan = AccessPlan::of(self.module, self.shapes, access).expect("it is a load or store");
        let near_memory = [LOCAL, PRIVATE].contains(&plan.address.ty().address_space());
        matches!(plan.pattern, Pattern::Contiguous | Pattern::FromIds)
            && !near_memory
            && has_far_counter(self.shapes, plan.address, COUNTER_DEPTH)
    }

    fn lane_by_lane(&self, one: f64) -> f64 {
        // Lanes that have no numbers take turns in a loop.
        let turn = if self.scalable { 4.0 } else { 0.0 };
        self.count * (one + turn + if self.masked { 6.0 } else { 2.0 })
    }

    fn access(&self, i: Value) -> f64 {
        if i.is_atomic() || i.is_volatile() {
            return self.lane_by_lane(1.0);
        }
        let plan = AccessPlan::of(self.module, self.shapes, i).expect("it is a load or store");
        let (address, size) = (plan.address, plan.size as f64);
        let (unit, costs) = (self.unit, &self.unit.costs);
        let registers = unit.registers_for(self.lanes * size);
        if let Some(group) = self.groups.get(i) {
            let shape = self.shapes.get(group.root);
            let narrow = NarrowIndex::of_records(self.module, self.shapes, &group);
            let fields = f64::from(narrow.as_ref().map_or(group.fields(shape), |(_, fields)| *fields));
            let shared = costs.vector * fields / group.members.len() as f64;
            return match group.dense || narrow.is_some() {
                // Fields of one word are extracted by shifts.
                true if size <= 2.0 && size * fields <= 8.0 => registers * (shared / fields + costs.vector),
                // Scalable vectors have instructions for it.
                true if self.scalable => registers * (shared + costs.vector),
                // The members share the wide loads, and each is shuffled out of all of them.
                true => {
                    let halves = fields.log2().fract() == 0.0;
                    let shuffles = if halves { fields.log2() } else { fields - 1.0 };
                    registers * (shared + costs.shuffle * shuffles)
                }
                false => {
                    self.count * costs.gather_lane / group.members.len() as f64
                        + costs.vector * registers * fields
                }
            };
        }
        if matches!(plan.pattern, Pattern::FromIds | Pattern::Irregular)
            && let Some(table) = Table::of(self.module, i, unit.permutes)
        {
            return costs.shuffle * table.shuffles() * registers;
        }
        // The element of all lanes is one vector.
        if matches!(plan.pattern, Pattern::Strided(stride) if self.private.get(&address) == Some(&stride)) {
            return costs.vector * registers;
        }
        // With strides from half a cache line on, lanes hardly share lines. Local and private
        // memory is in the cache anyway.
        let far = u64::from(unit.cache_line_bytes / 2);
        let own_rows = self.in_loop && ![LOCAL, PRIVATE].contains(&address.ty().address_space());
        let has_own_rows = || own_rows && access_plan::has_own_rows(self.shapes, address);
        let is_gathered = i.is_load() && unit.memory.gathers(plan.size as u64);
        let count = self.count * if is_gathered { costs.gathered } else { 1.0 };
        match plan.pattern {
            Pattern::Uniform => 1.0,
            Pattern::Contiguous | Pattern::Reversed => costs.vector * registers,
            Pattern::Strided(stride) if own_rows && stride.unsigned_abs() >= far => {
                count * costs.gather_lane_in_rows
            }
            Pattern::FromIds => costs.vector * registers + 6.0,
            // Whole records, transposed by shuffles.
            Pattern::StridedBy(..) if let Some(records) = self.records => {
                self.count * costs.gather_lane / records as f64 + costs.shuffle * registers
            }
            Pattern::StridedBy(..) if own_rows && !self.masked => count * costs.strided_lane_in_rows,
            Pattern::StridedBy(..) | Pattern::Irregular if has_own_rows() => {
                count * costs.gather_lane_in_rows
            }
            Pattern::Strided(_) if !self.masked && address.ty().address_space() != PRIVATE => {
                count * costs.strided_lane
            }
            // Private memory that is written lane by lane and read soon after stalls on store
            // forwarding.
            _ if address.ty().address_space() == PRIVATE => count * costs.gather_lane * 2.0,
            _ => count * costs.gather_lane,
        }
    }

    fn call(&self, i: Value, one: f64, wide: f64) -> (f64, f64) {
        let costs = &self.unit.costs;
        let Some(f) = i.called_function() else { return (10.0, self.lane_by_lane(10.0)) };
        if let Some(builtin) = Builtin::of(f) {
            return match builtin {
                Builtin::Printf => (100.0, self.lane_by_lane(100.0)),
                Builtin::Math(_) if self.shapes.get(i) == Shape::Varying => {
                    (costs.math, costs.math * costs.float * self.registers(i))
                }
                Builtin::Math(_) => (costs.math, costs.math),
                // A check that fails: almost never.
                Builtin::Check => (0.0, 0.0),
                _ => (1.0, 1.0),
            };
        }
        if self.shapes.get(i) != Shape::Varying {
            return (one, one);
        }
        if f.is_intrinsic() { (one, wide * self.factor(i)) } else { (10.0, self.lane_by_lane(10.0)) }
    }
}

/// How far a counter is looked for in an address.
const COUNTER_DEPTH: u32 = 5;

/// Whether a value depends on a strided counter of a loop that steps by a uniform value which is
/// not a constant: a work-item of a neighbouring lane comes to the same place of a cache line.
fn has_far_counter(shapes: &Shapes, value: Value, depth: u32) -> bool {
    if value.is_phi() {
        let steps = |(next, _): (Value, Block)| {
            next.opcode() == Some(Opcode::LLVMAdd)
                && (0..2).any(|n| {
                    let (counter, step) = (next.operand(n), next.operand(1 - n));
                    let comes_back = counter == value
                        || counter.opcode() == Some(Opcode::LLVMAnd) && counter.operand(0) == value;
                    comes_back && !step.is_constant() && shapes.get(step) == Shape::Uniform
                })
        };
        return shapes.get(value) != Shape::Uniform && value.incoming().into_iter().any(steps);
    }
    let follows = matches!(
        value.opcode(),
        Some(
            Opcode::LLVMGetElementPtr
                | Opcode::LLVMSExt
                | Opcode::LLVMZExt
                | Opcode::LLVMAdd
                | Opcode::LLVMAShr
                | Opcode::LLVMShl
                | Opcode::LLVMAnd
        )
    );
    depth > 0 && follows && value.operands().any(|v| has_far_counter(shapes, v, depth - 1))
}

/// Whether lanes often part at the end of a block. At a comparison of an ID with a uniform value,
/// the end of a range or of a loop that steps by the range, most vectors stay together.
fn diverges(shapes: &Shapes, block: Block) -> bool {
    let Some(terminator) = block.terminator().filter(|t| shapes.is_varying_branch(*t)) else { return false };
    let is_bound = |c: Value| {
        let of = |n: u32| shapes.get(c.operand(n));
        let strided = |shape: Shape| matches!(shape, Shape::Strided(_));
        c.opcode() == Some(Opcode::LLVMICmp)
            && (strided(of(0)) && of(1) == Shape::Uniform || strided(of(1)) && of(0) == Shape::Uniform)
    };
    !terminator.condition().is_some_and(is_bound)
}

/// Whether a value is only used in addresses.
fn is_index(value: Value) -> bool {
    value.users().iter().all(|user| user.opcode() == Some(Opcode::LLVMGetElementPtr))
}

/// Whether the only use of a product is as a term of a sum.
fn is_term(product: Value) -> bool {
    let users = product.users();
    users.len() == 1 && matches!(users[0].opcode(), Some(Opcode::LLVMFAdd | Opcode::LLVMFSub))
}

/// Whether a block is under a divergent branch or in a divergent loop.
fn is_masked(structure: &Structure, shapes: &Shapes, mut block: Block) -> bool {
    loop {
        let varying = |b: Block| diverges(shapes, b);
        block = match structure.roles[&block] {
            Role::Entry => return false,
            Role::Then(opener) if varying(opener) => return true,
            Role::Header if varying(structure.loops[&block].latch) => return true,
            Role::Header => structure.loops[&block].preheader,
            Role::Exit(header) => structure.loops[&header].preheader,
            Role::Then(before) | Role::Follows(before) => before,
        };
    }
}

/// The execution frequency of each block, in scalar code and in vector code.
fn weights(structure: &Structure, shapes: &Shapes) -> HashMap<Block, (f64, f64)> {
    let mut weights: HashMap<Block, (f64, f64)> = structure.order.iter().map(|b| (*b, (1.0, 1.0))).collect();
    let varying = |b: Block| diverges(shapes, b);
    for (&header, found) in &structure.loops {
        let waiting = if varying(found.latch) { WAITING } else { 1.0 };
        for block in structure.blocks_of_loop(header) {
            let (alone, vector) = weights.get_mut(block).expect("all blocks have one");
            *alone *= ITERATIONS;
            *vector *= ITERATIONS * waiting;
        }
    }
    for (&opener, branch) in &structure.branches {
        if let Branch::Triangle { then, join, .. } = *branch
            && varying(opener)
        {
            for block in reached_before(then, join) {
                let (alone, vector) = weights.get_mut(&block).expect("all blocks have one");
                *alone *= 0.5;
                // Neighbouring lanes often agree, so that a divergent block is skipped at times.
                *vector *= 0.8;
            }
        }
    }
    weights
}
