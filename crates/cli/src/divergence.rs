//! Counts in how many groups of neighbouring work-items the branches of a kernel diverge, for the
//! explorer: a copy of the kernel counts for each work-item how often it reaches each branch, and
//! how often the branch is taken.
//!
//! ```text
//! br i1 %c, label %a, label %b   →   reached[branch][item] += 1, taken[branch][item] += %c
//!                                    br i1 %c, …
//! ```
//!
//! Work-items of a group that differ in either count went different ways. Those that go different
//! ways equally often, in turn, are not told from those that go the same way.

use std::sync::Arc;

use compiler::NdRange;
use ir::Builtin;
use jit::{Jit, Kernel};
use llvm::{Builder, Opcode, Value};
use runtime::{ArgValue, Buffer, Device};

use crate::args::Place;
use crate::error::{Error, Result};
use crate::program::{Program, build};

/// The most counters, of four bytes each.
const MOST_COUNTERS: usize = 64 << 20;

/// A branch of the kernel, and in how many of the groups that reach it it diverges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    pub line: u32,
    pub diverging: usize,
    pub groups: usize,
}

/// What is run.
pub struct Subject<'a> {
    pub device: &'static dyn Device,
    pub place: &'a Place,
    pub bytes: &'a [u8],
    pub options: &'a str,
    pub constants: &'a [(u32, String)],
    pub kernel: &'a str,
    pub range: &'a NdRange,
    pub args: &'a [ArgValue],
    /// The work-items of a group.
    pub width: usize,
    /// Whether they are neighbours along y instead of x.
    pub is_column: bool,
}

/// Runs the kernel once more to count, by `launch`. Nothing is counted in a kernel with more
/// branches times work-items than there is room for.
pub fn count(
    of: &Subject<'_>,
    launch: impl FnOnce(&Arc<Kernel>, &[ArgValue]) -> Result<()>,
) -> Result<Vec<Branch>> {
    let wrong = |e: &dyn std::fmt::Display| Error::input(format!("{}: {e}", of.place));
    let options = format!("{} -cl-lanewise-remarks", of.options);
    let module = build(of.device.compiler(), of.place, of.bytes, &options, of.constants)?;
    let context = llvm::Context::new();
    let module = llvm::Module::parse_bitcode(&context, &module.bitcode()).map_err(|e| wrong(&e))?;
    let items = of.range.work_items();
    let branches = conditional_branches(&module, of.kernel);
    let counters = branches.len().saturating_mul(items).saturating_mul(2);
    if branches.is_empty() || counters > MOST_COUNTERS {
        return Ok(Vec::new());
    }
    let buffer = of.device.memory().allocate(4 * counters).map_err(|e| wrong(&e))?;
    buffer.write(0, &vec![0; 4 * counters]).map_err(|e| wrong(&e))?;
    add_counters(&context, &module, &branches, &buffer, items);
    let place = Place::Path("counted.bc".into());
    let options = "-cl-wfv=never";
    let program = Program::new(of.device, Jit::new(), &place, &module.to_bitcode(), options, &[])?;
    // The kernel may change its buffers: it works on copies.
    let copies = of.args.iter().map(|arg| copy(of.device, arg)).collect::<Result<Vec<_>>>()?;
    launch(&program.kernel(&place, Some(of.kernel))?, &copies)?;

    let mut bytes = vec![0; 4 * counters];
    buffer.read(0, &mut bytes).map_err(|e| wrong(&e))?;
    let counts: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect();
    let lanes = Lanes {
        size: [of.range.global_size[0].max(1), of.range.global_size[1].max(1)],
        width: of.width.max(1),
        is_column: of.is_column,
    };
    let mut all: Vec<Branch> = Vec::new();
    for ((_, line), own) in branches.iter().zip(counts.chunks(2 * items)) {
        let branch = told(*line, own, &lanes);
        // Of the branches that a line became, the worst stands for it.
        match all.iter_mut().find(|other| other.line == *line) {
            Some(other) if other.diverging < branch.diverging => *other = branch,
            Some(_) => {}
            None => all.push(branch),
        }
    }
    Ok(all)
}

/// Which work-items are the lanes of one vector.
struct Lanes {
    /// Of the range, along x and y.
    size: [usize; 2],
    width: usize,
    is_column: bool,
}

impl Lanes {
    /// The vectors of a range, each by the linear IDs of its work-items.
    fn groups(&self, items: usize) -> Vec<Vec<usize>> {
        let [x, y] = self.size;
        let (long, step, others, other_step) = if self.is_column { (y, x, x, 1) } else { (x, 1, y, x) };
        let mut groups = Vec::new();
        for plane in (0..items).step_by(x * y) {
            for other in 0..others {
                let line: Vec<usize> = (0..long).map(|n| plane + other * other_step + n * step).collect();
                groups.extend(line.chunks(self.width).map(<[usize]>::to_vec));
            }
        }
        groups
    }
}

/// The conditional branches of a kernel that come from a line of its source.
fn conditional_branches(module: &llvm::Module, kernel: &str) -> Vec<(Value, u32)> {
    let Some(f) = module.function(kernel) else { return Vec::new() };
    let branches = f.blocks().into_iter().filter_map(|block| {
        let branch = block.terminator().filter(|end| end.opcode() == Some(Opcode::LLVMBr))?;
        let condition = branch.condition()?;
        let place = condition.is_instruction().then(|| condition.debug_line()).flatten();
        let (line, _) = place.or_else(|| branch.debug_line()).filter(|(line, _)| *line > 0)?;
        Some((branch, line))
    });
    branches.collect()
}

/// Makes each branch count. The counters are at an address of this process, which runs the kernel.
fn add_counters(
    context: &llvm::Context,
    module: &llvm::Module,
    branches: &[(Value, u32)],
    buffer: &Buffer,
    items: usize,
) {
    let linear = Builtin::GetGlobalLinearId.declare(module);
    for (n, (branch, _)) in branches.iter().enumerate() {
        let Some(condition) = branch.condition() else { continue };
        let b = Builder::before(context, *branch);
        let item = b.call(linear, &[], "");
        let ty = context.int(32);
        for (row, value) in [(2 * n, b.i32(1)), (2 * n + 1, b.cast(Opcode::LLVMZExt, condition, ty, ""))] {
            let start = buffer.as_ptr() as u64 + 4 * (row * items) as u64;
            let start = b.cast(Opcode::LLVMIntToPtr, b.i64(start), context.ptr(1), "");
            let counter = b.gep(ty, start, &[item], "");
            let counted = b.load(ty, counter, "");
            b.store(b.add(counted, value, ""), counter);
        }
    }
}

/// What the counters of one branch tell: first how often each work-item reached it, then how often
/// it was taken.
fn told(line: u32, counts: &[u32], lanes: &Lanes) -> Branch {
    let (reached, taken) = counts.split_at(counts.len() / 2);
    let mut groups = lanes.groups(reached.len());
    // Work-items that do not get there went another way before.
    groups.iter_mut().for_each(|group| group.retain(|&item| reached[item] > 0));
    groups.retain(|group| !group.is_empty());
    let pair = |item: usize| (reached[item], taken[item]);
    let diverging = groups.iter().filter(|group| group.iter().any(|&item| pair(item) != pair(group[0])));
    Branch { line, diverging: diverging.count(), groups: groups.len() }
}

fn copy(device: &dyn Device, arg: &ArgValue) -> Result<ArgValue> {
    let wrong = |e: &dyn std::fmt::Display| Error::input(format!("cannot copy a buffer: {e}"));
    let ArgValue::Buffer(buffer, offset) = arg else { return Ok(arg.clone()) };
    let mut bytes = vec![0; buffer.len()];
    buffer.read(0, &mut bytes).map_err(|e| wrong(&e))?;
    let copy = device.memory().allocate(bytes.len()).map_err(|e| wrong(&e))?;
    copy.write(0, &bytes).map_err(|e| wrong(&e))?;
    Ok(ArgValue::Buffer(copy, *offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_whose_work_items_differ() {
        // Two rows of five work-items, in groups of two: the last of a row is alone.
        let reached = [1, 1, 1, 1, 1, 0, 0, 2, 1, 1];
        let taken = [1, 1, 1, 0, 1, 0, 0, 0, 0, 1];
        let all = [reached, taken].concat();
        let told = |width, is_column| told(7, &all, &Lanes { size: [5, 2], width, is_column });
        assert_eq!(told(2, false), Branch { line: 7, diverging: 2, groups: 5 });
        assert_eq!(told(1, false), Branch { line: 7, diverging: 0, groups: 8 });
        // Columns: work-items 0 and 5, 1 and 6, and so on.
        assert_eq!(told(2, true), Branch { line: 7, diverging: 1, groups: 5 });
    }
}
