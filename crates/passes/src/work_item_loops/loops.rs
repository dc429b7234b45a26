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
        }
    }

    /// Whether there may be nothing to run.
    fn may_be_empty(self) -> bool {
        matches!(self, Strip::Main { tail: true, .. } | Strip::Tail { .. })
    }

    /// How often a version of the kernel that runs this strip is called in a work-group.
    pub fn calls(self, module: &Module, b: &Builder, sizes: &LocalSizes) -> Value {
        let [x, y, z] = sizes.0;
        let (first, end, step) = self.bounds(module, b, x);
        let along = match self {
            Strip::All => x,
            _ => b.binary(Opcode::LLVMUDiv, b.sub(end, first, ""), module.size_type().const_int(step), ""),
        };
        b.mul(b.mul(along, y, ""), z, "items")
    }
}

/// Builds the loops. `body` is given the number of the strip and of the call in it, counted over the work-group in linear order. The
/// builder ends after the loops. Strips other than [`Strip::All`] need x innermost.
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
    let close = |header: Block, id: Value, step: u64, end: Value| {
        let latch = b.block().expect("the builder is in a block");
        let next = b.add_nowrap(id, size.const_int(step), "");
        id.add_incoming(next, latch);
        let more = b.icmp(IntPredicate::LLVMIntULT, next, end, "");
        let done = function.append_block(&format!("done{suffix}"));
        b.cond_br(more, header, done);
        b.position_at_end(done);
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
        let row = b.add_nowrap(b.mul(ids[2], sizes.0[1], ""), ids[1], "");
        let call = match strip {
            Strip::All => b.add_nowrap(b.mul(row, sizes.0[0], ""), ids[0], "item"),
            _ => {
                let step = size.const_int(step);
                let along = b.binary(Opcode::LLVMUDiv, b.sub(end, first, ""), step, "");
                let own = b.binary(Opcode::LLVMUDiv, b.sub(ids[0], first, ""), step, "");
                b.add_nowrap(b.mul(row, along, ""), own, "item")
            }
        };
        body(b, i, call);
        if let Some((block, id)) = header {
            close(block, id, step, end);
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
