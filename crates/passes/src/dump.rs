//! The files of `LANEWISE_DUMP`: the module before a stage and after each of its steps, with the
//! command that replays it.
//!
//! ```text
//! 0016-before-late.saxpy.ll         0017-mark-group-agnostic.saxpy.ll         0018-llvm-globaldce.saxpy.ll
//!
//! ; After work-item-loops, from 0021-run-vecz.saxpy.ll, in 0.187 ms:
//! ; lanewise opt --target host --passes 'work-item-loops' 0021-run-vecz.saxpy.ll
//! ```
//!
//! The files of one run of a pipeline have consecutive numbers, also where threads compile at the
//! same time. Modules are printed with the order of their use-lists, which LLVM's passes may depend
//! on (the predecessors of a block are in that order): a replay shall give the same code, not just
//! equivalent code.

use crate::pipeline::Step;
use crate::{Pipeline, wrap};
use ir::attributes;
use llvm::Module;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Where dumps go, and what it takes to replay them.
#[derive(Clone, Debug, Default)]
pub struct Dumps {
    /// `None` while [`record`] takes them.
    pub directory: Option<PathBuf>,
    /// The options of `lanewise opt` for the target and the build options at hand: `--target host`.
    pub replay: String,
    /// The kernel that is compiled, which names the files even while the module has others.
    pub kernel: Option<String>,
    /// The OpenCL C that the module was made from. It stands beside the first file, as
    /// `0000-source.cl`.
    pub source: Option<String>,
}

/// The number of the next file of this process.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A file that a dump writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpFile {
    /// `0017-mark-group-agnostic.saxpy.ll`.
    pub name: String,
    pub text: String,
}

thread_local! {
    static RECORD: RefCell<Option<Vec<DumpFile>>> = const { RefCell::new(None) };
}

/// Runs `compile`, and returns the dumps of all pipelines that it runs on this thread instead of
/// writing them to a folder.
pub fn record<T>(compile: impl FnOnce() -> T) -> (T, Vec<DumpFile>) {
    /// Ends the recording even where `compile` panics.
    struct End(Option<Vec<DumpFile>>);
    impl Drop for End {
        fn drop(&mut self) {
            RECORD.set(self.0.take());
        }
    }
    let _end = End(RECORD.replace(Some(Vec::new())));
    let result = compile();
    (result, RECORD.take().unwrap_or_default())
}

/// Whether [`record`] takes the dumps of this thread.
pub(crate) fn is_recording() -> bool {
    RECORD.with_borrow(Option::is_some)
}

/// The dumps of one run of a pipeline.
pub(crate) struct Dump<'a> {
    to: &'a Dumps,
    number: usize,
    /// The only kernel of the module, as far as that is known.
    kernel: Option<String>,
    /// The file of the step before.
    previous: String,
}

impl<'a> Dump<'a> {
    /// Writes the module as it is before the pipeline.
    pub fn start(to: &'a Dumps, pipeline: &Pipeline, module: &Module) -> Self {
        let number = NEXT.fetch_add(pipeline.steps.len() + 1, Ordering::Relaxed);
        let mut dump = Dump { to, number, kernel: None, previous: String::new() };
        let first = || pipeline.steps.first().map_or("nothing".to_owned(), short_name);
        let name = pipeline.name().map_or_else(first, str::to_owned);
        let file = dump.next_file(&format!("before-{name}"), module);
        let header = match pipeline.steps.is_empty() {
            true => format!("; Before {name}, which has no passes.\n"),
            false => format!("; Before {name}:\n; {}\n", dump.command(&pipeline.to_string(), &file)),
        };
        if let Some(source) = &to.source {
            let number = file.split('-').next().unwrap_or_default();
            dump.keep(format!("{number}-source.cl"), source.clone());
        }
        dump.write(file, &header, module);
        dump
    }

    /// Writes the module as it is after a step, which took `time`.
    pub fn step(&mut self, step: &Step, time: Duration, module: &Module) {
        let name = short_name(step);
        let file = self.next_file(&name, module);
        let command = self.command(&step.to_string(), &self.previous);
        let ms = time.as_secs_f64() * 1e3;
        let header = format!("; After {name}, from {}, in {ms:.3} ms:\n; {command}\n", self.previous);
        self.write(file, &header, module);
    }

    fn command(&self, passes: &str, input: &str) -> String {
        let replay = &self.to.replay;
        format!(
            "lanewise opt {replay}{}--passes '{passes}' {input}",
            if replay.is_empty() { "" } else { " " }
        )
    }

    fn next_file(&mut self, name: &str, module: &Module) -> String {
        match kernels(module).as_slice() {
            [] => {}
            [kernel] => self.kernel = Some(kernel.clone()),
            _ => self.kernel = None,
        }
        let kernel = self.to.kernel.as_ref().or(self.kernel.as_ref());
        let suffix = kernel.map(|kernel| format!(".{}", sanitized(kernel))).unwrap_or_default();
        let file = format!("{:04}-{}{suffix}.ll", self.number, sanitized(name));
        self.number += 1;
        file
    }

    fn write(&mut self, file: String, header: &str, module: &Module) {
        let text = format!("{header}{}", text(module));
        self.previous.clone_from(&file);
        self.keep(file, text);
    }

    fn keep(&self, file: String, text: String) {
        let Some(directory) = &self.to.directory else {
            RECORD.with_borrow_mut(|list| list.get_or_insert_default().push(DumpFile { name: file, text }));
            return;
        };
        let path = directory.join(file);
        let written = std::fs::create_dir_all(directory).and_then(|()| std::fs::write(&path, text));
        if let Err(e) = written {
            eprintln!("lanewise: cannot write {}: {e}", path.display());
        }
    }
}

/// The names of the module's kernels as the source has them; versions of one kernel count once.
fn kernels(module: &Module) -> Vec<String> {
    let mut names: Vec<_> = wrap::entry_points(module).into_iter().map(attributes::orig_fn_name).collect();
    names.sort();
    names.dedup();
    names
}

/// The module with the order of use-lists, but for those of constants such as `i32 0`: all modules
/// of a context share them, and no pass looks at them. The name that LLVM writes into the first
/// line is lost in a replay, too.
fn text(module: &Module) -> String {
    let text = module.to_string_with_use_lists();
    let is_noise = |line: &str| {
        line.starts_with("; ModuleID")
            || line.trim_start().starts_with("uselistorder ") && !line.contains(['%', '@'])
    };
    text.split_inclusive('\n').filter(|line| !is_noise(line)).collect()
}

/// The name of a step in that of its file: LLVM's passes are told by their names, the first of them
/// if there are many.
fn short_name(step: &Step) -> String {
    let Step::Llvm(text) = step else { return step.name().to_owned() };
    let passes = llvm_passes(text);
    let all = passes.join("-");
    match passes.as_slice() {
        [first, rest @ ..] if all.len() > 40 && !rest.is_empty() => {
            format!("llvm-{first}-and-{}-more", rest.len())
        }
        _ => format!("llvm-{all}"),
    }
}

/// The passes of a pipeline in LLVM's syntax, without adaptors such as `function(…)` and without
/// options other than the level of `default<O3>`.
fn llvm_passes(text: &str) -> Vec<String> {
    let mut passes = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find([',', '(', ')', '<']) {
        let name = rest[..end].trim();
        let is_adaptor = rest[end..].starts_with('(');
        let options = rest[end..].strip_prefix('<').and_then(|options| options.split_once('>'));
        let level = options.map(|(options, _)| options).filter(|_| name == "default");
        if !name.is_empty() && !is_adaptor {
            passes.push(level.map_or(name.to_owned(), |level| format!("{name}-{level}")));
        }
        rest = options.map_or(&rest[end + 1..], |(_, after)| after);
    }
    if !rest.trim().is_empty() {
        passes.push(rest.trim().to_owned());
    }
    passes
}

/// The part of a file's name for a kernel or a pass: at most 80 characters that every file system
/// and shell takes as they are.
pub fn sanitized(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
    name.chars().take(80).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_llvm_are_told_by_their_passes() {
        let name = |text: &str| short_name(&Step::Llvm(text.to_owned()));
        assert_eq!(name("globaldce"), "llvm-globaldce");
        assert_eq!(name("default<O3>"), "llvm-default-O3");
        assert_eq!(name("function(instcombine<no-verify-fixpoint>,sroa)"), "llvm-instcombine-sroa");
        assert_eq!(
            name("always-inline,cgscc(inline),function(early-cse<memssa>,loop-mssa(licm),simplifycfg,gvn)"),
            "llvm-always-inline-and-5-more"
        );
    }

    #[test]
    fn records_end_with_their_step() {
        let (inner, outer) = record(|| {
            RECORD.with_borrow_mut(|list| {
                list.as_mut().unwrap().push(DumpFile { name: "a".into(), text: String::new() });
            });
            record(is_recording)
        });
        assert_eq!((inner, outer.len()), ((true, Vec::new()), 1));
        assert!(!is_recording());
    }

    #[test]
    fn names_are_fit_for_files() {
        assert_eq!(sanitized("a kernel/of \"é\""), "a_kernel_of____");
        assert_eq!(sanitized(&"k".repeat(1000)).len(), 80);
    }
}
