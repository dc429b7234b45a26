//! Runs the files `filetests/DIRECTORY/*.ll`: each is a module, a pipeline and what must come out
//! of it.
//!
//! A file begins with a comment that says what is tested. Then, in comments of the form `; word:
//! text` at the start of a line:
//!
//! | line | meaning |
//! | --- | --- |
//! | `; run: PIPELINE` | the passes, as `Pipeline::parse` reads them; needed once |
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
//! The IR is verified after every pass; `DefaultBuiltinInfo` is the target. The data layout is that
//! of spir64 unless the file has one.
//!
//! The test that takes this file in says with its function `register` which passes there are.

use super::matcher::{Expectation, compare};
use llvm::{Context, Module};
use passes::{PassManager, Pipeline, Registry, Trace};
use std::path::{Path, PathBuf};

const LAYOUT: &str = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1";

#[derive(Default)]
struct FileTest {
    pipeline: String,
    expected: Vec<Expectation>,
    errors: Vec<String>,
}

impl FileTest {
    fn parse(text: &str) -> Result<Self, String> {
        let mut test = FileTest::default();
        let first = text.lines().next().and_then(|l| l.strip_prefix("; "));
        if first.is_none_or(|l| directive(l).is_some()) {
            return Err("the first line must be a comment that says what is tested".to_owned());
        }
        for (word, value) in text.lines().filter_map(|l| directive(l.strip_prefix("; ")?)) {
            let value = value.trim().to_owned();
            match word {
                "run" => test.pipeline = value,
                "check" => test.expected.push(Expectation::Check(value)),
                "next" => test.expected.push(Expectation::Next(value)),
                "not" => test.expected.push(Expectation::Not(value)),
                "label" => test.expected.push(Expectation::Label(value)),
                "module" => test.expected.push(Expectation::Module),
                "error" => test.errors.push(value),
                "count" => {
                    let (n, pattern) = value.split_once(' ').ok_or("count needs a number and a text")?;
                    let n = n.parse().map_err(|e| format!("count {n}: {e}"))?;
                    test.expected.push(Expectation::Count(n, pattern.to_owned()));
                }
                other => return Err(format!("unknown directive '{other}:'")),
            }
        }
        if test.pipeline.is_empty() {
            return Err("there is no '; run:' line".to_owned());
        }
        if test.expected.is_empty() == test.errors.is_empty() {
            return Err("a test expects either lines or errors".to_owned());
        }
        Ok(test)
    }

    fn run(&self, name: &str, text: &str) -> Result<(), String> {
        let mut registry = Registry::default();
        crate::register(&mut registry);
        let pipeline = Pipeline::parse(&self.pipeline, &registry)?;
        let module = Module::parse(&Context::new(), text.as_bytes(), name)?;
        if module.data_layout().is_empty() {
            module.set_data_layout(LAYOUT);
        }
        let manager = PassManager {
            builtins: &ir::DefaultBuiltinInfo::default(),
            machine: None,
            trace: Trace { verify_each: true, ..Trace::default() },
        };
        match manager.run(&pipeline, &module) {
            Ok(_) if self.errors.is_empty() => {
                let output = module.to_string();
                compare(&output, &self.expected).map_err(|e| format!("{e}\n--- output:\n{output}"))
            }
            Ok(_) => Err(format!("the pipeline did not fail; --- output:\n{module}")),
            Err(e) if self.errors.is_empty() => Err(format!("the pipeline failed: {e}\n--- IR:\n{module}")),
            Err(e) => {
                let message = e.to_string();
                let missing = self.errors.iter().find(|part| !message.contains(part.as_str()));
                missing.map_or(Ok(()), |part| Err(format!("; error: {part}\n    the message is: {message}")))
            }
        }
    }
}

/// `word: text`, where the word is in small letters.
fn directive(line: &str) -> Option<(&str, &str)> {
    let (word, text) = line.split_once(':')?;
    (!word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())).then_some((word, text))
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests")
}

pub fn run_directory(directory: &str) {
    let mut files: Vec<_> = std::fs::read_dir(root().join(directory))
        .expect("the directory is there")
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "ll"))
        .collect();
    files.sort();
    let mut failed = 0;
    for path in &files {
        let name = format!("{directory}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let text = std::fs::read_to_string(path).expect("the file can be read");
        match FileTest::parse(&text).and_then(|test| test.run(&name, &text)) {
            Ok(()) => println!("{name}: ok"),
            Err(why) => {
                failed += 1;
                println!("\n=== {name}: FAILED\n{why}");
            }
        }
    }
    assert!(!files.is_empty(), "{directory} holds no test");
    assert_eq!(failed, 0, "{failed} of {} files failed", files.len());
}

#[macro_export]
macro_rules! directories {
    ($($test:ident $directory:literal)*) => {
        $(#[test] fn $test() { runner::run_directory($directory); })*

        #[test]
        fn every_directory_is_run() {
            let listed = [$($directory),*];
            for entry in std::fs::read_dir(runner::root()).expect("the directory is there") {
                let name = entry.expect("the directory can be read").file_name();
                assert!(listed.iter().any(|d| name == **d), "{} is not run", name.display());
            }
        }
    };
}
