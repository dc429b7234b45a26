//! Rematerialization: which values that are live across barriers are computed again in the regions
//! that use them, instead of stored to the live memory.

use ir::Builtin;
use llvm::{Module, Opcode, Value};
use std::collections::HashSet;

/// Decides which values are stored in the live memory and which are rematerialized.
pub struct Rematerialization<'a> {
    pub module: &'a Module,
    /// The values that are stored.
    pub kept: HashSet<Value>,
    /// The private arrays that are in the live memory anyway.
    pub arrays: &'a HashSet<Value>,
}

/// The largest depth of an expression that is rematerialized.
const MAX_DEPTH: u32 = 6;

impl Rematerialization<'_> {
    /// Stores the value, or its narrower source, unless it is cheap to rematerialize.
    pub fn keep_or_rematerialize(&mut self, value: Value) {
        if self.kept.contains(&value) || self.is_cheap(value, MAX_DEPTH) {
            return;
        }
        // Store the narrow source instead of the wide value.
        match self.narrower_source(value) {
            Some(source) if source.is_instruction() => self.keep_or_rematerialize(source),
            Some(_) => {}
            None => {
                self.kept.insert(value);
            }
        }
    }

    fn is_available(&self, value: Value, depth: u32) -> bool {
        !value.is_instruction()
            || self.kept.contains(&value)
            || self.arrays.contains(&value)
            || (depth > 0 && self.is_cheap(value, depth - 1))
    }

    /// Whether the value can be rematerialized at little cost, from values that every region has.
    fn is_cheap(&self, value: Value, depth: u32) -> bool {
        is_recomputable(value) && value.operands().all(|operand| self.is_available(operand, depth))
    }

    /// The operand of a lossless cast or of a splat, from which the value can be rematerialized.
    fn narrower_source(&self, value: Value) -> Option<Value> {
        match value.opcode()? {
            Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMFPExt => Some(value.operand(0)),
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => Some(value.operand(0)),
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr => {
                let same =
                    self.module.min_size_of(value.ty()) == self.module.min_size_of(value.operand(0).ty());
                same.then(|| value.operand(0))
            }
            Opcode::LLVMShuffleVector => splatted(value),
            _ => None,
        }
    }
}

/// The scalar that is splatted to this vector.
pub fn splatted(shuffle: Value) -> Option<Value> {
    if shuffle.opcode() != Some(Opcode::LLVMShuffleVector) {
        return None;
    }
    let is_splat = shuffle.shuffle_mask().iter().all(|&lane| lane == 0);
    let source = shuffle.operand(0);
    let inserted = source.opcode() == Some(Opcode::LLVMInsertElement)
        && source.operand(0).is_undef_or_poison()
        && source.operand(2).is_zero();
    (is_splat && inserted && shuffle.operand(1).is_undef_or_poison()).then(|| source.operand(1))
}

/// Whether this is an intrinsic that says which lanes a scalable vector has: an instruction or two,
/// of IDs and constants.
fn counts_lanes(call: Value) -> bool {
    let counting = ["llvm.experimental.stepvector.", "llvm.get.active.lane.mask.", "llvm.vscale."];
    call.called_function().is_some_and(|f| {
        let name = f.name();
        counting.iter().any(|start| name.starts_with(start))
    })
}

/// Whether an instruction is pure, and about as cheap as a load.
fn is_recomputable(value: Value) -> bool {
    use Opcode::*;
    match value.opcode() {
        Some(LLVMCall) => {
            Builtin::called_by(value).is_some_and(Builtin::is_rematerializable) || counts_lanes(value)
        }
        Some(
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor
            | LLVMICmp | LLVMGetElementPtr | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPExt | LLVMFPTrunc
            | LLVMBitCast | LLVMAddrSpaceCast | LLVMPtrToInt | LLVMIntToPtr | LLVMUIToFP | LLVMSIToFP
            | LLVMInsertElement,
        ) => true,
        Some(LLVMShuffleVector) => splatted(value).is_some(),
        _ => false,
    }
}
