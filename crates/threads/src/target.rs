//! The target itself: its description, its pipeline, its objects.

use crate::{ExportKernels, ThreadBuiltins, export_kernels};
use compiler::pipeline::{self, Late};
use compiler::{
    Context, DeviceInfo, Error, Info, Kernel, Module, NotifyCallback, Options, PassMachinery, Result, Target,
};
use llvm::{OptLevel, TargetMachine};
use passes::{
    AddKernelWrapper, AddSchedulingParameters, DefineMuxBuiltins, Library, Pipeline,
    ReplaceLocalModuleScopeVariables,
};
use std::sync::{Arc, OnceLock};

struct ThreadsInfo {
    device: DeviceInfo,
}

pub fn threads_info() -> &'static dyn Info {
    static INFO: OnceLock<ThreadsInfo> = OnceLock::new();
    INFO.get_or_init(|| ThreadsInfo {
        device: DeviceInfo {
            name: "threads".to_owned(),
            vendor: "Lanewise".to_owned(),
            address_bits: usize::BITS,
            little_endian: cfg!(target_endian = "little"),
            supports_half: true,
            supports_double: true,
            supports_int64_atomics: true,
            max_work_group_size: 256,
            vector_register_bytes: 0,
            max_sub_group_count: 256,
            custom_buffers: false,
        },
    })
}

impl Info for ThreadsInfo {
    fn device_info(&self) -> &DeviceInfo {
        &self.device
    }

    fn create_target(&self, context: Arc<Context>, _: Option<NotifyCallback>) -> Result<Arc<dyn Target>> {
        Ok(Arc::new(ThreadsTarget { context, library: OnceLock::new() }))
    }
}

pub struct ThreadsTarget {
    context: Arc<Context>,
    library: OnceLock<Library>,
}

/// A work-item is a thread: there is nothing to loop over.
fn late_passes(stage: &Late<'_>) -> Pipeline {
    let mut p = Pipeline::stage("late");
    p.append(pipeline::vectorized(&Late { vectorize: None, ..stage.clone() }));
    p.add(ReplaceLocalModuleScopeVariables);
    p.llvm("globaldce");
    p.add(AddSchedulingParameters);
    p.add(AddKernelWrapper);
    p.add(DefineMuxBuiltins);
    p.add(ExportKernels);
    p.llvm(if stage.optimize { "default<O2>" } else { "default<O0>" });
    p
}

impl Target for ThreadsTarget {
    fn compiler_info(&self) -> &'static dyn Info {
        threads_info()
    }

    fn init_with_builtins(&self, library: Library) -> Result<()> {
        let twice = |_| Error::InvalidValue("the target has its builtins already".to_owned());
        self.library.set(library).map_err(twice)
    }

    fn builtins(&self) -> Library {
        self.library.get().copied().unwrap_or(|_| Ok(()))
    }

    fn create_module(self: Arc<Self>) -> Result<Module> {
        let context = self.context.clone();
        Ok(Module::new(self, context))
    }

    fn create_pass_machinery(&self, options: &Options) -> Result<PassMachinery> {
        let level = if options.opt_disable { OptLevel::None } else { OptLevel::Default };
        let machine =
            TargetMachine::new(&llvm::host_triple(), "generic", "", level).map_err(Error::Failure)?;
        let mut machinery =
            PassMachinery::new(Arc::new(ThreadBuiltins), Some(machine)).replayed_with("threads", options);
        let registry = &mut machinery.registry;
        export_kernels::register(registry);
        let stage = Late { optimize: !options.opt_disable, ..Late::default() };
        let frontend = || Pipeline::stage("frontend");
        pipeline::register_stages(registry, stage, self.builtins(), frontend, late_passes);
        Ok(machinery)
    }

    fn late_target_passes(&self, _: &PassMachinery, stage: &Late<'_>) -> Pipeline {
        late_passes(stage)
    }

    fn create_binary(&self, module: &Module) -> Result<Vec<u8>> {
        let failed = Error::FinalizeProgramFailure;
        let options = module.options();
        let context = llvm::Context::new();
        let ir = llvm::Module::parse_bitcode(&context, &module.bitcode()).map_err(failed)?;
        let machinery = self.create_pass_machinery(options)?;
        let stage = Late { optimize: !options.opt_disable, ..Late::default() };
        let pipeline = self.late_target_passes(&machinery, &stage);
        machinery.manager().run(&pipeline, &ir).map_err(|e| failed(e.to_string()))?;
        machinery.machine.as_ref().expect("made above").object(&ir).map_err(failed)
    }

    fn create_kernel(&self, _: &Module, _: &str) -> Option<Arc<dyn Kernel>> {
        None
    }
}
