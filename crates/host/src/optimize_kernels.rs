//! OptimizeKernels: LLVM's optimisation of kernels with their loops over work-items, the last step
//! before machine code.
//!
//! The kernels were simplified before, so there are fewer passes than in LLVM's own pipelines,
//! which run InstCombine eight times, half of their time. The SLP vectorizer runs only where
//! kernels were left scalar: in vector code it finds nothing, and takes longer than all other
//! passes.

use analysis::Preserved;
use compiler::pipeline::Vectorizers;
use ir::metadata;
use passes::{Options, Pass, PassContext, PassError, Registry};

/// LLVM's vectorizers leave functions of more instructions alone: their time grows with the square
/// of a function, and a loop of so many instructions gains nothing.
const LARGE: usize = 10_000;

#[derive(Clone, Copy, Debug)]
pub struct OptimizeKernels {
    pub vectorizers: Vectorizers,
}

pub fn register(registry: &mut Registry) {
    let summary = "LLVM's optimisation of kernels with their loops: no-loop-vectorizer;no-slp-vectorizer";
    registry.register("optimize-kernels", summary, |options| {
        let loops = !options.flag("no-loop-vectorizer")?;
        let slp = !options.flag("no-slp-vectorizer")?;
        Ok(OptimizeKernels { vectorizers: Vectorizers { loops, slp } })
    });
}

impl Pass for OptimizeKernels {
    fn name(&self) -> &'static str {
        "optimize-kernels"
    }

    fn options(&self) -> Options {
        let Vectorizers { loops, slp } = self.vectorizers;
        Options::default().with_flag("no-loop-vectorizer", !loops).with_flag("no-slp-vectorizer", !slp)
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let functions = cx.module.functions();
        let mut kernels = functions.iter().filter_map(|f| metadata::wrapper_loops(cx.module, *f));
        let is_large = functions.iter().any(|f| f.instructions().len() > LARGE);
        let Vectorizers { loops, slp } = self.vectorizers;
        let is_scalar = kernels.any(|k| k.main.width == ir::Width::ONE);
        let vectorizers = Vectorizers { loops: loops && !is_large, slp: slp && !is_large && is_scalar };
        let pipeline = pipeline(vectorizers, is_scalar);
        cx.module.run_passes(&pipeline, cx.machine).map_err(PassError::new)?;
        Ok(Preserved::None)
    }
}

fn pipeline(vectorizers: Vectorizers, is_scalar: bool) -> String {
    const INLINE: &str = "always-inline,cgscc(inline),globaldce";
    const SIMPLIFY: &str = "sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,reassociate";
    const LOOPS: &str = "loop-simplify,lcssa,\
        loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate,licm,simple-loop-unswitch<nontrivial>),\
        simplifycfg,instcombine<no-verify-fixpoint>,\
        loop(loop-idiom,indvars,loop-deletion,loop-unroll-full)";
    const SCALARS: &str = "sroa,gvn,sccp,bdce,instcombine<no-verify-fixpoint>,jump-threading,\
        correlated-propagation,adce,dse,loop-mssa(licm),simplifycfg";
    const LAST: &str = "sroa,early-cse,loop-mssa(licm),loop-sink,div-rem-pairs,simplifycfg<switch-to-lookup>";
    let mut steps = vec![SIMPLIFY, LOOPS, SCALARS];
    if vectorizers.loops {
        steps.push("loop-vectorize");
    }
    if vectorizers.slp {
        steps.push("slp-vectorizer");
    }
    // A work-item alone goes round a loop a few times: the loop for the iterations left over would
    // cost a branch that is predicted wrongly, which one iteration after the other does not.
    steps.push("vector-combine,instcombine<no-verify-fixpoint>,keep-outer-loops");
    steps.push(if is_scalar { "loop-unroll<O3;no-runtime>" } else { "loop-unroll<O3>" });
    steps.push(LAST);
    format!("{INLINE},function({}),globaldce", steps.join(","))
}
