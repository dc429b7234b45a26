//! From canonical form to machine code: parse the program, make the machinery, run the backend's
//! late stage, write the object. These steps are the same for all backends.

use crate::pipeline::LateStage;
use crate::tiers::first_version_pays;
use crate::{Error, Info, Options, PassMachinery, Result, Tier};
use ir::{Width, attributes};
use llvm::{Context, Module};
use passes::{Pipeline, Remark, Report};
use std::time::Instant;

/// A program after the late stage, with the machine that generates its code.
pub struct Lowered {
    pub module: Module,
    /// The tier of the code: the one that was asked for, or the best where a first version does not
    /// pay.
    pub tier: Tier,
    machinery: PassMachinery,
    /// The time of each pass, and the remarks.
    pub report: Report,
}

/// The output of code generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// An ELF object.
    Object,
    Assembly,
}

/// Runs the late stage on a program in canonical form, in a context of its own: any thread may do
/// so at any time. A kernel that is too small for a first version, or may have none, gets its best
/// code.
pub fn lower(
    info: &'static dyn Info,
    program: &[u8],
    options: &Options,
    stage: &LateStage<'_>,
) -> Result<Lowered> {
    let backend = info.backend();
    let start = Instant::now();
    let context = Context::new();
    let module = Module::parse_bitcode_for(&context, program, stage.kernel).map_err(Error::finalize)?;
    let mut report = Report::default();
    report.add("read bitcode", start.elapsed());
    let start = Instant::now();
    let kernel = stage.kernel.and_then(|name| module.function(name)).filter(|_| stage.tier == Tier::First);
    let pays = |kernel| first_version_pays(backend, &module, kernel, options);
    let tier = if kernel.is_some_and(pays) { Tier::First } else { Tier::Best };
    let stage = &LateStage { tier, ..stage.clone() };
    let mut machinery = PassMachinery::new(info, options)?.for_tier(tier, info, options)?;
    report.add("set up LLVM's target", start.elapsed());
    machinery.trace.remarks = options.remarks && tier == Tier::Best;
    backend.initialize_pass_machinery_for_finalize(&mut machinery, options);
    machinery.dump_as_kernel(stage.kernel);
    report.extend(run(&machinery, &backend.late_passes(stage), &module)?);
    let module = backend.address_spaces().renumber(&context, module);
    let module = module.map_err(Error::finalize)?;
    Ok(Lowered { module, tier, machinery, report })
}

fn run(machinery: &PassMachinery, pipeline: &Pipeline, module: &Module) -> Result<Report> {
    machinery.manager().run(pipeline, module).map_err(|e| Error::finalize(e.to_string()))
}

impl Lowered {
    /// How many work-items a kernel runs at once, which is the size of its sub-groups.
    pub fn work_width(&self, kernel: &str) -> Width {
        self.module.function(kernel).map_or(Width::ONE, attributes::work_width)
    }

    pub fn generate(&mut self, output: Output) -> Result<Vec<u8>> {
        let start = Instant::now();
        let code = match output {
            Output::Object => self.machinery.machine.object(&self.module),
            Output::Assembly => self.machinery.machine.assembly(&self.module),
        };
        self.report.add("generate code", start.elapsed());
        code.map_err(Error::finalize)
    }
}

/// The remarks on kernels, without making code.
pub(crate) struct Vectorized {
    /// How many work-items run at once, in the kernel with most of them.
    pub width: u32,
    pub remarks: Vec<Remark>,
}

/// Runs the late stage of a program in canonical form up to its work-item loops, for its remarks on
/// the kernels.
pub(crate) fn vectorize(
    info: &'static dyn Info,
    program: &[u8],
    options: &Options,
    stage: &LateStage<'_>,
) -> Result<Vectorized> {
    let backend = info.backend();
    let context = Context::new();
    let module = Module::parse_bitcode_for(&context, program, stage.kernel).map_err(Error::finalize)?;
    let mut machinery = PassMachinery::new(info, options)?;
    machinery.trace.remarks = true;
    backend.initialize_pass_machinery_for_finalize(&mut machinery, options);
    machinery.dump_as_kernel(stage.kernel);
    let report = run(&machinery, &backend.late_passes(stage).up_to("work-item-loops"), &module)?;
    let width = module.functions().into_iter().map(|f| attributes::work_width(f).lanes).max().unwrap_or(1);
    Ok(Vectorized { width, remarks: report.remarks })
}
