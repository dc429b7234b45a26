//! FixCallingConventions: replaces the conventions of SPIR by those of this machine.
//!
//! ```text
//! define internal spir_func i32 @f(…)          →   define internal fastcc i32 @f(…)
//! define spir_func void @k.host-entry-hook()   →   define void @k.host-entry-hook()
//! ```
//!
//! All functions but the entry points become internal, and callers come before their callees.
//! Changes only the conventions of functions and calls; an indirect call gets the C convention, as
//! do functions whose address is taken.

use analysis::Preserved;
use ir::attributes;
use llvm::{CallConv, Opcode};
use passes::{Pass, PassContext, PassError};

#[derive(Clone, Copy, Debug, Default)]
pub struct FixCallingConventions;

impl Pass for FixCallingConventions {
    fn name(&self) -> &'static str {
        "fix-calling-conventions"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let functions = cx.module.functions();
        for f in functions.iter().filter(|f| !f.is_intrinsic()) {
            let is_entry = attributes::is_kernel_entry_point(*f);
            if !is_entry && !f.is_declaration() {
                f.set_internal();
            }
            if matches!(f.call_conv(), CallConv::SpirFunc | CallConv::SpirKernel) {
                let private = !is_entry && !f.is_declaration() && !f.uses().others;
                f.set_call_conv(if private { CallConv::Fast } else { CallConv::C });
            }
        }
        for f in functions {
            for call in f.instructions().into_iter().filter(|i| i.opcode() == Some(Opcode::LLVMCall)) {
                match call.called_function() {
                    Some(callee) if callee.is_intrinsic() => {}
                    Some(callee) => call.set_call_conv(callee.call_conv()),
                    None => call.set_call_conv(CallConv::C),
                }
            }
        }
        // Wrappers were added after the functions they wrap. LLVM inlines in the order of the
        // functions: with callers first, the large body of a kernel is copied once, not from
        // wrapper to wrapper.
        cx.module.reverse_functions();
        Ok(Preserved::control_flow())
    }
}
