//! AddKernelWrapper: makes the kernel's final ABI, one pointer to packed arguments.
//!
//! ```text
//! define void @k(ptr addrspace(1) %a, double %f, ptr %wi, ptr %wg)
//! ───►
//! %MuxPackedArgs.k = type { ptr addrspace(1), double }
//! define void @k.mux-kernel-wrapper(ptr %args, ptr %wg) {
//!   %wi = alloca %MuxWorkItemInfo
//!   … load a and f …
//!   call void @k(…, ptr %wi, ptr %wg)
//! }
//! ```
//!
//! A pointer to local memory is packed as its size in bytes, for which the wrapper takes work-group
//! memory, and fills it with zeros where `mux-zero-local` says so; a struct by reference is packed
//! as the struct. Scheduling parameters that the kernel's caller provides (`SchedulingParam`) stay
//! parameters, the wrapper allocates the others. Needs
//! AddSchedulingParameters; runs before DefineMuxBuiltins.

use crate::wrap::{self, KernelWrapper};
use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use ir::address_space::LOCAL;
use ir::{Builtin, attributes, metadata};
use llvm::{Builder, Function, Module, Type};

#[derive(Clone, Copy, Debug, Default)]
pub struct AddKernelWrapper;

/// The packed arguments of a kernel.
pub struct PackedArgs {
    pub ty: Type,
    /// For each parameter of the kernel, its field's type.
    pub fields: Vec<Type>,
}

/// How the first `count` parameters of a kernel are packed.
pub fn packed_args(module: &Module, kernel: Function, count: usize) -> PackedArgs {
    let fields: Vec<Type> = kernel
        .params()
        .iter()
        .take(count)
        .enumerate()
        .map(|(i, param)| {
            let ty = param.ty();
            match kernel.param_byref_type(i as u32).or_else(|| kernel.param_byval_type(i as u32)) {
                Some(pointee) => pointee,
                None if ty.is_ptr() && ty.address_space() == LOCAL => module.size_type(),
                None => ty,
            }
        })
        .collect();
    let name = format!("MuxPackedArgs.{}", attributes::base_fn_name(kernel));
    PackedArgs { ty: module.context().named_struct(&name, &fields), fields }
}

impl PackedArgs {
    /// Adds metadata to the wrapper about the layout of its packed arguments.
    fn note(&self, module: &Module, kernel: Function, wrapper: Function) {
        let place = |(i, field): (usize, &Type)| {
            let ty = kernel.param(i as u32).ty();
            let is_pointer = ty.is_ptr() && (*field == ty || ty.address_space() == LOCAL);
            metadata::PackedArg {
                address_space: is_pointer.then(|| ty.address_space()),
                offset: module.offset_of(self.ty, i as u32),
                size: module.size_of(*field),
            }
        };
        let args: Vec<_> = self.fields.iter().enumerate().map(place).collect();
        metadata::set_packed_args(module, wrapper, &args, module.size_of(self.ty));
    }
}

impl Pass for AddKernelWrapper {
    fn name(&self) -> &'static str {
        "add-kernel-wrapper"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let module = cx.module;
        let context = module.context();
        let scheduling = cx.builtins.scheduling_params(module);
        // Where kernels are single work-items, the device zeroes the memory of the work-group.
        let fills_memory = module.functions().iter().any(|f| metadata::wrapper_loops(module, *f).is_some());
        for kernel in wrap::entry_points(module) {
            let Some(scheduled) = metadata::scheduled_params(module, kernel) else {
                let message = "the kernel has no scheduling parameters; run add-scheduling-parameters first";
                return Err(PassError::in_function(kernel, message));
            };
            let is_scheduling = |i: u32| scheduled.contains(&Some(i));
            let count = (0..kernel.params().len() as u32).take_while(|i| !is_scheduling(*i)).count();
            let packed = packed_args(module, kernel, count);

            let from_driver: Vec<usize> =
                (0..scheduling.len()).filter(|&i| scheduling[i].from_driver).collect();
            let mut types = vec![context.ptr(0)];
            types.extend(from_driver.iter().map(|_| context.ptr(0)));
            let kept: Vec<_> = std::iter::once(None)
                .chain(from_driver.iter().map(|&i| scheduled.get(i).copied().flatten()))
                .collect();
            let wrapper = KernelWrapper::new(module, kernel, ".mux-kernel-wrapper", &types, &kept);
            let function = wrapper.function;
            function.param(0).set_name("packed_args");
            let indices: Vec<_> = (0..scheduling.len())
                .map(|i| from_driver.iter().position(|&d| d == i).map(|p| p as u32 + 1))
                .collect();
            metadata::set_scheduled_params(module, function, &indices);
            packed.note(module, kernel, function);

            let b = Builder::at_end(context, function.append_block("entry"));
            let scheduling_args: Vec<_> = (0..scheduling.len())
                .map(|i| match indices[i] {
                    Some(param) => function.param(param),
                    None => cx.builtins.initialize_scheduling_param(module, &b, function, &scheduling[i]),
                })
                .collect();
            let mut args = Vec::new();
            for (i, param) in kernel.params().into_iter().enumerate() {
                let index = i as u32;
                if let Some(position) = scheduled.iter().position(|s| *s == Some(index)) {
                    args.push(scheduling_args[position]);
                    continue;
                }
                let ty = param.ty();
                let field =
                    b.struct_gep(packed.ty, function.param(0), index, &format!("{}.at", param.name()));
                if kernel.param_byref_type(index).is_some() || kernel.param_byval_type(index).is_some() {
                    args.push(field);
                } else if ty.is_ptr() && ty.address_space() == LOCAL {
                    let bytes = b.load(packed.fields[i], field, "bytes");
                    let alloc = declare_alloc(module, &scheduled);
                    let mut operands = vec![bytes];
                    operands.extend(&scheduling_args);
                    let memory = b.call(alloc, &operands, &param.name());
                    let memory = b.address_space_cast(memory, ty, "");
                    if fills_memory && attributes::has_zero_local(kernel) {
                        let fill = module.intrinsic("llvm.memset", &[ty, module.size_type()]);
                        let (zero, is_volatile) = (context.i8().zero(), context.i1().zero());
                        b.call(fill, &[memory, zero, bytes, is_volatile], "");
                    }
                    args.push(memory);
                } else {
                    args.push(b.load(ty, field, &param.name()));
                }
            }
            b.call(kernel, &args, "");
            b.ret_void();
            function.fill_debug_locations();
        }
        Ok(Preserved::None)
    }
}

/// The allocation builtin with its scheduling parameters.
fn declare_alloc(module: &Module, scheduled: &[Option<u32>]) -> Function {
    let builtin = Builtin::AllocWorkGroupMemory;
    if let Some(f) = module.function(&builtin.name()) {
        return f;
    }
    let plain = builtin.function_type(module).expect("its type is fixed");
    let mut params = plain.params();
    let first = params.len() as u32;
    params.extend(scheduled.iter().map(|_| module.context().ptr(0)));
    let f = module.add_function(&builtin.name(), plain.return_type().function(&params));
    let indices: Vec<_> = (0..scheduled.len() as u32).map(|i| Some(first + i)).collect();
    metadata::set_scheduled_params(module, f, &indices);
    f
}
