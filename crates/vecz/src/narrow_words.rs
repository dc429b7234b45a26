//! Narrows loop counters of which only the low word matters. InstCombine keeps the `uint i` of a
//! loop that steps by a `size_t` in 64 bits, and masks it at every use.
//!
//! ```text
//! %i = phi i64 [ %id, … ], [ %next, … ]        %i = phi i32 [ (trunc %id), … ], [ %next, … ]
//! %low = and i64 %i, 0xffffffff           →    %low = zext i32 %i to i64
//! %next = add i64 %low, %size                  %next = add i32 %i, (trunc %size)
//! ```
//!
//! In 32 bits the counter is strided: it wraps alike in all lanes. Where it is extended it may wrap
//! from one lane to the next, which `load_store` tests (`NarrowIndex`).

use llvm::{Builder, Context, Function, Opcode, Value};
use std::collections::{HashMap, HashSet};

/// How far sums and products are followed.
const DEPTH: u32 = 6;

const LOW_WORD: u64 = 0xffff_ffff;

pub fn narrow_words(context: &Context, kernel: Function) {
    let is_long = |v: &Value| v.ty().is_int() && v.ty().int_bits() == 64;
    let phis: Vec<Value> = kernel.instructions().into_iter().filter(|i| i.is_phi() && is_long(i)).collect();
    let mut narrow = Narrow { context, phis: HashMap::new() };
    for phi in phis {
        if only_low_word_is_used(phi, &mut HashSet::new(), DEPTH) {
            let b = Builder::before(context, phi);
            narrow.phis.insert(phi, b.phi(context.i32(), ""));
        }
    }
    if narrow.phis.is_empty() {
        return;
    }
    for (phi, low) in &narrow.phis {
        for (value, block) in phi.incoming() {
            let end = block.terminator().expect("a block ends");
            low.add_incoming(narrow.low_word(value, end, DEPTH), block);
        }
    }
    for i in kernel.instructions() {
        let Some(from) = extended_word(i).or_else(|| (is_truncation(i)).then(|| i.operand(0))) else {
            continue;
        };
        if !narrow.reaches(from, DEPTH) {
            continue;
        }
        let b = Builder::before(context, i);
        let low = narrow.low_word(from, i, DEPTH);
        let new = match i.opcode() {
            Some(Opcode::LLVMAnd) => b.cast(Opcode::LLVMZExt, low, context.i64(), ""),
            Some(Opcode::LLVMAShr) => b.cast(Opcode::LLVMSExt, low, context.i64(), ""),
            _ => low,
        };
        i.replace_all_uses_with(new);
    }
}

/// Whether all uses of a 64-bit value depend on its low 32 bits alone.
fn only_low_word_is_used(value: Value, seen: &mut HashSet<Value>, depth: u32) -> bool {
    use Opcode::*;
    if !seen.insert(value) {
        return true;
    }
    depth > 0
        && value.users().into_iter().all(|user| match user.opcode() {
            Some(LLVMTrunc) => user.ty().is_int() && user.ty().int_bits() <= 32,
            Some(LLVMAnd) => user.operand(1).as_const_int().is_some_and(|mask| mask <= LOW_WORD),
            Some(LLVMShl) if user.operand(1).as_const_int().is_some_and(|by| by >= 32) => true,
            Some(LLVMAdd | LLVMSub | LLVMMul | LLVMPHI) => only_low_word_is_used(user, seen, depth - 1),
            _ => false,
        })
}

/// The value whose low word this is, extended to 64 bits with zeros or with the sign.
fn extended_word(value: Value) -> Option<Value> {
    if !value.is_instruction() || !value.ty().is_int() || value.ty().int_bits() != 64 {
        return None;
    }
    let by = |v: Value, op: Opcode, by: u64| {
        v.is_instruction() && v.opcode() == Some(op) && v.operand(1).as_const_int() == Some(by)
    };
    let shifted = by(value, Opcode::LLVMAShr, 32).then(|| value.operand(0));
    match shifted.filter(|v| by(*v, Opcode::LLVMShl, 32)) {
        Some(shifted) => Some(shifted.operand(0)),
        None => by(value, Opcode::LLVMAnd, LOW_WORD).then(|| value.operand(0)),
    }
}

fn is_truncation(value: Value) -> bool {
    let is_word = value.ty().is_int() && value.ty().int_bits() == 32;
    is_word && value.opcode() == Some(Opcode::LLVMTrunc) && value.operand(0).ty().int_bits() == 64
}

struct Narrow<'a> {
    context: &'a Context,
    /// The narrow form of each PHI that has one.
    phis: HashMap<Value, Value>,
}

impl Narrow<'_> {
    /// Whether the low word of a value is computed from that of a narrowed PHI.
    fn reaches(&self, value: Value, depth: u32) -> bool {
        use Opcode::*;
        if self.phis.contains_key(&value) {
            return true;
        }
        if depth == 0 || !value.is_instruction() {
            return false;
        }
        if let Some(from) = extended_word(value) {
            return self.reaches(from, depth - 1);
        }
        matches!(value.opcode(), Some(LLVMAdd | LLVMSub | LLVMMul))
            && value.operands().any(|v| self.reaches(v, depth - 1))
    }

    /// The low word of a value, before an instruction that the value dominates.
    fn low_word(&self, value: Value, before: Value, depth: u32) -> Value {
        if let Some(low) = self.phis.get(&value) {
            return *low;
        }
        let i32 = self.context.i32();
        if let Some(constant) = value.as_const_int() {
            return i32.const_int(constant & LOW_WORD);
        }
        let b = Builder::before(self.context, before);
        if self.reaches(value, depth) {
            if let Some(from) = extended_word(value) {
                return self.low_word(from, before, depth - 1);
            }
            let [x, y] = [0, 1].map(|n| self.low_word(value.operand(n), before, depth - 1));
            return b.binary(value.opcode().expect("a sum or product"), x, y, "");
        }
        b.cast(Opcode::LLVMTrunc, value, i32, "")
    }
}
