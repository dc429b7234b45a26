//! A target with no machine: its binaries are the IR after its late passes, as text.
#![allow(dead_code)]

use analysis::{Analyses, Cfg, FunctionAnalysis, Preserved};
use lanewise_compiler as compiler;

use compiler::pipeline::{self, Late};
use compiler::*;
use ir::DefaultBuiltinInfo;
use passes::{Library, Pass, PassContext, PassError, Pipeline, entry_points};
use std::any::Any;
use std::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock};

pub struct TestInfo {
    pub device: DeviceInfo,
    pub options: &'static str,
    pub deferred: bool,
}

pub fn device() -> DeviceInfo {
    DeviceInfo {
        name: "test".to_owned(),
        vendor: "Lanewise".to_owned(),
        address_bits: 64,
        little_endian: true,
        supports_half: false,
        supports_double: true,
        supports_int64_atomics: false,
        max_work_group_size: 16,
        vector_register_bytes: 16,
        max_sub_group_count: 1,
        custom_buffers: false,
    }
}

const OPTIONS: &str = "--test-level,1,takes a number;--test-flag,0,is a flag";

/// The compiler of these tests.
pub fn info() -> &'static TestInfo {
    static INFO: OnceLock<TestInfo> = OnceLock::new();
    INFO.get_or_init(|| TestInfo { device: device(), options: OPTIONS, deferred: true })
}

/// A compiler for a device with 32-bit addresses and nothing that is optional.
pub fn bare_info() -> &'static TestInfo {
    static INFO: OnceLock<TestInfo> = OnceLock::new();
    let device = DeviceInfo {
        name: "bare".to_owned(),
        address_bits: 32,
        supports_half: false,
        supports_double: false,
        supports_int64_atomics: false,
        ..device()
    };
    INFO.get_or_init(|| TestInfo { device, options: OPTIONS, deferred: true })
}

impl Info for TestInfo {
    fn device_info(&self) -> &DeviceInfo {
        &self.device
    }

    fn supports_deferred_compilation(&self) -> bool {
        self.deferred
    }

    fn compilation_options(&self) -> &'static str {
        self.options
    }

    fn check_option(&self, name: &str, value: Option<&str>) -> std::result::Result<(), String> {
        match value {
            Some(value) if value.parse::<u32>().is_err() => {
                Err(format!("{name} takes a number, not '{value}'"))
            }
            _ => Ok(()),
        }
    }

    fn create_target(
        &self,
        context: Arc<Context>,
        callback: Option<NotifyCallback>,
    ) -> Result<Arc<dyn Target>> {
        Ok(Arc::new(TestTarget { context, callback, ..TestTarget::empty() }))
    }
}

/// A target that says what is asked of it.
pub struct TestTarget {
    pub info: &'static TestInfo,
    pub context: Arc<Context>,
    pub callback: Option<NotifyCallback>,
    library: OnceLock<Library>,
    /// Which of its methods were called.
    pub calls: Mutex<Vec<String>>,
    /// What its pass says of each kernel.
    pub seen: Arc<Mutex<Vec<String>>>,
}

impl TestTarget {
    pub fn empty() -> Self {
        TestTarget {
            info: info(),
            context: Arc::new(Context::new()),
            callback: None,
            library: OnceLock::new(),
            calls: Mutex::default(),
            seen: Arc::default(),
        }
    }

    pub fn with_builtins() -> Arc<Self> {
        Self::of(info())
    }

    /// The target of a compiler, with the library for its device.
    pub fn of(info: &'static TestInfo) -> Arc<Self> {
        Self::with_library(info, builtin_library(info.builtin_capabilities()))
    }

    pub fn with_library(info: &'static TestInfo, library: Library) -> Arc<Self> {
        let target = TestTarget { info, ..TestTarget::empty() };
        target.init_with_builtins(library).unwrap();
        Arc::new(target)
    }

    fn called(&self, what: &str) {
        self.calls.lock().unwrap().push(what.to_owned());
    }
}

impl Target for TestTarget {
    fn compiler_info(&self) -> &'static dyn Info {
        self.info
    }

    fn init_with_builtins(&self, library: Library) -> Result<()> {
        self.library.set(library).map_err(|_| Error::InvalidValue("twice".to_owned()))
    }

    fn builtins(&self) -> Library {
        *self.library.get().unwrap()
    }

    fn create_module(self: Arc<Self>) -> Result<Module> {
        let context = self.context.clone();
        Ok(Module::new(self, context))
    }

    fn create_pass_machinery(&self, options: &Options) -> Result<PassMachinery> {
        self.called("create_pass_machinery");
        let builtins = DefaultBuiltinInfo {
            flushes_to_zero: options.denorms_are_zero,
            use_fast: options.fast_relaxed_math,
            embedded_profile: false,
            work_group_is_a_thread: true,
        };
        Ok(PassMachinery::new(Arc::new(builtins), None))
    }

    fn initialize_pass_machinery_for_frontend(&self, machinery: &mut PassMachinery, _: &Options) {
        self.called("initialize_pass_machinery_for_frontend");
        self.register(machinery);
    }

    fn frontend_passes(&self, machinery: &PassMachinery) -> Pipeline {
        Pipeline::parse("test-look<at=front-end>", &machinery.registry).unwrap()
    }

    fn initialize_pass_machinery_for_finalize(&self, machinery: &mut PassMachinery, options: &Options) {
        self.called("initialize_pass_machinery_for_finalize");
        assert!(options.device.iter().all(|d| d.name.starts_with("--test-")));
        self.register(machinery);
    }

    fn late_target_passes(&self, machinery: &PassMachinery, stage: &Late<'_>) -> Pipeline {
        self.called("late_target_passes");
        let look = || Pipeline::parse("test-look<at=late>", &machinery.registry).unwrap();
        let mut p = look();
        p.append(look()).append(pipeline::late(stage));
        p
    }

    fn create_binary(&self, module: &Module) -> Result<Vec<u8>> {
        let context = llvm::Context::new();
        let ir = llvm::Module::parse_bitcode(&context, &module.bitcode()).map_err(Error::Failure)?;
        let mut machinery = self.create_pass_machinery(module.options())?;
        self.initialize_pass_machinery_for_finalize(&mut machinery, module.options());
        let pipeline = self.late_target_passes(&machinery, &Late::default());
        let failed = |e: PassError| Error::FinalizeProgramFailure(e.to_string());
        machinery.manager().run(&pipeline, &ir).map_err(failed)?;
        Ok(ir.to_string().into_bytes())
    }

    fn create_kernel(&self, module: &Module, name: &str) -> Option<Arc<dyn Kernel>> {
        self.called(&format!("create_kernel {name}"));
        assert_eq!(module.state(), State::Finalized);
        Some(Arc::new(TestKernel(name.to_owned())))
    }
}

impl TestTarget {
    fn register(&self, machinery: &mut PassMachinery) {
        let seen = self.seen.clone();
        machinery.registry.register("test-look", "write down what the kernels look like", move |options| {
            let at = options.value("at")?.unwrap_or_default();
            Ok(Look { at, seen: seen.clone() })
        });
    }
}

/// The number of basic blocks: an analysis of the target's own, which uses another.
pub struct Blocks(usize);

thread_local! {
    /// How often [`Blocks`] was computed; passes run on the thread that asks for them.
    pub static COMPUTED: Cell<usize> = const { Cell::new(0) };
}

impl FunctionAnalysis for Blocks {
    fn compute(module: &llvm::Module, function: llvm::Function, analyses: &mut Analyses) -> Self {
        COMPUTED.set(COMPUTED.get() + 1);
        let _: std::rc::Rc<Cfg> = analyses.get(module, function);
        Blocks(function.blocks().len())
    }
}

struct Look {
    at: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Pass for Look {
    fn name(&self) -> &'static str {
        "test-look"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> std::result::Result<Preserved, PassError> {
        let kernels: Vec<llvm::Function> = if self.at == "front-end" {
            cx.module.functions().into_iter().filter(|f| !f.is_declaration()).collect()
        } else {
            entry_points(cx.module)
        };
        for f in kernels {
            let blocks = cx.analysis::<Blocks>(f).0;
            self.seen.lock().unwrap().push(format!("{}: {} has {blocks}", self.at, f.name()));
        }
        Ok(Preserved::All)
    }
}

fn no_sub_groups() -> Error {
    Error::FeatureUnsupported("no sub-groups here".to_owned())
}

pub struct TestKernel(String);

impl Kernel for TestKernel {
    fn name(&self) -> &str {
        &self.0
    }

    fn preferred_local_size(&self) -> [usize; 3] {
        [4, 1, 1]
    }

    fn local_memory_size(&self) -> usize {
        0
    }

    fn precache_local_size(&self, local_size: [usize; 3]) -> Result<()> {
        check_local_size(local_size).map(|_| ())
    }

    fn get_dynamic_work_width(&self, local_size: [usize; 3]) -> Result<u32> {
        check_local_size(local_size).map(|_| 1)
    }

    fn create_specialized_kernel(&self, options: &NdRangeOptions<'_>) -> Result<Vec<u8>> {
        options.check(info().device_info())?;
        Err(Error::FeatureUnsupported("no code here".to_owned()))
    }

    fn get_sub_group_size(&self) -> Result<u32> {
        Err(no_sub_groups())
    }

    fn query_sub_group_size_for_local_size(&self, local_size: [usize; 3]) -> Result<u32> {
        check_local_size(local_size)?;
        Err(no_sub_groups())
    }

    fn query_local_size_for_sub_group_count(&self, _: usize) -> Result<[usize; 3]> {
        Err(no_sub_groups())
    }

    fn query_max_sub_group_count(&self) -> Result<usize> {
        Err(no_sub_groups())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// An empty module of a target of its own.
pub fn module() -> Module {
    TestTarget::with_builtins().create_module().unwrap()
}

/// A compiled module.
pub fn compiled(source: &str, options: &str) -> Module {
    let mut module = module();
    module.set_options(options).unwrap();
    module.compile_opencl_c(Profile::Full, "test.cl", source, &[]).unwrap_or_else(|e| panic!("{e}"));
    module
}

/// A finalized module.
pub fn finalized(source: &str, options: &str) -> Module {
    let mut module = compiled(source, options);
    module.finalize().unwrap_or_else(|e| panic!("{e}"));
    module
}
