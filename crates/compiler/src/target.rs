//! What a target implements, and the tools its passes run with.

use crate::pipeline::Query;
use crate::{Info, Kernel, Module, Result};
use ir::BuiltinInfo;
use llvm::TargetMachine;
use passes::{Library, PassManager, Pipeline, Registry, Remark, Trace};
use std::sync::Arc;

/// Is told messages for the user, in any thread.
pub type NotifyCallback = Arc<dyn Fn(&str) + Send + Sync>;

/// All a pipeline needs: the passes by name, the target's builtins and its machine.
pub struct PassMachinery {
    pub registry: Registry,
    pub builtins: Arc<dyn BuiltinInfo>,
    pub machine: Option<TargetMachine>,
    pub trace: Trace,
}

impl PassMachinery {
    /// The passes that all targets share.
    pub fn new(builtins: Arc<dyn BuiltinInfo>, machine: Option<TargetMachine>) -> Self {
        let mut registry = Registry::default();
        passes::register(&mut registry);
        crate::pipeline::register(&mut registry);
        PassMachinery { registry, builtins, machine, trace: Trace::from_environment() }
    }

    /// Says with which target and build options `lanewise opt` makes the same machinery, in the headers of
    /// dumps.
    pub fn replayed_with(mut self, target: &str, options: &crate::Options) -> Self {
        if let Some(dumps) = &mut self.trace.dump {
            let all = [
                (options.opt_disable, "-cl-opt-disable"),
                (options.denorms_are_zero, "-cl-denorms-are-zero"),
                (options.fast_relaxed_math, "-cl-fast-relaxed-math"),
            ];
            let given: Vec<&str> = all.iter().filter(|(given, _)| *given).map(|(_, name)| *name).collect();
            dumps.replay = format!("--target {target}");
            if !given.is_empty() {
                dumps.replay += &format!(" --options '{}'", given.join(" "));
            }
        }
        self
    }

    /// Names dumps by the only kernel that is compiled, if it is one.
    pub fn dump_as_kernel(&mut self, kernel: Option<&str>) {
        if let Some(dumps) = &mut self.trace.dump {
            dumps.kernel = kernel.map(str::to_owned);
        }
    }

    pub fn manager(&self) -> PassManager<'_> {
        PassManager { builtins: &*self.builtins, machine: self.machine.as_ref(), trace: self.trace.clone() }
    }
}

/// A compiler for one device: `BaseTarget` of the specification, and the methods of `BaseModule` that a target overrides.
pub trait Target: Send + Sync {
    fn compiler_info(&self) -> &'static dyn Info;

    /// Takes the builtin library before the first module is made.
    fn init_with_builtins(&self, library: Library) -> Result<()>;

    /// The library of `init_with_builtins`.
    fn builtins(&self) -> Library;

    /// Makes an empty module that is compiled for this target.
    fn create_module(self: Arc<Self>) -> Result<Module>;

    /// Makes what pipelines run with. A target adds its machine and its own passes.
    fn create_pass_machinery(&self, options: &crate::Options) -> Result<PassMachinery>;

    /// Prepares the machinery for [`Target::frontend_passes`].
    fn initialize_pass_machinery_for_frontend(&self, _: &mut PassMachinery, _: &crate::Options) {}

    /// The target's own passes over what a front end made of a source, before it is linked. None, if not overridden.
    fn frontend_passes(&self, _: &PassMachinery) -> Pipeline {
        Pipeline::stage("frontend")
    }

    /// Prepares the machinery for `finalize` and the late passes.
    fn initialize_pass_machinery_for_finalize(&self, _: &mut PassMachinery, _: &crate::Options) {}

    /// How the whole-function vectorizer is to treat each kernel, by this target's cost model; `None` leaves all of them scalar.
    fn vecz_pass_options(&self, _: &crate::Options) -> Option<Query> {
        None
    }

    /// What the vectorizer remarks about the kernels of a finalized module, or one of them, where all that is known of a launch is
    /// its local size, if any.
    fn remarks(
        &self,
        _: &Module,
        _kernel: Option<&str>,
        _local_size: Option<[u64; 3]>,
    ) -> Result<Vec<Remark>> {
        Ok(Vec::new())
    }

    /// The passes from canonical form to what code is generated from, for one kernel or for all of them.
    fn late_target_passes(&self, machinery: &PassMachinery, stage: &crate::pipeline::Late<'_>) -> Pipeline;

    /// Makes a binary with all kernels of a finalized module, for any NDRange.
    fn create_binary(&self, module: &Module) -> Result<Vec<u8>>;

    /// Makes the object for a kernel of a finalized module; `None` if the target does not support deferred compilation.
    fn create_kernel(&self, module: &Module, name: &str) -> Option<Arc<dyn Kernel>>;
}
