//! Backends: the compiler's view of a machine.
//!
//! A [`Backend`] describes a machine and the passes that are its own; it has no state, and nothing
//! in it compiles. The steps of a compilation, which are the same for every backend, are in
//! [`crate::Module`] (front end to canonical form) and `codegen.rs` (canonical form to machine
//! code).

use crate::pipeline::{self, LateStage, Query, RunVecz, VectorUnit, Vectorizers};
use crate::{AddressSpaces, Error, Info, Options, Result, Tier, VecMode};
use ir::check::Checks;
use ir::{BuiltinInfo, DefaultBuiltinInfo};
use llvm::{OptLevel, TargetMachine};
use passes::{
    CheckKernels, InitializeMemory, Library, PassManager, Pipeline, Registry, SetDataLayout, Trace,
};
use std::sync::Arc;

/// LLVM's description of a machine, from which its data layout follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub triple: String,
    /// LLVM's name of the CPU.
    pub cpu: String,
    /// The CPU's features in LLVM's form: `+avx2,-avx512f`.
    pub features: String,
}

impl Machine {
    /// The machine that this process runs on.
    pub fn this() -> Machine {
        Machine {
            triple: llvm::host_triple(),
            cpu: llvm::host_cpu().to_owned(),
            features: llvm::host_features().to_owned(),
        }
    }

    /// The machine of these names, each checked against LLVM's lists. A triple alone is for the
    /// architecture's generic CPU, that of RISC-V having what systems of it require (rv64gc).
    /// Features are added to those of the CPU; without any name it is this machine.
    pub fn named(triple: Option<&str>, cpu: Option<&str>, features: Option<&str>) -> Result<Machine> {
        let this = Machine::this();
        let (triple, cpu, base) = match (triple, cpu) {
            (None, None) => (this.triple, this.cpu, this.features),
            (None, Some(cpu)) => (this.triple, cpu.to_owned(), String::new()),
            (Some(triple), None) => {
                let (cpu, features) = generic_cpu(triple);
                (triple.to_owned(), cpu.to_owned(), features.to_owned())
            }
            (Some(triple), Some(cpu)) => (triple.to_owned(), cpu.to_owned(), String::new()),
        };
        let added = features.unwrap_or_default();
        let wrong = |message: String| Err(Error::InvalidValue(message));
        let Some(cpus) = llvm::cpus(&triple) else {
            return wrong(format!(
                "there is no code generator for the triple '{triple}': builds from source have those for \
                 x86_64, aarch64 and riscv64, packages that of their own machine"
            ));
        };
        if !cpus.contains(&cpu) {
            return wrong(format!(
                "'{triple}' has no CPU '{cpu}'; `lanewise compile --list-cpus` lists them"
            ));
        }
        let known = llvm::features(&triple).unwrap_or_default();
        for feature in added.split(',').filter(|f| !f.is_empty()) {
            let Some(name) = feature.strip_prefix(['+', '-']) else {
                return wrong(format!("the feature '{feature}' has no + or - before its name"));
            };
            if !known.iter().any(|other| other == name) {
                return wrong(format!("'{triple}' has no feature '{name}'"));
            }
        }
        let both = [base.as_str(), added].into_iter().filter(|f| !f.is_empty()).collect::<Vec<_>>();
        Ok(Machine { triple, cpu, features: both.join(",") })
    }

    /// LLVM's code generator for the machine, for code of a tier.
    pub fn llvm(&self, options: &Options, tier: Tier) -> Result<TargetMachine> {
        let quick = options.opt_disable || is_quick(options) || tier == Tier::First;
        let level = if quick { OptLevel::None } else { OptLevel::Aggressive };
        Ok(TargetMachine::new(&self.triple, &self.cpu, &self.features, level)?)
    }
}

/// The option by which machine code is made quickly, for targets that have it.
pub const QUICK_OPTION: &str = "--quick-code";

fn is_quick(options: &Options) -> bool {
    options.device.iter().any(|setting| setting.name == QUICK_OPTION)
}

/// LLVM's name for the CPU that all CPUs of an architecture can stand for, and features that LLVM
/// leaves to be named: LLVM's generic RISC-V has neither multiplications nor floating point.
fn generic_cpu(triple: &str) -> (&'static str, &'static str) {
    match triple.split('-').next().unwrap_or_default() {
        "x86_64" => ("x86-64", ""),
        "riscv64" => ("generic-rv64", "+m,+a,+f,+d,+c"),
        _ => ("generic", ""),
    }
}

/// A machine that code is made for.
pub trait Backend: Send + Sync {
    /// LLVM's description of the machine.
    fn machine(&self) -> Machine;

    /// The scheduling parameters and the bodies of the mux builtins.
    fn builtins(&self, options: &Options) -> Arc<dyn BuiltinInfo>;

    /// The machine's numbers of address spaces, which modules have after the late stage. Their data
    /// layout is that of `machine`.
    fn address_spaces(&self) -> AddressSpaces {
        AddressSpaces::default()
    }

    /// The machine's vector unit: registers, costs and how lanes access memory. `None` if it has
    /// none.
    fn vectors(&self) -> Option<VectorUnit> {
        None
    }

    /// How the whole-function vectorizer is to treat each kernel (`VeczPassOptions` of the
    /// specification); `None` leaves all of them scalar.
    fn vecz_pass_options(&self, _: &Options) -> Option<Query> {
        None
    }

    /// The late stage that the options ask for, for any kernel and range.
    fn stage(&self, options: &Options) -> LateStage<'static> {
        LateStage::new(options, self.vecz_pass_options(options))
    }

    /// Whether large kernels may get a first version ([`Tier`]), whose late stage
    /// [`Backend::late_passes`] makes.
    fn has_first_versions(&self) -> bool {
        false
    }

    /// Whether code of a kernel that cannot tell how its range is cut into work-groups
    /// ([`passes::sees_groups`]) is the same for all local sizes.
    fn ignores_groups(&self) -> bool {
        false
    }

    /// Adds the passes of the backend's own crate, by name.
    fn register_passes(&self, _: &mut Registry) {}

    /// Prepares the machinery for [`Backend::frontend_passes`].
    fn initialize_pass_machinery_for_frontend(&self, _: &mut PassMachinery, _: &Options) {}

    /// The backend's own passes over the IR of a front end, before it is linked.
    fn frontend_passes(&self, _: &Options) -> Pipeline {
        Pipeline::stage("frontend")
    }

    /// Prepares the machinery for [`Backend::finalize_passes`] and [`Backend::late_passes`].
    fn initialize_pass_machinery_for_finalize(&self, _: &mut PassMachinery, _: &Options) {}

    /// The passes of `finalize`: from the front end's IR to canonical form. `library` links the
    /// builtin functions.
    fn finalize_passes(&self, library: Library, options: &Options) -> Pipeline {
        let degenerate = self.has_degenerate_sub_groups(options);
        let checks = CheckKernels { checks: checks(options), degenerate };
        let (local, private) = (options.zero_local, options.zero_private);
        if !local && !private {
            return pipeline::canonical(library, !options.opt_disable, checks);
        }
        let mut p = Pipeline::stage("canonical");
        p.add(SetDataLayout);
        p.add(InitializeMemory { local, private });
        p.append(pipeline::mux_form(library, !options.opt_disable, checks));
        p
    }

    /// Whether the options make the work-group the only sub-group of kernels.
    fn has_degenerate_sub_groups(&self, _: &Options) -> bool {
        false
    }

    /// The late stage: from canonical form to the IR that code is generated from, for one kernel or
    /// for all of them.
    fn late_passes(&self, stage: &LateStage<'_>) -> Pipeline;
}

/// The checks that the options ask for.
pub fn checks(options: &Options) -> Checks {
    Checks::from_names(options.checks.iter().copied())
}

/// The specification's default builtins under these options, for devices on which one thread runs a
/// work-group.
pub fn default_builtins(options: &Options) -> DefaultBuiltinInfo {
    DefaultBuiltinInfo {
        flushes_to_zero: options.denorms_are_zero,
        use_fast: options.fast_relaxed_math,
        embedded_profile: false,
        work_group_is_a_thread: true,
    }
}

impl LateStage<'static> {
    /// The late stage of all kernels as the options ask for it, vectorized as `query` answers. The
    /// vectorizers of `-cl-vec` run first, as specified; a target may leave them out, or run them
    /// last.
    pub fn new(options: &Options, query: Option<Query>) -> Self {
        let vectorizers = |mode| match mode {
            VecMode::Loop => Vectorizers { loops: true, slp: false },
            VecMode::Slp => Vectorizers { loops: false, slp: true },
            VecMode::All => Vectorizers { loops: true, slp: true },
            VecMode::None => Vectorizers { loops: false, slp: false },
        };
        LateStage {
            vectorize: query.map(|query| RunVecz { query, kernel: None }),
            debug: options.debug,
            optimize: !options.opt_disable,
            quick: is_quick(options),
            early_vectorizers: options.vec.filter(|mode| *mode != VecMode::None).map(vectorizers),
            vectorizers: options.vec.map_or(Vectorizers::default(), vectorizers),
            ..LateStage::default()
        }
    }
}

/// Everything that a pipeline needs: the registry of passes, the backend's builtins and its
/// machine.
pub struct PassMachinery {
    pub registry: Registry,
    pub builtins: Arc<dyn BuiltinInfo>,
    pub machine: TargetMachine,
    pub trace: Trace,
}

impl PassMachinery {
    /// The passes of this crate and of the backend, and the stages they make up.
    pub fn new(info: &'static dyn Info, options: &Options) -> Result<Self> {
        let backend = info.backend();
        let mut registry = Registry::default();
        passes::register(&mut registry);
        pipeline::register(&mut registry);
        crate::add_metadata::register_add_metadata(&mut registry, None);
        backend.register_passes(&mut registry);
        pipeline::register_stages(&mut registry, backend, options);
        let mut trace = Trace::from_environment();
        if let Some(dumps) = &mut trace.dump {
            dumps.replay = replay_options(info, options);
        }
        let machine = backend.machine().llvm(options, Tier::Best)?;
        Ok(PassMachinery { registry, builtins: backend.builtins(options), machine, trace })
    }

    /// The same machinery for code of a tier.
    pub fn for_tier(self, tier: Tier, info: &'static dyn Info, options: &Options) -> Result<Self> {
        match tier {
            Tier::First => Ok(Self { machine: info.backend().machine().llvm(options, tier)?, ..self }),
            Tier::Best => Ok(self),
        }
    }

    /// Names dumps by the kernel, if only one is compiled.
    pub fn dump_as_kernel(&mut self, kernel: Option<&str>) {
        if let Some(dumps) = &mut self.trace.dump {
            dumps.kernel = kernel.map(str::to_owned);
        }
    }

    pub fn manager(&self) -> PassManager<'_> {
        PassManager { builtins: &*self.builtins, machine: Some(&self.machine), trace: self.trace.clone() }
    }
}

/// The target and the build options with which `lanewise opt` makes the same machinery, for the
/// headers of dumps.
fn replay_options(info: &dyn Info, options: &Options) -> String {
    let all = [
        (options.opt_disable, "-cl-opt-disable"),
        (options.denorms_are_zero, "-cl-denorms-are-zero"),
        (options.fast_relaxed_math, "-cl-fast-relaxed-math"),
    ];
    let checks = match checks(options) {
        Checks::NONE => String::new(),
        checks => format!("-cl-lanewise-check={checks}"),
    };
    let all = all.into_iter().chain([(!checks.is_empty(), checks.as_str())]);
    let given: Vec<&str> = all.filter(|(given, _)| *given).map(|(_, name)| name).collect();
    let mut target = format!("--target {}", info.name());
    let machine = info.backend().machine();
    // A compiler for one machine needs no name for it.
    if machine != Machine::this() && info.for_machine(&machine).is_ok() {
        target += &format!(" --triple {} --cpu {}", machine.triple, machine.cpu);
        if !machine.features.is_empty() {
            target += &format!(" --features={}", machine.features);
        }
    }
    if given.is_empty() { target } else { format!("{target} --options '{}'", given.join(" ")) }
}
