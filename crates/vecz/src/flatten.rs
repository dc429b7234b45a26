//! Linearizes the work-group: the local ID along x becomes the linear local ID, from which the IDs
//! along y and z are computed.
//!
//! ```text
//! %y = call i64 @__mux_get_local_id(i32 1)   →   %i = call i64 @__mux_get_local_id(i32 0)
//!                                                %row = udiv i64 %i, %size.x
//!                                                %y = urem i64 %row, %size.y
//! ```
//!
//! Consecutive lanes then cross from row to row, as those of a sub-group must.

use ir::{Builtin, GroupOp};
use llvm::{Builder, Function, IntPredicate, Module, Opcode, Value};

pub fn flatten(module: &Module, kernel: Function) {
    use Builtin::*;
    let asks = |i: &Value| {
        let builtin = Builtin::called_by(*i);
        matches!(builtin, Some(GetLocalId | GetGlobalId | GetLocalLinearId | GetGlobalLinearId))
    };
    let calls: Vec<Value> = kernel.instructions().into_iter().filter(asks).collect();
    let Some(first) = kernel.entry().instructions().into_iter().find(|i| !i.is_alloca()) else { return };
    let b = Builder::before(module.context(), first);
    let size = module.size_type();
    let query = |builtin: Builtin, d: u32| b.call(builtin.declare(module), &[b.i32(d)], "");
    let linear = query(GetLocalId, 0);
    let [sx, sy] = [0, 1].map(|d| query(GetLocalSize, d));
    let row = b.binary(Opcode::LLVMUDiv, linear, sx, "row");
    let local = [
        b.binary(Opcode::LLVMURem, linear, sx, "x"),
        b.binary(Opcode::LLVMURem, row, sy, "y"),
        b.binary(Opcode::LLVMUDiv, row, sy, "z"),
    ];
    // Global IDs follow from the enqueued local size: only the last work-group may be smaller.
    let in_range = [0, 1, 2].map(|d| {
        let before = b.mul(query(GetGroupId, d), query(GetEnqueuedLocalSize, d), "");
        b.add(before, local[d as usize], "")
    });
    let global = [0, 1, 2].map(|d| b.add(in_range[d as usize], query(GetGlobalOffset, d), ""));
    let [gx, gy] = [0, 1].map(|d| query(GetGlobalSize, d));
    let global_linear =
        b.add(b.mul(b.add(b.mul(in_range[2], gy, ""), in_range[1], ""), gx, ""), in_range[0], "");
    // A broadcast names its work-item by local IDs, too.
    for call in kernel.instructions() {
        if Builtin::called_by(call) == Some(Builtin::Group(ir::Group::work(GroupOp::Broadcast))) {
            let b = Builder::before(module.context(), call);
            let [x, y, z] = [2, 3, 4].map(|n| call.operand(n));
            let row = b.add(b.mul(z, sy, ""), y, "");
            call.set_operand(2, b.add(b.mul(row, sx, ""), x, "place"));
            (3..5).for_each(|n| call.set_operand(n, size.zero()));
        }
    }
    for call in calls {
        let b = Builder::before(module.context(), call);
        let of_dimension = |ids: [Value; 3]| match call.operand(0).as_const_int() {
            Some(d) => ids.get(d as usize).copied().unwrap_or_else(|| call.ty().zero()),
            None => (0..3).fold(call.ty().zero(), |other, d| {
                let is = b.icmp(IntPredicate::LLVMIntEQ, call.operand(0), b.i32(d), "");
                b.select(is, ids[d as usize], other, "")
            }),
        };
        let id = match Builtin::called_by(call) {
            Some(GetLocalId) => of_dimension(local),
            Some(GetGlobalId) => of_dimension(global),
            Some(GetGlobalLinearId) => global_linear,
            _ => linear,
        };
        call.replace_all_uses_with(id);
        call.erase();
    }
}
