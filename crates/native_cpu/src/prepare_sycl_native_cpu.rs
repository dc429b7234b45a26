//! PrepareSYCLNativeCPU: adds the pointer to the state to every kernel and to the functions it
//! calls.
//!
//! ```text
//! define spir_func void @k.mux-barrier-wrapper(ptr %a)
//!   call i64 @__mux_get_group_id(i32 0)
//! ───►
//! define void @k.NativeCPUKernel(ptr %a, ptr %state)
//!   call i64 @__mux_get_group_id(i32 0, ptr %state)
//! ```
//!
//! The builtins take the state from there on; DefineMuxBuiltins gives them bodies that read it.
//! Kernels get C's calling convention. Needs WorkItemLoops and ReplaceLocalModuleScopeVariables
//! before it; preserves functions that use no builtin.

use crate::state::STATE;
use analysis::Preserved;
use ir::attributes;
use llvm::CallConv;
use passes::{AddSchedulingParameters, Pass, PassContext, PassError, entry_points};

#[derive(Clone, Copy, Debug, Default)]
pub struct PrepareSyclNativeCpu;

impl Pass for PrepareSyclNativeCpu {
    fn name(&self) -> &'static str {
        "prepare-sycl-native-cpu"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let params = cx.builtins.scheduling_params(cx.module);
        if !matches!(params.as_slice(), [only] if only.name == STATE) {
            return Err(PassError::new("the target's builtins do not read the Native CPU state"));
        }
        AddSchedulingParameters.run(cx)?;
        for kernel in entry_points(cx.module) {
            kernel.set_name(&format!("{}.NativeCPUKernel", attributes::orig_fn_name(kernel)));
            kernel.set_call_conv(CallConv::C);
            kernel.uses().calls.iter().for_each(|call| call.set_call_conv(CallConv::C));
        }
        Ok(Preserved::None)
    }
}
