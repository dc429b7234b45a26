//! EarlyVectorization: LLVM's vectorizers over the code of one work-item, before the whole-function
//! vectorizer sees it.
//!
//! ```text
//! for (i = 0; i < n; i++) sum += a[i]   →   for (i = 0; i + 8 <= n; i += 8) sums += a[i … i + 7]
//! x = p[0]; y = p[1]                    →   xy = load <2 x float>, p
//! ```
//!
//! The specification's early vectorization: of loops, of straight code (SLP), and of neighbouring
//! loads and stores if either of the others runs. Needs canonical form; preserves nothing.

use crate::{Options, Pass, PassContext, PassError, Registry};
use analysis::Preserved;

#[derive(Clone, Copy, Debug, Default)]
pub struct EarlyVectorization {
    pub loops: bool,
    pub slp: bool,
}

pub(crate) fn register(registry: &mut Registry) {
    let summary = "LLVM's vectorizers over the code of one work-item: loops;slp";
    registry.register("early-vectorization", summary, |options| {
        Ok(EarlyVectorization { loops: options.flag("loops")?, slp: options.flag("slp")? })
    });
}

impl Pass for EarlyVectorization {
    fn name(&self) -> &'static str {
        "early-vectorization"
    }

    fn options(&self) -> Options {
        Options::default().with_flag("loops", self.loops).with_flag("slp", self.slp)
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        if !self.loops && !self.slp {
            return Ok(Preserved::All);
        }
        let mut steps = Vec::new();
        if self.loops {
            // The loop vectorizer takes rotated loops only; the copies of the test that rotation
            // makes are simplified afterwards.
            steps
                .push("loop-simplify,lcssa,loop(loop-rotate),instcombine<no-verify-fixpoint>,loop-vectorize");
        }
        if self.slp {
            steps.push("slp-vectorizer");
        }
        steps.push("load-store-vectorizer,instcombine<no-verify-fixpoint>,simplifycfg,adce");
        let pipeline = format!("function({})", steps.join(","));
        cx.module.run_passes(&pipeline, cx.machine).map_err(PassError::new)?;
        Ok(Preserved::None)
    }
}
