//! What a pass tells of its work: which choice it made of which line of the source, and why.

use llvm::{Function, Value};
use std::cell::RefCell;
use std::fmt;

/// What a remark is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RemarkKind {
    /// How many work-items run at once.
    Width,
    /// Why a kernel was left scalar, or was not vectorized in one of the ways that were tried.
    Scalar,
    /// How a load, a store or an atomic operation is done.
    Memory,
    /// A branch that work-items disagree on.
    Branch,
    /// A loop that work-items leave at different times.
    Loop,
    /// A call that is made for one work-item after the other.
    Call,
}

/// A line of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    pub file: String,
    pub line: u32,
}

/// One thing that a pass found out or did.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Remark {
    /// The kernel as the source calls it.
    pub kernel: String,
    /// Where it is about, if the module knows its lines.
    pub place: Option<SourceLine>,
    pub kind: RemarkKind,
    pub text: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(SourceLine { file, line }) = &self.place {
            write!(f, "{file}:{line}: ")?;
        }
        write!(f, "remark: {}: {}", self.kernel, self.text)
    }
}

/// Takes remarks, if anybody wants them. Passes ask before they make any text.
#[derive(Debug, Default)]
pub struct Remarks(Option<RefCell<Vec<Remark>>>);

impl Remarks {
    pub fn new(wanted: bool) -> Self {
        Remarks(wanted.then(RefCell::default))
    }

    pub fn wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Keeps a remark. The same one twice, about two instructions of a line, is kept once.
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
        instruction.debug_place().map(|(file, line)| SourceLine { file, line })
    }

    /// Where a function begins.
    pub fn of_function(f: Function) -> Option<SourceLine> {
        Value::from(f).debug_place().map(|(file, line)| SourceLine { file, line })
    }
}
