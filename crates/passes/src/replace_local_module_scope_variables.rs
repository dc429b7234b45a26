//! ReplaceLocalModuleScopeVariables: gives every work-group its own local variables.
//!
//! ```text
//! @k.a = internal addrspace(3) global [8 x i32] undef
//! define void @k.mux-barrier-wrapper() { … @k.a … }
//! ───►
//! %localVarTypes = type { [8 x i32], [4 x i8], … }
//! define void @k.mux-local-var-wrapper() {
//!   %m = call ptr @__mux_alloc_work_group_memory(i64 …)
//!   call void @k.mux-barrier-wrapper(ptr addrspace(3) %m)
//! }
//! ```
//!
//! The variables of a kernel become the fields of a struct, padded by hand so that each has its
//! alignment. The struct is allocated by a new wrapper and handed to the kernel as its last
//! parameter. It is not on the stack, which may be small. A variable that is initialized with
//! zeros, as SPIR-V allows, is filled by the wrapper. Runs after WorkItemLoops, when the kernel
//! runs once per work-group; `mux-local-mem-usage` holds the size. Preserves kernels without local
//! variables.

use crate::prepare_barriers::{callers_of, inline_calls, refuse_recursion};
use crate::wrap::{self, KernelWrapper};
use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use ir::address_space::LOCAL;
use ir::{Builtin, attributes, metadata};
use llvm::{Block, Builder, Function, Global, Module, Type, Value};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug, Default)]
pub struct ReplaceLocalModuleScopeVariables;

/// The functions whose instructions use the variable. Constant expressions have been expanded.
fn users(variable: Global) -> HashSet<Function> {
    variable.users().into_iter().filter_map(|u| u.block()).map(|b| b.function()).collect()
}

/// A PHI must have the same value for several edges from one block; expanding constants gives each
/// edge its own.
fn unite_equal_edges(f: Function) {
    for phi in f.blocks().into_iter().flat_map(Block::phis) {
        let mut first: HashMap<Block, Value> = HashMap::new();
        for (i, (value, from)) in phi.incoming().into_iter().enumerate() {
            phi.set_operand(i as u32, *first.entry(from).or_insert(value));
        }
    }
}

impl Pass for ReplaceLocalModuleScopeVariables {
    fn name(&self) -> &'static str {
        "replace-local-module-scope-variables"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let module = cx.module;
        let is_local = |g: &Global| g.address_space() == LOCAL;
        let variables: Vec<Global> = module.globals().into_iter().filter(is_local).collect();
        if variables.is_empty() {
            return Ok(Preserved::All);
        }
        variables.iter().for_each(|g| g.expand_constant_users());
        let direct: HashSet<Function> = variables.iter().flat_map(|g| users(*g)).collect();
        direct.iter().for_each(|f| unite_equal_edges(*f));
        let mut all = callers_of(module, |f| direct.contains(&f));
        all.extend(&direct);
        refuse_recursion(module, &all, "local variables")?;
        for kernel in wrap::entry_points(module) {
            inline_calls(kernel, &all)?;
            // The inliner folds addresses of variables into constant expressions again.
            variables.iter().for_each(|g| g.expand_constant_users());
            let used: Vec<Global> =
                variables.iter().copied().filter(|g| users(*g).contains(&kernel)).collect();
            if !used.is_empty() {
                replace(module, kernel, &used);
            }
        }
        // Functions that still use a variable are not reachable from a kernel.
        for variable in variables {
            if variable.is_used() {
                variable.replace_all_uses_with(variable.ty().poison());
            }
            variable.erase();
        }
        Ok(Preserved::None)
    }
}

/// A struct with each variable at its alignment, and the fields' numbers.
struct Layout {
    ty: Type,
    fields: Vec<u32>,
    size: u64,
    align: u64,
}

fn layout(module: &Module, variables: &[Global]) -> Layout {
    let context = module.context();
    let (mut types, mut fields) = (Vec::new(), Vec::new());
    let (mut offset, mut largest) = (0u64, 1u64);
    for variable in variables {
        let ty = variable.value_type();
        let align = u64::from(variable.alignment().max(module.align_of(ty)));
        let padding = offset.next_multiple_of(align) - offset;
        if padding > 0 {
            types.push(context.i8().array(padding));
        }
        fields.push(types.len() as u32);
        types.push(ty);
        offset += padding + module.size_of(ty);
        largest = largest.max(align);
    }
    // Packed: the padding above is all the padding there is.
    let body = context.struct_type(&types, true);
    let ty = context.named_struct("localVarTypes", &[body]);
    Layout { ty, fields, size: offset.next_multiple_of(largest), align: largest }
}

fn replace(module: &Module, kernel: Function, variables: &[Global]) {
    let context = module.context();
    let layout = layout(module, variables);
    let local_ptr = context.ptr(LOCAL);

    // The kernel with one more parameter takes the place of the old one.
    let mut params = kernel.function_type().params();
    let last = params.len() as u32;
    params.push(local_ptr);
    let name = kernel.name();
    kernel.set_name("");
    let new = module.add_function(&name, context.void().function(&params));
    new.set_call_conv(kernel.call_conv());
    let args: Vec<_> = new.params()[..last as usize].to_vec();
    kernel.clone_into(new, &args);
    for (from, to) in kernel.params().iter().zip(&args) {
        to.set_name(&from.name());
    }
    new.param(last).set_name("local_vars");
    kernel.erase_body_and_uses();

    let first = new.entry().first().expect("a kernel's entry has a terminator");
    let b = Builder::before(context, first);
    for (variable, field) in variables.iter().zip(&layout.fields) {
        let at = [b.i32(0), b.i32(0), b.i32(*field)];
        let address = b.gep(layout.ty, new.param(last), &at, &variable.name());
        for user in variable.users() {
            if user.block().is_some_and(|b| b.function() == new) {
                user.replace_operand((*variable).into(), address);
            }
        }
    }

    let params = &params[..last as usize];
    let kept: Vec<_> = (0..last).map(Some).collect();
    let wrapper = KernelWrapper::new(module, new, ".mux-local-var-wrapper", params, &kept);
    let b = Builder::at_end(context, wrapper.function.append_block("entry"));
    let size = module.size_type();
    // Work-group memory has a fixed alignment; a struct with a larger one is placed inside of a
    // larger block.
    let slack = if layout.align > ir::WORK_GROUP_MEMORY_ALIGN { layout.align } else { 0 };
    let bytes = size.const_int(layout.size + slack);
    let mut memory = b.call(Builtin::AllocWorkGroupMemory.declare(module), &[bytes], "memory");
    if slack > 0 {
        let address = b.cast(llvm::Opcode::LLVMPtrToInt, memory, size, "");
        let up = b.add(address, size.const_int(slack - 1), "");
        let aligned = b.and(up, size.const_signed(-(slack as i64)), "");
        let distance = b.sub(aligned, address, "");
        memory = b.gep(context.i8(), memory, &[distance], "aligned");
    }
    let local_vars = b.address_space_cast(memory, local_ptr, "local_vars");
    // Where the kernel is a single work-item, the device zeroes the memory of the work-group.
    if metadata::wrapper_loops(module, new).is_some() {
        for (variable, field) in variables.iter().zip(&layout.fields) {
            if variable.initializer().is_some_and(|value| value.is_zero()) {
                let at = b.gep(layout.ty, local_vars, &[b.i32(0), b.i32(0), b.i32(*field)], "");
                let bytes = size.const_int(module.size_of(variable.value_type()));
                let fill = module.intrinsic("llvm.memset", &[local_ptr, size]);
                b.call(fill, &[at, context.i8().zero(), bytes, context.i1().zero()], "");
            }
        }
    }
    let mut args = wrapper.params();
    args.push(local_vars);
    b.call(new, &args, "");
    b.ret_void();
    wrapper.function.fill_debug_locations();
    attributes::set_local_mem_usage(wrapper.function, layout.size + slack);
}
