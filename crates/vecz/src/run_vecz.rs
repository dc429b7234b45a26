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
    /// Lanes are consecutive in the linear order of the work-group, and there is no scalar tail.
    pub linear: bool,
}

pub fn register(registry: &mut Registry) {
    registry.register("run-vecz", "vectorize kernels: width=N, linear", |options| {
        let width = match options.value("width")? {
            None => None,
            Some(text) => match text.parse() {
                Ok(width @ 2..=64) => Some(width),
                _ => return Err(format!("'{text}' is not a width from 2 to 64")),
            },
        };
        Ok(RunVecz { width, register_bytes: 32, linear: options.flag("linear")? })
    });
}

impl Pass for RunVecz {
    fn name(&self) -> &'static str {
        "run-vecz"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for kernel in entry_points(cx.module) {
            let Some(plan) = self.plan(cx.module, kernel) else { continue };
            let mut versions = plan.versions();
            if versions.next().and_then(|how| make_version(cx, kernel, how)).is_none() {
                continue;
            }
            // Without a version for the rest, the kernel itself runs that.
            versions.for_each(|how| {
                make_version(cx, kernel, how).inspect(|rest| attributes::drop_is_kernel(*rest));
            });
            attributes::drop_is_kernel(kernel);
        }
        Ok(Preserved::None)
    }
}

/// Vectorizes in one way, and links the result with the kernel, or notes that it failed.
fn make_version(cx: &mut PassContext<'_>, kernel: Function, how: Vectorization) -> Option<Function> {
    let failure = match vectorize(cx.module, kernel, how, cx.machine) {
        Ok(wide) if barriers(wide) == barriers(kernel) => {
            metadata::link_vectorized(cx.module, kernel, wide, how);
            return Some(wide);
        }
        Ok(wide) => {
            wide.erase_body_and_uses();
            "its barriers did not stay as they were".to_owned()
        }
        Err(stopped) => stopped.to_string(),
    };
    metadata::note_vectorization_failure(cx.module, kernel, how, &failure);
    None
}

/// How a kernel is to be vectorized.
struct Plan {
    how: Vectorization,
    /// What the width does not divide is run by a predicated version.
    predicated_tail: bool,
}

impl Plan {
    /// The version that becomes the entry point, and the one for the rest.
    fn versions(&self) -> impl Iterator<Item = Vectorization> + use<> {
        let tail = Vectorization { predicated: true, ..self.how };
        std::iter::once(self.how).chain(self.predicated_tail.then_some(tail))
    }
}

impl RunVecz {
    /// As many lanes as a register holds of the widest floating-point type, or of 32-bit integers, along x, or along the first
    /// dimension in which a work-group has more than one work-item. Where the size of work-groups is known, there are no more
    /// lanes than they have work-items. `None` if there is just one.
    fn plan(&self, module: &Module, kernel: Function) -> Option<Plan> {
        let lanes = self.width.unwrap_or(self.register_bytes / widest_type(kernel));
        let known = metadata::reqd_work_group_size(module, kernel);
        if self.linear {
            let how = Vectorization { width: lanes, dimension: Vectorization::LINEAR, predicated: false };
            return (lanes > 1).then_some(Plan { how, predicated_tail: true });
        }
        let Some(size) = known.filter(|_| !attributes::is_group_agnostic(kernel)) else {
            let how = Vectorization { width: lanes, dimension: 0, predicated: false };
            return (lanes > 1).then_some(Plan { how, predicated_tail: false });
        };
        let dimension = (0..3).find(|d| size[*d] > 1)?;
        let along = size[dimension];
        let width = match self.width {
            Some(width) => width,
            None => lanes.min(along.next_power_of_two().min(64) as u32),
        };
        let rest = along % u64::from(width);
        let how = Vectorization { width, dimension: dimension as u32, predicated: along < u64::from(width) };
        // A few single work-items are done sooner one by one than all at once under a mask.
        Some(Plan { how, predicated_tail: !how.predicated && rest > 2 }).filter(|_| width > 1)
    }
}

/// The bytes of the widest type that a kernel computes with.
fn widest_type(kernel: Function) -> u32 {
    let is_double = |i: &llvm::Value| {
        let arithmetic = !matches!(i.opcode(), Some(Opcode::LLVMCall));
        arithmetic && i.ty().scalar().is_float() && i.ty().scalar().to_string() == "double"
    };
    if kernel.instructions().iter().any(is_double) { 8 } else { 4 }
}

/// The IDs of the barriers of a kernel.
fn barriers(f: Function) -> Vec<u64> {
    let is_barrier = |i: &llvm::Value| Builtin::called_by(*i).is_some_and(Builtin::is_work_group_barrier);
    let mut ids: Vec<u64> =
        f.instructions().into_iter().filter(is_barrier).filter_map(|i| i.operand(0).as_const_int()).collect();
    ids.sort_unstable();
    ids
}
