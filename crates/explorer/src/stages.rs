//! The stages of a compilation from the files of its dump (`passes::dump`): what each step made of
//! the program, what it took, and which line of the source each line of it comes from.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use passes::{DumpFile, dump_name};
use similar::{Algorithm, DiffOp};

use crate::model::{Change, Stage};

/// Differences that take longer to find are not minimal.
const PATIENCE: Duration = Duration::from_millis(200);

/// One run of a pipeline.
#[derive(Debug)]
struct Run<'a> {
    files: Vec<&'a DumpFile>,
    /// The kernel that its last file names.
    kernel: Option<String>,
}

/// The stages of a kernel, and the path of its source. `kernel` is the name of a kernel in the
/// names of files, and may be left out where there is one only.
pub fn stages(files: &[DumpFile], kernel: Option<&str>) -> (Vec<Stage>, Option<String>) {
    let chosen: Vec<&DumpFile> = choose(files, kernel).into_iter().flat_map(|run| run.files).collect();
    let main = chosen.iter().find_map(|file| main_file(&file.text, kernel));
    let mut stages: Vec<Stage> = Vec::new();
    let mut previous: Vec<String> = Vec::new();
    let mut group = String::new();
    for file in chosen {
        let header = Header::of(&file.text);
        if header.is_first {
            group.clone_from(&header.name);
        }
        let Shown { text, lines } = show(&file.text, main.as_deref());
        let now: Vec<String> = text.lines().map(plain).collect();
        let changes = if previous.is_empty() { Vec::new() } else { changes(&previous, &now) };
        let same = stages.len().checked_sub(1).filter(|_| changes.is_empty() && previous == now);
        let text_of = same.map_or(stages.len(), |before| stages[before].text_of);
        let (text, lines) = if same.is_some() { Default::default() } else { (text, lines) };
        let name = if header.is_first { format!("before {}", header.name) } else { header.name };
        // A pipeline that begins where the one before ended has nothing to show for its beginning.
        if !header.is_first || same.is_none() {
            stages.push(Stage {
                name,
                group: group.clone(),
                pass: header.pass,
                ms: header.ms,
                text,
                text_of,
                lines,
                changes,
            });
        }
        previous = now;
    }
    (stages, main)
}

/// The programs in the dump of a process: the first file of each, and its kernels.
pub fn programs(files: &[DumpFile]) -> Vec<(&DumpFile, Vec<String>)> {
    let mut firsts: Vec<&DumpFile> = files.iter().filter(|file| is_start_of(file, "frontend")).collect();
    if firsts.is_empty() {
        firsts = files.first().into_iter().collect();
    }
    firsts.into_iter().map(|file| (file, defined_kernels(&file.text))).collect()
}

fn is_start_of(file: &DumpFile, stage: &str) -> bool {
    let header = Header::of(&file.text);
    header.is_first && header.name == stage
}

/// The kernels that a module defines.
fn defined_kernels(module: &str) -> Vec<String> {
    let defined = module.lines().filter(|line| line.starts_with("define ") && line.contains(" spir_kernel "));
    let name = |line: &str| {
        let rest = line.split_once(" @")?.1;
        let name = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest.split('(').next(),
        };
        name.map(str::to_owned)
    };
    defined.filter_map(name).collect()
}

/// The local size that a kernel was compiled for last, of as many dimensions as its range had.
pub fn local_size(files: &[DumpFile], kernel: &str) -> Option<Vec<usize>> {
    let own = Some(dump_name(kernel));
    let of = |file: &&DumpFile| is_start_of(file, "late") && kernel_of(&file.name) == own;
    let header = Header::of(&files.iter().rfind(of)?.text);
    let option = |key: &str| {
        let text = header.pass.split_once("encode-kernel-metadata<")?.1.split('>').next()?;
        text.split(';').find_map(|option| option.strip_prefix(key))
    };
    let sizes: Option<Vec<usize>> = option("local=")?.split(':').map(|size| size.parse().ok()).collect();
    let dims: usize = option("dims=").and_then(|dims| dims.parse().ok()).unwrap_or(3);
    sizes.map(|mut sizes| {
        sizes.truncate(dims.max(1));
        sizes
    })
}

/// The runs that made a kernel: the last late stage that is the kernel's own, and the stages before
/// it of the program that has the kernel.
fn choose<'a>(files: &'a [DumpFile], kernel: Option<&str>) -> Vec<Run<'a>> {
    let mut runs: Vec<Run<'a>> = Vec::new();
    for file in files {
        if Header::of(&file.text).is_first || runs.is_empty() {
            runs.push(Run { files: Vec::new(), kernel: None });
        }
        let run = runs.last_mut().expect("there is one");
        run.kernel = kernel_of(&file.name);
        run.files.push(file);
    }
    let name_of = |run: &Run<'_>| Header::of(&run.files[0].text).name;
    let own = kernel.map(dump_name);
    let is_of = |run: &Run<'_>| own.is_none() || run.kernel.is_none() || run.kernel == own;
    // What stands before the late stage belongs to several kernels, or to another program.
    let has = |run: &Run<'_>| {
        kernel.is_none_or(|kernel| {
            let defined = defined_kernels(&run.files[0].text);
            defined.is_empty() || defined.iter().any(|name| name == kernel)
        })
    };
    let last = |name: &str, before: usize| {
        let is_late = name == "late";
        runs[..before]
            .iter()
            .rposition(|run| name_of(run) == name && if is_late { is_of(run) } else { has(run) })
    };
    let late = last("late", runs.len());
    let before = late.unwrap_or(runs.len());
    let chosen: Vec<usize> =
        [last("frontend", before), last("canonical", before), late].into_iter().flatten().collect();
    if chosen.is_empty() {
        // Dumps of `lanewise opt`, whose pipelines have no name.
        return runs;
    }
    let mut n = 0;
    runs.retain(|_| {
        n += 1;
        chosen.contains(&(n - 1))
    });
    runs
}

/// The kernel that the name of a file tells: `0017-run-vecz.saxpy.ll`.
fn kernel_of(name: &str) -> Option<String> {
    let (_, rest) = name.strip_suffix(".ll")?.split_once('-')?;
    rest.split_once('.').map(|(_, kernel)| kernel.to_owned())
}

/// The first lines of a dump.
#[derive(Debug, Default)]
struct Header {
    is_first: bool,
    name: String,
    pass: String,
    ms: Option<f64>,
}

impl Header {
    fn of(text: &str) -> Header {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let pass = lines.next().and_then(|line| line.split_once("--passes '")?.1.split_once('\''));
        let pass = pass.map_or(String::new(), |(pass, _)| pass.to_owned());
        let name = |rest: &str| rest.split([',', ':']).next().unwrap_or(rest).to_owned();
        if let Some(rest) = first.strip_prefix("; Before ") {
            return Header { is_first: true, name: name(rest), pass, ms: None };
        }
        let rest = first.strip_prefix("; After ").unwrap_or(first);
        let ms = rest.rsplit_once(", in ").and_then(|(_, time)| time.split_once(" ms")?.0.parse().ok());
        Header { is_first: false, name: name(rest), pass, ms }
    }
}

/// The text of a module as the page shows it.
#[derive(Debug, Default)]
struct Shown {
    text: String,
    lines: Vec<u32>,
}

/// The functions and variables of a module, without what only replays need: the order of uses,
/// metadata, attribute lists. Debug locations become the lines of the source.
fn show(module: &str, main: Option<&str>) -> Shown {
    let debug = Debug::read(module, main);
    let mut shown = Shown::default();
    let mut blank = true;
    for line in module.lines() {
        let noise =
            ["; After ", "; Before ", "; lanewise ", "; Function Attrs", "source_filename", "attributes #"];
        let is_noise = noise.iter().any(|start| line.starts_with(start))
            || line.starts_with('!')
            || line.trim_start().starts_with("uselistorder")
            || line.starts_with("; uselistorder")
            || line.trim() == "; uselistorder directives";
        if is_noise || line.is_empty() && blank {
            continue;
        }
        blank = line.is_empty();
        let (code, location) = match line.split_once("!dbg !") {
            Some((before, after)) => {
                let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let (id, rest) = after.split_at(digits);
                let before = before.trim_end_matches([' ', ',']);
                (format!("{before}{rest}"), debug.line(id.parse().unwrap_or(u32::MAX)))
            }
            None => (line.to_owned(), 0),
        };
        shown.text += &code;
        shown.text.push('\n');
        shown.lines.push(location);
    }
    if blank && !shown.lines.is_empty() {
        shown.text.pop();
        shown.lines.pop();
    }
    shown
}

/// A line without the numbers that a pass changes all over a function when it adds a value: two
/// lines that differ in these are taken for the same.
fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['%', '#', '!']) {
        let (before, after) = rest.split_at(at + 1);
        text += before;
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() < after.len() {
            text.push('0');
        }
    }
    text += rest;
    // Predecessors are a comment.
    match text.find("; preds = ") {
        Some(at) => text[..at].trim_end().to_owned(),
        None => text,
    }
}

fn changes(old: &[String], new: &[String]) -> Vec<Change> {
    let deadline = Some(Instant::now() + PATIENCE);
    let ops = similar::capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline);
    let change = |op: DiffOp| match op {
        DiffOp::Equal { .. } => None,
        op => {
            let (old, new) = (op.old_range(), op.new_range());
            Some(Change { old: old.start, removed: old.len(), new: new.start, added: new.len() })
        }
    };
    ops.into_iter().filter_map(change).collect()
}

/// The debug locations of a module, as far as they lead to lines of its main file.
#[derive(Debug, Default)]
struct Debug {
    nodes: HashMap<u32, Node>,
    /// The files that have the main one's path.
    main: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    line: u32,
    scope: Option<u32>,
    file: Option<u32>,
    inlined_at: Option<u32>,
}

/// The number behind `key` in a metadata node: `line: 12`, `scope: !7`.
fn field(text: &str, key: &str) -> Option<u32> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find(key)?;
        // `line: ` is the end of `scopeLine: `, too.
        if at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric() {
            let rest = text[at + key.len()..].trim_start_matches('!');
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            return rest[..digits].parse().ok();
        }
        from = at + key.len();
    }
}

/// The path of a `DIFile`.
fn path_of(text: &str) -> Option<String> {
    let quoted = |key: &str| Some(text.split_once(key)?.1.split_once('"')?.0.to_owned());
    let name = quoted("filename: \"")?;
    let folder = quoted("directory: \"").filter(|folder| !folder.is_empty() && !name.starts_with('/'));
    Some(folder.map_or(name.clone(), |folder| format!("{}/{name}", folder.trim_end_matches('/'))))
}

/// The nodes of a module: `!12 = !DILocation(…)`.
fn nodes(module: &str) -> impl Iterator<Item = (u32, &str)> {
    module.lines().filter_map(|line| {
        let (id, text) = line.strip_prefix('!')?.split_once(" = ")?;
        Some((id.parse().ok()?, text.trim_start_matches("distinct ")))
    })
}

impl Debug {
    fn read(module: &str, main: Option<&str>) -> Debug {
        let mut debug = Debug::default();
        for (id, text) in nodes(module) {
            if text.starts_with("!DIFile(") && path_of(text).as_deref() == main {
                debug.main.push(id);
            }
            let known = ["!DILocation(", "!DISubprogram(", "!DILexicalBlock"];
            if known.iter().any(|kind| text.starts_with(kind)) {
                let node = Node {
                    line: field(text, "line: ").unwrap_or(0),
                    scope: field(text, "scope: "),
                    file: field(text, "file: "),
                    inlined_at: field(text, "inlinedAt: "),
                };
                debug.nodes.insert(id, node);
            }
        }
        debug
    }

    /// The line of the main file that a location or a function belongs to. Code that was inlined
    /// from another file belongs to the call.
    fn line(&self, id: u32) -> u32 {
        let mut next = Some(id);
        while let Some(node) = next.and_then(|id| self.nodes.get(&id)) {
            if self.is_main(*node) {
                return node.line;
            }
            next = node.inlined_at;
        }
        0
    }

    fn is_main(&self, node: Node) -> bool {
        let mut node = Some(node);
        // Scopes nest less deep than this.
        for _ in 0..1000 {
            match node {
                Some(Node { file: Some(file), .. }) => return self.main.contains(&file),
                Some(Node { scope: Some(scope), .. }) => node = self.nodes.get(&scope).copied(),
                _ => break,
            }
        }
        false
    }
}

/// The path of the file that a kernel is in, or any function.
fn main_file(module: &str, kernel: Option<&str>) -> Option<String> {
    let functions = || nodes(module).filter(|(_, text)| text.starts_with("!DISubprogram("));
    let named = kernel.map(|kernel| format!("name: \"{kernel}\""));
    let is_kernel = |text: &str| named.as_ref().is_some_and(|name| text.contains(name.as_str()));
    let function = functions().find(|(_, text)| is_kernel(text)).or_else(|| functions().next());
    let file = field(function?.1, "file: ")?;
    nodes(module).find(|(id, _)| *id == file).and_then(|(_, text)| path_of(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> DumpFile {
        DumpFile { name: name.into(), text: text.into() }
    }

    const DEBUG: &str = "
!1 = !DIFile(filename: \"k.cl\", directory: \"/a\")
!2 = !DIFile(filename: \"/lib.h\", directory: \"\")
!5 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 3, scopeLine: 4, unit: !0)
!6 = distinct !DISubprogram(name: \"of_a_header\", scope: !2, file: !2, line: 9, unit: !0)
!7 = !DILocation(line: 12, column: 7, scope: !8)
!8 = distinct !DILexicalBlock(scope: !5, file: !1, line: 11)
!9 = !DILocation(line: 90, column: 1, scope: !6, inlinedAt: !7)
!10 = !DILocation(line: 91, column: 1, scope: !6)
";

    #[test]
    fn lines_of_the_source() {
        let text = format!(
            "; After a, from b, in 1.5 ms:\n; lanewise opt --passes 'a<b>' b\ndefine void @k() #0 !dbg !5 \
            {{\n  \
             %1 = add i32 1, 2, !dbg !7\n  %2 = add i32 1, 2, !dbg !9, !tbaa !3\n  ret void, !dbg !10\n\
             \n  uselistorder i32 %1, {{ 1, 0 }}\n}}\n{DEBUG}"
        );
        let (stages, main) = stages(&[file("0001-a.k.ll", &text)], Some("k"));
        assert_eq!(main.as_deref(), Some("/a/k.cl"));
        let [stage] = &stages[..] else { panic!("{stages:?}") };
        assert_eq!((stage.name.as_str(), stage.pass.as_str(), stage.ms), ("a", "a<b>", Some(1.5)));
        assert_eq!(
            stage.text,
            "define void @k() #0 {\n  %1 = add i32 1, 2\n  %2 = add i32 1, 2, !tbaa !3\n  ret void\n\n}\n"
        );
        assert_eq!(stage.lines, [3, 12, 12, 0, 0, 0]);
    }

    #[test]
    fn what_a_pass_changed() {
        let stage =
            |name: &str, body: &str| format!("; {name}:\n; lanewise opt\ndefine void @k() {{\n{body}}}\n");
        let a = "  %1 = add i32 1, 2\n  %2 = sub i32 %1, 2\n";
        // One more value in front, which changes the numbers of the others.
        let b = "  %1 = mul i32 3, 3\n  %2 = add i32 1, 2\n  %3 = sub i32 %2, 2\n";
        let files = [
            file("0000-before-late.k.ll", &stage("Before late", a)),
            file("0001-p.k.ll", &stage("After p, from 0000-before-late.k.ll, in 0.001 ms", a)),
            file("0002-q.k.ll", &stage("After q, from 0001-p.k.ll, in 0.001 ms", b)),
        ];
        let (stages, _) = stages(&files, None);
        assert_eq!(stages.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["before late", "p", "q"]);
        assert_eq!((stages[1].text.as_str(), stages[1].text_of), ("", 0));
        assert_eq!(stages[2].changes, [Change { old: 1, removed: 0, new: 1, added: 1 }]);
        assert!(stages.iter().all(|stage| stage.group == "late"));
    }

    #[test]
    fn programs_of_a_process() {
        let module = |stage: &str, kernel: &str| {
            format!("; Before {stage}:\n;\ndefine dso_local spir_kernel void @{kernel}(ptr %a) #0 {{\n}}\n")
        };
        let late = "; Before late:\n; lanewise opt --passes 'a,encode-kernel-metadata<kernel=k;local=8:4:1;\
                    dims=2;only>,b<c>' x\nL\n";
        let files = [
            file("0000-before-frontend.ll", &module("frontend", "k")),
            file("0001-before-canonical.ll", &module("canonical", "k")),
            file("0002-before-frontend.ll", &module("frontend", "\"other one\"")),
            file("0003-before-canonical.ll", &module("canonical", "\"other one\"")),
            file("0004-before-late.k.ll", late),
            file("0005-before-late.other_one.ll", "; Before late:\n\nM\n"),
        ];
        let found: Vec<_> = programs(&files).into_iter().map(|(_, kernels)| kernels).collect();
        assert_eq!(found, [["k"], ["other one"]]);
        let of = |kernel| stages(&files, Some(kernel)).0.iter().map(|s| s.text.clone()).collect::<String>();
        assert!(of("k").contains("@k(") && of("k").ends_with("L\n") && !of("k").contains("other one"));
        assert!(of("other one").contains("@\"other one\"(") && of("other one").ends_with("M\n"));
        assert_eq!(local_size(&files, "k"), Some(vec![8, 4]));
        assert_eq!(local_size(&files, "other one"), None);
    }

    #[test]
    fn the_last_compilation_of_a_kernel() {
        let files = [
            file("0000-before-canonical.ll", "; Before canonical:\n\nA\n"),
            file("0001-before-late.k.ll", "; Before late:\n\nB\n"),
            file("0002-before-late.other.ll", "; Before late:\n\nC\n"),
            file("0003-before-late.k.ll", "; Before late:\n\nD\n"),
            file("0004-before-late.other.ll", "; Before late:\n\nE\n"),
        ];
        let texts = |kernel| {
            let (stages, _) = stages(&files, Some(kernel));
            stages.iter().map(|stage| stage.text.trim().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(texts("k"), ["A", "D"]);
        assert_eq!(texts("other"), ["A", "E"]);
    }
}
