//! The whole-function vectorizer: a kernel for one work-item becomes one that runs several, a lane each.
//!
//! [`vectorize`] does it in steps, each in its file. `prepare` brings a copy of the kernel into a shape where
//! every branch skips something or repeats a loop. `structure` finds these shapes. `shape` says of each value
//! whether it is the same in all lanes, grows evenly from lane to lane, or varies. `cost` tells whether it
//! pays, against `alone`, what LLVM makes of one work-item, `widen` how many registers a value should have,
//! and `private` interleaves private arrays. `packetize` then writes the wide function: uniform values stay
//! scalar, lanes that do not take part are masked off, and a block runs only if a lane takes part in it;
//! `copies` has it write some regions twice, also without masks. `access` finds loads and stores that are
//! done together, `load_store` picks the way for each and `memory` writes it; `lanes` does one lane after the
//! other what has no wide form, `whole` handles vectors that are not split, and `groups` the operations of
//! sub-groups. What all of them know of the machine is in `vector_unit`, which a backend gives.

#![forbid(unsafe_code)]

mod access;
mod alone;
mod copies;
mod cost;
mod flatten;
mod groups;
mod lanes;
mod load_store;
mod memory;
mod options;
mod packet;
mod packetize;
mod prepare;
mod private;
mod remarks;
mod run_vecz;
mod shape;
mod structure;
mod vector_unit;
mod whole;
mod widen;

pub use memory::{Intrinsics, Mask, MemoryOps, Place, SingleAccesses};
pub use options::{Choice, Choices, Factor, FixedRegisters, Mode, Query, VeczPassOptions};
pub use packetize::vectorize;
pub use remarks::{Access, KernelRemarks};
pub use run_vecz::{RunVecz, register};
pub use shape::Shape;
pub use vector_unit::{Costs, VectorUnit};

use passes::SourceLine;
use std::fmt;

/// Why a kernel was left scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    pub message: String,
    /// The instruction that stopped it.
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

/// An instruction as text, without the number of its place in the source.
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
