//! Filetests: `.ll` files that hold a module, a pipeline, and what must come out of it.
//! `lanewise opt --test FILE…` runs them, and so do the tests of the crates that have passes.
//!
//! A file begins with a comment that says what is tested. Then, in comments of the form `; word:
//! text` at the start of a line:
//!
//! | line | meaning |
//! | --- | --- |
//! | `; run: PIPELINE` | the passes, as [`Pipeline::parse`] reads them; needed once |
//! | `; check: TEXT` | a line of the output, after the last one found, contains TEXT |
//! | `; next: TEXT` | the very next line contains TEXT |
//! | `; not: TEXT` | no line contains TEXT up to the next line found, or to the end of the section |
//! | `; count: N TEXT` | N lines of the section contain TEXT |
//! | `; label: TEXT` | go to the function whose first line contains TEXT; it is the section from here on |
//! | `; module:` | go back to the start; the section is the whole module |
//! | `; error: TEXT` | the pipeline fails and its message contains TEXT |
//!
//! In TEXT, `*` stands for any text and `$name` for a word (letters, digits, `._-`), the same one
//! wherever the name occurs in the section; a name after `#` or `!` holds for the whole module.
//! Words must be whole: `%a` is not found in `%ab`. Spaces count as one.
//!
//! The IR is verified after every pass. The target is abstract, so that a test has the same output
//! on every machine: [`ir::DefaultBuiltinInfo`], no LLVM target machine, and the data layout of
//! spir64 unless the file has one.

mod matcher;

use crate::{PassError, PassManager, Pipeline, Registry, Trace};
use llvm::{Context, Module};
use matcher::Expectation;
use std::path::{Path, PathBuf};

const LAYOUT: &str = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1";

/// Runs each file, and each `.ll` file below each folder, and tells `report` how each went. Returns
/// how many there are if all pass.
///
/// With `bless`, a file whose expectations do not hold is written again with those of the output.
pub fn run_all(
    paths: &[PathBuf],
    registry: &Registry,
    bless: bool,
    mut report: impl FnMut(&str),
) -> Result<usize, PassError> {
    let files: Vec<PathBuf> = paths.iter().flat_map(|path| files_of(path)).collect();
    let mut failed = 0;
    for path in &files {
        match run_file(path, registry, bless) {
            Ok(outcome) => report(&format!("{}: {outcome}", path.display())),
            Err(why) => {
                failed += 1;
                report(&format!("{}: FAILED\n{why}", path.display()));
            }
        }
    }
    match (failed, files.len()) {
        (_, 0) => Err(PassError::new("there is no .ll file")),
        (0, all) => Ok(all),
        (failed, all) => Err(PassError::new(format!("{failed} of {all} filetests failed"))),
    }
}

/// The file, or the `.ll` files below the folder in alphabetical order.
fn files_of(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else { return vec![path.to_owned()] };
    let mut inner: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    inner.sort();
    inner.retain(|path| path.is_dir() || path.extension().is_some_and(|e| e == "ll"));
    inner.iter().flat_map(|path| files_of(path)).collect()
}

/// Runs a file: `ok` or `blessed`.
fn run_file(path: &Path, registry: &Registry, bless: bool) -> Result<&'static str, PassError> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let test = FileTest::parse(&text)?;
    let output = test.output(&path.to_string_lossy(), &text, registry)?;
    let Err(why) = test.compare(&output) else { return Ok("ok") };
    if !bless {
        return Err(why.into());
    }
    let blessed = test.bless(&text, &output);
    FileTest::parse(&blessed)?.compare(&output)?;
    std::fs::write(path, blessed).map_err(|e| e.to_string())?;
    Ok("blessed")
}

/// A filetest, parsed. Directives keep the index of their line, which blessing replaces.
#[derive(Default)]
struct FileTest {
    pipeline: String,
    run_line: usize,
    expected: Vec<(usize, Expectation)>,
    errors: Vec<(usize, String)>,
}

/// How the pipeline ended.
enum Output {
    Ir(String),
    Failed { message: String, ir: String },
}

impl FileTest {
    fn parse(text: &str) -> Result<Self, String> {
        let mut test = FileTest::default();
        let first = text.lines().next().and_then(|l| l.strip_prefix("; "));
        if first.is_none_or(|l| directive(l).is_some()) {
            return Err("the first line must be a comment that says what is tested".to_owned());
        }
        for (i, line) in text.lines().enumerate() {
            let Some((word, value)) = line.strip_prefix("; ").and_then(directive) else { continue };
            let value = value.trim().to_owned();
            let mut expect = |expectation| test.expected.push((i, expectation));
            match word {
                "run" => (test.pipeline, test.run_line) = (value, i),
                "error" => test.errors.push((i, value)),
                "check" => expect(Expectation::Check(value)),
                "next" => expect(Expectation::Next(value)),
                "not" => expect(Expectation::Not(value)),
                "label" => expect(Expectation::Label(value)),
                "module" => expect(Expectation::Module),
                "count" => {
                    let (n, pattern) = value.split_once(' ').ok_or("count needs a number and a text")?;
                    let n = n.parse().map_err(|e| format!("count {n}: {e}"))?;
                    expect(Expectation::Count(n, pattern.to_owned()));
                }
                other => return Err(format!("unknown directive '{other}:'")),
            }
        }
        if test.pipeline.is_empty() {
            return Err("there is no '; run:' line".to_owned());
        }
        Ok(test)
    }

    fn output(&self, name: &str, text: &str, registry: &Registry) -> Result<Output, PassError> {
        let pipeline = Pipeline::parse(&self.pipeline, registry)?;
        let module = Module::parse(&Context::new(), text.as_bytes(), name)?;
        if module.data_layout().is_empty() {
            module.set_data_layout(LAYOUT);
        }
        let manager = PassManager {
            builtins: &ir::DefaultBuiltinInfo::default(),
            machine: None,
            trace: Trace { verify_each: true, ..Trace::default() },
        };
        Ok(match manager.run(&pipeline, &module) {
            Ok(_) => Output::Ir(module.to_string()),
            Err(e) => Output::Failed { message: e.to_string(), ir: module.to_string() },
        })
    }

    fn compare(&self, output: &Output) -> Result<(), String> {
        if self.expected.is_empty() == self.errors.is_empty() {
            return Err("a filetest expects either lines or errors".to_owned());
        }
        match output {
            Output::Ir(ir) if self.errors.is_empty() => {
                let expected: Vec<_> = self.expected.iter().map(|(_, e)| e.clone()).collect();
                matcher::compare(ir, &expected).map_err(|e| format!("{e}\n--- output:\n{ir}"))
            }
            Output::Ir(ir) => Err(format!("the pipeline did not fail\n--- output:\n{ir}")),
            Output::Failed { message, ir } if self.errors.is_empty() => {
                Err(format!("the pipeline failed: {message}\n--- IR:\n{ir}"))
            }
            Output::Failed { message, .. } => {
                let missing = self.errors.iter().find(|(_, part)| !message.contains(part.as_str()));
                missing.map_or(Ok(()), |(_, part)| {
                    Err(format!("; error: {part}\n    the message is: {message}"))
                })
            }
        }
    }

    /// The file with the expectations that do not hold replaced ([`matcher::bless`]). A file that
    /// expects nothing gets every line of the output.
    fn bless(&self, text: &str, output: &Output) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let message = |text: &str| format!("; error: {}", text.lines().next().unwrap_or_default());
        match output {
            _ if self.expected.is_empty() && self.errors.is_empty() => {
                let new = match output {
                    Output::Ir(ir) => matcher::all_lines(ir).iter().map(ToString::to_string).collect(),
                    Output::Failed { message: text, .. } => vec![message(text)],
                };
                lines.splice(self.run_line + 1..self.run_line + 1, new);
            }
            Output::Ir(ir) => {
                let (at, mut expected): (Vec<_>, Vec<_>) = self.expected.iter().cloned().unzip();
                matcher::bless(ir, &mut expected);
                for (i, (line, old)) in at.into_iter().zip(self.expected.iter().map(|(_, e)| e)).enumerate() {
                    if expected[i] != *old {
                        lines[line] = expected[i].to_string();
                    }
                }
            }
            Output::Failed { message: text, .. } => {
                for (line, _) in self.errors.iter().filter(|(_, part)| !text.contains(part.as_str())) {
                    lines[*line] = message(text);
                }
            }
        }
        lines.join("\n") + "\n"
    }
}

/// `word: text`, where the word is in small letters.
fn directive(line: &str) -> Option<(&str, &str)> {
    let (word, text) = line.split_once(':')?;
    (!word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())).then_some((word, text))
}
