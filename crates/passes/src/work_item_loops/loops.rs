//! Loops over the work-items of a work-group.

use ir::Builtin;
use ir::attributes::WorkItemOrder;
use llvm::{Block, Builder, IntPredicate, Module, Opcode, Value};

/// The work-group's size in each dimension, at least 1.
pub struct LocalSizes(pub [Value; 3]);

impl LocalSizes {
    pub fn query(module: &Module, b: &Builder) -> Self {
        let get = Builtin::GetLocalSize.declare(module);
        let names = ["size.x", "size.y", "size.z"];
        LocalSizes([0, 1, 2].map(|d| b.call(get, &[b.i32(d)], names[d as usize])))
    }
}

pub fn set_local_ids(module: &Module, b: &Builder, ids: [Value; 3]) {
    let set = Builtin::SetLocalId.declare(module);
    for (d, id) in ids.into_iter().enumerate() {
        b.call(set, &[b.i32(d as u32), id], "");
    }
}

/// How the loops are nested.
#[derive(Clone, Copy)]
pub struct Nest {
    /// The dimensions from the innermost to the outermost.
    pub order: WorkItemOrder,
    /// How many dimensions a work-group has: in the others there is one work-item.
    pub dims: u32,
}

/// The part of the innermost dimension that one version of a kernel runs.
#[derive(Clone, Copy)]
pub enum Strip {
    /// All of it, one work-item at a time.
    All,
    /// From the start, so many at a time, as often as they fit. `tail` says whether some may be left over, and the strip may be
    /// empty.
    Main { width: u64, tail: bool },
    /// What [`Strip::Main`] leaves over, one at a time.
    Tail { width: u64 },
    /// What [`Strip::Main`] leaves over, at once.
    PredicatedTail { width: u64 },
    /// All of it, so many at a time; the last time there may be fewer.
    Predicated { width: u64 },
}

impl Strip {
    /// Where the part that runs `width` at a time ends.
    fn limit(module: &Module, b: &Builder, size: Value, width: u64) -> Value {
        let over = b.binary(Opcode::LLVMURem, size, module.size_type().const_int(width), "");
        b.sub(size, over, "limit")
    }

    /// The first ID, the end, and the step.
    fn bounds(self, module: &Module, b: &Builder, size: Value) -> (Value, Value, u64) {
        let zero = module.size_type().zero();
        match self {
            Strip::All => (zero, size, 1),
            Strip::Main { width, tail: false } => (zero, size, width),
            Strip::Main { width, tail: true } => (zero, Self::limit(module, b, size, width), width),
            Strip::Tail { width } => (Self::limit(module, b, size, width), size, 1),
            Strip::PredicatedTail { width } => (Self::limit(module, b, size, width), size, width),
            Strip::Predicated { width } => (zero, size, width),
        }
    }

    /// Whether there may be nothing to run.
    fn may_be_empty(self) -> bool {
        matches!(self, Strip::Main { tail: true, .. } | Strip::Tail { .. } | Strip::PredicatedTail { .. })
    }

    /// How often a version of the kernel is called at most in a work-group of this size. (In linear order there are fewer rows.)
    pub fn most_calls(self, size: [u64; 3], inner: u32) -> u64 {
        let along = size[inner as usize];
        let rows: u64 = size.iter().product::<u64>() / along.max(1);
        rows * match self {
            Strip::All => along,
            Strip::Main { width, .. } => along / width,
            Strip::Tail { width } => along % width,
            Strip::PredicatedTail { .. } => 1,
            Strip::Predicated { width } => along.div_ceil(width),
        }
    }

    /// The dimensions that are not this one.
    fn others(inner: u32) -> [usize; 2] {
        [[1, 2], [0, 2], [0, 1]][inner as usize]
    }

    /// How often a version of the kernel that runs this strip is called in a row of the innermost dimension.
    fn calls_in_row(self, module: &Module, b: &Builder, size: Value) -> Value {
        let (first, end, step) = self.bounds(module, b, size);
        let count = if first.is_zero() { end } else { b.sub(end, first, "") };
        if step == 1 {
            return count;
        }
        let up = match self {
            Strip::Main { .. } => count,
            _ => b.add_nowrap(count, module.size_type().const_int(step - 1), ""),
        };
        b.binary(Opcode::LLVMUDiv, up, module.size_type().const_int(step), "")
    }

    /// How often a version of the kernel that runs this strip of dimension `inner` is called in a work-group.
    pub fn calls(self, module: &Module, b: &Builder, sizes: &LocalSizes, inner: u32) -> Value {
        let along = self.calls_in_row(module, b, sizes.0[inner as usize]);
        let [low, high] = Self::others(inner);
        b.mul(b.mul(along, sizes.0[low], ""), sizes.0[high], "items")
    }
}

/// Builds the loops. `body` is given the number of the strip and of the call in it, which is the same in whatever order the loops
/// are nested: for [`Strip::All`], the linear local ID. The builder ends after the loops. Strips are of the innermost dimension.
pub fn nest(
    module: &Module,
    b: &Builder,
    sizes: &LocalSizes,
    shape: Nest,
    suffix: &str,
    strips: &[Strip],
    mut body: impl FnMut(&Builder, usize, Value),
) {
    let size = module.size_type();
    let set = Builtin::SetLocalId.declare(module);
    let function = b.block().expect("the builder is in a block").function();
    let name = |d: u32| ["x", "y", "z"][d as usize];
    let mut ids = [size.zero(); 3];
    // A work-group is never empty, so the loops test at their end.
    let open = |d: u32, first: Value| -> (Block, Value) {
        let before = b.block().expect("the builder is in a block");
        let header = function.append_block(&format!("loop.{}{suffix}", name(d)));
        b.br(header);
        b.position_at_end(header);
        let id = b.phi(size, name(d));
        id.add_incoming(first, before);
        b.call(set, &[b.i32(d), id], "");
        (header, id)
    };
    let close = |header: Block, id: Value, step: u64, end: Value| -> Value {
        let latch = b.block().expect("the builder is in a block");
        let next = b.add_nowrap(id, size.const_int(step), "");
        id.add_incoming(next, latch);
        let more = b.icmp(IntPredicate::LLVMIntULT, next, end, "");
        let done = function.append_block(&format!("done{suffix}"));
        let branch = b.cond_br(more, header, done);
        b.position_at_end(done);
        branch
    };

    let [inner, outer @ ..] = shape.order.0;
    let mut opened = Vec::new();
    for &d in outer.iter().rev() {
        if d >= shape.dims {
            b.call(set, &[b.i32(d), size.zero()], "");
            continue;
        }
        let (header, id) = open(d, size.zero());
        ids[d as usize] = id;
        opened.push((d, header, id));
    }
    for (i, strip) in strips.iter().enumerate() {
        let (first, end, step) = strip.bounds(module, b, sizes.0[inner as usize]);
        let after = strip.may_be_empty().then(|| {
            let [run, after] = ["strip", "after"].map(|n| function.append_block(&format!("{n}{suffix}")));
            let some = b.icmp(IntPredicate::LLVMIntULT, first, end, "");
            b.cond_br(some, run, after);
            b.position_at_end(run);
            after
        });
        let looped = inner < shape.dims;
        let mut header = None;
        if looped {
            let (block, id) = open(inner, first);
            ids[inner as usize] = id;
            header = Some((block, id));
        } else {
            b.call(set, &[b.i32(inner), size.zero()], "");
        }
        let call = match strip {
            Strip::All => {
                let row = b.add_nowrap(b.mul(ids[2], sizes.0[1], ""), ids[1], "");
                b.add_nowrap(b.mul(row, sizes.0[0], ""), ids[0], "item")
            }
            _ => {
                let [low, high] = Strip::others(inner);
                let row = b.add_nowrap(b.mul(ids[high], sizes.0[low], ""), ids[low], "");
                let along = strip.calls_in_row(module, b, sizes.0[inner as usize]);
                let own =
                    if first.is_zero() { ids[inner as usize] } else { b.sub(ids[inner as usize], first, "") };
                let own = b.binary(Opcode::LLVMUDiv, own, size.const_int(step), "");
                b.add_nowrap(b.mul(row, along, ""), own, "item")
            }
        };
        body(b, i, call);
        if let Some((block, id)) = header {
            let branch = close(block, id, step, end);
            match strip {
                Strip::All => {}
                // What is vectorized already shall stay as it is, and what is left over is not worth more code.
                Strip::Main { .. } | Strip::Predicated { .. } => branch.leave_loop(false),
                Strip::Tail { .. } | Strip::PredicatedTail { .. } => branch.leave_loop(true),
            }
        }
        if let Some(after) = after {
            b.br(after);
            b.position_at_end(after);
        }
    }
    for (d, header, id) in opened.into_iter().rev() {
        close(header, id, 1, sizes.0[d as usize]);
    }
}
