//! LowerPrintf: turns each call of `printf` into one with a constant descriptor of its format, and
//! its arguments in memory.
//!
//! ```text
//! @.str = … c"%d %v4f\0A\00"
//! call i32 (ptr addrspace(2), …) @printf(@.str, i32 %n, <4 x float> %v)
//! ───►
//! @printf.format = private constant […]
//! call i32 @printf.call(i32 %n, <4 x float> %v)
//! define internal i32 @printf.call(i32 %0, <4 x float> %1) {
//!   … %0 and %1 go to memory …
//!   call i32 @__mux_printf(@printf.format, %memory)
//! }
//! ```
//!
//! There is one function for each format and argument types. It is not inlined: printing is slow
//! anyway, and the memory for the arguments does not live in the kernel's frame. Must run before
//! LLVM's simplification, which takes `printf` for C's. The format must be a string that is known
//! by then. Preserves control flow.

use crate::callgraph::calls_of;
use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use ir::Builtin;
use ir::printf::{Arg, Format};
use llvm::{Builder, CallConv, Function, Linkage, Module, Opcode, Value};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, Default)]
pub struct LowerPrintf;

impl Pass for LowerPrintf {
    fn name(&self) -> &'static str {
        "lower-printf"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let Some(printf) = cx.module.function("printf").filter(|f| f.is_declaration()) else {
            return Ok(Preserved::All);
        };
        resolve_formats(cx.module, printf)?;
        let mut printers = HashMap::new();
        for call in calls_of(printf)? {
            let format = describe(call)?;
            let printer =
                *printers.entry(format).or_insert_with_key(|format| printer(cx.module, format, call));
            let new = Builder::before(cx.module.context(), call).call(printer, &call.call_args()[1..], "");
            let name = call.name();
            call.replace_all_uses_with(new);
            call.erase();
            new.set_name(&name);
        }
        printf.erase();
        Ok(Preserved::None)
    }
}

/// The constant string that a pointer points to, without its NUL.
fn string(pointer: Value) -> Option<Vec<u8>> {
    let mut bytes = pointer.as_global()?.initializer()?.as_const_bytes()?;
    let end = bytes.iter().position(|&b| b == 0)?;
    bytes.truncate(end);
    Some(bytes)
}

/// Replaces formats that were loaded from a variable with the constant stored there.
fn resolve_formats(module: &Module, printf: Function) -> Result<(), PassError> {
    let unknown = |call: &Value| call.call_args().first().is_none_or(|format| string(*format).is_none());
    if printf.uses().calls.iter().any(unknown) {
        module.run_passes("function(sroa,early-cse)", None).map_err(PassError::new)?;
    }
    Ok(())
}

fn describe(call: Value) -> Result<Format, PassError> {
    let args = call.call_args();
    let Some(text) = args.first().and_then(|format| string(*format)) else {
        let message = "the format of 'printf' is not a string that is known when the program is built";
        return Err(PassError::at(call, message.to_owned()));
    };
    let arg = |(i, value): (usize, &Value)| {
        Arg::of(value.ty()).ok_or_else(|| {
            PassError::at(call, format!("'printf' cannot print argument {i}, of type {}", value.ty()))
        })
    };
    let args = args.iter().enumerate().skip(1).map(arg).collect::<Result<_, _>>()?;
    Ok(Format { text, args })
}

/// The function that prints with a format, with the arguments of this call.
fn printer(module: &Module, format: &Format, call: Value) -> Function {
    let context = module.context();
    ir::printf::record(module, format);

    let description = context.const_bytes(&format.encode());
    let global = module.add_global("printf.format", description.ty());
    global.set_initializer(description);
    global.set_constant(true);
    global.set_linkage(Linkage::LLVMPrivateLinkage);

    let types: Vec<_> = call.call_args()[1..].iter().map(|arg| arg.ty()).collect();
    let function = module.add_function("printf.call", context.i32().function(&types));
    function.set_call_conv(CallConv::SpirFunc);
    function.set_internal();
    function.set_flag("noinline");
    function.set_flag("nounwind");

    let b = Builder::at_end(context, function.append_block("entry"));
    let (offsets, size) = format.layout();
    let memory = b.alloca(context.i8().array(size as u64), 8, "memory");
    for (param, offset) in function.params().into_iter().zip(offsets) {
        let at = b.gep(context.i8(), memory, &[b.i64(offset as u64)], "");
        // The runtime reads addresses of any size as 64 bits.
        let value =
            if param.ty().is_ptr() { b.cast(Opcode::LLVMPtrToInt, param, context.i64(), "") } else { param };
        b.store(value, at).set_alignment(8);
    }
    // The data layout chooses the default address space of globals.
    let description = b.address_space_cast(global.into(), context.ptr(0), "");
    let result = b.call(Builtin::Printf.declare(module), &[description, memory], "");
    b.ret(result);
    function
}
