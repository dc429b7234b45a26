//! LocalAtomics: makes atomic operations on local memory plain ones.
//!
//! ```text
//! %old = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic   →   %old = load i32, ptr addrspace(3) %p
//!                                                                %new = add i32 %old, 1
//!                                                                store i32 %new, ptr addrspace(3) %p
//! ```
//!
//! One thread runs a work-group, and no other thread accesses its local memory. Runs after the
//! vectorizer, which keeps atomic operations of different lanes apart. Changes nothing else.

use analysis::Preserved;
use ir::address_space::LOCAL;
use llvm::{Opcode, Value};
use passes::{Pass, PassContext, PassError};

#[derive(Clone, Copy, Debug, Default)]
pub struct LocalAtomics;

impl Pass for LocalAtomics {
    fn name(&self) -> &'static str {
        "local-atomics"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for function in cx.module.functions() {
            for i in function.instructions().into_iter().filter(is_local_atomic) {
                i.make_plain();
            }
        }
        Ok(Preserved::control_flow())
    }
}

fn is_local_atomic(i: &Value) -> bool {
    let address = match i.opcode() {
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMLoad) => i.operand(0),
        Some(Opcode::LLVMStore) => i.operand(1),
        _ => return false,
    };
    i.is_atomic() && address.ty().address_space() == LOCAL
}
