//! The default pipeline: from the front end's IR to a kernel that runs once per work-group.
//!
//! It has two halves, cut where the specification cuts them. [`canonical`] is run by `finalize`,
//! once per program. [`late_stage`] runs when machine code is made, once per kernel and local size;
//! a target ends it with its own passes.

use passes::{
    AddKernelWrapper, AddSchedulingParameters, CheckArithmetic, CheckKernels, CheckSubGroups, DefineDivision,
    DefineMuxBuiltins, DefinePadding, DefineTraps, EarlyVectorization, EncodeKernelMetadata,
    InferAddressSpaces, InlineImages, InlineShared, JoinLargeRanges, KnownArgument, Library, LinkBuiltins,
    LowerHugeSwitches, LowerPrintf, LowerToMuxBuiltins, OptimalBuiltinReplacement, Options, PassError,
    Pipeline, PrepareBarriers, PrepareSubGroups, RefuseRecursion, Registry, ReplaceLocalModuleScopeVariables,
    ReplaceTargetExtTypes, ResolveAddressSpaces, SetDataLayout, SpecializeArguments, SplitLargeRanges,
    TransferKernelMetadata, WorkItemLoops,
};

use crate::{Backend, Tier};
use ir::check::Checks;
use std::sync::Arc;

pub use vecz::{Costs, VectorUnit};
pub use vecz::{
    FixedRegisters, Gathers, Intrinsics, MemoryOps, Mode, Query, RunVecz, Segments, SingleAccesses,
};

/// Which of LLVM's own vectorizers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vectorizers {
    /// The loop vectorizer.
    pub loops: bool,
    /// The SLP vectorizer (superword-level parallelism), of straight-line code.
    pub slp: bool,
}

impl Default for Vectorizers {
    fn default() -> Self {
        Vectorizers { loops: true, slp: true }
    }
}

/// The size of the global IDs of a range, as far as it is known: vector code depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RangeSize {
    /// Unknown: there are versions for small and for large IDs, and the kernel tests which to run.
    #[default]
    Any,
    /// All IDs are below [`ir::attributes::SMALL_RANGE_END`].
    Small,
    /// Some IDs are not below it.
    Large,
}

/// The late stage: the launch parameters and options that machine code is made for.
#[derive(Clone, Debug, Default)]
pub struct LateStage<'a> {
    /// The only kernel that is wanted; all of them if `None`.
    pub kernel: Option<&'a str>,
    /// The size of every work-group, where it is known.
    pub local_size: Option<[u64; 3]>,
    /// The number of dimensions of the range, where it is known.
    pub work_dim: Option<u32>,
    /// The range begins at 0, in all dimensions.
    pub zero_offset: bool,
    /// The range is long along y ([`ir::attributes::LONG_COLUMN`]).
    pub long_columns: bool,
    pub ranges: RangeSize,
    /// The values of arguments, where they are known.
    pub arguments: Vec<KnownArgument>,
    /// How hard the compiler tries.
    pub tier: Tier,
    /// Keep variables where a debugger finds them.
    pub debug: bool,
    pub optimize: bool,
    /// Machine code is made quickly: LLVM optimizes it little ([`crate::QUICK_OPTION`]).
    pub quick: bool,
    /// How kernels are vectorized, if they are.
    pub vectorize: Option<RunVecz>,
    /// LLVM's vectorizers over the code of one work-item, before the whole-function vectorizer
    /// (`early-vectorization`).
    pub early_vectorizers: Option<Vectorizers>,
    /// LLVM's vectorizers over kernels with their loops, for targets that run them last.
    pub vectorizers: Vectorizers,
    /// Makes the work-group the one sub-group of kernels that use sub-groups.
    pub degenerate_sub_groups: bool,
}

/// LLVM's simplification of a kernel as it was written: into SSA, without redundancy, with
/// canonical loops. Short loops are unrolled, so that private arrays become SSA values before these
/// have to live across barriers. No pass here duplicates a barrier or vectorizes. Partial
/// redundancy elimination is left out: the PHI of two copies of `2 * n`, on both sides of a
/// divergent branch, would count as varying.
const SIMPLIFY: &str = "always-inline,cgscc(inline),function(sroa,early-cse<memssa>,instcombine,simplifycfg,\
    reassociate,loop-simplify,lcssa,loop-mssa(licm),loop(loop-rotate,loop-unroll-full),sroa,sccp,gvn<no-pre>,\
    instcombine,adce,simplifycfg),globaldce";

/// From the front end's IR to canonical form: the target's data layout, mux builtins for everything
/// about work-items, library functions linked and inlined, kernels simplified but still one
/// work-item each.
pub fn canonical(library: Library, optimize: bool, checks: impl Into<CheckKernels>) -> Pipeline {
    let mut p = Pipeline::stage("canonical");
    p.add(SetDataLayout);
    p.append(mux_form(library, optimize, checks));
    p
}

/// All of [`canonical`] but the data layout, which stays as it is.
pub fn mux_form(library: Library, optimize: bool, checks: impl Into<CheckKernels>) -> Pipeline {
    let check_kernels: CheckKernels = checks.into();
    let checks = check_kernels.checks;
    let mut p = Pipeline::new();
    p.add(TransferKernelMetadata::default());
    p.add(RefuseRecursion);
    p.add(DefineTraps);
    if checks.has(Checks::ARITHMETIC) {
        p.add(CheckArithmetic);
    }
    if checks.has(Checks::BARRIERS) && !check_kernels.degenerate {
        p.add(CheckSubGroups);
    }
    p.add(DefineDivision);
    p.add(LowerToMuxBuiltins);
    p.add(LowerPrintf);
    p.add(OptimalBuiltinReplacement);
    p.add(LinkBuiltins { library });
    p.add(ReplaceTargetExtTypes);
    // Once more for the library's own code: it may use atomics and work-item functions, and queries
    // such as `__mux_usefast`.
    p.add(LowerToMuxBuiltins);
    p.add(OptimalBuiltinReplacement);
    p.add(DefinePadding);
    if !checks.is_none() {
        p.add(check_kernels);
    }
    if optimize {
        p.add(LowerHugeSwitches);
    }
    p.llvm(if optimize { SIMPLIFY } else { "always-inline,globaldce" });
    p.add(InlineShared);
    p.add(ResolveAddressSpaces);
    p.add(InferAddressSpaces);
    p
}

/// From canonical form to a function of packed arguments that runs a work-group.
pub fn late_stage(stage: &LateStage<'_>) -> Pipeline {
    let mut p = Pipeline::stage("late");
    p.append(work_groups(stage));
    p.add(AddSchedulingParameters);
    p.add(AddKernelWrapper);
    p.add(DefineMuxBuiltins);
    p
}

/// The larger part of [`late_stage`]: from canonical form to kernels that run a work-group, and ask
/// for it by mux builtins.
pub fn work_groups(stage: &LateStage<'_>) -> Pipeline {
    let mut p = Pipeline::stage("work-groups");
    p.append(vectorized(stage));
    p.add(WorkItemLoops { debug: stage.debug, ..WorkItemLoops::default() });
    p.add(JoinLargeRanges);
    p.add(ReplaceLocalModuleScopeVariables);
    // Drops the original kernels, and regions that were inlined.
    p.llvm("globaldce");
    p
}

/// The first part of [`late_stage`]: from canonical form to kernels that run one work-item, and
/// vector versions of them that run several.
pub fn vectorized(stage: &LateStage<'_>) -> Pipeline {
    let mut p = Pipeline::stage("vectorize");
    if let Some(kernel) = stage.kernel {
        p.add(EncodeKernelMetadata {
            kernel: kernel.to_owned(),
            local_size: stage.local_size,
            work_dim: stage.work_dim,
            zero_offset: stage.zero_offset,
            long_columns: stage.long_columns,
            small_range: stage.ranges == RangeSize::Small,
            only: true,
            ..EncodeKernelMetadata::default()
        });
        p.llvm("globaldce");
    }
    if !stage.arguments.is_empty() {
        let kernel = stage.kernel.unwrap_or_default().to_owned();
        p.add(SpecializeArguments { kernel, arguments: stage.arguments.clone() });
        if stage.optimize {
            p.llvm("function(instcombine,simplifycfg,sccp,adce)");
        }
    }
    p.add(InlineImages { simplify: stage.optimize });
    if let Some(Vectorizers { loops, slp }) = stage.early_vectorizers.filter(|_| stage.optimize) {
        p.add(EarlyVectorization { loops, slp });
    }
    p.add(PrepareSubGroups { degenerate: stage.degenerate_sub_groups });
    p.add(PrepareBarriers);
    if let Some(vectorize) = stage.vectorize.as_ref().filter(|_| stage.tier == Tier::Best) {
        if stage.ranges != RangeSize::Small {
            p.add(SplitLargeRanges { all: stage.ranges == RangeSize::Large });
        }
        p.add(vectorize.clone());
    }
    p
}

/// Registers the passes that need several crates, which only this one links.
pub(crate) fn register(registry: &mut Registry) {
    vecz::register(registry);
    registry.register("link-builtins", "link the library functions that are called", |_| {
        Ok(LinkBuiltins { library: builtins::link })
    });
}

/// Registers the stages of a backend by their names, for a program with these build options. The
/// options of a stage in a textual pipeline are the parameters of a launch.
pub(crate) fn register_stages(
    registry: &mut Registry,
    backend: &'static dyn Backend,
    options: &crate::Options,
) {
    let given = Arc::new(options.clone());
    let of = given.clone();
    let summary = "the target's passes over a front end's IR";
    registry.register_stage("frontend", summary, move |_| Ok(backend.frontend_passes(&of)));
    let of = given.clone();
    let summary = "from a front end's IR to canonical form";
    registry.register_stage("canonical", summary, move |_| Ok(backend.finalize_passes(builtins::link, &of)));
    let of = given.clone();
    let summary = "the first part of late, to vector versions of kernels";
    registry.register_stage("vectorize", summary, move |options| {
        parse_late_stage(&backend.stage(&of), options, vectorized)
    });
    let of = given.clone();
    let summary = "the larger part of late, to loops over work-items";
    registry.register_stage("work-groups", summary, move |options| {
        parse_late_stage(&backend.stage(&of), options, work_groups)
    });
    let summary = "from canonical form to what code is generated from: \
        kernel=NAME;local=X:Y:Z;dims=N;zero-offset;\
        ranges=any|small|large;bytes=INDEX:HEX[+INDEX:HEX…];scalar;first";
    registry.register_stage("late", summary, move |options| {
        parse_late_stage(&backend.stage(&given), options, |stage| backend.late_passes(stage))
    });
}

/// A part of the late stage for the launch that the options describe.
fn parse_late_stage(
    known: &LateStage<'static>,
    options: &mut Options,
    make: impl FnOnce(&LateStage<'_>) -> Pipeline,
) -> Result<Pipeline, PassError> {
    let kernel = options.value("kernel")?;
    let ranges = match options.value("ranges")?.as_deref() {
        None | Some("any") => RangeSize::Any,
        Some("small") => RangeSize::Small,
        Some("large") => RangeSize::Large,
        Some(other) => return Err(format!("'{other}' is not any, small or large").into()),
    };
    let scalar = options.flag("scalar")?;
    let tier = if options.flag("first")? { Tier::First } else { Tier::Best };
    Ok(make(&LateStage {
        kernel: kernel.as_deref(),
        local_size: passes::local_size_option(options)?,
        work_dim: passes::work_dim_option(options)?,
        zero_offset: options.flag("zero-offset")?,
        long_columns: options.flag("long-columns")?,
        ranges,
        tier,
        arguments: passes::arguments_option(options)?,
        vectorize: known.vectorize.clone().filter(|_| !scalar),
        ..known.clone()
    }))
}
