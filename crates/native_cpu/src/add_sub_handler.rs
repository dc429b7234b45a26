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
//! (`!sycl_kernel_omit_args`) and those that the kernel does not use, which are not read. Needs
//! PrepareSYCLNativeCPU.

use analysis::Preserved;
use ir::{attributes, metadata};
use llvm::{Builder, CallConv, Function, Linkage, Module};
use passes::{KernelWrapper, Pass, PassContext, PassError, Registry, entry_points};

#[derive(Clone, Copy, Debug, Default)]
pub struct AddSubHandler;

pub(crate) fn register(registry: &mut Registry) {
    let summary = "wrap kernels into functions of an array of arguments and the state";
    registry.register("add-sub-handler", summary, |_| Ok(AddSubHandler));
}

const SUFFIX: &str = ".NativeCPUKernel";
const OMITTED: &str = "sycl_kernel_omit_args";

impl Pass for AddSubHandler {
    fn name(&self) -> &'static str {
        "add-sub-handler"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for kernel in entry_points(cx.module) {
            if !kernel.name().ends_with(SUFFIX) {
                let message = "the kernel takes no state; run prepare-sycl-native-cpu first";
                return Err(PassError::in_function(kernel, message));
            }
            add(cx.module, kernel);
        }
        Ok(Preserved::None)
    }
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
    // What bears the name so far is the kernel as it was.
    if let Some(old) = module.function(&name) {
        old.set_name(&format!("{name}.original"));
    }
    function.set_name(&name);
    function.set_call_conv(CallConv::C);
    function.set_linkage(Linkage::LLVMExternalLinkage);
    let (args, state) = (function.param(0), function.param(1));
    args.set_name("args");
    state.set_name("state");
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
    let scratch = module.add_function(&format!("{name}_scratch_bytes"), size.function(&[size]));
    let b = Builder::at_end(context, scratch.append_block("entry"));
    let items = b.mul(scratch.param(0), size.const_int(live.per_item), "");
    let known = if fixed + live.per_item == 0 { 0 } else { fixed + BLOCKS * ir::WORK_GROUP_MEMORY_ALIGN };
    b.ret(b.add(items, size.const_int(known), ""));
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
