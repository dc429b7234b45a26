//! From canonical IR to machine code.

use crate::mark_group_agnostic::MarkGroupAgnostic;
use crate::target::HostTarget;
use compiler::pipeline::{self, Late};
use compiler::{Error, Options, Result, Target};
use ir::attributes;
use llvm::{Context, Module};
use passes::{Pipeline, Remark, Report, WorkItemLoops};
use std::time::Instant;

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
    let start = Instant::now();
    let context = Context::new();
    let module = Module::parse_bitcode(&context, bitcode).map_err(Error::FinalizeProgramFailure)?;
    let mut report = Report::default();
    report.add("read bitcode", start.elapsed());
    let start = Instant::now();
    let mut machinery = target.create_pass_machinery(options)?;
    report.add("set up LLVM's target", start.elapsed());
    machinery.trace.remarks = options.remarks;
    target.initialize_pass_machinery_for_finalize(&mut machinery, options);
    machinery.dump_as_kernel(stage.kernel);
    let pipeline = target.late_target_passes(&machinery, stage);
    let passes = machinery
        .manager()
        .run(&pipeline, &module)
        .map_err(|e| Error::FinalizeProgramFailure(e.to_string()))?;
    report.extend(passes);
    Ok(Lowered { module, machinery, report })
}

/// What becomes of kernels, without making code.
pub(crate) struct Vectorized {
    /// How many work-items run at once, in the kernel with most of them.
    pub width: u32,
    pub remarks: Vec<Remark>,
}

/// Vectorizes the kernels of canonical bitcode to see what becomes of them.
pub(crate) fn vectorize(
    target: &HostTarget,
    bitcode: &[u8],
    options: &Options,
    stage: &Late<'_>,
) -> Result<Vectorized> {
    let context = Context::new();
    let module = Module::parse_bitcode(&context, bitcode).map_err(Error::FinalizeProgramFailure)?;
    let mut machinery = target.create_pass_machinery(options)?;
    machinery.trace.remarks = true;
    target.initialize_pass_machinery_for_finalize(&mut machinery, options);
    machinery.dump_as_kernel(stage.kernel);
    let mut pipeline = Pipeline::stage("vectorize");
    pipeline.add(MarkGroupAgnostic);
    pipeline.append(pipeline::vectorized(stage));
    pipeline.add(WorkItemLoops::default());
    let report = machinery.manager().run(&pipeline, &module);
    let report = report.map_err(|e| Error::FinalizeProgramFailure(e.to_string()))?;
    let width = module.functions().into_iter().map(attributes::work_width).max().unwrap_or(1);
    Ok(Vectorized { width, remarks: report.remarks })
}

impl Lowered {
    pub fn generate(&mut self, code: Code) -> Result<Vec<u8>> {
        let machine = self.machinery.machine.as_ref().expect("the host target has a machine");
        let start = Instant::now();
        let output = match code {
            Code::Object => machine.object(&self.module),
            Code::Assembly => machine.assembly(&self.module),
        };
        self.report.add("generate code", start.elapsed());
        output.map_err(Error::FinalizeProgramFailure)
    }
}
