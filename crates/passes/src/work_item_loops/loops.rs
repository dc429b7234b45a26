//! Loops over the work-items of a work-group.

use ir::Builtin;
use ir::attributes::WorkItemOrder;
use llvm::{Builder, IntPredicate, Module, Value};

/// The work-group's size in each dimension, at least 1.
pub struct LocalSizes(pub [Value; 3]);

impl LocalSizes {
    pub fn query(module: &Module, b: &Builder) -> Self {
        let get = Builtin::GetLocalSize.declare(module);
        let names = ["size.x", "size.y", "size.z"];
        LocalSizes([0, 1, 2].map(|d| b.call(get, &[b.i32(d)], names[d as usize])))
    }

    pub fn items(&self, b: &Builder) -> Value {
        let [x, y, z] = self.0;
        b.mul(b.mul(x, y, ""), z, "items")
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

/// Builds the loops. `body` is given the linear local ID. The builder ends after the loops.
pub fn nest(
    module: &Module,
    b: &Builder,
    sizes: &LocalSizes,
    shape: Nest,
    suffix: &str,
    body: impl FnOnce(&Builder, Value),
) {
    let size = module.size_type();
    let set = Builtin::SetLocalId.declare(module);
    let function = b.block().expect("the builder is in a block").function();
    let mut ids = [size.zero(); 3];
    let mut open = Vec::new();
    // A work-group is never empty, so the loops test at their end.
    for &d in shape.order.0.iter().rev() {
        if d >= shape.dims {
            b.call(set, &[b.i32(d), size.zero()], "");
            continue;
        }
        let before = b.block().expect("the builder is in a block");
        let header = function.append_block(&format!("loop.{}{suffix}", ["x", "y", "z"][d as usize]));
        b.br(header);
        b.position_at_end(header);
        let id = b.phi(size, ["x", "y", "z"][d as usize]);
        id.add_incoming(size.zero(), before);
        b.call(set, &[b.i32(d), id], "");
        ids[d as usize] = id;
        open.push((d, header, id));
    }
    let row = b.add_nowrap(b.mul(ids[2], sizes.0[1], ""), ids[1], "");
    let item = b.add_nowrap(b.mul(row, sizes.0[0], ""), ids[0], "item");
    body(b, item);
    for (d, header, id) in open.into_iter().rev() {
        let latch = b.block().expect("the builder is in a block");
        let next = b.add_nowrap(id, size.const_int(1), "");
        id.add_incoming(next, latch);
        let more = b.icmp(IntPredicate::LLVMIntULT, next, sizes.0[d as usize], "");
        let done = function.append_block(&format!("done{suffix}"));
        b.cond_br(more, header, done);
        b.position_at_end(done);
    }
}
