//! Runs pipelines: prints, times and verifies between the passes, and keeps analyses for as long as
//! they hold.

use crate::dump::{self, Dump};
use crate::pipeline::Step;
use crate::{Dumps, PassContext, PassError, Pipeline, Remark, Remarks};
use analysis::{Analyses, Preserved};
use ir::BuiltinInfo;
use llvm::{Module, TargetMachine};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The diagnostics of a run.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Print the module after every pass, to standard error.
    pub print_after_all: bool,
    /// Print the module after the passes of these names.
    pub print_after: Vec<String>,
    /// Verify the IR after every pass. Always on in debug builds.
    pub verify_each: bool,
    /// Write the module before the first and after every pass into files.
    pub dump: Option<Dumps>,
    /// Collect the remarks of the passes.
    pub remarks: bool,
}

impl Trace {
    /// What the environment asks for, `LANEWISE_DUMP=DIR`, or [`dump::record`].
    pub fn from_environment() -> Self {
        let directory = std::env::var_os("LANEWISE_DUMP").filter(|dir| !dir.is_empty()).map(PathBuf::from);
        let dump = match dump::is_recording() {
            true => Some(Dumps::default()),
            false => directory.map(|dir| Dumps { directory: Some(dir), ..Dumps::default() }),
        };
        Trace { dump, ..Trace::default() }
    }
}

/// The time of each pass, in the order they ran, and their remarks.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub times: Vec<(String, Duration)>,
    pub remarks: Vec<Remark>,
}

impl Report {
    /// Adds the time of a step.
    pub fn add(&mut self, name: impl Into<String>, time: Duration) {
        self.times.push((name.into(), time));
    }

    pub fn extend(&mut self, other: Report) {
        self.times.extend(other.times);
        self.remarks.extend(other.remarks);
    }
}

/// Runs pipelines for one target.
pub struct PassManager<'a> {
    pub builtins: &'a dyn BuiltinInfo,
    pub machine: Option<&'a TargetMachine>,
    pub trace: Trace,
}

impl PassManager<'_> {
    /// Runs the passes in order. A crash of LLVM or a panic in a pass is an error too. After an
    /// error the module may be broken: drop it.
    pub fn run(&self, pipeline: &Pipeline, module: &Module) -> Result<Report, PassError> {
        if module.context().has_crashed() {
            return Err(PassError::new("LLVM crashed before this pipeline"));
        }
        llvm::recover(|| self.run_steps(pipeline, module)).unwrap_or_else(|why| Err(PassError::new(why)))
    }

    fn run_steps(&self, pipeline: &Pipeline, module: &Module) -> Result<Report, PassError> {
        let mut analyses = Analyses::default();
        for step in &pipeline.steps {
            if let Step::Ours(pass) = step {
                pass.provide(&mut analyses);
            }
        }
        let mut report = Report::default();
        let remarks = Remarks::new(self.trace.remarks);
        let verify = self.trace.verify_each || cfg!(debug_assertions);
        if verify {
            module.verify().map_err(|e| PassError::new(format!("the input is not well-formed:\n{e}")))?;
        }
        let mut dump = self.trace.dump.as_ref().map(|to| Dump::start(to, pipeline, module));
        for step in &pipeline.steps {
            let start = Instant::now();
            let preserved = match step {
                Step::Ours(pass) => {
                    let mut cx = PassContext {
                        module,
                        builtins: self.builtins,
                        machine: self.machine,
                        analyses: &mut analyses,
                        remarks: &remarks,
                    };
                    pass.run(&mut cx).map_err(|e| PassError { pass: pass.name().to_owned(), ..e })?
                }
                Step::Llvm(text) => {
                    let named = |e| PassError { pass: format!("llvm({text})"), ..PassError::new(e) };
                    module.run_passes(text, self.machine).map_err(named)?;
                    Preserved::None
                }
            };
            analyses.retain(&preserved);
            let name = match step {
                Step::Ours(pass) => pass.name().to_owned(),
                Step::Llvm(text) => format!("llvm({text})"),
            };
            let time = start.elapsed();
            report.add(name.clone(), time);
            if self.trace.print_after_all || self.trace.print_after.iter().any(|n| n == step.name()) {
                eprintln!("; *** IR after {name} ***\n{module}");
            }
            if let Some(dump) = &mut dump {
                dump.step(step, time, module);
            }
            if verify {
                let broken =
                    |e| PassError { pass: name, ..PassError::new(format!("left malformed IR behind:\n{e}")) };
                module.verify().map_err(broken)?;
            }
        }
        report.remarks = remarks.take();
        Ok(report)
    }
}
