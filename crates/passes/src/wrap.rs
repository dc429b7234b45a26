//! Kernel wrappers, for the passes that put a new entry point around a kernel.

use crate::lower_huge_switches::huge_switch;
use ir::attributes;
use ir::metadata::{self, Vectorization};
use llvm::{CallConv, Function, Module, Type, Value};

/// The entry points (`ir::attributes::is_kernel_entry_point`) that have a body, in the order of the
/// module.
pub fn entry_points(module: &Module) -> Vec<Function> {
    let is_one = |f: &Function| attributes::is_kernel_entry_point(*f) && !f.is_declaration();
    module.functions().into_iter().filter(is_one).collect()
}

/// A wrapper: a new function that calls a kernel.
///
/// It is named after the kernel's base name with a suffix, takes over the kernel's attributes,
/// metadata (with its own parameters in `!mux_scheduled_fn`), the role of entry point and weak
/// linkage, and has a subprogram for the same line. The kernel becomes an internal function that is
/// inlined.
pub struct KernelWrapper {
    pub function: Function,
    pub kernel: Function,
}

impl KernelWrapper {
    /// `params` are the wrapper's parameter types, `kept` says which parameter of the kernel each
    /// of them is.
    pub fn new(
        module: &Module,
        kernel: Function,
        suffix: &str,
        params: &[Type],
        kept: &[Option<u32>],
    ) -> KernelWrapper {
        let base = attributes::base_fn_name(kernel);
        let ty = module.context().void().function(params);
        let function = module.add_function(&format!("{base}{suffix}"), ty);
        function.copy_attributes_from(kernel);
        function.copy_metadata_from(kernel);
        if let Some(scheduled) = metadata::scheduled_params(module, kernel) {
            let place = |old: u32| kept.iter().position(|k| *k == Some(old)).map(|i| i as u32);
            let own: Vec<_> = scheduled.into_iter().map(|param| param.and_then(place)).collect();
            metadata::set_scheduled_params(module, function, &own);
        }
        function.copy_subprogram_from(kernel);
        for (i, kept) in kept.iter().enumerate() {
            if let Some(old) = kept {
                function.copy_param_attributes_from(i as u32, kernel, *old);
                function.param(i as u32).set_name(&kernel.param(*old).name());
            }
        }
        // These attributes hold for the kernel, but not necessarily for the wrapper.
        for flag in ["memory", "convergent", "nosync", "willreturn", "alwaysinline", "norecurse"] {
            function.remove_flag(flag);
        }
        attributes::set_base_fn_name(function, &base);
        attributes::set_orig_fn_name(function, &attributes::orig_fn_name(kernel));
        attributes::take_is_kernel(function, kernel);
        function.set_linkage(kernel.exported_linkage());
        function.set_call_conv(match kernel.call_conv() {
            CallConv::SpirKernel => CallConv::SpirFunc,
            other => other,
        });
        demote(kernel);
        KernelWrapper { function, kernel }
    }

    /// A wrapper with the kernel's own parameters.
    pub fn with_same_params(module: &Module, kernel: Function, suffix: &str) -> KernelWrapper {
        let params = kernel.function_type().params();
        let kept: Vec<_> = (0..params.len() as u32).map(Some).collect();
        Self::new(module, kernel, suffix, &params, &kept)
    }

    pub fn params(&self) -> Vec<Value> {
        self.function.params()
    }
}

/// Whether vectors along this dimension follow each other in the linear order of the work-group:
/// along x, or where all dimensions before are known to have one work-item.
pub fn is_linear_along(module: &Module, kernel: Function, dimension: u32) -> bool {
    let size =
        metadata::reqd_work_group_size(module, kernel).filter(|_| !attributes::is_group_agnostic(kernel));
    match dimension {
        0 | Vectorization::LINEAR => true,
        along => size.is_some_and(|size| size[..along as usize].iter().all(|s| *s == 1)),
    }
}

/// Makes a function that was a kernel an internal one, to be inlined where it is called.
pub(crate) fn demote(f: Function) {
    f.set_internal();
    // The attribute was inferred before the work-item's ID and its live values became memory.
    f.remove_flag("memory");
    if f.call_conv() == CallConv::SpirKernel {
        set_call_conv(f, CallConv::SpirFunc);
    }
    if huge_switch(f).is_some() {
        // Placing the blocks of a loop around the switch takes LLVM quadratic time.
        f.set_flag("noinline");
    } else {
        set_always_inline(f);
    }
}

/// Changes the calling convention of a function and of all its calls.
pub(crate) fn set_call_conv(f: Function, conv: CallConv) {
    f.set_call_conv(conv);
    for call in f.uses().calls {
        call.set_call_conv(conv);
    }
}

pub(crate) fn set_always_inline(f: Function) {
    f.remove_flag("noinline");
    f.remove_flag("optnone");
    f.set_flag("alwaysinline");
}
