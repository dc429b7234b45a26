//! Native CPU objects: the compiler's description, its machine and its late stage.

use crate::cpu::Cpu;
use crate::{AddSubHandler, LowerHalf, LowerPrintfToC, LowerSpirvVariables, LowerUnaligned};
use crate::{NativeCpuBuiltins, PrepareSyclNativeCpu, TidyUp};
use compiler::pipeline::{self, FixedRegisters, LateStage, Mode, Query, VectorUnit};
use compiler::{AddCompiler, Backend, DeviceInfo, Error, Info, Machine, Options, Result, Wfv};
use host::OptimizeKernels;
use ir::{BuiltinInfo, Width};
use passes::{CompareHalves, DefineMuxBuiltins, DivideVectors, FreezeDivisions, Pipeline, Registry};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The option that sets the vectorizer's width.
const WIDTH_OPTION: &str = "--lanes";

/// The most lanes that [`WIDTH_OPTION`] takes.
const MOST_LANES: u32 = 64;

struct NativeCpuInfo {
    device: DeviceInfo,
    backend: &'static NativeCpuBackend,
}

impl NativeCpuInfo {
    fn new(machine: Machine) -> Result<Self> {
        let cpu = Cpu::of(machine)?;
        Ok(NativeCpuInfo {
            device: DeviceInfo {
                vector_register_bytes: cpu.unit.map_or(0, |unit| unit.register_bytes as usize),
                sub_group_sizes: host::host_info().device_info().sub_group_sizes.clone(),
                ..DeviceInfo::this_machine("native-cpu")
            },
            backend: Box::leak(Box::new(NativeCpuBackend { cpu })),
        })
    }
}

/// The compiler for Native CPU objects that run on this machine.
pub fn native_cpu_info() -> &'static dyn Info {
    static INFO: OnceLock<NativeCpuInfo> = OnceLock::new();
    INFO.get_or_init(|| NativeCpuInfo::new(Machine::this()).expect("LLVM makes code for this machine"))
}

/// The compiler for Native CPU objects that run on another machine. Compilers live as long as the
/// process: there is one of each.
fn info_for(machine: &Machine) -> Result<&'static dyn Info> {
    static OTHERS: Mutex<Vec<&NativeCpuInfo>> = Mutex::new(Vec::new());
    if *machine == Machine::this() {
        return Ok(native_cpu_info());
    }
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = others.iter().find(|info| info.backend.cpu.machine == *machine) {
        return Ok(*known);
    }
    let info: &'static NativeCpuInfo = Box::leak(Box::new(NativeCpuInfo::new(machine.clone())?));
    others.push(info);
    Ok(info)
}

/// Tells of every compiler of this crate.
pub fn compilers(add: AddCompiler<'_>) {
    add(native_cpu_info());
}

impl Info for NativeCpuInfo {
    fn device_info(&self) -> &DeviceInfo {
        &self.device
    }

    fn name(&self) -> &'static str {
        "native-cpu"
    }

    fn backend(&self) -> &'static dyn Backend {
        self.backend
    }

    fn for_machine(&self, machine: &Machine) -> Result<&'static dyn Info> {
        info_for(machine)
    }

    fn compilation_options(&self) -> &'static str {
        "--lanes,1,how many work-items the vectorizer runs at once: 2 to 64 or nxv1 to nxv64 (times vscale)"
    }

    fn check_option(&self, name: &str, value: Option<&str>) -> Result<()> {
        // LLVM has code for scalable vectors of a power of two, and for SVE not for those of one.
        let least = if self.backend.cpu.machine.triple.starts_with("riscv") { 1 } else { 2 };
        let has_code = |w: &Width| !w.scalable || w.lanes.is_power_of_two() && w.lanes >= least;
        let width = value.and_then(Width::parse).filter(|width| width.lanes <= MOST_LANES);
        let wrong = |why: String| Err(Error::InvalidBuildOptions(why));
        let value = value.unwrap_or_default();
        match width {
            _ if name != WIDTH_OPTION => Ok(()),
            Some(width) if width.scalable && !self.scalable_vector_support() => {
                wrong(format!("{name} {value}: this CPU has no scalable vectors"))
            }
            Some(width) if width != Width::ONE && has_code(&width) => Ok(()),
            _ => wrong(format!(
                "{name} takes a number from 2 to {MOST_LANES}, or a power of two from nxv{least} to \
                 nxv{MOST_LANES}, not '{value}'"
            )),
        }
    }

    fn vectorizable(&self) -> bool {
        self.backend.cpu.unit.is_some()
    }

    fn scalable_vector_support(&self) -> bool {
        self.backend.cpu.unit.is_some_and(|unit| unit.scalable)
    }
}

struct NativeCpuBackend {
    cpu: Cpu,
}

impl Backend for NativeCpuBackend {
    fn machine(&self) -> Machine {
        self.cpu.machine.clone()
    }

    fn builtins(&self, options: &Options) -> Arc<dyn BuiltinInfo> {
        let math = self.cpu.math;
        Arc::new(NativeCpuBuiltins { options: compiler::default_builtins(options), math })
    }

    fn register_passes(&self, registry: &mut Registry) {
        host::register_optimize_kernels(registry);
        registry.add("compute with halves as floats and integers", LowerHalf);
        registry.add("print by the C library", LowerPrintfToC);
        registry.add("turn reads of SPIR-V's builtin variables into mux builtins", LowerSpirvVariables);
        registry.add("add the pointer to the state to kernels, for the Native CPU ABI", PrepareSyclNativeCpu);
        registry.add("wrap kernels into functions of an array of arguments and the state", AddSubHandler);
        registry.add("access memory by smaller elements where these are not aligned", LowerUnaligned);
        registry.add("leave only what programs call, for the Native CPU ABI", TidyUp);
    }

    fn frontend_passes(&self, _: &Options) -> Pipeline {
        let mut p = Pipeline::stage("frontend");
        p.add(LowerSpirvVariables);
        p
    }

    fn vectors(&self) -> Option<VectorUnit> {
        self.cpu.unit
    }

    fn vecz_pass_options(&self, options: &Options) -> Option<Query> {
        let width = options.device.iter().find(|o| o.name == WIDTH_OPTION);
        let registers = FixedRegisters {
            width: width.and_then(|o| Width::parse(o.value.as_ref()?)),
            // Without vectors there are lanes only where a kernel requires sub-groups of a size.
            unit: self.cpu.unit.unwrap_or(VectorUnit::generic(16, 12)),
            linear: false,
            whole_vectors: false,
            only_required: match options.wfv {
                Some(Wfv::Never) => true,
                Some(Wfv::Always) => options.opt_disable,
                _ => options.opt_disable || self.cpu.unit.is_none(),
            },
            mode: if options.wfv == Some(Wfv::Always) { Mode::Always } else { Mode::Auto },
        };
        Some(registers.query())
    }

    /// LLVM's vectorizers run last, as on the CPU at hand.
    fn stage(&self, options: &Options) -> LateStage<'static> {
        let stage = LateStage::new(options, self.vecz_pass_options(options));
        LateStage { early_vectorizers: None, ..stage }
    }

    fn late_passes(&self, stage: &LateStage<'_>) -> Pipeline {
        let mut p = Pipeline::stage("late");
        if !self.cpu.halves {
            p.add(LowerHalf);
            p.llvm("always-inline");
        }
        p.append(pipeline::work_groups(stage));
        p.add(PrepareSyclNativeCpu);
        p.add(AddSubHandler);
        p.add(LowerPrintfToC);
        p.add(DefineMuxBuiltins);
        p.add(TidyUp);
        if stage.optimize {
            p.add(OptimizeKernels { vectorizers: stage.vectorizers });
            p.add(DivideVectors);
        } else {
            p.llvm("default<O0>");
            p.add(FreezeDivisions);
        }
        if !self.cpu.halves {
            p.add(LowerHalf);
        }
        if self.cpu.aligned {
            p.add(LowerUnaligned);
        }
        p.add(CompareHalves);
        p
    }
}
