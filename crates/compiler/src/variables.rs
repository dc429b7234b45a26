//! Variables of a program in global memory.
//!
//! Each variant of each kernel is an object of its own. A kernel's writes to a variable of the
//! program must be visible to all other kernels, and to later launches. So the variables are in an
//! object of their own, which is loaded once per program, and the kernels' objects only declare
//! them.

use crate::program_info::global_variables;
use crate::{Error, Info, Options, Result, Tier};
use ir::address_space;
use llvm::{Global, Linkage, Module};
use std::collections::BTreeSet;

/// A program whose variables are split from its code.
pub struct SplitProgram {
    /// The program in canonical form that kernels are compiled from: it only declares the
    /// variables.
    pub code: Vec<u8>,
    /// The object with the variables.
    pub variables: Vec<u8>,
}

/// Splits a program in canonical form.
pub(crate) fn split(info: &dyn Info, program: &[u8], options: &Options) -> Result<SplitProgram> {
    llvm::recover(|| split_unguarded(info, program, options)).unwrap_or_else(|e| Err(e.into()))
}

fn split_unguarded(info: &dyn Info, program: &[u8], options: &Options) -> Result<SplitProgram> {
    let context = llvm::Context::new();
    let parse = || Module::parse_bitcode(&context, program).map_err(Error::finalize);
    let data = parse()?;
    let shared = keep_variables(&data);
    let machine = info.backend().machine().llvm(options, Tier::Best)?;
    let variables = machine.object(&data).map_err(Error::finalize)?;

    let code = parse()?;
    for (i, global) in code.globals().into_iter().enumerate().filter(|(i, _)| shared.contains(i)) {
        share(global, i);
        if global.address_space() == address_space::GLOBAL {
            global.remove_initializer();
        } else {
            // A constant: its value may be folded, but its address must be the same for all
            // kernels.
            global.set_linkage(Linkage::LLVMAvailableExternallyLinkage);
        }
    }
    Ok(SplitProgram { code: code.to_bitcode(), variables })
}

/// Drops all but the variables in global memory and the constants they refer to. Returns their
/// indices among all globals of the program.
fn keep_variables(module: &Module) -> BTreeSet<usize> {
    module.functions().into_iter().for_each(|f| f.erase_body_and_uses());
    let variables: Vec<Global> = global_variables(module).collect();
    let mut left: Vec<(usize, Global)> = module.globals().into_iter().enumerate().collect();
    loop {
        let (kept, unused): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(_, global)| variables.contains(global) || global.is_used());
        left = kept;
        if unused.is_empty() {
            break;
        }
        unused.into_iter().for_each(|(_, global)| global.erase());
    }
    left.iter().for_each(|(i, global)| share(*global, *i));
    left.into_iter().map(|(i, _)| i).collect()
}

fn share(global: Global, place: usize) {
    global.set_name(&format!("__mux_variable_{place}"));
    global.share();
}
