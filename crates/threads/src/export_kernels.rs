//! ExportKernels: gives the wrapped kernels the names of the source and C's calling convention; all
//! else becomes internal.
//!
//! ```text
//! define spir_func void @k.mux-kernel-wrapper(ptr %args, ptr %info)
//! ───►
//! define void @k(ptr %args, ptr %info)
//! ```
//!
//! Needs AddKernelWrapper and DefineMuxBuiltins. Changes no control flow.

use analysis::Preserved;
use ir::attributes;
use llvm::{CallConv, Linkage, Opcode};
use passes::{Pass, PassContext, PassError};

#[derive(Clone, Copy, Debug, Default)]
pub struct ExportKernels;

impl Pass for ExportKernels {
    fn name(&self) -> &'static str {
        "export-kernels"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let functions: Vec<_> = cx.module.functions().into_iter().filter(|f| !f.is_intrinsic()).collect();
        for f in &functions {
            f.set_call_conv(CallConv::C);
            if attributes::is_kernel_entry_point(*f) {
                let name = attributes::orig_fn_name(*f);
                if let Some(old) = cx.module.function(&name).filter(|old| old != f) {
                    old.set_name("");
                }
                f.set_name(&name);
                f.set_linkage(Linkage::LLVMExternalLinkage);
            } else if !f.is_declaration() {
                f.set_linkage(Linkage::LLVMInternalLinkage);
            }
        }
        for call in functions.iter().flat_map(|f| f.instructions()) {
            let intrinsic = call.called_function().is_some_and(|f| f.is_intrinsic());
            if call.opcode() == Some(Opcode::LLVMCall) && !intrinsic {
                call.set_call_conv(CallConv::C);
            }
        }
        Ok(Preserved::control_flow())
    }
}
