//! The interface of a pass.

use crate::{Options, PassError, Remarks};
use analysis::{Analyses, FunctionAnalysis, Preserved};
use ir::BuiltinInfo;
use llvm::{Function, Module, TargetMachine};
use std::rc::Rc;

/// The input of a pass: the module, and the target's properties.
pub struct PassContext<'a> {
    pub module: &'a Module,
    pub builtins: &'a dyn BuiltinInfo,
    pub machine: Option<&'a TargetMachine>,
    pub analyses: &'a mut Analyses,
    pub remarks: &'a Remarks,
}

impl PassContext<'_> {
    pub fn analysis<A: FunctionAnalysis>(&mut self, function: Function) -> Rc<A> {
        self.analyses.get(self.module, function)
    }
}

/// One step over a module.
pub trait Pass {
    /// The specification's name in kebab-case, without "Pass".
    fn name(&self) -> &'static str;

    /// The options from which the registry makes an equal pass, without those that have their
    /// default.
    fn options(&self) -> Options {
        Options::default()
    }

    /// Provides results that all passes of the pipeline may read ([`Analyses::provided`]). Called
    /// before the first of them runs.
    fn provide(&self, _analyses: &mut Analyses) {}

    /// Changes the module, and returns which analyses are preserved.
    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError>;
}
