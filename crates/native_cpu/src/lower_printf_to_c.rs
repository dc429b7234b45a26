//! LowerPrintfToC: prints by the C library that an object is linked with.
//!
//! ```text
//! @printf.format = …c"%d %v2f\n"
//! call i32 @__mux_printf(@printf.format, %memory)
//! ───►
//! call i32 (ptr, …) @printf(c"%lld %f,%f\n", i64 %0, double %1, double %2)
//! ```
//!
//! One call prints it all, so that calls of several threads do not mix. Vectors become their
//! elements with commas between them, integers have 64 bits and floating-point numbers are doubles.
//! Needs LowerPrintf; runs before DefineMuxBuiltins. Preserves control flow.

use analysis::Preserved;
use ir::Builtin;
use ir::printf::{Arg, Format, Kind, Spec};
use llvm::{Builder, Function, Linkage, Module, Opcode, Value};
use passes::{Pass, PassContext, PassError};

#[derive(Clone, Copy, Debug, Default)]
pub struct LowerPrintfToC;

impl Pass for LowerPrintfToC {
    fn name(&self) -> &'static str {
        "lower-printf-to-c"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let printers = cx.module.functions().into_iter().filter(|f| Builtin::of(*f) == Some(Builtin::Printf));
        for printer in printers {
            for call in printer.uses().calls {
                let format = format_of(call).ok_or_else(|| {
                    PassError::at(call, "the format of this call of 'printf' is not known".to_owned())
                })?;
                let result = print(cx.module, call, &format);
                call.replace_all_uses_with(result);
                call.erase();
            }
        }
        Ok(Preserved::control_flow())
    }
}

/// The descriptor that LowerPrintf made, which is a constant.
fn format_of(call: Value) -> Option<Format> {
    let mut description = *call.call_args().first()?;
    while description.as_global().is_none() && description.num_operands() == 1 {
        description = description.operand(0);
    }
    let bytes = description.as_global()?.initializer()?.as_const_bytes()?;
    let (header, rest) = bytes.split_first_chunk()?;
    Format::decode(*header, rest)
}

/// The number of characters that C's printf wrote becomes OpenCL's result: 0, or -1 after an error.
fn print(module: &Module, call: Value, format: &Format) -> Value {
    let b = Builder::before(module.context(), call);
    let printed = Printed::new(module, &b, call.call_args()[1], format);
    let context = module.context();
    let text = context.const_bytes(&[&printed.text[..], &[0]].concat());
    let global = module.add_global("printf.c", text.ty());
    global.set_initializer(text);
    global.set_constant(true);
    global.set_linkage(Linkage::LLVMPrivateLinkage);
    let mut args = vec![b.address_space_cast(global.into(), context.ptr(0), "")];
    args.extend(printed.args);
    let written = b.call(c_printf(module), &args, "");
    let failed = b.binary(Opcode::LLVMAShr, written, b.i32(31), "failed");
    if printed.complete { failed } else { context.i32().const_signed(-1) }
}

fn c_printf(module: &Module) -> Function {
    let context = module.context();
    let declare = || module.add_function("printf", context.i32().var_arg_function(&[context.ptr(0)]));
    module.function("printf").unwrap_or_else(declare)
}

/// A format of C's, and the arguments for it.
struct Printed<'a> {
    module: &'a Module,
    b: &'a Builder,
    text: Vec<u8>,
    args: Vec<Value>,
    /// All of the format was understood and had its arguments.
    complete: bool,
}

impl<'a> Printed<'a> {
    fn new(module: &'a Module, b: &'a Builder, memory: Value, format: &Format) -> Self {
        let mut printed = Printed { module, b, text: Vec::new(), args: Vec::new(), complete: true };
        let (offsets, _) = format.layout();
        let mut args = format.args.iter().zip(offsets);
        let mut rest = &format.text[..];
        while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
            printed.text.extend(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(b"%") {
                printed.text.extend(b"%%");
                rest = after;
                continue;
            }
            // A conversion that is not understood, or has no argument, is printed as it stands.
            let Some((spec, length)) = Spec::parse(rest) else {
                printed.text.extend(b"%%");
                printed.complete = false;
                continue;
            };
            match args.next() {
                Some((arg, offset)) => printed.convert(&spec, *arg, memory, offset),
                None => {
                    printed.text.extend(b"%%");
                    printed.text.extend(&rest[..length]);
                    printed.complete = false;
                }
            }
            rest = &rest[length..];
        }
        printed.text.extend(rest);
        printed
    }

    /// Prints an argument with a conversion; one that does not fit is printed for what it is.
    fn convert(&mut self, spec: &Spec, arg: Arg, memory: Value, offset: usize) {
        let (b, context) = (self.b, self.module.context());
        let lanes = if spec.lanes > 1 { spec.lanes.min(usize::from(arg.lanes)) } else { 1 };
        let (double, i64) = (context.double(), context.i64());
        for lane in 0..lanes {
            if lane > 0 {
                self.text.push(b',');
            }
            let ty = match arg.kind {
                Kind::F16 => context.half(),
                Kind::F32 => context.float(),
                Kind::F64 => double,
                kind => context.int(8 * kind.size() as u32),
            };
            let at = offset + lane * arg.kind.size();
            let value = b.load(ty, b.gep(context.i8(), memory, &[b.i64(at as u64)], ""), "");
            let widened = |value: Value| {
                if ty == double { value } else { b.cast(Opcode::LLVMFPExt, value, double, "") }
            };
            let (length, conversion, value): (&[u8], u8, Value) = match spec.conversion {
                b's' if arg.kind == Kind::Pointer => {
                    (b"", b's', b.cast(Opcode::LLVMIntToPtr, value, context.ptr(0), ""))
                }
                b'p' if ty.is_int() => {
                    let address = b.int_cast(value, i64, "");
                    (b"", b'p', b.cast(Opcode::LLVMIntToPtr, address, context.ptr(0), ""))
                }
                b'c' if ty.is_int() => (b"", b'c', b.int_cast(value, context.i32(), "")),
                conversion @ (b'd' | b'i' | b's') if ty.is_int() => {
                    let conversion = if conversion == b's' { b'd' } else { conversion };
                    (b"ll", conversion, self.integer(spec, value, Opcode::LLVMSExt))
                }
                conversion @ (b'o' | b'u' | b'x' | b'X') if ty.is_int() => {
                    (b"ll", conversion, self.integer(spec, value, Opcode::LLVMZExt))
                }
                conversion @ (b'd' | b'i' | b'o' | b'u' | b'x' | b'X') => {
                    let f = self.module.intrinsic("llvm.fptosi.sat", &[i64, double]);
                    (b"ll", conversion, b.call(f, &[widened(value)], ""))
                }
                conversion if ty.is_int() => {
                    let conversion = if b"csp".contains(&conversion) { b'g' } else { conversion };
                    (b"", conversion, b.cast(Opcode::LLVMSIToFP, value, double, ""))
                }
                conversion => {
                    let conversion = if b"csp".contains(&conversion) { b'g' } else { conversion };
                    (b"", conversion, widened(value))
                }
            };
            self.text.push(b'%');
            let flags = [(spec.minus, b'-'), (spec.plus, b'+'), (spec.blank, b' '), (spec.alternate, b'#')];
            self.text.extend(flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag));
            if spec.zero {
                self.text.push(b'0');
            }
            if spec.width > 0 {
                self.text.extend(spec.width.to_string().bytes());
            }
            if let Some(precision) = spec.precision {
                self.text.extend(format!(".{precision}").bytes());
            }
            self.text.extend(length);
            self.text.push(conversion);
            self.args.push(value);
        }
    }

    /// The integer that a length (`hh`, `h`, `hl`) leaves of a value, in 64 bits.
    fn integer(&self, spec: &Spec, value: Value, extend: Opcode) -> Value {
        let context = self.module.context();
        let bits = value.ty().int_bits();
        let kept = if spec.bits == 0 { bits } else { spec.bits.min(bits) };
        let value = match kept < bits {
            true => self.b.cast(Opcode::LLVMTrunc, value, context.int(kept), ""),
            false => value,
        };
        if kept < 64 { self.b.cast(extend, value, context.i64(), "") } else { value }
    }
}
