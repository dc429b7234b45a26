//! TransferKernelMetadata: finds the kernels of a module and marks them.
//!
//! ```text
//! define spir_kernel void @k() …         →  define spir_kernel void @k() #0 !reqd_work_group_size !0
//! !opencl.kernels = !{!{ptr @k, …}}         #0 = { "mux-kernel"="entry-point" "mux-work-item-order"="xyz"
//!                                                  "mux-orig-fn"="k" "mux-base-fn-name"="k" }
//! ```
//!
//! The kernels are those `!opencl.kernels` lists, or else all functions with the `spir_kernel`
//! calling convention. Needs nothing; changes no code. Most other passes rely on it.

use crate::{Options, Pass, PassContext, PassError, Registry};
use analysis::Preserved;
use ir::attributes::{self, WorkItemOrder};
use ir::metadata;
use llvm::{CallConv, Function, Module};

#[derive(Clone, Copy, Debug, Default)]
pub struct TransferKernelMetadata {
    /// The work-item order for kernels that have none.
    pub order: WorkItemOrder,
}

pub(crate) fn register(registry: &mut Registry) {
    let summary = "mark the kernels of the module as entry points: order=xyz";
    registry.register("transfer-kernel-metadata", summary, |options| {
        Ok(TransferKernelMetadata { order: order_option(options)? })
    });
}

pub(crate) fn order_option(options: &mut Options) -> Result<WorkItemOrder, PassError> {
    match options.value("order")? {
        None => Ok(WorkItemOrder::default()),
        Some(text) => WorkItemOrder::parse(&text)
            .ok_or_else(|| format!("'{text}' is not an order of dimensions such as xyz").into()),
    }
}

/// The reverse of [`order_option`].
pub(crate) fn with_order(options: Options, order: WorkItemOrder) -> Options {
    options.with_value("order", (order != WorkItemOrder::default()).then_some(order))
}

/// Marks one kernel.
pub(crate) fn mark(module: &Module, kernel: Function, size: Option<[u64; 3]>, order: WorkItemOrder) {
    attributes::set_is_kernel_entry_point(kernel);
    // LLVM drops `linkonce` functions that nothing calls.
    if !kernel.is_internal() {
        kernel.set_linkage(kernel.exported_linkage());
    }
    let name = attributes::orig_fn_name(kernel);
    attributes::set_orig_fn_name(kernel, &name);
    let base = attributes::base_fn_name(kernel);
    attributes::set_base_fn_name(kernel, &base);
    if let Some(size) = size
        && metadata::reqd_work_group_size(module, kernel).is_none()
    {
        metadata::set_reqd_work_group_size(module, kernel, size);
    }
    if !attributes::has_work_item_order(kernel) {
        attributes::set_work_item_order(kernel, order);
    }
}

impl Pass for TransferKernelMetadata {
    fn name(&self) -> &'static str {
        "transfer-kernel-metadata"
    }

    fn options(&self) -> Options {
        with_order(Options::default(), self.order)
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        if let Some(listed) = metadata::opencl_kernels(cx.module) {
            for kernel in listed.into_iter().filter(|k| !k.function.is_declaration()) {
                mark(cx.module, kernel.function, kernel.reqd_work_group_size, self.order);
            }
        } else {
            for f in cx.module.functions() {
                if f.call_conv() == CallConv::SpirKernel && !f.is_declaration() {
                    mark(cx.module, f, None, self.order);
                }
            }
        }
        Ok(Preserved::All)
    }
}
