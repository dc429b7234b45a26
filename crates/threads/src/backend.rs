//! The compiler: its description, its machine and its late stage.

use crate::{BARRIER, ExportKernels, ThreadBuiltins};
use compiler::pipeline::{self, LateStage};
use compiler::{
    AddCompiler, AddMetadata, Backend, DeviceInfo, Info, Machine, Options, register_add_metadata,
};
use ir::BuiltinInfo;
use llvm::{Function, Module};
use passes::{
    AddKernelWrapper, AddSchedulingParameters, DefineMuxBuiltins, Pipeline, Registry,
    ReplaceLocalModuleScopeVariables,
};
use std::sync::{Arc, OnceLock};

struct ThreadsInfo {
    device: DeviceInfo,
}

/// The compiler for the device whose work-items are threads.
pub fn threads_info() -> &'static dyn Info {
    static INFO: OnceLock<ThreadsInfo> = OnceLock::new();
    INFO.get_or_init(|| ThreadsInfo {
        device: DeviceInfo {
            supports_images: true,
            max_work_group_size: 256,
            max_sub_group_count: 256,
            sub_group_sizes: vec![1],
            ..DeviceInfo::this_machine("threads")
        },
    })
}

/// Tells of every compiler of this crate.
pub fn compilers(add: AddCompiler<'_>) {
    add(threads_info());
}

/// Programs are compiled as a whole: kernels know nothing of their ranges.
impl Info for ThreadsInfo {
    fn device_info(&self) -> &DeviceInfo {
        &self.device
    }

    fn name(&self) -> &'static str {
        "threads"
    }

    fn backend(&self) -> &'static dyn Backend {
        &ThreadsBackend
    }
}

struct ThreadsBackend;

impl Backend for ThreadsBackend {
    /// Any CPU of this kind of machine.
    fn machine(&self) -> Machine {
        Machine { cpu: "generic".to_owned(), features: String::new(), ..Machine::this() }
    }

    fn builtins(&self, _: &Options) -> Arc<dyn BuiltinInfo> {
        Arc::new(ThreadBuiltins)
    }

    fn register_passes(&self, registry: &mut Registry) {
        registry.add("give kernels the names a driver knows", ExportKernels);
        register_add_metadata(registry, Some(note_barriers));
    }

    /// A work-item is a thread: there is nothing to loop over.
    fn late_passes(&self, stage: &LateStage<'_>) -> Pipeline {
        let mut p = Pipeline::stage("late");
        p.append(pipeline::vectorized(&LateStage { vectorize: None, ..stage.clone() }));
        p.add(ReplaceLocalModuleScopeVariables);
        p.llvm("globaldce");
        p.add(AddSchedulingParameters);
        p.add(AddKernelWrapper);
        p.add(DefineMuxBuiltins);
        p.add(ExportKernels);
        p.add(AddMetadata { handler: Some(note_barriers) });
        p.llvm(if stage.optimize { "default<O2>" } else { "default<O0>" });
        p
    }
}

/// Notes whether work-items of a kernel wait for each other: a byte that is 1 then.
fn note_barriers(_: &Module, kernel: Function) -> Vec<u8> {
    let waits = passes::reachable_functions(kernel).iter().any(|f| f.name() == BARRIER);
    vec![waits.into()]
}
