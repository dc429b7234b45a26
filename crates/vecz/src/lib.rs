//! The whole-function vectorizer: a kernel for one work-item becomes one that runs several, a lane
//! each.
//!
//! [`vectorize`] runs these steps, one file each, in this order:
//!
//! | file | step |
//! | --- | --- |
//! | `prepare` | canonicalizes a copy of the kernel to triangles and loops, with `flatten` and `speculate` |
//! | `structure` | finds these triangles and loops |
//! | `shape` | uniformity and stride analysis: each value is uniform, strided or varying |
//! | `lock_step` | whether work-items exchange local memory without a barrier |
//! | `cost` | whether vector code pays, against the `scalar_baseline` |
//! | `interleaving` | the interleave count: how many registers a value takes |
//! | `private` | interleaves private arrays |
//! | `boscc` | chooses regions that get a second version without masks |
//! | `linearize` | writes the blocks of the wide function, with masks; see `boscc_versions`, too |
//! | `packetize` | writes the instructions of a block, with the files below |
//!
//! Uniform values stay scalar (`packet`), inactive lanes are masked off, and a block runs only if a
//! lane is active in it. `access_plan` decides how each load and store is done, alone or in one of
//! the `interleave_groups`; `load_store` follows it, with the code of `memory` and, for records in
//! scalable vectors, `segments`. `instantiation`
//! repeats instructions without a wide form for each lane, `partial_scalarization` handles vectors
//! that stay whole, and `collectives` the operations over sub-groups and work-groups. All that
//! these files know of the machine is in `vector_unit`, which a backend provides. A target that has
//! functions of its own for memory is called through `builtins` (`__vecz_b_…`).

#![forbid(unsafe_code)]

mod access_plan;
mod boscc;
mod boscc_versions;
mod builtins;
mod clamped_index;
mod collectives;
mod cost;
mod flatten;
mod instantiation;
mod interleave_groups;
mod interleaving;
mod linearize;
mod load_store;
mod lock_step;
mod memory;
mod narrow_words;
mod options;
mod packet;
mod packetize;
mod partial_scalarization;
mod prepare;
mod private;
mod remarks;
mod row_loops;
mod run_vecz;
mod scalar_baseline;
mod segments;
mod shape;
mod speculate;
mod structure;
mod tables;
mod vector_unit;
mod vectorize;

pub use builtins::Builtins;
pub use memory::{Gathers, Intrinsics, Mask, MemoryOps, Place, Records, SingleAccesses};
pub use options::{
    Factor, FixedRegisters, Mode, Query, VectorizationChoice, VectorizationChoices, VeczPassOptions,
    VeczPassOptionsAnalysis,
};
pub use remarks::{Access, KernelRemarks};
pub use run_vecz::{RunVecz, register};
pub use segments::Segments;
pub use shape::Shape;
pub use vector_unit::{Costs, VectorUnit};
pub use vectorize::vectorize;

use passes::SourceLine;
use std::fmt;

/// Why a kernel was left scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    pub message: String,
    /// The instruction that cannot be vectorized, if it is due to one.
    pub instruction: Option<String>,
    pub place: Option<SourceLine>,
}

impl Stopped {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Stopped { message: message.into(), instruction: None, place: None }
    }

    pub(crate) fn at(instruction: llvm::Value, message: impl Into<String>) -> Self {
        Stopped {
            message: message.into(),
            instruction: Some(text_of(instruction)),
            place: SourceLine::of(instruction),
        }
    }
}

/// An instruction as text, without the number of its debug location.
fn text_of(instruction: llvm::Value) -> String {
    let text = instruction.to_string();
    text.split(", !dbg").next().unwrap_or(&text).to_owned()
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "line {}: ", place.line)?;
        }
        f.write_str(&self.message)?;
        if let Some(instruction) = &self.instruction {
            write!(f, ": {instruction}")?;
        }
        Ok(())
    }
}
