//! AddSubHandler: wraps each kernel into the function that a program calls.
//!
//! ```text
//! define void @k.NativeCPUKernel(ptr %a, i32 %n, ptr %state)
//! ───►
//! define void @k(ptr %args, ptr %state) {
//!   %a = load ptr, ptr %args
//!   %n = load i32, ptr (load ptr, ptr %args + 8)
//!   call void @k.NativeCPUKernel(…)
//! }
//! define i64 @k_scratch_bytes(i64 %items)
//! ```
//!
//! The sub-handler takes the kernel's name. The arguments are an array of pointers, with a place
//! for each argument of the source: also for those that a front end left out
//! (`!sycl_kernel_omit_args`) and those that the kernel does not use, which are not read. The
//! functions of a weak kernel are weak, in one comdat: objects that share the kernel link, and the
//! scratch size is that of the code. Needs PrepareSYCLNativeCPU.

use analysis::Preserved;
use ir::{attributes, metadata};
use llvm::{Builder, CallConv, Function, Linkage, Module, Value};
use passes::{KernelWrapper, Pass, PassContext, PassError, entry_points};

#[derive(Clone, Copy, Debug, Default)]
pub struct AddSubHandler;

const OMITTED: &str = "sycl_kernel_omit_args";

impl Pass for AddSubHandler {
    fn name(&self) -> &'static str {
        "add-sub-handler"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let kernels = entry_points(cx.module);
        let names: Vec<_> = kernels.iter().map(|kernel| attributes::orig_fn_name(*kernel)).collect();
        for (kernel, name) in kernels.into_iter().zip(&names) {
            if metadata::scheduled_params(cx.module, kernel).is_none() {
                let message = "the kernel takes no state; run prepare-sycl-native-cpu first";
                return Err(PassError::in_function(kernel, message));
            }
            let scratch = scratch_name(name);
            if names.contains(&scratch) {
                let message = format!(
                    "the kernel's scratch size is the function '{scratch}' of the object, and another \
                     kernel has this name: rename one of the kernels"
                );
                return Err(PassError::in_function(kernel, message));
            }
            for own in [name, &scratch] {
                give_way(cx.module, own).map_err(|message| PassError::in_function(kernel, message))?;
            }
            add(cx.module, kernel);
        }
        Ok(Preserved::None)
    }
}

/// The name of the function that says how much scratch memory a kernel takes.
pub(crate) fn scratch_name(kernel: &str) -> String {
    format!("{kernel}_scratch_bytes")
}

/// Renames the function or internal variable that has a name which the object needs: the kernel as
/// it was, or what the source happens to call so.
fn give_way(module: &Module, name: &str) -> Result<(), String> {
    let variable = module.global(name);
    if variable.is_some_and(|v| v.linkage() != Linkage::LLVMInternalLinkage) {
        return Err(format!(
            "the object needs the name '{name}', which a variable of the source has: rename it"
        ));
    }
    if let Some(old) = module.function(name).map(Value::from).or(variable.map(Value::from)) {
        old.set_name(&format!("{name}.original"));
    }
    Ok(())
}

fn add(module: &Module, kernel: Function) {
    let context = module.context();
    let (pointer, name) = (context.ptr(0), attributes::orig_fn_name(kernel));
    let live = attributes::live_mem_usage(kernel);
    let fixed = attributes::local_mem_usage(kernel) + live.per_group;
    let count = kernel.params().len() - 1;
    let places = places(module, kernel, count);

    let handler = KernelWrapper::new(module, kernel, ".sub-handler", &[pointer, pointer], &[None, None]);
    let function = handler.function;
    function.set_name(&name);
    function.set_call_conv(CallConv::C);
    let (args, state) = (function.param(0), function.param(1));
    args.set_name("args");
    state.set_name("state");
    // Memory of arguments is neither the state nor their array: IDs and sizes are read once.
    (0..2).for_each(|param| function.set_param_flag(param, "noalias"));
    metadata::set_scheduled_params(module, function, &[Some(1)]);
    let b = Builder::at_end(context, function.append_block("entry"));
    let mut operands = Vec::new();
    for (i, param) in kernel.params().into_iter().take(count).enumerate() {
        let ty = param.ty();
        if !param.is_used() {
            operands.push(ty.poison());
            continue;
        }
        let at = b.gep(pointer, args, &[b.i64(places[i])], "");
        let given = b.load(pointer, at, &param.name());
        operands.push(match ty.is_ptr() {
            true => b.address_space_cast(given, ty, ""),
            false => b.load(ty, given, &param.name()),
        });
    }
    operands.push(state);
    b.call(kernel, &operands, "");
    b.ret_void();
    function.fill_debug_locations();

    // Each of a few blocks of memory is rounded up to the alignment.
    const BLOCKS: u64 = 8;
    let size = module.size_type();
    let scratch = module.add_function(&scratch_name(&name), size.function(&[size]));
    scratch.set_linkage(function.linkage());
    if function.linkage() != Linkage::LLVMExternalLinkage {
        [function, scratch].iter().for_each(|f| f.set_comdat(&name));
    }
    let b = Builder::at_end(context, scratch.append_block("entry"));
    let items = b.mul(scratch.param(0), size.const_int(live.per_item), "");
    let scalable = live.scalable_per_item + live.scalable_per_group;
    let none = fixed + live.per_item + scalable == 0;
    let known = if none { 0 } else { fixed + BLOCKS * ir::WORK_GROUP_MEMORY_ALIGN };
    let mut bytes = b.add(items, size.const_int(known), "");
    if scalable > 0 {
        let own = b.mul(scratch.param(0), size.const_int(live.scalable_per_item), "");
        let own = b.add(own, size.const_int(live.scalable_per_group), "");
        bytes = b.add(bytes, b.mul(own, module.vscale(&b, size), ""), "");
    }
    b.ret(bytes);
}

/// The place of each parameter among the arguments of the source.
fn places(module: &Module, kernel: Function, count: usize) -> Vec<u64> {
    let node = kernel.metadata(module.context().metadata_kind(OMITTED));
    let omitted: Vec<bool> = node
        .map(|node| node.operands())
        .unwrap_or_default()
        .into_iter()
        .map(|op| op.and_then(|op| op.value()?.as_const_int()).is_some_and(|bit| bit & 1 == 1))
        .collect();
    let kept = (0..).filter(|i| !omitted.get(*i as usize).copied().unwrap_or(false));
    kept.take(count).collect()
}
