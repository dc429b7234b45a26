//! A sequence of passes, ours and LLVM's, as a value or as text.
//!
//! The text is a list of names with options, in which `llvm(…)` holds a pipeline in LLVM's own
//! syntax: `prepare-barriers,llvm(instcombine,simplifycfg),work-item-loops<debug>`. The name of a
//! stage stands for its passes.

use crate::{Pass, PassError, Registry};
use std::fmt;

pub(crate) enum Step {
    Ours(Box<dyn Pass>),
    Llvm(String),
}

/// The step as textual pipelines spell it.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Ours(pass) => write!(f, "{}{}", pass.name(), pass.options()),
            Step::Llvm(text) => write!(f, "llvm({text})"),
        }
    }
}

impl Step {
    pub(crate) fn name(&self) -> &str {
        match self {
            Step::Ours(pass) => pass.name(),
            Step::Llvm(_) => "llvm",
        }
    }
}

/// Passes in the order they run. As text ([`fmt::Display`]) it is what [`Pipeline::parse`] reads.
#[derive(Default)]
pub struct Pipeline {
    name: Option<&'static str>,
    pub(crate) steps: Vec<Step>,
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.steps.iter().enumerate() {
            write!(f, "{}{step}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl From<Box<dyn Pass>> for Pipeline {
    fn from(pass: Box<dyn Pass>) -> Self {
        Pipeline { name: None, steps: vec![Step::Ours(pass)] }
    }
}

impl Pipeline {
    pub fn new() -> Self {
        Self::default()
    }

    /// A stage of a compilation, which dumps call by this name.
    pub fn stage(name: &'static str) -> Self {
        Pipeline { name: Some(name), steps: Vec::new() }
    }

    /// The name of the stage.
    pub fn name(&self) -> Option<&'static str> {
        self.name
    }

    pub fn add(&mut self, pass: impl Pass + 'static) -> &mut Self {
        self.steps.push(Step::Ours(Box::new(pass)));
        self
    }

    /// Adds a pipeline in LLVM's syntax.
    pub fn llvm(&mut self, text: impl Into<String>) -> &mut Self {
        self.steps.push(Step::Llvm(tolerant(&text.into())));
        self
    }

    pub fn append(&mut self, mut other: Pipeline) -> &mut Self {
        self.steps.append(&mut other.steps);
        self
    }

    /// The pipeline up to and with the first pass of this name; all of it if there is none.
    pub fn up_to(mut self, name: &str) -> Pipeline {
        if let Some(at) = self.steps.iter().position(|step| step.name() == name) {
            self.steps.truncate(at + 1);
        }
        self
    }

    /// The names of the passes, in order.
    pub fn names(&self) -> Vec<&str> {
        self.steps.iter().map(Step::name).collect()
    }

    pub fn parse(text: &str, registry: &Registry) -> Result<Self, PassError> {
        let mut pipeline = Pipeline::new();
        for item in split_items(text)? {
            let item = item.trim();
            if item.is_empty() {
                return Err(format!("an empty pass name in '{text}'").into());
            }
            if let Some(inner) = item.strip_prefix("llvm(") {
                let inner = inner.strip_suffix(')').ok_or_else(|| format!("'{item}' has no closing ')'"))?;
                if inner.trim().is_empty() {
                    return Err("llvm() holds no pass".into());
                }
                pipeline.llvm(inner);
                continue;
            }
            let (name, options) = match item.split_once('<') {
                None => (item, ""),
                Some((name, rest)) => {
                    (name, rest.strip_suffix('>').ok_or_else(|| format!("'{item}' has no closing '>'"))?)
                }
            };
            pipeline.append(registry.make(name.trim(), options)?);
        }
        Ok(pipeline)
    }
}

/// Adds `no-verify-fixpoint` to `instcombine`: without it, LLVM ends the process if a second
/// iteration would change something.
fn tolerant(text: &str) -> String {
    const NAME: &str = "instcombine";
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(NAME) {
        let (before, after) = (&rest[..at], &rest[at + NAME.len()..]);
        out.push_str(before);
        out.push_str(NAME);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if !before.ends_with(is_part) && !after.starts_with(is_part) && !after.starts_with('<') {
            out.push_str("<no-verify-fixpoint>");
        }
        rest = after;
    }
    out + rest
}

/// Splits at the commas outside of brackets.
fn split_items(text: &str) -> Result<Vec<&str>, PassError> {
    let mut items = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '<' => depth += 1,
            ')' | '>' => {
                depth =
                    depth.checked_sub(1).ok_or_else(|| format!("'{c}' at {i} closes nothing in '{text}'"))?;
            }
            ',' if depth == 0 => {
                items.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(format!("a bracket is not closed in '{text}'").into());
    }
    items.push(&text[start..]);
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<String>, PassError> {
        let mut registry = Registry::default();
        crate::register(&mut registry);
        Pipeline::parse(text, &registry).map(|p| p.names().into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn ours_and_llvms_mix() {
        let names = parse(
            "transfer-kernel-metadata, prepare-barriers,\
             llvm(instcombine<no-verify-fixpoint>,simplifycfg),work-item-loops<debug>",
        );
        assert_eq!(
            names.unwrap(),
            ["transfer-kernel-metadata", "prepare-barriers", "llvm", "work-item-loops"]
        );
    }

    #[test]
    fn instcombine_does_not_check_its_fixpoint() {
        assert_eq!(tolerant("instcombine,sroa"), "instcombine<no-verify-fixpoint>,sroa");
        assert_eq!(tolerant("function(instcombine)"), "function(instcombine<no-verify-fixpoint>)");
        assert_eq!(
            tolerant("aggressive-instcombine,instcombine<x>"),
            "aggressive-instcombine,instcombine<x>"
        );
    }

    #[test]
    fn mistakes_are_named() {
        assert!(parse("nonsense").unwrap_err().to_string().starts_with("unknown pass 'nonsense'"));
        assert_eq!(
            parse("work-item-loops<fast>").unwrap_err(),
            "work-item-loops: unknown option 'fast'".into()
        );
        assert!(parse("llvm(instcombine").unwrap_err().to_string().contains("not closed"));
        assert!(parse("prepare-barriers,").unwrap_err().to_string().contains("empty pass name"));
        assert!(parse("prepare-barriers)").unwrap_err().to_string().contains("closes nothing"));
    }
}
