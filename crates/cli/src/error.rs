//! The errors of the program, as the user sees them.

use std::fmt;
use std::path::Path;

/// A message for the user, by the kind of mistake. The message has no prefix and no final dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The command line itself is wrong.
    Usage(String),
    /// The command line is well-formed, but a file, a kernel or a value that it names is wrong.
    Input(String),
    /// The kernel ran, and its checks found mistakes.
    Found(String),
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }

    /// So many places of a kernel are wrong, as reported before.
    pub fn found(places: usize) -> Self {
        let s = if places == 1 { "" } else { "s" };
        Self::Found(format!("{places} mistake{s} found"))
    }

    /// A file that could not be read or written.
    pub fn file(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        // The system's words without the trailing "(os error 2)".
        let text = error.to_string();
        let reason = text.split(" (os error").next().unwrap_or(&text);
        Self::Input(format!("cannot {doing} {}: {reason}", path.display()))
    }

    /// 1 for bad input, 2 for a bad command line, 3 for mistakes of a kernel.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) => 1,
            Self::Usage(_) => 2,
            Self::Found(_) => runtime::checks::EXIT_CODE as u8,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Input(message) | Self::Found(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}
