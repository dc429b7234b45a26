//! A compiler for this machine that records the calls of its interface.
#![allow(dead_code)]

use analysis::{Analyses, Cfg, FunctionAnalysis, Preserved};
use lanewise_compiler as compiler;

use compiler::pipeline::{self, LateStage};
use compiler::*;
use ir::BuiltinInfo;
use passes::{Library, Pass, PassContext, PassError, Pipeline, Registry, entry_points};
use std::cell::Cell;
use std::sync::{Arc, Mutex};

pub struct TestInfo {
    pub device: DeviceInfo,
    pub options: &'static str,
    pub deferred: bool,
    pub backend: &'static TestBackend,
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
        supports_images: false,
        max_work_group_size: 16,
        vector_register_bytes: 16,
        max_sub_group_count: 0,
        sub_group_sizes: Vec::new(),
        custom_buffers: false,
        accelerates_dot_products: false,
    }
}

impl TestInfo {
    /// A compiler for a device, which stays: there is one static instance of each.
    pub fn new(device: DeviceInfo, deferred: bool) -> &'static TestInfo {
        let options = "--test-level,1,takes a number;--test-flag,0,is a flag";
        let backend = TestBackend { address_bits: device.address_bits, ..TestBackend::default() };
        let backend = Box::leak(Box::new(backend));
        Box::leak(Box::new(TestInfo { device, options, deferred, backend }))
    }

    /// A target of its own, with the builtin library.
    pub fn with_builtins(&'static self) -> Arc<Target> {
        let info: &'static dyn Info = self;
        info.target(None).unwrap()
    }

    /// A target of its own, with another library.
    pub fn with_library(&'static self, library: Library) -> Arc<Target> {
        let info: &'static dyn Info = self;
        let target = info.create_target(Arc::new(Context::new()), None).unwrap();
        target.init_with_builtins(library).unwrap();
        target
    }
}

/// A compiler of its own for a test.
pub fn info() -> &'static TestInfo {
    TestInfo::new(device(), true)
}

/// A compiler for a device with 32-bit addresses and sub-groups, and without optional types and
/// atomics.
pub fn bare_info() -> &'static TestInfo {
    let bare = DeviceInfo {
        name: "bare".to_owned(),
        address_bits: 32,
        supports_half: false,
        supports_double: false,
        supports_int64_atomics: false,
        max_sub_group_count: 16,
        ..device()
    };
    TestInfo::new(bare, true)
}

impl Info for TestInfo {
    fn device_info(&self) -> &DeviceInfo {
        &self.device
    }

    fn name(&self) -> &'static str {
        "test"
    }

    fn backend(&self) -> &'static dyn Backend {
        self.backend
    }

    fn check_option(&self, name: &str, value: Option<&str>) -> Result<()> {
        match value {
            Some(value) if value.parse::<u32>().is_err() => {
                Err(Error::InvalidBuildOptions(format!("{name} takes a number, not '{value}'")))
            }
            _ => Ok(()),
        }
    }

    fn supports_deferred_compilation(&self) -> bool {
        self.deferred
    }

    fn compilation_options(&self) -> &'static str {
        self.options
    }
}

/// A backend that records the calls of its interface.
#[derive(Default)]
pub struct TestBackend {
    address_bits: u32,
    /// Which of its methods were called.
    calls: Mutex<Vec<&'static str>>,
    /// The bytes that its metadata handler notes of each kernel.
    seen: Arc<Mutex<Vec<String>>>,
}

impl TestBackend {
    fn called(&self, what: &'static str) {
        self.calls.lock().unwrap().push(what);
    }

    /// The calls since this was asked last.
    pub fn calls(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }

    /// The kernels that its pass saw since the last call.
    pub fn seen(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    fn look(&self, at: &str) -> Look {
        Look { at: at.to_owned(), seen: self.seen.clone() }
    }
}

impl Backend for TestBackend {
    fn machine(&self) -> Machine {
        match self.address_bits {
            32 => Machine {
                triple: "i386-unknown-linux-gnu".to_owned(),
                cpu: "pentium4".to_owned(),
                features: String::new(),
            },
            _ => Machine::this(),
        }
    }

    fn builtins(&self, options: &Options) -> Arc<dyn BuiltinInfo> {
        self.called("builtins");
        Arc::new(default_builtins(options))
    }

    fn stage(&self, options: &Options) -> LateStage<'static> {
        self.called("stage");
        LateStage::new(options, self.vecz_pass_options(options))
    }

    fn register_passes(&self, registry: &mut Registry) {
        self.called("register_passes");
        let seen = self.seen.clone();
        registry.register("test-look", "write down what the kernels look like", move |options| {
            let at = options.value("at")?.unwrap_or_default();
            Ok(Look { at, seen: seen.clone() })
        });
    }

    fn initialize_pass_machinery_for_frontend(&self, machinery: &mut PassMachinery, _: &Options) {
        self.called("initialize_pass_machinery_for_frontend");
        assert!(Pipeline::parse("test-look<at=front-end>", &machinery.registry).is_ok());
    }

    fn frontend_passes(&self, _: &Options) -> Pipeline {
        self.called("frontend_passes");
        let mut p = Pipeline::new();
        p.add(self.look("front-end"));
        p
    }

    fn initialize_pass_machinery_for_finalize(&self, machinery: &mut PassMachinery, options: &Options) {
        self.called("initialize_pass_machinery_for_finalize");
        assert!(options.device.iter().all(|d| d.name.starts_with("--test-")));
        assert!(Pipeline::parse("test-look<at=late>", &machinery.registry).is_ok());
    }

    fn finalize_passes(&self, library: Library, options: &Options) -> Pipeline {
        self.called("finalize_passes");
        pipeline::canonical(library, !options.opt_disable, compiler::Checks::NONE)
    }

    fn late_passes(&self, stage: &LateStage<'_>) -> Pipeline {
        self.called("late_passes");
        let mut p = Pipeline::new();
        p.add(self.look("late"));
        p.add(self.look("late"));
        p.append(pipeline::late_stage(stage));
        p.add(AddMetadata::default());
        p
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

/// An empty module of a compiler of its own.
pub fn module() -> Module {
    info().with_builtins().create_module().unwrap()
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
