//! ReplaceTargetExtTypes: replaces opaque types (images, samplers) by the target's types for them.
//!
//! ```text
//! define spir_kernel void @k(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, …)
//!   %d = call ptr addrspace(2) @_Z18__mux_opaque_value14ocl_image2d_ro(target("spirv.Image", …) %image)
//! ───►
//! define spir_kernel void @k(ptr addrspace(2) %image, …) !kernel_arg_object !{!"read_only image2d_t", …}
//! ```
//!
//! Images and samplers are opaque until the target says what they are
//! ([`ir::BuiltinInfo::target_type`]); a type that it has nothing for is an error. The library
//! reads the value behind the type with `__mux_opaque_value`, which is the identity by then and is
//! removed. Which parameters of kernels are images and samplers is noted in metadata, since their
//! types no longer tell. Needs the library to be linked, and marked kernels.

use crate::{Pass, PassContext, PassError, wrap};
use analysis::Preserved;
use ir::{OPAQUE_VALUE, SAMPLER_INITIALIZER, TargetType, metadata};
use llvm::{Builder, Function, Module, Type, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct ReplaceTargetExtTypes;

impl Pass for ReplaceTargetExtTypes {
    fn name(&self) -> &'static str {
        "replace-target-ext-types"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let module = cx.module;
        let types = module.target_types();
        if types.is_empty() {
            return Ok(Preserved::All);
        }
        let mut pairs = Vec::new();
        for ty in types {
            let known = TargetType::of(ty);
            match known.and_then(|known| cx.builtins.target_type(module, known)) {
                Some(new) => pairs.push((ty, new)),
                None => return Err(refuse(module, ty, known)),
            }
        }
        wrap::entry_points(module).into_iter().for_each(|kernel| note_objects(module, kernel));
        module.replace_types(&pairs);
        // The types of global variables are not replaced.
        if let Some(ty) = module.target_types().first() {
            return Err(PassError::new(format!("a variable of the program has the type {ty}")));
        }
        for f in module.functions().into_iter().filter(is_identity) {
            resolve(module, f)?;
        }
        Ok(Preserved::None)
    }
}

/// An error at a use of the type.
fn refuse(module: &Module, ty: Type, known: Option<TargetType>) -> PassError {
    let name = known.map_or_else(|| ty.to_string(), |known| known.to_string());
    let message = format!("the type {name} is used, and the target has none");
    let uses_it = |i: &Value| i.ty() == ty || i.operands().any(|operand| operand.ty() == ty);
    let functions = module.functions();
    let user = functions.iter().find_map(|f| f.instructions().into_iter().find(uses_it));
    let taker = functions.iter().find(|f| !f.is_declaration() && f.function_type().params().contains(&ty));
    match (user, taker) {
        (Some(user), _) => PassError::at(user, message),
        (None, Some(function)) => PassError::in_function(*function, message),
        (None, None) => PassError::new(message),
    }
}

/// Notes which parameters are images and samplers.
fn note_objects(module: &Module, kernel: Function) {
    let object = |param: Value| match TargetType::of(param.ty()) {
        Some(object) => object.to_string(),
        None => String::new(),
    };
    let objects: Vec<String> = kernel.params().into_iter().map(object).collect();
    if objects.iter().any(|object| !object.is_empty()) {
        metadata::set_kernel_arg_objects(module, kernel, &objects);
    }
}

/// Whether a function only changes the type of its argument.
fn is_identity(f: &Function) -> bool {
    let name = f.name();
    let plain = ir::mangling::demangle(&name).map_or(name.as_str(), |(plain, _)| plain);
    f.is_declaration() && (plain == OPAQUE_VALUE || name == SAMPLER_INITIALIZER)
}

/// Replaces the calls of an identity by their argument.
fn resolve(module: &Module, f: Function) -> Result<(), PassError> {
    for call in f.uses().calls {
        let (args, ty) = (call.call_args(), call.ty());
        let value = match args.as_slice() {
            [value] if value.ty() == ty => *value,
            [value] if value.ty().is_ptr() && ty.is_ptr() => {
                Builder::before(module.context(), call).address_space_cast(*value, ty, "")
            }
            _ => {
                let message = format!("'{}' is not from one value to what the target has for it", f.name());
                return Err(PassError::at(call, message));
            }
        };
        call.replace_all_uses_with(value);
        call.erase();
    }
    if !f.is_used() {
        f.erase();
    }
    Ok(())
}
