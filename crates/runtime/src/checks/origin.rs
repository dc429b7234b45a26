//! Where memory was made: the caller of the function that allocated it, for reports.
//!
//! The stack is kept when memory is made, once checks are wanted, and names are looked up only for
//! a report.

use std::backtrace::Backtrace;
use std::sync::Arc;

/// The call that made a piece of memory, if that is known.
#[derive(Clone, Debug, Default)]
pub struct Origin(Option<Arc<Backtrace>>);

impl PartialEq for Origin {
    fn eq(&self, other: &Origin) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl Eq for Origin {}

impl Origin {
    /// The calls that led here, where checks are wanted.
    pub fn here() -> Origin {
        Origin(super::is_in_use().then(|| Arc::new(Backtrace::force_capture())))
    }

    /// The place of the program's call of the OpenCL function that made the memory.
    pub fn place(&self) -> Option<String> {
        caller(&self.0.as_ref()?.to_string())
    }
}

/// The functions of OpenCL that make memory.
const MAKERS: [&str; 5] =
    ["clCreateBuffer", "clCreateSubBuffer", "clCreateImage", "clCreatePipe", "clSVMAlloc"];

/// The caller of the outermost of these functions, in the text of a backtrace.
fn caller(text: &str) -> Option<String> {
    let mut frames: Vec<(&str, Option<&str>)> = Vec::new();
    for line in text.lines().map(str::trim) {
        let numbered = line.split_once(": ").filter(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()));
        match (numbered, line.strip_prefix("at "), frames.last_mut()) {
            (Some((_, name)), ..) => frames.push((name, None)),
            (None, Some(place), Some(frame)) => frame.1 = Some(place),
            _ => {}
        }
    }
    let makes = |(name, _): &(&str, Option<&str>)| MAKERS.iter().any(|maker| name.contains(maker));
    let (name, place) = *frames.get(frames.iter().rposition(makes)? + 1)?;
    match place {
        Some(place) => Some(format!("{place} in {name}")),
        None => Some(name.to_owned()).filter(|name| !name.starts_with('<')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_the_frame_after_the_function_of_opencl() {
        let text = "   0: std::backtrace::create\n   1: api::clCreateBuffer\n      at ./api.rs:3:4\n  \
                    2: clCreateBuffer\n   3: main\n             at ./main.c:12:9\n";
        assert_eq!(caller(text).as_deref(), Some("./main.c:12:9 in main"));
        assert_eq!(caller("  1: clCreateBuffer\n  2: setup").as_deref(), Some("setup"));
        assert_eq!(caller("  1: clCreateBuffer\n  2: <unknown>"), None);
        assert_eq!(caller("  1: main\n  2: start"), None);
    }
}
