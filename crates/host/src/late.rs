//! From canonical IR to machine code.

use crate::target::HostTarget;
use compiler::pipeline::Late;
use compiler::{Error, Options, Result, Target};
use llvm::{Context, Module};
use passes::Report;

/// A kernel's module after all passes, with what generates code from it.
pub struct Lowered {
    pub module: Module,
    machinery: compiler::PassMachinery,
    /// How long each pass took.
    pub report: Report,
}

/// What code generation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Object,
    Assembly,
}

/// Runs the late passes on canonical bitcode, in a context of its own: any thread may do so at any time.
pub fn lower(target: &HostTarget, bitcode: &[u8], options: &Options, stage: &Late<'_>) -> Result<Lowered> {
    let context = Context::new();
    let module = Module::parse_bitcode(&context, bitcode).map_err(Error::FinalizeProgramFailure)?;
    let mut machinery = target.create_pass_machinery(options)?;
    target.initialize_pass_machinery_for_finalize(&mut machinery, options);
    let pipeline = target.late_target_passes(&machinery, stage);
    let report = machinery
        .manager()
        .run(&pipeline, &module)
        .map_err(|e| Error::FinalizeProgramFailure(e.to_string()))?;
    Ok(Lowered { module, machinery, report })
}

impl Lowered {
    pub fn generate(&self, code: Code) -> Result<Vec<u8>> {
        let machine = self.machinery.machine.as_ref().expect("the host target has a machine");
        match code {
            Code::Object => machine.object(&self.module),
            Code::Assembly => machine.assembly(&self.module),
        }
        .map_err(Error::FinalizeProgramFailure)
    }
}
