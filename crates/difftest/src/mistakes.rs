//! Random kernels with one mistake, in checked mode: it is found, at its line and work-item, and in
//! the kernel without it nothing is.

use crate::random::{Plan, launch_once};
use crate::run::Program;
use kernelgen::{Config, Features, MistakeKind, Mistaken, generate};
use std::path::Path;

/// How many kernels with a mistake are made of one without.
const MISTAKES: u64 = 5;

/// The kernel and the kind of mistake of a seed.
fn kind_of(seed: u64) -> MistakeKind {
    MistakeKind::ALL[(seed / MISTAKES) as usize % MistakeKind::ALL.len()]
}

/// Small kernels: code with all checks takes long to make. Sub-groups, whose size the compiler
/// chooses, and numbers that become NaN by themselves are left out.
fn config(kind: MistakeKind) -> Config {
    let floats = kind != MistakeKind::Arithmetic;
    Config {
        features: Features {
            sub_groups: false,
            floats,
            doubles: floats,
            halves: floats,
            ..Features::default()
        },
        statements: 4,
        block_depth: 2,
        expr_depth: 1,
        max_helpers: 1,
        barrier_percent: 60,
        min_items: 24,
        max_items: 96,
        max_group: 32,
        ..Config::default()
    }
}

/// Runs the kernel of a seed with a mistake, and every fifth also without. Reports are read from
/// the file that `LANEWISE_CHECK_JSON` names. The error says what was not found, or what was though
/// it is not there.
pub fn check_mistake(seed: u64, reports: &Path) -> Result<(), String> {
    let kind = kind_of(seed);
    let clean = generate(seed / MISTAKES, &config(kind));
    let check = match kind {
        MistakeKind::Arithmetic => "-cl-lanewise-check=arithmetic",
        _ => "-cl-lanewise-check",
    };
    // LLVM's own optimisation is most of the time of a kernel: one of four has all of it.
    let quick = if (seed / MISTAKES).is_multiple_of(4) { "" } else { "--quick-code" };
    let options = format!("-cl-std=CL3.0 {check} {} {quick}", Plan::share(seed).options);
    let found = |program: &kernelgen::Program| -> Result<Vec<String>, String> {
        std::fs::write(reports, "").map_err(|e| e.to_string())?;
        let built = Program::build(&program.source, &options)
            .map_err(|log| format!("seed {seed}: build failed: {log}\n{}", program.source))?;
        let kernel = built.kernel(&program.kernel).ok_or("the program has no such kernel")?;
        launch_once(&kernel, program, &program.launch).map_err(|e| format!("seed {seed}: {e}"))?;
        let text = std::fs::read_to_string(reports).map_err(|e| e.to_string())?;
        Ok(text.lines().map(str::to_owned).collect())
    };
    let wrong = |what: &str, program: &kernelgen::Program, found: &[String]| {
        let found = found.join("\n");
        Err(format!(
            "seed {seed}, {options}, {:?}: {what}\nfound: {found}\n{}",
            program.launch, program.source
        ))
    };
    if seed.is_multiple_of(MISTAKES) {
        let findings = found(&clean)?;
        if !findings.is_empty() {
            return wrong("a mistake is reported that is not there", &clean, &findings);
        }
    }
    // A work-group of one work-item has no barrier that others miss.
    let kinds = [kind, MistakeKind::OutOfBounds];
    let Some(mistaken) = kinds.into_iter().find_map(|kind| clean.with_mistake(kind, seed)) else {
        return Err(format!("seed {seed}: no place for a mistake ({kind:?})\n{}", clean.source));
    };
    let findings = found(&mistaken.program)?;
    match findings.is_empty() || findings.iter().any(|finding| !fits(&mistaken, finding)) {
        false => Ok(()),
        true => {
            let Mistaken { kind, line, first, count, .. } = mistaken;
            let what = format!("expected {} in line {line} by {first:?}, {count} times", kind.name());
            wrong(&what, &mistaken.program, &findings)
        }
    }
}

/// Whether a report, an object in JSON, is of the mistake.
fn fits(mistaken: &Mistaken, report: &str) -> bool {
    let has = |name: &str, value: &str| {
        report.contains(&format!("\"{name}\":{value},")) || report.contains(&format!("\"{name}\":{value}}}"))
    };
    // The report's own fields come before those of the second access of a race.
    let first = |name: &str, value: &str| {
        let key = format!("\"{name}\":");
        report.find(&key).is_some_and(|at| report[at + key.len()..].starts_with(value))
    };
    first("kind", &format!("\"{}\"", mistaken.kind.name()))
        && first("line", &format!("{},", mistaken.line))
        && mistaken.first.is_none_or(|[x, y, z]| {
            first("global_id", &format!("[{x},{y},{z}]")) && has("count", &mistaken.count.to_string())
        })
}
