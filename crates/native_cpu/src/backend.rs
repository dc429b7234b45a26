//! Native CPU objects: the compiler's description, its machine and its late stage.

use crate::{AddSubHandler, LowerSpirvVariables, NativeCpuBuiltins, PrepareSyclNativeCpu, TidyUp};
use compiler::pipeline::{self, FixedRegisters, LateStage, Mode, Query, VectorUnit};
use compiler::{AddCompiler, Backend, DeviceInfo, Info, Machine, Options, Wfv};
use ir::BuiltinInfo;
use passes::{DefineMuxBuiltins, DivideVectors, Pipeline, Registry};
use std::sync::{Arc, OnceLock};

struct NativeCpuInfo {
    device: DeviceInfo,
}

/// The compiler for Native CPU objects.
pub fn native_cpu_info() -> &'static dyn Info {
    static INFO: OnceLock<NativeCpuInfo> = OnceLock::new();
    INFO.get_or_init(|| NativeCpuInfo {
        device: DeviceInfo {
            vector_register_bytes: host::cpu::vector_unit().register_bytes as usize,
            sub_group_sizes: host::host_info().device_info().sub_group_sizes.clone(),
            ..DeviceInfo::this_machine("native-cpu")
        },
    })
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
        &NativeCpuBackend
    }

    fn vectorizable(&self) -> bool {
        true
    }
}

struct NativeCpuBackend;

impl Backend for NativeCpuBackend {
    fn machine(&self) -> Machine {
        Machine::this()
    }

    fn builtins(&self, options: &Options) -> Arc<dyn BuiltinInfo> {
        Arc::new(NativeCpuBuiltins { options: compiler::default_builtins(options) })
    }

    fn register_passes(&self, registry: &mut Registry) {
        registry.add("turn reads of SPIR-V's builtin variables into mux builtins", LowerSpirvVariables);
        registry.add("add the pointer to the state to kernels, for the Native CPU ABI", PrepareSyclNativeCpu);
        registry.add("wrap kernels into functions of an array of arguments and the state", AddSubHandler);
        registry.add("leave only what programs call, for the Native CPU ABI", TidyUp);
    }

    fn frontend_passes(&self, _: &Options) -> Pipeline {
        let mut p = Pipeline::stage("frontend");
        p.add(LowerSpirvVariables);
        p
    }

    fn vectors(&self) -> Option<VectorUnit> {
        Some(host::cpu::vector_unit())
    }

    fn vecz_pass_options(&self, options: &Options) -> Option<Query> {
        let registers = FixedRegisters {
            width: None,
            unit: host::cpu::vector_unit(),
            linear: false,
            whole_vectors: false,
            only_required: options.wfv == Some(Wfv::Never) || options.opt_disable,
            mode: Mode::Auto,
        };
        Some(registers.query())
    }

    fn late_passes(&self, stage: &LateStage<'_>) -> Pipeline {
        let mut p = Pipeline::stage("late");
        p.append(pipeline::work_groups(stage));
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
}
