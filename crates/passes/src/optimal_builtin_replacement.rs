//! OptimalBuiltinReplacement: replaces library calls for which the machine has instructions.
//!
//! ```text
//! %n = call spir_func i32 @_Z3clzi(i32 %x)
//! %h = call spir_func i16 @_Z6mul_hiss(i16 %x, i16 %y)
//! %m = call float @_Z4fminff(float %x, float %y)
//! %f = call i1 @__mux_usefast()
//! ───►
//! %n = call i32 @llvm.ctlz.i32(i32 %x, i1 false)
//! %a = sext …, %b = sext …, %p = mul i32 %a, %b, %s = lshr …, %h = trunc …
//! %m = call float @llvm.minnum.f32(float %x, float %y)
//! %f = true or false
//! ```
//!
//! The target is asked first (`BuiltinInfo::inline_library_call`). `clz` and `mul_hi` only up to 32
//! bits: not every target has an instruction for wider ones. `fmin`, `fmax` and `fma` of half only
//! where the CPU computes with halves (AVX512-FP16), since LLVM would call a C function otherwise;
//! `fmin` and `fmax` not on Arm, as specified. The names of these four inside
//! of the specification's library (`__abacus_clz`) are replaced, too. `__mux_usefast` and the like
//! get the target's answer, or true where all kernels were compiled with the option: so the
//! library's unused versions are dropped before kernels are vectorized. Runs before the library is
//! linked, for the calls of kernels, and after it, for the library's own. Preserves control flow.

use crate::link_builtins::rename;
use crate::{Pass, PassContext, PassError};
use analysis::Preserved;
use ir::{Builtin, mangling};
use llvm::{Builder, CallConv, Context, Function, Module, Opcode, Type, Value};

#[derive(Clone, Copy, Debug, Default)]
pub struct OptimalBuiltinReplacement;

impl Pass for OptimalBuiltinReplacement {
    fn name(&self) -> &'static str {
        "optimal-builtin-replacement"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let declared = || cx.module.functions().into_iter().filter(|f| f.is_declaration());
        for function in declared() {
            let name = function.name();
            let Some((long, params)) = mangling::demangle(&name) else { continue };
            if let Some(plain) = long.strip_prefix("__abacus_").filter(|plain| replaced(plain)) {
                rename(cx.module, function, &format!("_Z{}{plain}{params}", plain.len()))?;
            }
        }
        let on_arm = is_arm(cx);
        let halves = cx.machine.is_some_and(|machine| machine.has("avx512fp16"));
        for function in declared() {
            let answer = answer(cx, function);
            let name = function.name();
            let known = mangling::demangle(&name);
            if answer.is_none() && known.is_none() {
                continue;
            }
            for call in function.uses().calls {
                let new = match (answer, known) {
                    (Some(yes), _) => Some(cx.module.context().i1().const_int(yes.into())),
                    (None, Some((name, params))) => {
                        let b = Builder::before(cx.module.context(), call);
                        let own = cx.builtins.inline_library_call(cx.module, &b, call, name, params);
                        let left = on_arm && matches!(name, "fmin" | "fmax");
                        own.or_else(|| {
                            if left { None } else { replacement(cx.module, &b, call, name, params, halves) }
                        })
                    }
                    (None, None) => None,
                };
                // A call with a type that OpenCL C does not declare is left for the linker to
                // refuse.
                if let Some(new) = new.filter(|new| new.ty() == call.ty()) {
                    let name = call.name();
                    call.replace_all_uses_with(new);
                    call.erase();
                    if new.is_instruction() {
                        new.set_name(&name);
                    }
                }
            }
            if !function.is_used() {
                function.erase();
            }
        }
        Ok(Preserved::control_flow())
    }
}

/// The answer to `__mux_usefast` and the like; `None` if the function is another one.
fn answer(cx: &PassContext<'_>, function: Function) -> Option<bool> {
    let options = cx.builtins.options();
    Some(match Builtin::of(function)? {
        Builtin::UseFast => options.use_fast || all_kernels(cx.module, "unsafe-fp-math", "true"),
        Builtin::IsFtz => {
            let flushed = "preserve-sign,preserve-sign";
            options.flushes_to_zero || all_kernels(cx.module, "denormal-fp-math-f32", flushed)
        }
        Builtin::IsEmbeddedProfile => options.embedded_profile,
        _ => return None,
    })
}

/// Whether there are kernels, and all of them have this attribute.
fn all_kernels(module: &Module, name: &str, value: &str) -> bool {
    let is_kernel = |f: &Function| f.call_conv() == CallConv::SpirKernel && !f.is_declaration();
    let mut kernels = module.functions().into_iter().filter(is_kernel).peekable();
    kernels.peek().is_some() && kernels.all(|k| k.attribute(name).as_deref() == Some(value))
}

/// Whether code is made for an Arm CPU.
fn is_arm(cx: &PassContext<'_>) -> bool {
    let triple = cx.machine.map_or_else(|| cx.module.triple(), |machine| machine.triple());
    ["arm", "aarch64", "thumb"].iter().any(|name| triple.starts_with(name))
}

fn replaced(name: &str) -> bool {
    matches!(name, "clz" | "mul_hi" | "fmin" | "fmax")
}

/// Writes the instructions that replace a call, before it.
fn replacement(
    module: &Module,
    b: &Builder,
    call: Value,
    name: &str,
    params: &str,
    halves: bool,
) -> Option<Value> {
    let is_half = call.ty().scalar().float_bits() == Some(16);
    let args = call.call_args();
    let ty = call.ty();
    if args.iter().any(|a| a.ty() != ty) {
        return None;
    }
    match (name, args.as_slice()) {
        ("clz", &[x]) if is_narrow(ty) => {
            let ctlz = module.intrinsic("llvm.ctlz", &[ty]);
            Some(b.call(ctlz, &[x, module.context().i1().const_int(0)], ""))
        }
        ("mul_hi", &[x, y]) if is_narrow(ty) => Some(high_product(b, x, y, is_signed(params)?)),
        ("fma", &[x, y, z]) if is_half && halves => {
            Some(b.call(module.intrinsic("llvm.fma", &[ty]), &[x, y, z], ""))
        }
        ("fmin" | "fmax", &[x, y]) if ty.scalar().is_float() && (!is_half || halves) => {
            let intrinsic = if name == "fmin" { "llvm.minnum" } else { "llvm.maxnum" };
            let new = b.call(module.intrinsic(intrinsic, &[ty]), &[x, y], "");
            new.copy_flags_from(call);
            Some(new)
        }
        _ => None,
    }
}

fn is_narrow(ty: Type) -> bool {
    ty.scalar().is_int() && ty.scalar().int_bits() <= 32
}

/// Whether the first parameter of a mangled name is a signed integer, or a vector of such.
fn is_signed(params: &str) -> Option<bool> {
    let element = match params.strip_prefix("Dv") {
        Some(rest) => rest.split_once('_')?.1,
        None => params,
    };
    match element.chars().next()? {
        'a' | 'c' | 's' | 'i' => Some(true),
        'h' | 't' | 'j' => Some(false),
        _ => None,
    }
}

/// The high half of the product in a type of twice the width.
fn high_product(b: &Builder, x: Value, y: Value, signed: bool) -> Value {
    let (ty, bits) = (x.ty(), x.ty().scalar().int_bits());
    let wide = widened(b.context(), ty);
    let extend = if signed { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
    let [x, y] = [x, y].map(|v| b.cast(extend, v, wide, ""));
    let product = b.mul(x, y, "");
    let one = wide.scalar().const_int(u64::from(bits));
    let shift = if ty.is_vector() { b.splat(one, ty.len() as u32, "") } else { one };
    let high = b.binary(Opcode::LLVMLShr, product, shift, "");
    b.cast(Opcode::LLVMTrunc, high, ty, "")
}

fn widened(context: &Context, ty: Type) -> Type {
    let wide = context.int(2 * ty.scalar().int_bits());
    if ty.is_vector() { wide.vector(ty.len() as u32) } else { wide }
}
