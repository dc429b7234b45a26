//! MarkGroupAgnostic: finds the kernels that cannot tell how their range is cut into work-groups.
//!
//! ```text
//! define spir_kernel void @k(ptr %a) {               define spir_kernel void @k(ptr %a) #0 {
//!   %i = call i64 @__mux_get_global_id(i32 0)    →     …
//!   … %a[%i] …                                       }
//! }                                                  #0 = { "mux-group-agnostic" … }
//! ```
//!
//! Such a kernel has no barrier, no local memory and asks only about the range. The driver runs it
//! in work-groups of its own choice, so that a tiny local size costs nothing. Runs on canonical
//! kernels, before WorkItemLoops; changes no code.

use analysis::Preserved;
use ir::attributes;
use passes::{Pass, PassContext, PassError, entry_points, sees_groups};

#[derive(Clone, Copy, Debug, Default)]
pub struct MarkGroupAgnostic;

impl Pass for MarkGroupAgnostic {
    fn name(&self) -> &'static str {
        "mark-group-agnostic"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for kernel in entry_points(cx.module).into_iter().filter(|k| !sees_groups(cx.module, *k)) {
            attributes::set_group_agnostic(kernel);
        }
        Ok(Preserved::All)
    }
}
