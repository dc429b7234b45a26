//! The compiler of the device: its description, its options and its stages.

use super::builtins::EngineBuiltins;
use super::passes::{ExportKernels, FoldGeneration, MarkSubGroups, note_engine, register};
use compiler::pipeline::{self, LateStage};
use compiler::{
    AddMetadata, Backend, DeviceInfo, Info, Machine, Options, PassMachinery, register_add_metadata,
};
use ir::BuiltinInfo;
use passes::{
    AddKernelWrapper, AddSchedulingParameters, DefineMuxBuiltins, Dumps, Library, Pipeline, Registry,
    ReplaceLocalModuleScopeVariables,
};
use std::sync::{Arc, OnceLock};

/// What `engine_generation()` is.
pub const GENERATION: u32 = 7;

/// The option for the size of sub-groups.
pub const SUB_GROUP_OPTION: &str = "--engine-sub-group-size";

/// The option for a directory that the IR of the front end is written to.
pub const DUMP_OPTION: &str = "--engine-dump-front-end";

/// The sizes of sub-groups there are, the usual one first.
const SUB_GROUP_SIZES: [u32; 3] = [4, 2, 8];

pub const MAX_WORK_GROUP_SIZE: usize = 32;

struct EngineInfo(DeviceInfo);

pub fn engine_info() -> &'static dyn Info {
    static INFO: OnceLock<EngineInfo> = OnceLock::new();
    INFO.get_or_init(|| {
        EngineInfo(DeviceInfo {
            vendor: "The tests".to_owned(),
            supports_half: false,
            supports_double: false,
            max_work_group_size: MAX_WORK_GROUP_SIZE,
            max_sub_group_count: MAX_WORK_GROUP_SIZE / 2,
            sub_group_sizes: SUB_GROUP_SIZES.map(|size| size as usize).to_vec(),
            ..DeviceInfo::this_machine("engine")
        })
    })
}

impl Info for EngineInfo {
    fn device_info(&self) -> &DeviceInfo {
        &self.0
    }

    fn name(&self) -> &'static str {
        "engine"
    }

    fn backend(&self) -> &'static dyn Backend {
        &EngineBackend
    }

    fn supports_deferred_compilation(&self) -> bool {
        true
    }

    fn dma_optimizable(&self) -> bool {
        true
    }

    fn compilation_options(&self) -> &'static str {
        "--engine-sub-group-size,1,the size of sub-groups: 2 4 or 8;\
         --engine-dump-front-end,1,a directory for the IR of the front end"
    }

    fn check_option(&self, name: &str, value: Option<&str>) -> compiler::Result<()> {
        let value = value.unwrap_or_default();
        let known = value.parse().is_ok_and(|size| SUB_GROUP_SIZES.contains(&size));
        if name == SUB_GROUP_OPTION && !known {
            let why = format!("{SUB_GROUP_OPTION} takes 2, 4 or 8, not '{value}'");
            return Err(compiler::Error::InvalidBuildOptions(why));
        }
        Ok(())
    }
}

fn setting<'a>(options: &'a Options, name: &str) -> Option<&'a str> {
    options.device.iter().rfind(|option| option.name == name)?.value.as_deref()
}

fn sub_group_size(options: &Options) -> u32 {
    let given = setting(options, SUB_GROUP_OPTION).and_then(|value| value.parse().ok());
    given.unwrap_or(SUB_GROUP_SIZES[0])
}

struct EngineBackend;

impl Backend for EngineBackend {
    fn machine(&self) -> Machine {
        Machine { cpu: "generic".to_owned(), features: String::new(), ..Machine::this() }
    }

    fn builtins(&self, _: &Options) -> Arc<dyn BuiltinInfo> {
        Arc::new(EngineBuiltins { sub_group_size: SUB_GROUP_SIZES[0] })
    }

    fn register_passes(&self, registry: &mut Registry) {
        register(registry);
        register_add_metadata(registry, Some(note_engine));
    }

    fn initialize_pass_machinery_for_frontend(&self, machinery: &mut PassMachinery, options: &Options) {
        if let Some(directory) = setting(options, DUMP_OPTION) {
            machinery.trace.dump = Some(Dumps { directory: Some(directory.into()), ..Dumps::default() });
        }
    }

    fn frontend_passes(&self, _: &Options) -> Pipeline {
        let mut p = Pipeline::stage("frontend");
        p.add(FoldGeneration { generation: GENERATION });
        p
    }

    /// Builtins that know the size of sub-groups, in place of those for the usual size.
    fn initialize_pass_machinery_for_finalize(&self, machinery: &mut PassMachinery, options: &Options) {
        machinery.builtins = Arc::new(EngineBuiltins { sub_group_size: sub_group_size(options) });
    }

    fn finalize_passes(&self, library: Library, options: &Options) -> Pipeline {
        let mut p = pipeline::canonical(library, !options.opt_disable, compiler::Checks::NONE);
        p.add(MarkSubGroups { size: sub_group_size(options) });
        p
    }

    fn late_passes(&self, stage: &LateStage<'_>) -> Pipeline {
        let mut p = Pipeline::stage("late");
        p.append(pipeline::vectorized(stage));
        p.add(ReplaceLocalModuleScopeVariables);
        p.llvm("globaldce");
        p.add(AddSchedulingParameters);
        p.add(AddKernelWrapper);
        p.add(DefineMuxBuiltins);
        p.add(ExportKernels);
        p.add(AddMetadata { handler: Some(note_engine) });
        p.llvm(if stage.optimize { "default<O2>" } else { "default<O0>" });
        p
    }
}
