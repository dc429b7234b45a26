//! RunVecz: gives each kernel a vector version, which becomes the entry point.
//!
//! ```text
//! define spir_kernel void @k() #entry     →   define spir_kernel void @k() !codeplay_ca_vecz.base !0
//!                                             define spir_kernel void @__vecz_v16_k() #entry !codeplay_ca_vecz.derived !1
//! ```
//!
//! A kernel that cannot be vectorized stays the entry point, with a note of it (`!codeplay_ca_vecz.base.fail`). Needs
//! PrepareBarriers, whose IDs the vector version keeps. Changes no other function.

use crate::vectorize;
use analysis::Preserved;
use ir::metadata::{self, Vectorization};
use ir::{Builtin, attributes};
use llvm::{Function, Module, Opcode};
use passes::{Pass, PassContext, PassError, Registry, entry_points};

#[derive(Clone, Copy, Debug, Default)]
pub struct RunVecz {
    /// The number of lanes; chosen for the kernel and the machine if `None`.
    pub width: Option<u32>,
    /// The widest vector register, in bytes.
    pub register_bytes: u32,
}

pub fn register(registry: &mut Registry) {
    registry.register("run-vecz", "vectorize kernels: width=N", |options| {
        let width = match options.value("width")? {
            None => None,
            Some(text) => match text.parse() {
                Ok(width @ 2..=64) => Some(width),
                _ => return Err(format!("'{text}' is not a width from 2 to 64")),
            },
        };
        Ok(RunVecz { width, register_bytes: 32 })
    });
}

impl Pass for RunVecz {
    fn name(&self) -> &'static str {
        "run-vecz"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for kernel in entry_points(cx.module) {
            let Some(width) = self.width.or_else(|| choose_width(cx.module, kernel, self.register_bytes))
            else {
                continue;
            };
            let how = Vectorization { width, dimension: 0 };
            match vectorize(cx.module, kernel, width, cx.machine) {
                Ok(wide) if barriers(wide) == barriers(kernel) => {
                    metadata::link_vectorized(cx.module, kernel, wide, how);
                    attributes::drop_is_kernel(kernel);
                }
                Ok(wide) => {
                    wide.erase_body_and_uses();
                    let why = "its barriers did not stay as they were";
                    metadata::note_vectorization_failure(cx.module, kernel, how, why);
                }
                Err(stopped) => {
                    metadata::note_vectorization_failure(cx.module, kernel, how, &stopped.to_string());
                }
            }
        }
        Ok(Preserved::None)
    }
}

/// The IDs of the barriers of a kernel.
fn barriers(f: Function) -> Vec<u64> {
    let is_barrier = |i: &llvm::Value| Builtin::called_by(*i) == Some(Builtin::WorkGroupBarrier);
    let mut ids: Vec<u64> =
        f.instructions().into_iter().filter(is_barrier).filter_map(|i| i.operand(0).as_const_int()).collect();
    ids.sort_unstable();
    ids
}

/// As many lanes as a register holds of the widest floating-point type, or of 32-bit integers; but no more than a work-group has
/// work-items along x, where that is known. `None` if that is one.
fn choose_width(module: &Module, kernel: Function, register_bytes: u32) -> Option<u32> {
    let is_double = |i: &llvm::Value| {
        let arithmetic = !matches!(i.opcode(), Some(Opcode::LLVMCall));
        arithmetic && i.ty().scalar().is_float() && i.ty().scalar().to_string() == "double"
    };
    let widest = if kernel.instructions().iter().any(is_double) { 8 } else { 4 };
    let most = match metadata::reqd_work_group_size(module, kernel) {
        Some(size) if !attributes::is_group_agnostic(kernel) => size[0].min(64) as u32,
        _ => u32::MAX,
    };
    let width = (register_bytes / widest).min(most);
    (width > 1).then(|| 1 << width.ilog2())
}
