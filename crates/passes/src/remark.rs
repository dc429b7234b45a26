//! Remarks: what a pass decided about a line of the source, and why.

use llvm::{Function, Value};
use std::cell::RefCell;
use std::fmt;

/// The subject of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RemarkKind {
    /// How many work-items run at once.
    Width,
    /// Why a kernel was left scalar, or was not vectorized in one of the ways that were tried.
    Scalar,
    /// How a load, a store or an atomic operation is done.
    Memory,
    /// A divergent branch.
    Branch,
    /// A divergent loop.
    Loop,
    /// Work-items of a sub-group exchange local memory without a barrier.
    LockStep,
    /// A call that is instantiated for each work-item.
    Call,
}

/// A line of the source, and a column of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    pub file: String,
    pub line: u32,
    /// From 1; 0 for the line as a whole, as that of a function.
    pub column: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            0 => write!(f, "{}:{}", self.file, self.line),
            column => write!(f, "{}:{}:{column}", self.file, self.line),
        }
    }
}

/// One fact that a pass found, or one decision that it made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Remark {
    /// The kernel as the source calls it.
    pub kernel: String,
    /// The source line, if the module has debug locations.
    pub place: Option<SourceLine>,
    pub kind: RemarkKind,
    pub text: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "remark: {}: {}", self.kernel, self.text)
    }
}

/// Collects remarks, if they are on. Passes ask [`Remarks::wanted`] before they format any text.
#[derive(Debug, Default)]
pub struct Remarks(Option<RefCell<Vec<Remark>>>);

impl Remarks {
    pub fn new(wanted: bool) -> Self {
        Remarks(wanted.then(RefCell::default))
    }

    pub fn wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Adds a remark. Equal remarks, about two instructions of a line, are kept once.
    pub fn add(&self, remark: Remark) {
        if let Some(list) = &self.0
            && !list.borrow().contains(&remark)
        {
            list.borrow_mut().push(remark);
        }
    }

    pub fn take(self) -> Vec<Remark> {
        self.0.map(RefCell::into_inner).unwrap_or_default()
    }
}

impl SourceLine {
    /// Where an instruction was written.
    pub fn of(instruction: Value) -> Option<SourceLine> {
        let column = instruction.debug_line().map_or(0, |(_, column)| column);
        instruction.debug_place().map(|(file, line)| SourceLine { file, line, column })
    }

    /// Where a function begins.
    pub fn of_function(f: Function) -> Option<SourceLine> {
        Value::from(f).debug_place().map(|(file, line)| SourceLine { file, line, column: 0 })
    }
}
