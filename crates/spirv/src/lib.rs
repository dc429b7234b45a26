//! The SPIR-V reader: a binary of any producer in, a module of LLVM IR in the conventions of mux IR
//! out.
//!
//! [`parse`] splits the words into instructions and checks each against its shape; [`module`]
//! collects the declarations; [`validate`] checks the invariants of the translation (definitions,
//! control flow, dominance); [`translate`] writes the IR, checking the types of each instruction's
//! operands before it is built. A binary is untrusted: whatever it holds, the answer is a module
//! that LLVM's verifier accepts, or an [`Error`] that names the word, the instruction and the ID.
#![forbid(unsafe_code)]

mod asm;
mod builtin_variables;
mod environment;
mod error;
mod grammar;
mod module;
mod module_info;
mod parse;
mod specialize;
mod translate;
mod types;
mod validate;

pub use asm::{AssemblyError, assemble};
pub use environment::{DeviceInfo, EXTENSIONS, VERSION, capabilities};
pub use error::Error;
pub use grammar::Op;
pub use module_info::{EntryPointInfo, ModuleInfo};
pub use specialize::{SpecializableConstant, SpecializableConstants, SpecializationInfo};
pub use translate::triple_and_layout;

/// Whether the words are a well-formed SPIR-V module: header, version, and every instruction of its
/// shape. Their semantics are checked by [`translate`].
pub fn check(code: &[u32]) -> Result<(), Error> {
    parse::parse(&parse::Words::new(code)?).map(|_| ())
}

/// The constants that can be given a value, by their `SpecId`.
pub fn specializable_constants(code: &[u32]) -> Result<SpecializableConstants, Error> {
    let words = parse::Words::new(code)?;
    let module = module::Module::read(parse::parse(&words)?)?;
    Ok(specialize::constants(&module))
}

/// Fast-math options of a build, beyond those in the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Math {
    /// Multiplications and additions may be fused.
    pub contract: bool,
    pub no_signed_zeros: bool,
    /// There are no NaNs and no infinities.
    pub finite_only: bool,
    /// Transformations that are exact for real numbers are allowed.
    pub unsafe_math: bool,
    /// Subnormal floats may be zero.
    pub denorms_are_zero: bool,
}

/// Translates a module as it is.
pub fn translate(
    context: &llvm::Context,
    code: &[u32],
    device: &DeviceInfo,
    values: &SpecializationInfo,
) -> Result<llvm::Module, Error> {
    translate_with(context, code, device, values, Math::default()).map(|(module, _)| module)
}

/// Translates a module with build options, and says what is in it.
pub fn translate_with(
    context: &llvm::Context,
    code: &[u32],
    device: &DeviceInfo,
    values: &SpecializationInfo,
    math: Math,
) -> Result<(llvm::Module, ModuleInfo), Error> {
    let words = parse::Words::new(code)?;
    let module = module::Module::read(parse::parse(&words)?)?;
    environment::check(&module, device)?;
    let orders = validate::validate(&module)?;
    let translated = translate::translate(context, &module, &orders, device, values, math)?;
    let info = ModuleInfo::of(&words, &module, &translated);
    Ok((translated, info))
}
