//! InferAddressSpaces: accesses memory in the address space that a generic pointer was made from.
//!
//! ```text
//! %g = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
//! %q = getelementptr i8, ptr addrspace(4) %g, i64 2
//! %v = load i8, ptr addrspace(4) %q
//! ───►
//! %q = getelementptr i8, ptr addrspace(1) %p, i64 2
//! %v = load i8, ptr addrspace(1) %q
//! ```
//!
//! In OpenCL C 3.0 library functions such as `vload4` take generic pointers. A generic pointer may
//! point to private memory, which differs from work-item to work-item; the vectorizer knows more of
//! global and local memory. LLVM's pass of this name runs for GPUs only.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use ir::address_space::GENERIC;
use llvm::{Builder, Context, Function, Opcode, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct InferAddressSpaces;

impl Pass for InferAddressSpaces {
    fn name(&self) -> &'static str {
        "infer-address-spaces"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let mut changed = false;
        for function in cx.module.functions() {
            // An address may depend on one in a later block of the list.
            while infer(cx.module.context(), function) {
                changed = true;
            }
        }
        Ok(if changed { Preserved::None } else { Preserved::All })
    }
}

/// The pointer that a generic one was cast from.
fn origin(pointer: Value) -> Option<Value> {
    let generic = pointer.ty().is_ptr() && pointer.ty().address_space() == GENERIC;
    let made = generic && pointer.opcode() == Some(Opcode::LLVMAddrSpaceCast);
    made.then(|| pointer.operand(0)).filter(|origin| origin.ty().is_ptr())
}

/// Rewrites one round of addresses and accesses; returns whether there were any.
fn infer(context: &Context, function: Function) -> bool {
    let mut changed = false;
    for inst in function.instructions() {
        let place = match inst.opcode() {
            Some(Opcode::LLVMGetElementPtr) => {
                if let Some(origin) = origin(inst.operand(0)) {
                    step(context, inst, origin);
                    changed = true;
                }
                continue;
            }
            Some(Opcode::LLVMLoad | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => 0,
            Some(Opcode::LLVMStore) => 1,
            _ => continue,
        };
        if let Some(origin) = origin(inst.operand(place)) {
            inst.set_operand(place, origin);
            changed = true;
        }
    }
    for inst in function.instructions() {
        if inst.opcode() == Some(Opcode::LLVMAddrSpaceCast) && !inst.is_used() {
            inst.erase();
        }
    }
    changed
}

/// Computes an address in the address space of its base's origin, and casts the result to generic.
fn step(context: &Context, gep: Value, origin: Value) {
    let b = Builder::before(context, gep);
    let indices: Vec<Value> = gep.operands().skip(1).collect();
    let address = b.gep_anywhere(gep.gep_source_type(), origin, &indices, &gep.name());
    address.copy_flags_from(gep);
    gep.replace_all_uses_with(b.address_space_cast(address, gep.ty(), ""));
    gep.erase();
}
