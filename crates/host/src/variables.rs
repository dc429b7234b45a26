//! Variables of a program in global memory.
//!
//! Each kernel is an object of its own, and has many where code is made for several local sizes. What a kernel writes to a variable of
//! the program, all others read, and later launches too. So the variables are in an object of their own, which is loaded once for a
//! program, and the kernels' objects only name them.

use crate::loader;
use crate::target::HostTarget;
use compiler::{Context, Error, Options, Result, Target, global_variables};
use ir::address_space;
use llvm::{Global, Linkage, LoadedObject, Module};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

pub struct Variables {
    /// The whole program in canonical form.
    program: Arc<Vec<u8>>,
    options: Options,
    parts: OnceLock<Result<Parts>>,
}

struct Parts {
    /// The program as kernels are made from it: it only names the variables.
    code: Vec<u8>,
    variables: Arc<LoadedObject>,
}

impl Variables {
    pub fn new(program: Arc<Vec<u8>>, options: Options) -> Variables {
        Variables { program, options, parts: OnceLock::new() }
    }

    /// The program to make kernels from, which only names its variables.
    pub fn code(&self) -> Result<&[u8]> {
        Ok(&self.parts()?.code)
    }

    /// The variables in memory.
    pub fn object(&self) -> Result<&Arc<LoadedObject>> {
        Ok(&self.parts()?.variables)
    }

    fn parts(&self) -> Result<&Parts> {
        self.parts.get_or_init(|| self.make_parts()).as_ref().map_err(Clone::clone)
    }

    fn make_parts(&self) -> Result<Parts> {
        let context = llvm::Context::new();
        let parse = || Module::parse_bitcode(&context, &self.program).map_err(Error::FinalizeProgramFailure);
        let data = parse()?;
        let shared = keep_variables(&data);
        let target = HostTarget::new(Arc::new(Context::new()), None);
        let machinery = target.create_pass_machinery(&self.options)?;
        let machine = machinery.machine.as_ref().expect("the host target has a machine");
        let object = machine.object(&data).map_err(Error::FinalizeProgramFailure)?;

        let code = parse()?;
        for (i, global) in code.globals().into_iter().enumerate().filter(|(i, _)| shared.contains(i)) {
            share(global, i);
            if global.address_space() == address_space::GLOBAL {
                global.remove_initializer();
            } else {
                // A constant: its value may be used, but where it is is the same for all.
                global.set_linkage(Linkage::LLVMAvailableExternallyLinkage);
            }
        }
        let variables = loader::load_data(&object).map_err(Error::Failure)?;
        Ok(Parts { code: code.to_bitcode(), variables })
    }
}

/// Leaves the variables in global memory and the constants they refer to; their places among all globals of the program.
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
