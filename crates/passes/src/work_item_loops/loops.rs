//! Writes the work-item loops: the loop nest over the work-items of a work-group.

use super::bounds::{Bounds, extreme};
use ir::Builtin;
use ir::attributes::WorkItemOrder;
use llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value, Width};

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
    /// The whole dimension, one work-item at a time.
    All,
    /// The main loop: `width` work-items at a time, as often as they fit. With `tail` there may be
    /// a remainder, and the main loop may be empty.
    Main { width: Width, tail: bool },
    /// The tail of [`Strip::Main`], one work-item at a time.
    Tail { width: Width },
    /// The tail of [`Strip::Main`] as one predicated vector.
    PredicatedTail { width: Width },
    /// The whole dimension, `width` work-items at a time, the last vector predicated.
    Predicated { width: Width },
}

impl Strip {
    /// The end of the main loop: `size` rounded down to a multiple of `width`.
    fn limit(module: &Module, b: &Builder, size: Value, width: Width) -> Value {
        let over = b.binary(Opcode::LLVMURem, size, module.lane_count(b, width, module.size_type()), "");
        b.sub(size, over, "limit")
    }

    /// The first ID, the end, and the step.
    fn bounds(self, module: &Module, b: &Builder, size: Value) -> (Value, Value, Value) {
        let zero = module.size_type().zero();
        let step = module.lane_count(b, self.step(), module.size_type());
        match self {
            Strip::All | Strip::Main { tail: false, .. } | Strip::Predicated { .. } => (zero, size, step),
            Strip::Main { width, tail: true } => (zero, Self::limit(module, b, size, width), step),
            Strip::Tail { width } | Strip::PredicatedTail { width } => {
                (Self::limit(module, b, size, width), size, step)
            }
        }
    }

    /// How many work-items a call of the version runs.
    fn step(self) -> Width {
        match self {
            Strip::All | Strip::Tail { .. } => Width::ONE,
            Strip::Main { width, .. } | Strip::PredicatedTail { width } | Strip::Predicated { width } => {
                width
            }
        }
    }

    /// Clips the bounds of a strip that is not empty to the work-items that may be active. The loop
    /// runs at least once.
    fn clipped(
        self,
        module: &Module,
        b: &Builder,
        (first, end, step): (Value, Value, Value),
        to: Bounds,
    ) -> (Value, Value) {
        let size = module.size_type();
        let whole_steps = |distance: Value| b.mul(b.binary(Opcode::LLVMUDiv, distance, step, ""), step, "");
        let beyond = |id: Value| if first.is_zero() { id } else { b.sub(id, first, "") };
        let one = size.const_int(1);
        let mut from = to.first;
        if !first.is_zero() {
            from = extreme(module, b, "umax", from, first);
        }
        // A vector that begins before the first active ID is skipped: the bounds are of the ID of
        // lane 0, and include the offsets of all lanes.
        let (mut from, mut last) = (beyond(from), beyond(b.sub(end, one, "")));
        if self.step() != Width::ONE {
            from = whole_steps(b.add_nowrap(from, b.sub(step, one, ""), ""));
            last = whole_steps(last);
        }
        let from = extreme(module, b, "umin", from, last);
        let from = if first.is_zero() { from } else { b.add_nowrap(first, from, "") };
        let to = extreme(module, b, "umin", to.end, end);
        (from, extreme(module, b, "umax", to, b.add_nowrap(from, one, "")))
    }

    /// Whether the strip may be empty.
    fn may_be_empty(self) -> bool {
        matches!(self, Strip::Main { tail: true, .. } | Strip::Tail { .. } | Strip::PredicatedTail { .. })
    }

    /// The most calls of a version of the kernel in a work-group of this size, which is one row in
    /// linear order.
    pub fn most_calls(self, size: [u64; 3], inner: u32) -> u64 {
        let along = size[inner as usize];
        let rows: u64 = size.iter().product::<u64>() / along.max(1);
        rows * self.most_calls_in_row(along)
    }

    /// The most calls in one row of `along` work-items.
    pub fn most_calls_in_row(self, along: u64) -> u64 {
        match self {
            Strip::All => along,
            // Where `vscale` is larger than 1, there are fewer vectors and longer tails.
            Strip::Main { width, .. } => along / u64::from(width.lanes),
            Strip::Tail { width } => width.known().map_or(along, |width| along % u64::from(width)),
            Strip::PredicatedTail { .. } => 1,
            Strip::Predicated { width } => along.div_ceil(width.lanes.into()),
        }
    }

    /// The two other dimensions.
    fn others(inner: u32) -> [usize; 2] {
        [[1, 2], [0, 2], [0, 1]][inner as usize]
    }

    /// The number of calls of a version that runs this strip, in one row of the innermost
    /// dimension.
    fn calls_in_row(self, module: &Module, b: &Builder, size: Value) -> Value {
        let (first, end, step) = self.bounds(module, b, size);
        let count = if first.is_zero() { end } else { b.sub(end, first, "") };
        if self.step() == Width::ONE {
            return count;
        }
        let up = match self {
            Strip::Main { .. } => count,
            _ => b.add_nowrap(count, b.sub(step, module.size_type().const_int(1), ""), ""),
        };
        b.binary(Opcode::LLVMUDiv, up, step, "")
    }

    /// The number of calls of a version that runs this strip of dimension `inner`, in one
    /// work-group.
    pub fn calls(self, module: &Module, b: &Builder, sizes: &LocalSizes, inner: u32) -> Value {
        let along = self.calls_in_row(module, b, sizes.0[inner as usize]);
        let [low, high] = Self::others(inner);
        b.mul(b.mul(along, sizes.0[low], ""), sizes.0[high], "items")
    }
}

/// The iteration space: the strips of the innermost dimension, and the clipped bounds of all
/// dimensions.
pub struct Work {
    pub strips: Vec<(Strip, Option<Bounds>)>,
    /// The clipped bounds of the outer dimensions.
    pub outer: [Option<Bounds>; 3],
}

/// Builds the loops. `body` gets the numbers of the strip and of the call in it; the latter does
/// not depend on the order of the loops: for [`Strip::All`] it is the linear local ID. The builder
/// ends after the loops. Strips are of the innermost dimension.
pub fn nest(
    module: &Module,
    b: &Builder,
    sizes: &LocalSizes,
    shape: Nest,
    suffix: &str,
    work: &Work,
    mut body: impl FnMut(&Builder, usize, Value),
) {
    let (zero, one) = (module.size_type().zero(), module.size_type().const_int(1));
    let [inner, outer @ ..] = shape.order.0;
    let setter = Builtin::SetLocalId.declare(module);
    let mut loops = LoopBuilder { module, b, setter, sizes, shape, suffix, ids: [zero; 3] };
    let mut opened = Vec::new();
    for &d in outer.iter().rev() {
        if d >= shape.dims {
            loops.set_local_id(d, zero);
            continue;
        }
        let whole = (zero, sizes.0[d as usize], one);
        let bounds = work.outer[d as usize].map(|to| Strip::All.clipped(module, b, whole, to));
        let (first, end) = bounds.unwrap_or((whole.0, whole.1));
        opened.push((loops.open(d, first), end));
    }
    for (i, &(strip, clip)) in work.strips.iter().enumerate() {
        loops.strip(inner, strip, clip, |b, call| body(b, i, call));
    }
    for (header, end) in opened.into_iter().rev() {
        loops.close(header, one, end);
    }
}

/// A loop whose body is being written: its header and its induction variable.
#[derive(Clone, Copy)]
struct OpenLoop {
    header: Block,
    id: Value,
}

/// Writes the loops of a nest at the builder's position.
struct LoopBuilder<'a> {
    module: &'a Module,
    b: &'a Builder,
    /// `__mux_set_local_id`.
    setter: Function,
    sizes: &'a LocalSizes,
    shape: Nest,
    /// Ends the names of the blocks.
    suffix: &'a str,
    /// The local ID in each dimension: the induction variable of its loop, 0 without a loop.
    ids: [Value; 3],
}

impl LoopBuilder<'_> {
    fn set_local_id(&self, d: u32, id: Value) {
        self.b.call(self.setter, &[self.b.i32(d), id], "");
    }

    fn block(&self) -> Block {
        self.b.block().expect("the builder is in a block")
    }

    fn append_block(&self, name: &str) -> Block {
        self.block().function().append_block(&format!("{name}{}", self.suffix))
    }

    /// Opens the loop over dimension `d`. A work-group is never empty: the loops are rotated, with
    /// the test at the latch.
    fn open(&mut self, d: u32, first: Value) -> OpenLoop {
        let name = ["x", "y", "z"][d as usize];
        let before = self.block();
        let header = self.append_block(&format!("loop.{name}"));
        self.b.br(header);
        self.b.position_at_end(header);
        let id = self.b.phi(self.module.size_type(), name);
        id.add_incoming(first, before);
        self.set_local_id(d, id);
        self.ids[d as usize] = id;
        OpenLoop { header, id }
    }

    /// Writes the latch of a loop, and returns its branch.
    fn close(&self, OpenLoop { header, id }: OpenLoop, step: Value, end: Value) -> Value {
        let latch = self.block();
        let next = self.b.add_nowrap(id, step, "");
        id.add_incoming(next, latch);
        let more = self.b.icmp(IntPredicate::LLVMIntULT, next, end, "");
        let done = self.append_block("done");
        let branch = self.b.cond_br(more, header, done);
        self.b.position_at_end(done);
        branch
    }

    /// Writes a strip of the innermost dimension: the loop over it, behind a test if the strip may
    /// be empty.
    fn strip(&mut self, inner: u32, strip: Strip, clip: Option<Bounds>, body: impl FnOnce(&Builder, Value)) {
        let (module, b) = (self.module, self.b);
        let (first, end, step) = strip.bounds(module, b, self.sizes.0[inner as usize]);
        let after = strip.may_be_empty().then(|| {
            let [run, after] = ["strip", "after"].map(|name| self.append_block(name));
            let some = b.icmp(IntPredicate::LLVMIntULT, first, end, "");
            b.cond_br(some, run, after);
            b.position_at_end(run);
            after
        });
        let bounds = clip.map(|to| strip.clipped(module, b, (first, end, step), to));
        let (from, to) = bounds.unwrap_or((first, end));
        let header = (inner < self.shape.dims).then(|| self.open(inner, from));
        if header.is_none() {
            self.set_local_id(inner, module.size_type().zero());
        }
        body(b, self.call_number(inner, strip, first, step));
        if let Some(header) = header {
            let branch = self.close(header, step, to);
            match strip {
                Strip::All => {}
                // No further vectorizing or unrolling of vector code, nor of short tails.
                Strip::Main { .. } | Strip::Predicated { .. } => branch.leave_loop(false),
                Strip::Tail { .. } | Strip::PredicatedTail { .. } => branch.leave_loop(true),
            }
        }
        if let Some(after) = after {
            b.br(after);
            b.position_at_end(after);
        }
    }

    /// The number of a call among all calls that run a strip, in the order of the linear local ID.
    /// `first` and `step` are of the strip before it is clipped.
    fn call_number(&self, inner: u32, strip: Strip, first: Value, step: Value) -> Value {
        let (b, ids, sizes) = (self.b, self.ids, self.sizes.0);
        if let Strip::All = strip {
            let row = b.add_nowrap(b.mul_nowrap(ids[2], sizes[1], ""), ids[1], "");
            return b.add_nowrap(b.mul_nowrap(row, sizes[0], ""), ids[0], "item");
        }
        let [low, high] = Strip::others(inner);
        let row = b.add_nowrap(b.mul_nowrap(ids[high], sizes[low], ""), ids[low], "");
        let along = strip.calls_in_row(self.module, b, sizes[inner as usize]);
        let id = ids[inner as usize];
        let own = if first.is_zero() { id } else { b.sub(id, first, "") };
        let own = b.binary(Opcode::LLVMUDiv, own, step, "");
        b.add_nowrap(b.mul_nowrap(row, along, ""), own, "item")
    }
}
