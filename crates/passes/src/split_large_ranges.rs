//! SplitLargeRanges: gives each kernel a second version, for ranges with large global IDs.
//!
//! ```text
//! define spir_kernel void @k() #entry   →   define spir_kernel void @k() #entry
//!                                           define spir_kernel void @k.large() #entry "mux-large-range"
//! ```
//!
//! Vector code is best if global IDs are known to fit 32 bits, which only a launch tells. Code that
//! is compiled ahead of time has both versions, and JoinLargeRanges adds the test between them. A
//! kernel that does not ask for global IDs is left alone. With `all`, the kernels themselves are
//! for large ranges. Needs PrepareBarriers, whose IDs both versions keep; runs before RunVecz.

use crate::{Options, Pass, PassContext, PassError, Registry, reachable_functions, wrap};
use analysis::Preserved;
use ir::{Builtin, attributes};
use llvm::{Function, Module};

#[derive(Clone, Copy, Debug, Default)]
pub struct SplitLargeRanges {
    /// All ranges are large: the kernels themselves are marked, and there is no second version.
    pub all: bool,
}

pub(crate) fn register(registry: &mut Registry) {
    let summary = "give kernels a second version for ranges with large IDs: all";
    registry.register("split-large-ranges", summary, |options| {
        Ok(SplitLargeRanges { all: options.flag("all")? })
    });
}

impl Pass for SplitLargeRanges {
    fn name(&self) -> &'static str {
        "split-large-ranges"
    }

    fn options(&self) -> Options {
        Options::default().with_flag("all", self.all)
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for kernel in wrap::entry_points(cx.module) {
            if self.all {
                attributes::set_for_large_range(kernel);
            } else if reachable_functions(kernel).into_iter().any(is_global_id) {
                split(cx.module, kernel);
            }
        }
        Ok(Preserved::None)
    }
}

fn is_global_id(f: Function) -> bool {
    matches!(Builtin::of(f), Some(Builtin::GetGlobalId | Builtin::GetGlobalLinearId))
}

fn split(module: &Module, kernel: Function) {
    let base = format!("{}.large", attributes::base_fn_name(kernel));
    let large = module.add_function(&base, kernel.function_type());
    kernel.clone_into(large, &large.params());
    large.copy_attributes_from(kernel);
    large.set_call_conv(kernel.call_conv());
    for (i, (from, to)) in kernel.params().into_iter().zip(large.params()).enumerate() {
        large.copy_param_attributes_from(i as u32, kernel, i as u32);
        to.set_name(&from.name());
    }
    attributes::set_orig_fn_name(large, &attributes::orig_fn_name(kernel));
    attributes::set_base_fn_name(large, &base);
    attributes::set_for_large_range(large);
}
