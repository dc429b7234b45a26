//! The DMA builtins in software. All work-items of a group call them with the same operands, and
//! the work-item with local ID 0 copies, row by row. Events carry no information: waiting for one
//! is followed by a barrier.

use crate::Builtin;
use crate::builtin::Dma;
use crate::builtin_info::Body;
use llvm::{IntPredicate, Value};

/// A copy of bytes, over rows and planes.
struct Copy {
    to: Value,
    from: Value,
    width: Value,
    /// For rows and planes, if there are any: their number, and their strides in bytes at the
    /// destination and at the source.
    levels: Vec<(Value, [Value; 2])>,
}

/// Builds the body of a DMA builtin and returns its result.
pub(crate) fn define(body: &Body<'_>, dma: Dma) -> Option<Value> {
    let dimensions = match dma {
        Dma::Wait => return None,
        Dma::Read(dimensions) | Dma::Write(dimensions) => dimensions,
    };
    let param = |i| body.function.param(i);
    let level = |i: u32| (param(3 * i + 2), [param(3 * i), param(3 * i + 1)]);
    let levels: Vec<_> = (1..dimensions).map(level).collect();
    let copy = Copy { to: param(0), from: param(1), width: param(2), levels };
    let event = param(3 * dimensions);

    let b = &body.b;
    let [first, done] = ["first", "done"].map(|name| body.function.append_block(name));
    let id = body.query(Builtin::GetLocalLinearId, None);
    b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, id, id.ty().zero(), "is_first"), first, done);
    b.position_at_end(first);
    copy.emit(body, copy.levels.len(), copy.to, copy.from);
    b.br(done);
    b.position_at_end(done);
    Some(event)
}

impl Copy {
    /// Writes the `level` innermost loops, which copy between these addresses.
    fn emit(&self, body: &Body<'_>, level: usize, to: Value, from: Value) {
        let b = &body.b;
        let Some(outer) = level.checked_sub(1) else {
            b.memcpy_dynamic(to, from, self.width);
            return;
        };
        let (count, [to_stride, from_stride]) = self.levels[outer];
        let size = body.module.size_type();
        let before = b.block().expect("the builder is in a block");
        let [head, inside, after] = ["head", "inside", "after"].map(|name| body.function.append_block(name));
        b.br(head);
        b.position_at_end(head);
        let i = b.phi(size, "i");
        b.cond_br(b.icmp(IntPredicate::LLVMIntULT, i, count, "more"), inside, after);
        b.position_at_end(inside);
        let byte = body.module.context().i8();
        let at = |base: Value, stride: Value| b.gep(byte, base, &[b.mul(i, stride, "")], "");
        self.emit(body, outer, at(to, to_stride), at(from, from_stride));
        let next = b.add(i, size.const_int(1), "next");
        let end = b.block().expect("the builder is in a block");
        b.br(head);
        i.add_incoming(size.zero(), before);
        i.add_incoming(next, end);
        b.position_at_end(after);
    }
}

/// Whether the body queries the local ID.
pub(crate) fn needs_scheduling_params(builtin: Builtin) -> bool {
    matches!(builtin, Builtin::Dma(Dma::Read(_) | Dma::Write(_)))
}
