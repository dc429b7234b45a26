//! This CPU as a backend: its machine, its builtins, its vectors and its late stage.

use crate::add_entry_hook::AddEntryHook;
use crate::blend_in_branches::BlendInBranches;
use crate::builtin_info::HostBuiltinInfo;
use crate::classify_floats::ClassifyFloats;
use crate::count_work::{self, CountWork};
use crate::cpu;
use crate::fix_calling_conventions::FixCallingConventions;
use crate::info::{DEGENERATE_OPTION, EARLY_OPTION, LINEAR_OPTION, WHOLE_OPTION, WIDTH_OPTION};
use crate::inline_private_memory::InlinePrivateMemory;
use crate::local_atomics::LocalAtomics;
use crate::mark_group_agnostic::MarkGroupAgnostic;
use crate::mark_steering_arguments::{self, MarkSteeringArguments};
use crate::optimize_kernels::{self, OptimizeKernels};
use crate::shorten_chains::ShortenChains;
use compiler::pipeline::{self, FixedRegisters, LateStage, Mode, Query, VectorUnit, Vectorizers};
use compiler::{AddMetadata, Backend, Machine, Options, Tier, Wfv};
use ir::BuiltinInfo;
use passes::{CompareHalves, DivideVectors, FreezeDivisions, Pipeline, Registry};
use std::sync::Arc;

/// The backend for this CPU.
pub(crate) struct HostBackend;

fn has_option(options: &Options, name: &str) -> bool {
    options.device.iter().any(|o| o.name == name)
}

impl Backend for HostBackend {
    fn machine(&self) -> Machine {
        Machine::this()
    }

    fn builtins(&self, options: &Options) -> Arc<dyn BuiltinInfo> {
        Arc::new(HostBuiltinInfo {
            options: compiler::default_builtins(options),
            instructions: cpu::math_instructions(),
        })
    }

    fn register_passes(&self, registry: &mut Registry) {
        registry.add("find the kernels that cannot see their work-groups", MarkGroupAgnostic);
        mark_steering_arguments::register(registry);
        count_work::register(registry);
        registry.add("make atomic operations on local memory plain ones", LocalAtomics);
        registry.add("run kernels for every work-group of a slice", AddEntryHook);
        registry.add("replace SPIR's calling conventions by this machine's", FixCallingConventions);
        registry.add("inline functions that are given private memory", InlinePrivateMemory);
        registry.add("take the multiplications out of sums that loops wait for", ShortenChains);
        registry.add("test classes of floating-point numbers by AVX-512's instruction", ClassifyFloats);
        registry.add("blend what a region gives at its end, not where it was skipped, too", BlendInBranches);
        optimize_kernels::register(registry);
    }

    fn vectors(&self) -> Option<VectorUnit> {
        Some(cpu::vector_unit())
    }

    fn vecz_pass_options(&self, options: &Options) -> Option<Query> {
        let width = options.device.iter().find(|o| o.name == WIDTH_OPTION);
        let registers = FixedRegisters {
            width: width.and_then(|o| o.value.as_ref()?.parse().ok()).map(ir::Width::fixed),
            unit: cpu::vector_unit(),
            linear: has_option(options, LINEAR_OPTION),
            whole_vectors: has_option(options, WHOLE_OPTION),
            // A kernel that requires a sub-group size is vectorized even then: the lanes are its
            // sub-groups.
            only_required: options.wfv == Some(Wfv::Never) || options.opt_disable,
            mode: if options.wfv == Some(Wfv::Always) { Mode::Always } else { Mode::Auto },
        };
        Some(registers.query())
    }

    /// LLVM's vectorizers run last here (`OptimizeKernels`), where they see the loops over
    /// work-items. If they ran before RunVecz, it would have to scalarize their vectors again to
    /// give each lane a work-item.
    fn stage(&self, options: &Options) -> LateStage<'static> {
        let stage = LateStage::new(options, self.vecz_pass_options(options));
        let degenerate_sub_groups = self.has_degenerate_sub_groups(options);
        match has_option(options, EARLY_OPTION) {
            true => LateStage {
                degenerate_sub_groups,
                early_vectorizers: Some(stage.vectorizers),
                vectorizers: Vectorizers { loops: false, slp: false },
                ..stage
            },
            false => LateStage { degenerate_sub_groups, early_vectorizers: None, ..stage },
        }
    }

    fn has_degenerate_sub_groups(&self, options: &Options) -> bool {
        has_option(options, DEGENERATE_OPTION)
    }

    fn has_first_versions(&self) -> bool {
        true
    }

    /// By MarkGroupAgnostic.
    fn ignores_groups(&self) -> bool {
        true
    }

    fn late_passes(&self, stage: &LateStage<'_>) -> Pipeline {
        let mut p = Pipeline::stage("late");
        p.add(MarkGroupAgnostic);
        p.add(MarkSteeringArguments { kernel: stage.kernel.map(str::to_owned) });
        p.add(CountWork { kernel: stage.kernel.map(str::to_owned) });
        if cpu::adds_faster_than_it_fuses() {
            p.add(ShortenChains);
        }
        p.append(pipeline::late_stage(stage));
        p.add(LocalAtomics);
        p.add(AddEntryHook);
        p.add(AddMetadata::default());
        p.add(FixCallingConventions);
        if stage.optimize && (stage.quick || stage.tier == Tier::First) {
            p.llvm("always-inline,globaldce,function(sroa,early-cse,simplifycfg)");
            p.add(FreezeDivisions);
        } else if stage.optimize {
            p.add(InlinePrivateMemory);
            p.add(OptimizeKernels { vectorizers: stage.vectorizers });
            p.add(DivideVectors);
            p.add(BlendInBranches);
            if cpu::classifies_floats() {
                p.add(ClassifyFloats);
            }
        } else {
            p.llvm("default<O0>");
            p.add(FreezeDivisions);
        }
        p.add(CompareHalves);
        p
    }
}
