//! The error of passes and pipelines.

use llvm::{Function, Value};
use std::fmt;

/// A construct that a pass cannot handle, and its place; or a mistake in a pipeline's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassError {
    /// The pass that failed; the manager fills it in.
    pub pass: String,
    pub function: Option<String>,
    pub instruction: Option<String>,
    pub line: Option<u32>,
    pub message: String,
}

impl PassError {
    pub fn new(message: impl Into<String>) -> Self {
        PassError {
            pass: String::new(),
            function: None,
            instruction: None,
            line: None,
            message: message.into(),
        }
    }

    pub fn in_function(function: Function, message: impl Into<String>) -> Self {
        PassError { function: Some(function.name()), ..Self::new(message) }
    }

    pub fn at(instruction: Value, message: impl Into<String>) -> Self {
        PassError {
            function: instruction.block().map(|b| b.function().name()),
            instruction: Some(instruction.to_string()),
            line: instruction.debug_line().map(|(line, _)| line),
            ..Self::new(message)
        }
    }

    /// An error about a function, at an instruction that uses it in the way `is_culprit` says.
    pub fn at_use(function: Function, is_culprit: impl Fn(Value) -> bool, message: &str) -> Self {
        let culprit = function.users().into_iter().find(|u| u.is_instruction() && is_culprit(*u));
        culprit.map_or_else(|| Self::in_function(function, message), |user| Self::at(user, message))
    }

    /// An error about a function that is used otherwise than by calling it.
    pub fn address_taken(function: Function, message: &str) -> Self {
        Self::at_use(function, |user| !function.uses().calls.contains(&user), message)
    }
}

impl From<llvm::Error> for PassError {
    fn from(error: llvm::Error) -> Self {
        PassError::new(error)
    }
}

impl From<&str> for PassError {
    fn from(message: &str) -> Self {
        PassError::new(message)
    }
}

impl From<String> for PassError {
    fn from(message: String) -> Self {
        PassError::new(message)
    }
}

impl fmt::Display for PassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pass.is_empty() {
            write!(f, "{}: ", self.pass)?;
        }
        if let Some(function) = &self.function {
            write!(f, "in function '{function}': ")?;
        }
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(instruction) = &self.instruction {
            write!(f, "\n  {instruction}")?;
        }
        Ok(())
    }
}

impl std::error::Error for PassError {}
