//! Analyses of functions: control-flow graph, dominators, loops, liveness, uniformity. An analysis
//! reads the IR and never changes it; [`Analyses`] caches results until a pass does not preserve
//! them.

#![forbid(unsafe_code)]

mod cache;
mod cfg;
mod dominators;
mod liveness;
mod loops;
mod uniformity;

pub use cache::{Analyses, FunctionAnalysis, Preserved};
pub use cfg::Cfg;
pub use dominators::{Dominators, PostDominators};
pub use liveness::{Liveness, live_before};
pub use loops::{Loop, Loops};
pub use uniformity::{Uniformity, is_shared_load};
