//! The host's part of a compilation.

use crate::add_entry_hook::{self, AddEntryHook};
use crate::add_metadata::{self, AddMetadata};
use crate::builtin_info::HostBuiltinInfo;
use crate::cpu;
use crate::fix_calling_conventions::{self, FixCallingConventions};
use crate::info;
use crate::info::{DEGENERATE_OPTION, LINEAR_OPTION, WHOLE_OPTION, WIDTH_OPTION};
use crate::kernel::HostKernel;
use crate::late::{self, Code};
use crate::local_atomics::{self, LocalAtomics};
use crate::mark_group_agnostic::{self, MarkGroupAgnostic};
use crate::mark_steering_arguments::{self, MarkSteeringArguments};
use crate::optimize_kernels::OptimizeKernels;
use compiler::pipeline::{self, FixedRegisters, Late, Mode, Query, Ranges, RunVecz, Vectorizers};
use compiler::{
    Context, Error, Info, Kernel, Module, NotifyCallback, Options, PassMachinery, Result, Target,
};
use compiler::{VecMode, Wfv};
use ir::DefaultBuiltinInfo;
use llvm::{OptLevel, TargetMachine};
use passes::{DivideVectors, Library, Pipeline, Remark};
use std::sync::{Arc, OnceLock};

/// The compiler for this CPU.
pub struct HostTarget {
    context: Arc<Context>,
    callback: Option<NotifyCallback>,
    library: OnceLock<Library>,
}

impl HostTarget {
    pub fn new(context: Arc<Context>, callback: Option<NotifyCallback>) -> Self {
        HostTarget { context, callback, library: OnceLock::new() }
    }

    /// A target with a context of its own and the builtin library: what most callers want.
    pub fn with_builtins() -> Arc<Self> {
        let target = HostTarget::new(Arc::new(Context::new()), None);
        target.init_with_builtins(compiler::BUILTIN_LIBRARY).expect("the library is set once");
        Arc::new(target)
    }

    fn notify(&self, message: &str) {
        if let Some(callback) = &self.callback {
            callback(message);
        }
    }
}

/// LLVM's vectorizers that `-cl-vec` asks for; without it, all of them.
fn vectorizers(options: &Options) -> Vectorizers {
    match options.vec {
        Some(VecMode::Loop) => Vectorizers { loops: true, slp: false },
        Some(VecMode::Slp) => Vectorizers { loops: false, slp: true },
        None | Some(VecMode::All) => Vectorizers { loops: true, slp: true },
        Some(VecMode::None) => Vectorizers { loops: false, slp: false },
    }
}

/// Whether kernels are to be vectorized where they can be.
fn vectorizes(options: &Options) -> bool {
    options.wfv != Some(Wfv::Never) && !options.opt_disable
}

/// What the options say of the code that is to be made, for any kernel and range.
pub fn stage_of(target: &HostTarget, options: &Options) -> Late<'static> {
    let query = target.vecz_pass_options(options);
    Late {
        vectorize: query.map(|query| RunVecz { query, kernel: None }),
        debug: options.debug,
        optimize: !options.opt_disable,
        vectorizers: vectorizers(options),
        degenerate_sub_groups: options.device.iter().any(|o| o.name == DEGENERATE_OPTION),
        ..Late::default()
    }
}

impl Target for HostTarget {
    fn compiler_info(&self) -> &'static dyn Info {
        info::host_info()
    }

    fn init_with_builtins(&self, library: Library) -> Result<()> {
        let twice = |_| Error::InvalidValue("the target has its builtins already".to_owned());
        self.library.set(library).map_err(twice)
    }

    fn builtins(&self) -> Library {
        // Without a library, what it would define stays undefined, which `finalize` reports by name.
        self.library.get().copied().unwrap_or(|_| Ok(()))
    }

    fn create_module(self: Arc<Self>) -> Result<Module> {
        if self.library.get().is_none() {
            return Err(Error::InvalidValue("the target has no builtins yet".to_owned()));
        }
        let context = self.context.clone();
        Ok(Module::new(self, context))
    }

    fn create_pass_machinery(&self, options: &Options) -> Result<PassMachinery> {
        let level = if options.opt_disable { OptLevel::None } else { OptLevel::Aggressive };
        let machine =
            TargetMachine::new(&llvm::host_triple(), llvm::host_cpu(), llvm::host_features(), level)
                .map_err(Error::Failure)?;
        let defaults = DefaultBuiltinInfo {
            flushes_to_zero: options.denorms_are_zero,
            use_fast: options.fast_relaxed_math,
            embedded_profile: false,
            work_group_is_a_thread: true,
        };
        let builtins = HostBuiltinInfo { options: defaults, avx512: cpu::has_avx512() };
        let mut machinery = PassMachinery::new(Arc::new(builtins), Some(machine));
        mark_group_agnostic::register(&mut machinery.registry);
        mark_steering_arguments::register(&mut machinery.registry);
        local_atomics::register(&mut machinery.registry);
        add_entry_hook::register(&mut machinery.registry);
        add_metadata::register(&mut machinery.registry);
        fix_calling_conventions::register(&mut machinery.registry);
        Ok(machinery)
    }

    fn vecz_pass_options(&self, options: &Options) -> Option<Query> {
        let mode = if options.wfv == Some(Wfv::Always) { Mode::Always } else { Mode::Auto };
        // Even then, a kernel with sub-groups of a required size has no other code.
        let only_required = !vectorizes(options);
        let width = options.device.iter().find(|o| o.name == WIDTH_OPTION);
        let width = width.and_then(|o| o.value.as_ref()?.parse().ok());
        let linear = options.device.iter().any(|o| o.name == LINEAR_OPTION);
        let whole_vectors = options.device.iter().any(|o| o.name == WHOLE_OPTION);
        let unit = cpu::vector_unit();
        Some(FixedRegisters { width, unit, linear, whole_vectors, only_required, mode }.query())
    }

    fn remarks(
        &self,
        module: &Module,
        kernel: Option<&str>,
        local_size: Option<[u64; 3]>,
    ) -> Result<Vec<Remark>> {
        let options = module.options();
        let query = self.vecz_pass_options(options).filter(|_| vectorizes(options));
        let stage = Late {
            kernel,
            local_size,
            ranges: Ranges::Small,
            vectorize: query.map(|query| RunVecz { query, kernel: None }),
            ..stage_of(self, options)
        };
        Ok(late::vectorize(self, &module.bitcode(), options, &stage)?.remarks)
    }

    fn late_target_passes(&self, _: &PassMachinery, stage: &Late<'_>) -> Pipeline {
        let mut p = Pipeline::new();
        p.add(MarkGroupAgnostic);
        p.add(MarkSteeringArguments { kernel: stage.kernel.map(str::to_owned) });
        p.append(pipeline::late(stage));
        p.add(LocalAtomics);
        p.add(AddEntryHook);
        p.add(AddMetadata);
        p.add(FixCallingConventions);
        if stage.optimize {
            p.add(OptimizeKernels { vectorizers: stage.vectorizers });
            p.add(DivideVectors);
        } else {
            p.llvm("default<O0>");
        }
        p
    }

    fn create_binary(&self, module: &Module) -> Result<Vec<u8>> {
        let options = module.options();
        let stage = stage_of(self, options);
        let binary =
            late::lower(self, &module.bitcode(), options, &stage).and_then(|mut l| l.generate(Code::Object));
        binary.map(crate::seal).inspect_err(|e| self.notify(e.message()))
    }

    fn create_kernel(&self, module: &Module, name: &str) -> Option<Arc<dyn Kernel>> {
        Some(Arc::new(HostKernel::new(module, name)?))
    }
}
