//! The compiler for Native CPU objects: its description, its passes and its code.

use crate::{AddSubHandler, LowerSpirvVariables, NativeCpuBuiltins, PrepareSyclNativeCpu, TidyUp};
use crate::{add_sub_handler, lower_spirv_variables, prepare_sycl_native_cpu, tidy_up};
use compiler::pipeline::{self, FixedRegisters, Late, Mode, Query, RunVecz};
use compiler::{
    Context, DeviceInfo, Error, Info, Kernel, Module, NotifyCallback, Options, PassMachinery, Result, Target,
    Wfv,
};
use ir::DefaultBuiltinInfo;
use llvm::{OptLevel, TargetMachine};
use passes::{DefineMuxBuiltins, DivideVectors, Library, Pipeline};
use std::sync::{Arc, OnceLock};

struct NativeCpuInfo {
    device: DeviceInfo,
}

/// The compiler for Native CPU objects.
pub fn native_cpu_info() -> &'static dyn Info {
    static INFO: OnceLock<NativeCpuInfo> = OnceLock::new();
    INFO.get_or_init(|| NativeCpuInfo {
        device: DeviceInfo {
            name: "native-cpu".to_owned(),
            vendor: "Lanewise".to_owned(),
            address_bits: usize::BITS,
            little_endian: cfg!(target_endian = "little"),
            supports_half: true,
            supports_double: true,
            supports_int64_atomics: true,
            max_work_group_size: 4096,
            vector_register_bytes: host::cpu::vector_unit().register_bytes as usize,
            max_sub_group_count: 4096,
            custom_buffers: false,
        },
    })
}

impl Info for NativeCpuInfo {
    fn device_info(&self) -> &DeviceInfo {
        &self.device
    }

    fn vectorizable(&self) -> bool {
        true
    }

    fn create_target(&self, context: Arc<Context>, _: Option<NotifyCallback>) -> Result<Arc<dyn Target>> {
        Ok(Arc::new(NativeCpuTarget { context, library: OnceLock::new() }))
    }
}

pub struct NativeCpuTarget {
    context: Arc<Context>,
    library: OnceLock<Library>,
}

/// A program's module after all passes, with what generates code from it.
pub struct Lowered {
    pub module: llvm::Module,
    machinery: PassMachinery,
    /// How long each pass took.
    pub report: passes::Report,
}

impl Lowered {
    pub fn object(&self) -> Result<Vec<u8>> {
        self.machine().object(&self.module).map_err(Error::FinalizeProgramFailure)
    }

    pub fn assembly(&self) -> Result<Vec<u8>> {
        self.machine().assembly(&self.module).map_err(Error::FinalizeProgramFailure)
    }

    fn machine(&self) -> &TargetMachine {
        self.machinery.machine.as_ref().expect("the target has a machine")
    }
}

impl NativeCpuTarget {
    /// A target with a context of its own and the builtin library.
    pub fn with_builtins() -> Arc<Self> {
        let target = NativeCpuTarget { context: Arc::new(Context::new()), library: OnceLock::new() };
        target.init_with_builtins(compiler::BUILTIN_LIBRARY).expect("the library is set once");
        Arc::new(target)
    }

    /// The passes after canonical form, over all kernels of a finalized module or one of them.
    pub fn lower(&self, module: &Module, kernel: Option<&str>) -> Result<Lowered> {
        let options = module.options();
        let failed = Error::FinalizeProgramFailure;
        let context = llvm::Context::new();
        let ir = llvm::Module::parse_bitcode(&context, &module.bitcode()).map_err(failed)?;
        let mut machinery = self.create_pass_machinery(options)?;
        self.initialize_pass_machinery_for_finalize(&mut machinery, options);
        let stage = Late {
            kernel,
            debug: options.debug,
            optimize: !options.opt_disable,
            vectorize: self.vecz_pass_options(options).map(|query| RunVecz { query, kernel: None }),
            ..Late::default()
        };
        let pipeline = self.late_target_passes(&machinery, &stage);
        let report = machinery.manager().run(&pipeline, &ir).map_err(|e| failed(e.to_string()))?;
        Ok(Lowered { module: ir, machinery, report })
    }
}

impl Target for NativeCpuTarget {
    fn compiler_info(&self) -> &'static dyn Info {
        native_cpu_info()
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
        let mut machinery =
            PassMachinery::new(Arc::new(NativeCpuBuiltins { options: defaults }), Some(machine));
        lower_spirv_variables::register(&mut machinery.registry);
        prepare_sycl_native_cpu::register(&mut machinery.registry);
        add_sub_handler::register(&mut machinery.registry);
        tidy_up::register(&mut machinery.registry);
        Ok(machinery)
    }

    fn frontend_passes(&self, _: &PassMachinery) -> Pipeline {
        let mut p = Pipeline::new();
        p.add(LowerSpirvVariables);
        p
    }

    fn vecz_pass_options(&self, options: &Options) -> Option<Query> {
        let only_required = options.wfv == Some(Wfv::Never) || options.opt_disable;
        let registers = FixedRegisters {
            width: None,
            unit: host::cpu::vector_unit(),
            linear: false,
            whole_vectors: false,
            only_required,
            mode: Mode::Auto,
        };
        Some(registers.query())
    }

    fn late_target_passes(&self, _: &PassMachinery, stage: &Late<'_>) -> Pipeline {
        let mut p = pipeline::work_groups(stage);
        p.add(PrepareSyclNativeCpu);
        p.add(AddSubHandler);
        p.add(DefineMuxBuiltins);
        p.add(TidyUp);
        p.llvm(if stage.optimize { "default<O3>" } else { "default<O0>" });
        if stage.optimize {
            p.add(DivideVectors);
        }
        p
    }

    fn create_binary(&self, module: &Module) -> Result<Vec<u8>> {
        self.lower(module, None)?.object()
    }

    /// Objects are made ahead of time.
    fn create_kernel(&self, _: &Module, _: &str) -> Option<Arc<dyn Kernel>> {
        None
    }
}
