//! SetDataLayout: gives the module the triple and the data layout of the target machine.
//!
//! ```text
//! target triple = "spir64-unknown-unknown"   →   target triple = "x86_64-unknown-linux-gnu"
//! ```
//!
//! A front end writes IR for an abstract device. The address spaces in debug information are
//! dropped, since memory is flat on a CPU, and so is the `target-cpu` of functions in LLVM IR,
//! since the target machine decides. Runs first in the canonical stage; does nothing where there is
//! no machine. Changes no code.

use crate::{Pass, PassContext, PassError};
use analysis::Preserved;

#[derive(Clone, Copy, Debug, Default)]
pub struct SetDataLayout;

impl Pass for SetDataLayout {
    fn name(&self) -> &'static str {
        "set-data-layout"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        if let Some(machine) = cx.machine {
            cx.module.set_triple(&machine.triple());
            cx.module.set_data_layout(&machine.data_layout());
            cx.module.flatten_debug_addresses();
            for f in cx.module.functions() {
                for name in ["target-cpu", "target-features", "tune-cpu"] {
                    f.remove_attribute(name);
                }
            }
        }
        Ok(Preserved::All)
    }
}
