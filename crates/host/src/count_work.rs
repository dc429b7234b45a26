//! CountWork: counts the bytes and the floating-point operations of a work-item, for profiles.
//!
//! ```text
//! define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {      define … @k(…) #0 {
//!   loop: %x = load float, …   fadd float %s, %x             →     …
//!         icmp slt i32 %next, %n                                 #0 = { "mux-work"="4 4*1:0:1;1*1:0:1" }
//!   end:  store float %s, …
//! ```
//!
//! Each block is counted as often as the loops around it run: a constant number, or up to an
//! argument. A branch on IDs that skips the rest of the kernel (`if (i >= n) return;`) is taken to
//! be a guard of the range's end, which work-items pass. A kernel whose work depends on data, on
//! other branches or on calls is not counted: it gets no attribute. Where instructions have lines
//! of the source, bytes are counted by lines, too. Runs on canonical kernels; changes no code.

use analysis::{Loop, Loops, Preserved};
use ir::work::{Sum, Term, Trips, Work};
use ir::{Builtin, address_space, attributes};
use llvm::{Block, Function, IntPredicate, Module, Opcode, Value};
use passes::{Options, Pass, PassContext, PassError, Registry, SourceLine, entry_points};
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Clone, Debug, Default)]
pub struct CountWork {
    /// The only kernel to analyse; all of them if `None`.
    pub kernel: Option<String>,
}

pub(crate) fn register(registry: &mut Registry) {
    let summary = "count the bytes and operations of a work-item: kernel=NAME";
    registry.register("count-work", summary, |options| Ok(CountWork { kernel: options.value("kernel")? }));
}

impl Pass for CountWork {
    fn name(&self) -> &'static str {
        "count-work"
    }

    fn options(&self) -> Options {
        Options::default().with_value("kernel", self.kernel.as_ref())
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let is_wanted = |f: &Function| self.kernel.as_ref().is_none_or(|name| f.name() == *name);
        for kernel in entry_points(cx.module).into_iter().filter(is_wanted) {
            if let Some(work) = count(cx.module, kernel, &cx.analysis::<Loops>(kernel)) {
                attributes::set_work(kernel, &work);
            }
        }
        Ok(Preserved::All)
    }
}

/// The bytes and operations of one run of a block.
#[derive(Clone, Copy, Default)]
struct Amount {
    bytes: u64,
    operations: u64,
}

impl Amount {
    fn is_some(self) -> bool {
        self.bytes + self.operations > 0
    }
}

fn count(module: &Module, kernel: Function, loops: &Loops) -> Option<Work> {
    let mut amounts = HashMap::new();
    for block in kernel.blocks() {
        let mut sum = Amount::default();
        for i in block.instructions() {
            let Amount { bytes, operations } = amount(module, i)?;
            sum = Amount { bytes: sum.bytes + bytes, operations: sum.operations + operations };
        }
        amounts.insert(block, sum);
    }
    let busy = |block: &Block| amounts.get(block).is_some_and(|amount| amount.is_some());
    let counted = counted_loops(kernel, loops, &busy)?;
    if kernel.blocks().into_iter().any(|block| decides(block, &counted, &busy)) {
        return None;
    }
    let mut work = Work::default();
    let mut lines: BTreeMap<u32, Sum> = BTreeMap::new();
    for block in kernel.blocks().into_iter().filter(busy) {
        let (mut factor, mut trips) = (1, Vec::new());
        for (_, count) in counted.iter().filter(|(l, _)| l.contains(block)) {
            match count {
                Count::Constant(n) => factor *= n,
                Count::Argument(argument) => trips.push(*argument),
            }
        }
        let sum = amounts[&block];
        add(&mut work.bytes, sum.bytes * factor, &trips);
        add(&mut work.operations, sum.operations * factor, &trips);
        for i in block.instructions() {
            let bytes = amount(module, i)?.bytes * factor;
            if let (Some(place), 1..) = (SourceLine::of(i), bytes) {
                add(lines.entry(place.line).or_default(), bytes, &trips);
            }
        }
    }
    work.lines = lines.into_iter().collect();
    Some(work)
}

/// Adds a term, to the one that has the same trips if there is one.
fn add(sum: &mut Sum, factor: u64, trips: &[Trips]) {
    match sum.0.iter_mut().find(|term| term.trips == trips) {
        _ if factor == 0 => {}
        Some(term) => term.factor += factor,
        None => sum.0.push(Term { factor, trips: trips.to_vec() }),
    }
}

/// What an instruction adds; `None` if that cannot be told.
fn amount(module: &Module, i: Value) -> Option<Amount> {
    use Opcode::*;
    let bytes = |ty, pointer: Value, times: u64| {
        let is_memory =
            matches!(pointer.ty().address_space(), address_space::GLOBAL | address_space::CONSTANT);
        Amount { bytes: if is_memory { times * module.size_of(ty) } else { 0 }, operations: 0 }
    };
    let operations = |times: u64| {
        let ty = i.ty();
        let elements = if ty.is_vector() { ty.len() } else { 1 };
        let is_float = ty.scalar().float_bits().is_some();
        Amount { bytes: 0, operations: if is_float { times * elements } else { 0 } }
    };
    Some(match i.opcode()? {
        LLVMLoad => bytes(i.ty(), i.operand(0), 1),
        LLVMStore => bytes(i.operand(0).ty(), i.operand(1), 1),
        LLVMAtomicRMW => bytes(i.operand(1).ty(), i.operand(0), 2),
        LLVMAtomicCmpXchg => bytes(i.operand(1).ty(), i.operand(0), 2),
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => operations(1),
        LLVMCall => {
            let called = i.called_function()?;
            let name = called.name();
            match Builtin::of(called) {
                Some(b) if b.is_barrier() || b.is_work_item_query() || b.is_sub_group_query() => {
                    Amount::default()
                }
                Some(_) if called.is_memory_none() => operations(1),
                Some(_) => return None,
                None if name.starts_with("llvm.fma.") || name.starts_with("llvm.fmuladd.") => operations(2),
                None if is_for_free(&name) => Amount::default(),
                None if called.is_memory_none() && called.is_declaration() => operations(1),
                None => return None,
            }
        }
        _ => Amount::default(),
    })
}

/// Intrinsics that are no operations.
fn is_for_free(name: &str) -> bool {
    const FREE: [&str; 7] =
        ["lifetime", "assume", "dbg", "copysign", "fabs", "experimental.noalias", "invariant"];
    FREE.iter().any(|free| name.strip_prefix("llvm.").is_some_and(|rest| rest.starts_with(free)))
}

/// How often a loop runs.
enum Count {
    Constant(u64),
    Argument(Trips),
}

/// The loops that have work and their trip counts; `None` if one of them cannot be counted.
fn counted_loops<'a>(
    kernel: Function,
    loops: &'a Loops,
    busy: &impl Fn(&Block) -> bool,
) -> Option<Vec<(&'a Loop, Count)>> {
    let mut headers = HashSet::new();
    let with_work = loops.iter().filter(|l| l.blocks.iter().any(busy));
    let count = |l: &'a Loop| {
        let is_simple = l.is_natural && headers.insert(l.header);
        Some((l, trip_count(kernel, l).filter(|_| is_simple)?))
    };
    with_work.map(count).collect()
}

/// The trips of a loop that ends only at its latch, when a counter that starts with a constant and
/// grows by a constant has reached a constant or an argument.
fn trip_count(kernel: Function, l: &Loop) -> Option<Count> {
    if l.blocks.iter().any(|&block| block != l.latch && l.is_exiting(block)) {
        return None;
    }
    let branch = l.latch.terminator()?;
    let condition = branch.condition().filter(|c| c.opcode() == Some(Opcode::LLVMICmp))?;
    let goes_on_if_true = branch.successors()[0] == l.header;
    let goes_on = match condition.int_predicate() {
        IntPredicate::LLVMIntSLT | IntPredicate::LLVMIntULT | IntPredicate::LLVMIntNE => true,
        IntPredicate::LLVMIntSGE | IntPredicate::LLVMIntUGE | IntPredicate::LLVMIntEQ => false,
        _ => return None,
    };
    let (next, end) = (condition.operand(0), condition.operand(1));
    if goes_on != goes_on_if_true || next.opcode() != Some(Opcode::LLVMAdd) {
        return None;
    }
    let (counter, step) = (next.operand(0), next.operand(1).as_const_signed().filter(|step| *step > 0)?);
    if !counter.is_phi() || counter.block() != Some(l.header) {
        return None;
    }
    let from_outside = counter.incoming().into_iter().find(|(_, from)| !l.contains(*from))?;
    let start = from_outside.0.as_const_signed()?;
    let trips = |argument| Trips { argument, start, step };
    match end.as_const_signed() {
        Some(end) => Some(Count::Constant(trips(0).until(end))),
        None => Some(Count::Argument(trips(argument_behind(kernel, end)?))),
    }
}

/// The index of the argument whose value an integer has, perhaps in another width.
fn argument_behind(kernel: Function, value: Value) -> Option<u32> {
    use Opcode::*;
    match value.opcode() {
        Some(LLVMSExt | LLVMZExt | LLVMTrunc | LLVMFreeze) => argument_behind(kernel, value.operand(0)),
        _ => kernel.params().into_iter().position(|param| param == value).map(|n| n as u32),
    }
}

/// Whether a block's branch decides about work: its ways differ in work, and it is neither the end
/// nor the guard of a counted loop nor the guard of the range's end.
fn decides(block: Block, counted: &[(&Loop, Count)], busy: &impl Fn(&Block) -> bool) -> bool {
    let successors = block.successors();
    if successors.len() < 2 || counted.iter().any(|(l, _)| l.latch == block) {
        return false;
    }
    let ways: Vec<HashSet<Block>> = successors.iter().map(|&s| busy_after(s, counted, busy)).collect();
    let is_guard = |(way, to): (&HashSet<Block>, &Block)| {
        let guards_a_loop = counted.iter().any(|(l, _)| {
            !l.contains(block)
                && l.latch.successors().contains(to)
                && ways.iter().any(|other| {
                    let mut skipped = other.difference(way);
                    l.blocks.iter().any(|b| other.contains(b)) && skipped.all(|b| l.contains(*b))
                })
        });
        (way.is_empty() && guards_the_end(block, counted)) || guards_a_loop
    };
    ways.windows(2).any(|pair| pair[0] != pair[1]) && !ways.iter().zip(&successors).any(is_guard)
}

/// Whether a branch outside of loops asks for IDs and arguments only, not for data.
fn guards_the_end(block: Block, counted: &[(&Loop, Count)]) -> bool {
    let is_in_a_loop = counted.iter().any(|(l, _)| l.contains(block));
    let condition = block.terminator().and_then(Value::condition);
    let (mut seen, mut stack) = (HashSet::new(), Vec::from_iter(condition));
    while let Some(value) = stack.pop() {
        let is_query = Builtin::called_by(value).is_some_and(Builtin::is_work_item_query);
        if value.is_load() || value.is_phi() || (value.is_call() && !is_query) {
            return false;
        }
        if value.is_instruction() && seen.insert(value) {
            stack.extend(value.operands());
        }
    }
    !is_in_a_loop && condition.is_some()
}

/// The blocks with work that can come after `block`, and itself, on ways that do not go round a
/// counted loop.
fn busy_after(block: Block, counted: &[(&Loop, Count)], busy: &impl Fn(&Block) -> bool) -> HashSet<Block> {
    let (mut found, mut stack) = (HashSet::from([block]), vec![block]);
    while let Some(block) = stack.pop() {
        let goes_round = |to: &Block| counted.iter().any(|(l, _)| l.latch == block && l.header == *to);
        let next = block.successors().into_iter().filter(|to| !goes_round(to));
        stack.extend(next.filter(|to| found.insert(*to)));
    }
    found.retain(busy);
    found
}
