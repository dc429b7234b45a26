//! The error type of this crate.

use std::fmt;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a program was not built, or a kernel not launched.
///
/// ```
/// use lanewise::{Error, Program};
///
/// let Err(Error::Build { log }) = Program::new("kernel void k(global int *p) {\n    p[0] = q;\n}") else {
///     panic!("there is no q");
/// };
/// assert!(log.contains("<source>:2:12: error: use of undeclared identifier 'q'"), "{log}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no device of this name.
    UnknownDevice {
        /// The name that was asked for.
        name: String,
        /// The names of the devices.
        known: Vec<String>,
    },
    /// The program or its options were refused.
    Build {
        /// The compiler's messages, with the lines of the source.
        log: String,
    },
    /// The program has no kernel of this name.
    UnknownKernel {
        /// The name that was asked for.
        name: String,
        /// The names of the program's kernels.
        known: Vec<String>,
    },
    /// A launch had too many or too few arguments.
    ArgumentCount {
        /// The name of the kernel.
        kernel: String,
        /// How many parameters it has.
        expected: usize,
        /// How many arguments there were.
        given: usize,
    },
    /// An argument does not fit its parameter.
    Argument {
        /// The name of the kernel.
        kernel: String,
        /// Which argument it is, counted from 0.
        index: usize,
        /// The parameter, as [`Param`](crate::Param) shows it: `global const float *x`.
        param: String,
        /// The Rust type that would fit.
        expected: String,
        /// The Rust type of the argument.
        given: String,
    },
    /// The range does not suit the kernel or the device, or there was not enough memory.
    Launch {
        /// The name of the kernel.
        kernel: String,
        /// The problem.
        reason: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownDevice { name, known } => {
                write!(f, "there is no device '{name}'; there are {}", known.join(", "))
            }
            Error::Build { log } => f.write_str(log),
            Error::UnknownKernel { name, known } if known.is_empty() => {
                write!(f, "there is no kernel '{name}': the program has none")
            }
            Error::UnknownKernel { name, known } => {
                write!(f, "there is no kernel '{name}'; there are {}", known.join(", "))
            }
            Error::ArgumentCount { kernel, expected, given } => {
                write!(f, "{kernel}: {expected} arguments expected, {given} given")
            }
            Error::Argument { kernel, index, param, expected, given } => {
                write!(f, "{kernel}: argument {index}, `{param}`: {expected} expected, {given} given")
            }
            Error::Launch { kernel, reason } => write!(f, "{kernel}: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
