//! Elements that a vector does not have: `v[i]` with an index that is too large.
//!
//! ```text
//! %x = extractelement <4 x i32> %v, i32 %i
//! ───►
//!   br i1 (icmp uge %i, 4), label %check.bad, label %check.next
//! check.bad:
//!   call i32 @__mux_check(ptr @check.site, …)
//!   br label %check.next
//! check.next:
//!   %x = 0 or the element
//! ```
//!
//! Vectors in memory are loaded and stored as a whole; only their values are looked at here.

use super::sites::{Sites, What};
use ir::check::{Access, Event, Memory, Root};
use llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value};

/// The number of the vector as a root: that of no argument.
const NUMBER: u32 = u32::MAX - 1;

/// Adds the checks to a kernel.
pub fn check(module: &Module, kernel: Function, sites: &Sites<'_>) {
    for i in kernel.instructions() {
        let (vector, index, access) = match i.opcode() {
            Some(Opcode::LLVMExtractElement) => (i.operand(0), i.operand(1), Access::Read),
            Some(Opcode::LLVMInsertElement) => (i.operand(0), i.operand(2), Access::Write),
            _ => continue,
        };
        if index.as_const_int().is_none() && vector.ty().is_vector() {
            guard(module, kernel, sites, i, (vector, index, access));
        }
    }
}

fn guard(
    module: &Module,
    kernel: Function,
    sites: &Sites<'_>,
    i: Value,
    (vector, index, access): (Value, Value, Access),
) {
    let context = module.context();
    let count = vector.ty().len();
    let size = module.size_of(vector.ty().element());
    let name = vector.name().split('.').next().filter(|name| !name.is_empty()).unwrap_or("vector").to_owned();
    let root = Root { number: NUMBER, memory: Memory::Private, name, size: count * size, constant: false };
    let what = What { access, size: size as u32, roots: vec![root], ..What::event(Event::Access, "") };
    let site = sites.site(kernel, i, what);
    let b = Builder::before(context, i);
    let bad = b.icmp(IntPredicate::LLVMIntUGE, index, index.ty().const_int(count), "check.beyond");
    let inside = b.select(bad, index.ty().zero(), index, "");
    let next = i.next().expect("an element is no terminator");
    let b = Builder::before(context, next);
    let instead = if access == Access::Read { i.ty().zero() } else { vector };
    let result = b.select(bad, instead, i, "");
    i.replace_all_uses_with(result);
    result.set_operand(2, i);
    i.set_operand(if access == Access::Read { 1 } else { 2 }, inside);
    let before = i.block().expect("an instruction is in a block");
    let after = Block::split_before(i, "check.next");
    let tell = kernel.append_block("check.bad");
    tell.move_before(after);
    before.terminator().expect("the block was split").erase();
    let b = Builder::at_end(context, before);
    b.set_place_of(i);
    b.cond_br(bad, tell, after);
    let b = Builder::at_end(context, tell);
    b.set_place_of(i);
    let word = context.i64();
    let wide = match index.ty().int_bits() {
        64 => index,
        _ => b.cast(Opcode::LLVMSExt, index, word, ""),
    };
    sites.call(&b, site, [b.mul(wide, b.i64(size), ""), b.i64(NUMBER.into()), b.i64(size)]);
    b.br(after);
}
