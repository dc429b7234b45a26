//! The error of this crate.

use std::fmt;

/// LLVM's reason, in its words: IR that it does not read, a step that failed, or a crash that the
/// guard caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub fn new(message: impl Into<String>) -> Self {
        Error(message.into())
    }

    pub fn message(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Error(message)
    }
}

/// Code that only adds to the message keeps it as text.
impl From<Error> for String {
    fn from(error: Error) -> String {
        error.0
    }
}
