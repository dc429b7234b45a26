//! Atomic operations and fences. Their ordering comes from the memory semantics; the scope makes no
//! difference on one CPU.

use super::{Res, Translator};
use crate::grammar::Op;
use crate::parse::Inst;
use ir::{Builtin, MemScope, MemSemantics};
use llvm::{AtomicOp, AtomicOrdering, Opcode, Type, Value};

impl Translator<'_, '_> {
    pub(super) fn atomic(&mut self, inst: &Inst<'_>) -> Res<Option<Value>> {
        use AtomicOp::*;
        let i32 = self.context.i32();
        let op = match inst.op {
            Op::MemoryBarrier => {
                let scope = self.value_of(inst.args[0], i32)?;
                let semantics = self.value_of(inst.args[1], i32)?;
                self.b.call(Builtin::MemBarrier.declare(&self.out), &[scope, semantics], "");
                return Ok(None);
            }
            Op::AtomicLoad => {
                let ty = self.atomic_type(inst.ty)?;
                let pointer = self.pointer_value(inst.args[0])?;
                let load = self.b.load(ty, pointer, "");
                load.set_ordering(reading(self.ordering(inst.args[1], inst.args[2])?));
                self.note_scope(load, inst.args[1]);
                return Ok(Some(load));
            }
            Op::AtomicStore => {
                self.atomic_type(self.type_id(inst.args[3])?)?;
                let (pointer, value) = (self.pointer_value(inst.args[0])?, self.value(inst.args[3])?);
                let store = self.b.store(value, pointer);
                store.set_ordering(writing(self.ordering(inst.args[1], inst.args[2])?));
                self.note_scope(store, inst.args[1]);
                return Ok(None);
            }
            Op::AtomicFlagTestAndSet => {
                let pointer = self.pointer_value(inst.args[0])?;
                let ordering = self.ordering(inst.args[1], inst.args[2])?;
                if self.result_type(inst)? != self.context.i1() {
                    return Err("the result is not a boolean".to_owned());
                }
                let old = self.b.atomic_rmw(LLVMAtomicRMWBinOpXchg, pointer, self.b.i32(1), ordering);
                self.note_scope(old, inst.args[1]);
                return Ok(Some(self.is_nonzero(old)));
            }
            Op::AtomicFlagClear => {
                let pointer = self.pointer_value(inst.args[0])?;
                let store = self.b.store(self.b.i32(0), pointer);
                store.set_ordering(writing(self.ordering(inst.args[1], inst.args[2])?));
                self.note_scope(store, inst.args[1]);
                return Ok(None);
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                return self.compare_exchange(inst).map(Some);
            }
            Op::AtomicExchange => LLVMAtomicRMWBinOpXchg,
            Op::AtomicIIncrement | Op::AtomicIAdd => LLVMAtomicRMWBinOpAdd,
            Op::AtomicIDecrement | Op::AtomicISub => LLVMAtomicRMWBinOpSub,
            Op::AtomicSMin => LLVMAtomicRMWBinOpMin,
            Op::AtomicUMin => LLVMAtomicRMWBinOpUMin,
            Op::AtomicSMax => LLVMAtomicRMWBinOpMax,
            Op::AtomicUMax => LLVMAtomicRMWBinOpUMax,
            Op::AtomicAnd => LLVMAtomicRMWBinOpAnd,
            Op::AtomicOr => LLVMAtomicRMWBinOpOr,
            Op::AtomicXor => LLVMAtomicRMWBinOpXor,
            Op::AtomicFAddEXT => LLVMAtomicRMWBinOpFAdd,
            Op::AtomicFMinEXT => LLVMAtomicRMWBinOpFMin,
            Op::AtomicFMaxEXT => LLVMAtomicRMWBinOpFMax,
            _ => return Err("this instruction is not supported".to_owned()),
        };
        let ty = self.atomic_type(inst.ty)?;
        let of_floats = matches!(inst.op, Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT);
        let fits = match inst.op {
            Op::AtomicExchange => ty.is_int() || ty.is_float(),
            _ if of_floats => ty.is_float(),
            _ => ty.is_int(),
        };
        if !fits {
            return Err(format!("no such operation on {ty}"));
        }
        let pointer = self.pointer_value(inst.args[0])?;
        let ordering = self.ordering(inst.args[1], inst.args[2])?;
        let value = match inst.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => ty.const_int(1),
            _ => self.value_of(inst.args[3], ty)?,
        };
        let old = self.b.atomic_rmw(op, pointer, value, ordering);
        self.note_scope(old, inst.args[1]);
        Ok(Some(old))
    }

    /// Marks an atomic instruction whose scope does not reach beyond the work-group, for checked
    /// mode. A relaxed change of the work-group's scope says nothing: Khronos' translator writes
    /// OpenCL C 1.2's atomics so, which have the device's.
    fn note_scope(&self, instruction: Value, scope: u32) {
        let scope = self.const_int(scope).ok().and_then(|scope| MemScope::from_bits(scope as u32));
        let is_relaxed = match instruction.opcode() {
            Some(Opcode::LLVMAtomicRMW) => {
                instruction.ordering() == AtomicOrdering::LLVMAtomicOrderingMonotonic
            }
            Some(Opcode::LLVMAtomicCmpXchg) => {
                instruction.cmpxchg_orderings().0 == AtomicOrdering::LLVMAtomicOrderingMonotonic
            }
            _ => false,
        };
        if is_relaxed && scope == Some(MemScope::WorkGroup) {
            return;
        }
        if matches!(scope, Some(MemScope::WorkGroup | MemScope::SubGroup | MemScope::WorkItem)) {
            ir::metadata::set_narrow_scope(&self.context, instruction);
        }
    }

    fn compare_exchange(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.atomic_type(inst.ty)?;
        if !ty.is_int() {
            return Err("only integers are compared and exchanged".to_owned());
        }
        let pointer = self.pointer_value(inst.args[0])?;
        let equal = self.ordering(inst.args[1], inst.args[2])?;
        let unequal = reading(self.ordering(inst.args[1], inst.args[3])?);
        let (new, expected) = (self.value_of(inst.args[4], ty)?, self.value_of(inst.args[5], ty)?);
        let pair = self.b.atomic_cmpxchg(pointer, expected, new, (equal, unequal));
        self.note_scope(pair, inst.args[1]);
        Ok(self.b.extract_value(pair, 0, ""))
    }

    /// A type that atomic instructions allow.
    fn atomic_type(&self, id: u32) -> Res<Type> {
        let ty = self.types.sized(self.m, id)?;
        let fits = ty.is_int() && matches!(ty.int_bits(), 8 | 16 | 32 | 64) || ty.is_float() || ty.is_ptr();
        if !fits {
            return Err(format!("{ty} is not read and written in one piece"));
        }
        if self.out.size_of(ty) == 8 {
            self.device.require("Int64Atomics")?;
        }
        Ok(ty)
    }

    /// The ordering of memory semantics; the strongest one if they are not a constant.
    fn ordering(&self, scope: u32, semantics: u32) -> Res<AtomicOrdering> {
        self.scalar_int(scope)?;
        let bits = self.scalar_int(semantics)?.as_const_int();
        let Some(bits) = bits else { return Ok(AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent) };
        match MemSemantics(bits as u32).ordering() {
            Some(ir::Ordering::Relaxed) => Ok(AtomicOrdering::LLVMAtomicOrderingMonotonic),
            Some(ir::Ordering::Acquire) => Ok(AtomicOrdering::LLVMAtomicOrderingAcquire),
            Some(ir::Ordering::Release) => Ok(AtomicOrdering::LLVMAtomicOrderingRelease),
            Some(ir::Ordering::AcquireRelease) => Ok(AtomicOrdering::LLVMAtomicOrderingAcquireRelease),
            Some(ir::Ordering::SequentiallyConsistent) => {
                Ok(AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent)
            }
            None => Err(format!("the memory semantics {bits:#x} name no order or several")),
        }
    }
}

/// The part of an ordering that a load may have.
fn reading(ordering: AtomicOrdering) -> AtomicOrdering {
    use AtomicOrdering::*;
    match ordering {
        LLVMAtomicOrderingRelease => LLVMAtomicOrderingMonotonic,
        LLVMAtomicOrderingAcquireRelease => LLVMAtomicOrderingAcquire,
        ordering => ordering,
    }
}

/// The part of an ordering that a store may have.
fn writing(ordering: AtomicOrdering) -> AtomicOrdering {
    use AtomicOrdering::*;
    match ordering {
        LLVMAtomicOrderingAcquire => LLVMAtomicOrderingMonotonic,
        LLVMAtomicOrderingAcquireRelease => LLVMAtomicOrderingRelease,
        ordering => ordering,
    }
}
