//! Facts about functions. An analysis reads the IR and never changes it; [`Analyses`] keeps results until a pass says that
//! it did not preserve them.

#![forbid(unsafe_code)]

mod cache;
mod cfg;
mod dominators;
mod uniformity;

pub use cache::{Analyses, FunctionAnalysis, Preserved};
pub use cfg::Cfg;
pub use dominators::{Dominators, PostDominators};
pub use uniformity::Uniformity;
