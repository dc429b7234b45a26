//! Checked mode over a corpus of small kernels: each has one mistake, which is found at its line
//! and work-item, and a mended twin in which nothing is found.
//!
//! The kernels are in `checked/*.cl`. One begins with its comments:
//!
//! ```text
//! // run: -g 64 -l 16 --arg zeros:64
//! // check: races                        (what is checked; all but arithmetic without it)
//! // expect: out-of-bounds write global_id=63,0,0 argument=0 offset=256 size=4 count=1
//! kernel void too_far(global int *out) {
//!     int i = get_global_id(0);
//!     out[i + 1] = i; // HERE => out[i] = i;
//! }
//! ```
//!
//! `HERE` marks the line of the report, or the lines that are as good as each other. `OTHER` marks
//! the second access of a race; without it both are in the same line. The twin has what stands
//! after `=>` in place of the line. `a|b` in an expectation allows both. A kernel that expects
//! nothing has no twin.

mod common;
#[path = "common/findings.rs"]
mod findings;

use common::Folder;
use findings::{Expectation, Json, Places};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Options under which each finding must be the same. A kernel is run with the default and one of
/// them in turn, or with all where `LANEWISE_TEST_ALL_WIDTHS` is set.
const OPTIONS: [&str; 7] = [
    "-cl-wfv=never",
    "-cl-wfv=always --lanes 4",
    "-cl-opt-disable",
    "-cl-wfv=always --lanes 16",
    "-cl-wfv=always --lanes 2",
    "-cl-wfv=always --linear-lanes",
    "-cl-wfv=always --lanes 64",
];

/// No kernel of the corpus runs for longer, also not those that wait for ever.
const LONGEST: Duration = Duration::from_secs(120);

#[test]
fn bounds_of_global_memory() {
    check_file("bounds_global.cl");
}

#[test]
fn bounds_of_local_and_constant_memory() {
    check_file("bounds_local.cl");
}

#[test]
fn bounds_of_private_memory() {
    check_file("bounds_private.cl");
}

#[test]
fn bounds_through_pointers() {
    check_file("bounds_pointers.cl");
}

#[test]
fn bounds_in_functions_of_the_language() {
    check_file("bounds_builtins.cl");
}

#[test]
fn pixels_of_images() {
    check_file("images.cl");
}

#[test]
fn writes_to_const_memory() {
    check_file("read_only.cl");
}

#[test]
fn races_in_local_memory() {
    check_file("races_local.cl");
}

#[test]
fn races_that_proofs_must_not_hide() {
    check_file("races_proofs.cl");
}

#[test]
fn races_in_global_memory() {
    check_file("races_global.cl");
}

#[test]
fn races_with_atomics() {
    check_file("races_atomics.cl");
}

#[test]
fn races_at_pixels() {
    check_file("races_images.cl");
}

#[test]
fn uninitialized_values() {
    check_file("uninitialized.cl");
}

#[test]
fn barriers() {
    check_file("barriers.cl");
}

#[test]
fn collectives_and_waiting_loops() {
    check_file("collectives.cl");
}

#[test]
fn alignment() {
    check_file("alignment.cl");
}

#[test]
fn arithmetic() {
    check_file("arithmetic.cl");
}

#[test]
fn uncommon_ways() {
    check_file("uncommon.cl");
}

#[test]
fn whole_algorithms() {
    check_file("algorithms.cl");
}

#[test]
fn more_of_all_kinds() {
    check_file("more.cl");
}

#[test]
fn kernels_without_a_mistake() {
    check_file("clean.cl");
}

/// A bad read gives 0 and a bad write is dropped: the neighbours in memory are untouched.
#[test]
fn the_program_goes_on() {
    let folder = Folder::new();
    folder.write(
        "k.cl",
        "kernel void k(global int *out, global const int *in) {
             int i = get_global_id(0), a[4] = {1, 2, 3, 4};
             a[(i & 3) + 4] = 9;
             out[i] = 5 + in[i + 60] + a[i & 3];
             out[i - 64] = 7;
         }",
    );
    let line = "run k.cl -g 64 -l 16 --check --arg zeros:64 --arg iota:64 --out 0=out.bin --out 1=in.bin";
    let output = folder.command(line).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    let expected = |i: u32| 5 + if i < 4 { i + 60 } else { 0 } + (i & 3) + 1;
    assert_eq!(common::ints(&folder.read("out.bin")), (0..64).map(expected).collect::<Vec<_>>());
    assert_eq!(common::ints(&folder.read("in.bin")), (0..64).collect::<Vec<_>>());
}

/// What a person reads: the mistake, the line with a caret, the work-item, the buffer, the calls.
#[test]
fn the_report_on_standard_error() {
    let folder = Folder::new();
    folder.write(
        "k.cl",
        "void put(global int *to, int at) {\n    to[at + 3] = at;\n}\n\
         kernel void far(global int *first, global int *out) {\n    put(out, get_global_id(0));\n}\n",
    );
    let line = "run k.cl -g 64 -l 16 --check --arg zeros:64 --arg zeros:64";
    let output = folder.command(line).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    for part in ["far", "k.cl:2:", "    to[at + 3] = at;", "^", "byte 256 of 256", "argument 1", "`out`"] {
        assert!(errors.contains(part), "no {part:?} in\n{errors}");
    }
    // The first of three work-items, the number of them, and the caller.
    for part in ["(61, 0, 0)", "(13, 0, 0)", "(3, 0, 0)", "3 times", "'far' at k.cl:5"] {
        assert!(errors.contains(part), "no {part:?} in\n{errors}");
    }
    assert_eq!(errors.matches("out-of-bounds").count().max(errors.matches("out of bounds").count()), 1);
}

/// The ways to ask for checks, and that nothing is checked without.
#[test]
fn ways_to_ask() {
    let folder = Folder::new();
    folder.write(
        "k.cl",
        "kernel void k(global int *out, global const int *in) {
             int i = get_global_id(0);
             out[i] = in[i] / in[i] + in[i + 1];
         }",
    );
    let line = "run k.cl -g 16 -l 16 --arg zeros:16 --arg iota:17";
    let kinds = |more: &str, variable: Option<&str>| {
        let mut command = folder.command(&format!("{line} {more}"));
        command.env_remove("LANEWISE_CHECK").env("LANEWISE_CHECK_JSON", folder.path("found.json"));
        if let Some(value) = variable {
            command.env("LANEWISE_CHECK", value);
        }
        let _ = std::fs::remove_file(folder.path("found.json"));
        let output = command.output().unwrap();
        let found = findings::read(&folder.path("found.json")).unwrap();
        let kinds: Vec<String> = found.iter().map(|f| f["kind"].text().to_owned()).collect();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), kinds, errors)
    };
    // A division by zero is the only mistake: found where arithmetic is asked for by name.
    for (more, variable) in [
        ("", None),
        ("--check", None),
        ("", Some("1")),
        ("", Some("0")),
        ("", Some("bounds,races,uninitialized,barriers,alignment")),
        ("--options -cl-lanewise-check", None),
    ] {
        let (code, kinds, errors) = kinds(more, variable);
        assert!(code == Some(0) && kinds.is_empty(), "{more} {variable:?}: {code:?} {kinds:?}\n{errors}");
    }
    for variable in ["arithmetic", "bounds,arithmetic", "1,arithmetic"] {
        let (code, kinds, errors) = kinds("", Some(variable));
        assert_eq!((code, kinds), (Some(3), vec!["arithmetic".to_owned()]), "{variable}\n{errors}");
    }
    let (code, kinds_found, errors) = kinds("--check=1,arithmetic", None);
    assert_eq!((code, kinds_found), (Some(3), vec!["arithmetic".to_owned()]), "{errors}");
    let message = folder.fails(2, &format!("{line} --check=bounds,bound"));
    assert!(message.contains("--check: 'bound' is none of bounds,races"), "{message}");
    let (_, kinds, errors) = kinds("", Some("bound"));
    assert!(kinds.is_empty() && errors.contains("LANEWISE_CHECK: 'bound' is ignored"), "{errors}");
}

#[test]
fn the_corpus_is_large_and_all_of_it_is_run() {
    let mut faulty = 0;
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checked.rs")).unwrap();
    for entry in std::fs::read_dir(corpus()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(text.contains(&format!("check_file({name:?})")), "no test runs {name}");
        faulty += cases(&name).iter().filter(|case| !case.expected.is_empty()).count();
    }
    assert!(faulty >= 150, "{faulty} kernels with a mistake");
}

/// A kernel of the corpus.
struct Case {
    name: String,
    /// The text from its first comment to that of the next kernel.
    source: String,
    run: String,
    check: Option<String>,
    expected: Vec<Expectation>,
    places: Places,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checked")
}

fn cases(file: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(corpus().join(file)).unwrap();
    let mut parts: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("// run:") {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            writeln!(part, "{line}").unwrap();
        }
    }
    parts.into_iter().map(|source| case(file, source)).collect()
}

fn case(file: &str, source: String) -> Case {
    let directive = |name: &str| {
        let start = format!("// {name}: ");
        source.lines().filter_map(|line| line.strip_prefix(&start)).map(str::to_owned).collect::<Vec<_>>()
    };
    let kernels: Vec<&str> = source.lines().filter_map(|line| line.strip_prefix("kernel void ")).collect();
    assert_eq!(kernels.len(), 1, "{file}: kernels begin with `// run:`\n{source}");
    let name = kernels[0].split('(').next().unwrap().to_owned();
    let places = Places::of(&source);
    let expected: Vec<Expectation> = directive("expect").iter().map(|text| Expectation::new(text)).collect();
    assert_eq!(expected.is_empty(), places.here.is_empty(), "{file}: {name} expects something `// HERE`");
    assert_eq!(expected.is_empty(), mended(&source) == source, "{file}: {name} has `=>`");
    let [run] = directive("run").try_into().expect("one line `// run:`");
    Case { name, run, check: directive("check").pop(), expected, places, source }
}

/// The source without the mistake: what follows `=>` replaces its line.
fn mended(source: &str) -> String {
    let lines = source.lines().map(|line| match line.split_once("=>") {
        Some((before, after)) if before.contains("//") => after.trim(),
        _ => line,
    });
    lines.fold(String::new(), |text, line| text + line + "\n")
}

fn check_file(file: &str) {
    let all = std::env::var_os("LANEWISE_TEST_ALL_WIDTHS").is_some();
    let cases = cases(file);
    let mut runs = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let mut options = vec![""];
        options.extend(if all { &OPTIONS[..] } else { &OPTIONS[i % OPTIONS.len()..][..1] });
        for (nth, options) in options.into_iter().enumerate() {
            runs.push(Run { case, options, mended: false });
            // The twins with other options, too: one of four, for the time.
            if !case.expected.is_empty() && (nth == 0 || all || i % 4 == 0) {
                runs.push(Run { case, options, mended: true });
            }
        }
    }
    let mut failures = Vec::new();
    for (run, outcome) in runs.iter().zip(run_all(&runs)) {
        let expected = if run.mended { &[][..] } else { &run.case.expected };
        if let Err(message) = check(run.case, expected, &run.line("k.cl"), &outcome) {
            let twin = if run.mended { "the mended twin: " } else { "" };
            let with = if run.options.is_empty() { "" } else { " with " };
            failures.push(format!("{}{with}{}: {twin}{message}", run.case.name, run.options));
        }
    }
    assert!(failures.is_empty(), "{file}: {} failures\n\n{}", failures.len(), failures.join("\n\n"));
}

/// A kernel of the corpus with some options, or its twin.
struct Run<'a> {
    case: &'a Case,
    options: &'a str,
    mended: bool,
}

impl Run<'_> {
    /// The command line of the program.
    fn line(&self, file: &str) -> String {
        // A kernel may have target options of its own.
        let (run, own) = self.case.run.split_once("--options").unwrap_or((&self.case.run, ""));
        let check = self.case.check.as_ref().map_or("--check".to_owned(), |kinds| format!("--check={kinds}"));
        format!("run {file} {check} {run} --options '-cl-std=CL3.0 {} {own}'", self.options)
    }
}

/// What a run of the program left.
struct Outcome {
    /// The exit code; the words for what happened if there is none.
    code: Result<u8, String>,
    errors: String,
    found: String,
}

/// The variable with the folder of a worker's runs.
const WORKER: &str = "LANEWISE_TEST_CHECKED_WORKER";

/// Runs the program, several times in one process: most of the time of a short run is that of
/// loading LLVM. A run that does not come back ends its process, and another one does the rest.
fn run_all(runs: &[Run<'_>]) -> Vec<Outcome> {
    let folder = Folder::new();
    for (i, run) in runs.iter().enumerate() {
        let source = if run.mended { mended(&run.case.source) } else { run.case.source.clone() };
        std::fs::create_dir(folder.path(&i.to_string())).unwrap();
        folder.write(&format!("{i}/k.cl"), source);
    }
    let mut outcomes = Vec::new();
    while outcomes.len() < runs.len() {
        let lines = runs.iter().enumerate().skip(outcomes.len());
        let lines: Vec<String> =
            lines.map(|(i, run)| run.line(folder.path(&format!("{i}/k.cl")).to_str().unwrap())).collect();
        folder.write("runs", lines.join("\n"));
        ["results", "errors", "found.json"].into_iter().for_each(|name| folder.write(name, ""));
        let errors = std::fs::OpenOptions::new().append(true).open(folder.path("errors")).unwrap();
        let mut worker = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "worker", "--ignored", "--nocapture", "--test-threads=1"])
            .env(WORKER, folder.path(""))
            .env("LANEWISE_CHECK_JSON", folder.path("found.json"))
            .env_remove("LANEWISE_CHECK")
            .env_remove("LANEWISE_DUMP")
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .unwrap();
        let (mut last, mut since) = (0, Instant::now());
        let ended = loop {
            if let Some(status) = worker.try_wait().unwrap() {
                break format!("{status:?}");
            }
            let done = folder.read("results").len();
            if done > last {
                (last, since) = (done, Instant::now());
            }
            if since.elapsed() > LONGEST {
                worker.kill().unwrap();
                worker.wait().unwrap();
                break "it does not end".to_owned();
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        outcomes.extend(read_outcomes(&folder, lines.len(), ended));
    }
    outcomes
}

/// The outcomes of a worker that has ended, at least one of `expected`.
fn read_outcomes(folder: &Folder, expected: usize, ended: String) -> Vec<Outcome> {
    let text = |name: &str| String::from_utf8_lossy(&folder.read(name)).into_owned();
    let (results, errors, found) = (text("results"), text("errors"), text("found.json"));
    let (mut errors, mut found) = (errors.as_str(), found.as_str());
    let mut outcomes = Vec::new();
    for line in results.lines() {
        let numbers: Vec<usize> = line.split(' ').map(|n| n.parse().unwrap()).collect();
        let [code, error_bytes, found_bytes] = numbers[..] else { panic!("{line}") };
        let (own_errors, own_found);
        (own_errors, errors) = errors.split_at(error_bytes);
        (own_found, found) = found.split_at(found_bytes);
        let (errors, found) = (own_errors.to_owned(), own_found.to_owned());
        outcomes.push(Outcome { code: Ok(code as u8), errors, found });
    }
    if outcomes.len() < expected {
        outcomes.push(Outcome { code: Err(ended), errors: errors.to_owned(), found: found.to_owned() });
    }
    outcomes
}

/// The process that [`run_all`] starts.
#[test]
#[ignore = "the other tests run it as a process of its own"]
fn worker() {
    let Some(folder) = std::env::var_os(WORKER).map(PathBuf::from) else { return };
    let size = |name: &str| std::fs::metadata(folder.join(name)).unwrap().len();
    let mut results = std::fs::OpenOptions::new().append(true).open(folder.join("results")).unwrap();
    for line in std::fs::read_to_string(folder.join("runs")).unwrap().lines() {
        let before = ["errors", "found.json"].map(size);
        let code = lanewise_cli::run(common::words(line).into_iter().map(Into::into).collect());
        let after = ["errors", "found.json"].map(size);
        writeln!(results, "{code} {} {}", after[0] - before[0], after[1] - before[1]).unwrap();
    }
}

/// Compares what a run found with what is expected.
fn check(case: &Case, expected: &[Expectation], line: &str, outcome: &Outcome) -> Result<(), String> {
    let Outcome { code: status, errors, found } = outcome;
    let found = findings::parse(found)?;
    let text = || format!("{line}\n{errors}");
    let code = if expected.is_empty() { 0 } else { 3 };
    if errors.contains("panicked") {
        return Err(format!("a panic\n{}", text()));
    }
    if *status != Ok(code) && (found.is_empty() || !expected.is_empty()) {
        return Err(format!("{status:?} in place of {code}\n{}", text()));
    }
    let mut unmatched: Vec<&Expectation> = expected.iter().collect();
    for finding in &found {
        let matched: Vec<_> = expected.iter().map(|e| matches(case, e, finding)).collect();
        match matched.iter().position(Result::is_ok) {
            Some(place) => unmatched.retain(|e| !std::ptr::eq(*e, &expected[place])),
            None => {
                let reasons = matched.into_iter().filter_map(Result::err).collect::<Vec<_>>().join("; ");
                return Err(format!("not expected: {finding:?}\n{reasons}\n{}", text()));
            }
        }
    }
    if let Some(missing) = unmatched.first() {
        return Err(format!("not found: {}\n{}", missing.text, text()));
    }
    // A line that reads and writes may race in several ways, and two barriers miss each other.
    let once = expected.iter().all(|e| e.kind != "race" && e.kind != "barrier");
    if found.len() != expected.len() && once {
        return Err(format!("{} findings, expected are {}\n{}", found.len(), expected.len(), text()));
    }
    Ok(())
}

fn matches(case: &Case, expected: &Expectation, finding: &Json) -> Result<(), String> {
    if !finding["file"].text().ends_with("k.cl") {
        return Err("it has no file".to_owned());
    }
    expected.matches(&case.name, &case.places, finding)
}
