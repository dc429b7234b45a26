//! SpecializeArguments: replaces arguments of a kernel by known values.
//!
//! ```text
//! define spir_kernel void @k(ptr %p, i32 %n) {  →   define spir_kernel void @k(ptr %p, i32 %n) {
//!   … icmp ult i32 %i, %n …                           … icmp ult i32 %i, 64 …
//! ```
//!
//! The known bytes of an image are the first ones of the target's descriptor: the format. The
//! parameters stay, so that the kernel's signature does not change; known ones have no uses left.
//! Changes only the chosen entry points, and no control flow.

use crate::{Options, Pass, PassContext, PassError, Registry, wrap};
use analysis::Preserved;
use ir::{attributes, metadata};
use llvm::{Type, Value};
use std::fmt;

/// The bytes of an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KnownArgument {
    pub index: u32,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Debug, Default)]
pub struct SpecializeArguments {
    /// The only kernel that is changed; all of them if empty.
    pub kernel: String,
    pub arguments: Vec<KnownArgument>,
}

pub(crate) fn register(registry: &mut Registry) {
    let summary = "make kernels for values of arguments: kernel=NAME;bytes=INDEX:HEX[+INDEX:HEX…]";
    registry.register("specialize-arguments", summary, |options| {
        let kernel = options.value("kernel")?.unwrap_or_default();
        Ok(SpecializeArguments { kernel, arguments: arguments_option(options)? })
    });
}

/// Takes the option `bytes=INDEX:HEX[+INDEX:HEX…]`: the bytes of arguments, in memory order.
pub fn arguments_option(options: &mut Options) -> Result<Vec<KnownArgument>, PassError> {
    let Some(text) = options.value("bytes")? else { return Ok(Vec::new()) };
    text.split('+').map(|part| argument(part).ok_or_else(|| wrong_argument(part).into())).collect()
}

fn wrong_argument(part: &str) -> String {
    format!("'{part}' is not an argument's index and bytes such as 1:40000000")
}

fn argument(part: &str) -> Option<KnownArgument> {
    let (index, hex) = part.split_once(':')?;
    let byte = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes = (0..hex.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    Some(KnownArgument { index: index.parse().ok()?, bytes })
}

/// `INDEX:HEX`.
impl fmt::Display for KnownArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.index)?;
        self.bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Pass for SpecializeArguments {
    fn name(&self) -> &'static str {
        "specialize-arguments"
    }

    fn options(&self) -> Options {
        let arguments: Vec<String> = self.arguments.iter().map(KnownArgument::to_string).collect();
        Options::default()
            .with_value("kernel", Some(&self.kernel).filter(|kernel| !kernel.is_empty()))
            .with_value("bytes", Some(arguments.join("+")).filter(|text| !text.is_empty()))
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for kernel in wrap::entry_points(cx.module) {
            if !self.kernel.is_empty() && attributes::orig_fn_name(kernel) != self.kernel {
                continue;
            }
            let objects = metadata::kernel_args(cx.module, kernel, kernel.params().len());
            for known in &self.arguments {
                let Some(param) = kernel.params().get(known.index as usize).copied() else {
                    let message = format!("there is no argument {}", known.index);
                    return Err(PassError::in_function(kernel, message));
                };
                if !objects[known.index as usize].object.is_empty() && param.ty().is_ptr() {
                    replace_loads(param, &known.bytes);
                } else if let Some(value) = constant(param.ty(), &known.bytes) {
                    param.replace_all_uses_with(value);
                }
            }
        }
        Ok(Preserved::control_flow())
    }
}

/// Replaces loads from a pointer to a descriptor that begins with these bytes.
fn replace_loads(pointer: Value, bytes: &[u8]) {
    for load in pointer.users().into_iter().filter(|user| user.is_load()) {
        if let Some(value) = constant(load.ty(), bytes) {
            load.replace_all_uses_with(value);
            load.erase();
        }
    }
}

/// The constant with these little-endian bytes; `None` for types other than integers and
/// floating-point numbers.
fn constant(ty: Type, bytes: &[u8]) -> Option<Value> {
    let bits = if ty.is_int() { ty.int_bits() } else { ty.float_bits()? };
    let size = bits.div_ceil(8) as usize;
    if bits > 64 || bytes.len() < size {
        return None;
    }
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[..size]);
    let word = u64::from_le_bytes(word);
    match (ty.is_int(), bits) {
        (true, _) => Some(ty.const_int(word)),
        (false, 32) => {
            Some(ty.const_float(f64::from(f32::from_bits(word as u32)))).filter(|_| is_number(word, 32))
        }
        (false, 64) => Some(ty.const_float(f64::from_bits(word))).filter(|_| is_number(word, 64)),
        _ => None,
    }
}

/// Whether a floating-point value is no NaN: a NaN constant might lose its payload bits.
fn is_number(word: u64, bits: u32) -> bool {
    if bits == 32 { !f32::from_bits(word as u32).is_nan() } else { !f64::from_bits(word).is_nan() }
}
