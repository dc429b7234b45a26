//! The specification's failure cases.

use std::fmt;

pub type Result<T> = std::result::Result<T, Error>;

/// `compiler::Result` of the specification, without success, and without `OUT_OF_MEMORY`, for which
/// there is [`Error::is_out_of_memory`]. Errors of the user's program are in the build log too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    InvalidValue(String),
    InvalidBuildOptions(String),
    CompileProgramFailure(String),
    LinkProgramFailure(String),
    FinalizeProgramFailure(String),
    FeatureUnsupported(String),
    Failure(String),
}

impl Error {
    pub(crate) fn finalize(why: impl Into<String>) -> Error {
        Error::FinalizeProgramFailure(why.into())
    }

    /// Whether the reason is that memory is short: LLVM got none, or clang's stack.
    pub fn is_out_of_memory(&self) -> bool {
        [llvm::OUT_OF_MEMORY, clc::NO_THREAD].iter().any(|words| self.message().contains(words))
    }

    /// The text without the kind.
    pub fn message(&self) -> &str {
        match self {
            Error::InvalidValue(m)
            | Error::InvalidBuildOptions(m)
            | Error::CompileProgramFailure(m)
            | Error::LinkProgramFailure(m)
            | Error::FinalizeProgramFailure(m)
            | Error::FeatureUnsupported(m)
            | Error::Failure(m) => m,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}

/// For code that only adds to the message.
impl From<Error> for String {
    fn from(error: Error) -> String {
        error.message().to_owned()
    }
}

impl From<llvm::Error> for Error {
    fn from(error: llvm::Error) -> Error {
        Error::Failure(error.into())
    }
}
