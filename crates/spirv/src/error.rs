//! The error of a SPIR-V module, with its place.

use std::fmt;

/// An error of a SPIR-V module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The word of the module at which the instruction starts.
    pub word: usize,
    /// The instruction and its result as `OpIAdd %7 'sum'`; empty if the error is in no
    /// instruction.
    pub instruction: String,
    pub message: String,
}

impl Error {
    /// An error outside of any instruction.
    pub(crate) fn at_word(word: usize, message: impl Into<String>) -> Self {
        Error { word, instruction: String::new(), message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SPIR-V word {}", self.word)?;
        if !self.instruction.is_empty() {
            write!(f, ", {}", self.instruction)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for Error {}
