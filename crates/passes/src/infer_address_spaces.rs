//! InferAddressSpaces: accesses memory in the address space that a generic pointer was made from.
//!
//! ```text
//! %g = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
//! %q = getelementptr i8, ptr addrspace(4) %g, i64 2          →   %q = getelementptr i8, ptr addrspace(1) %p, i64 2
//! %v = load i8, ptr addrspace(4) %q                              %v = load i8, ptr addrspace(1) %q
//! ```
//!
//! In OpenCL C 3.0 library functions such as `vload4` take generic pointers. What is behind one may be private, different for each
//! work-item at the same address; the vectorizer knows more of memory that is not. LLVM has such a pass for GPUs alone.

use crate::{Pass, PassContext, PassError, Registry};
use analysis::Preserved;
use ir::address_space::GENERIC;
use llvm::{Builder, Context, Function, Opcode, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct InferAddressSpaces;

pub(crate) fn register(registry: &mut Registry) {
    let summary = "access memory in the address space that a generic pointer was made from";
    registry.register("infer-address-spaces", summary, |_| Ok(InferAddressSpaces));
}

impl Pass for InferAddressSpaces {
    fn name(&self) -> &'static str {
        "infer-address-spaces"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let mut changed = false;
        for function in cx.module.functions() {
            // An address may be computed from one in a later block.
            while infer(cx.module.context(), function) {
                changed = true;
            }
        }
        Ok(if changed { Preserved::None } else { Preserved::All })
    }
}

/// What a generic pointer was made from.
fn origin(pointer: Value) -> Option<Value> {
    let generic = pointer.ty().is_ptr() && pointer.ty().address_space() == GENERIC;
    let made = generic && pointer.opcode() == Some(Opcode::LLVMAddrSpaceCast);
    made.then(|| pointer.operand(0)).filter(|origin| origin.ty().is_ptr())
}

/// Whether there was something to do.
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

/// Computes an address from the origin of its base, and makes that generic.
fn step(context: &Context, gep: Value, origin: Value) {
    let b = Builder::before(context, gep);
    let indices: Vec<Value> = gep.operands().skip(1).collect();
    let address = b.gep_anywhere(gep.gep_source_type(), origin, &indices, &gep.name());
    address.copy_flags_from(gep);
    gep.replace_all_uses_with(b.address_space_cast(address, gep.ty(), ""));
    gep.erase();
}
