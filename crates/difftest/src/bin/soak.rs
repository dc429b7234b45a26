//! Runs many random kernels: `soak [--mistakes] [COUNT] [FIRST SEED] [OPTIONS]`.
//!
//! The seeds of a module are compiled together, and modules that follow each other in other ways
//! ([`Plan::module`]), unless there are options; most kernels are small (`Config::for_many`). The
//! work is done by child processes, one on each core, so that a kernel or a compilation that
//! crashes is found by its seed.
//!
//! Without a first seed, a soak goes on where the last one ended: the file that `SOAK_TOTALS`
//! names, `target/soak/totals` without it, has the next seed and the sums. Differences do not end
//! it: each is cut down and written to a file beside the totals.
//!
//! With `--mistakes`, kernels with a mistake are run in checked mode, and all that are not found as
//! they should be are listed, with their number at the end.

use lanewise_difftest::{Plan, check_mistake, check_module, report};
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::time::Instant;

/// The seeds of a module.
const MODULE: u64 = 32;

/// The modules that a child runs, so that what a process does once weighs little.
const MODULES: u64 = 8;

/// The differences after which a soak ends.
const ENOUGH: usize = 20;

/// What is asked of random kernels.
#[derive(Clone, Copy)]
enum Work<'a> {
    /// That they give what the reference says, with these options.
    Compare(&'a str),
    /// That their mistakes are found.
    Mistakes,
}

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let mistakes = args.iter().position(|a| a == "--mistakes");
    if let Some(at) = mistakes {
        args.remove(at);
    }
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok());
    let work = |i: usize| match mistakes {
        Some(_) => Work::Mistakes,
        None => Work::Compare(args.get(i).map_or("", String::as_str)),
    };
    if args.first().is_some_and(|a| a == "--child") {
        return child(number(1).unwrap_or(0), number(2).unwrap_or(0), work(3));
    }
    let count = number(0).unwrap_or(1000);
    let totals = match (work(2), number(1)) {
        (Work::Compare(_), None) => Totals::read(),
        (_, first) => Totals { next: first.unwrap_or(0), ..Totals::default() },
    };
    parent(totals, count, work(2))
}

/// The sums of all soaks that went on from each other.
#[derive(Clone, Default)]
struct Totals {
    /// None if this soak goes on from no other.
    file: Option<PathBuf>,
    /// All seeds below were run.
    next: u64,
    differences: u64,
    seconds: u64,
}

impl Totals {
    fn read() -> Totals {
        let file = std::env::var_os("SOAK_TOTALS").map_or_else(|| "target/soak/totals".into(), PathBuf::from);
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
        };
        let (next, differences) = (value("next seed"), value("differences"));
        Totals { next, differences, seconds: value("seconds"), file: Some(file) }
    }

    fn write(&self) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let Totals { next, differences, seconds, .. } = self;
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let part = file.with_extension("part");
        std::fs::write(&part, format!("next seed {next}\ndifferences {differences}\nseconds {seconds}\n"))?;
        std::fs::rename(part, file)
    }

    /// Where what was found at a seed is written.
    fn keep(&self, seed: u64, what: &str) {
        let Some(folder) = self.file.as_ref().and_then(|file| file.parent()) else { return };
        let path = folder.join(format!("seed-{seed}.txt"));
        if let Err(e) = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, what)) {
            println!("{}: {e}", path.display());
        }
    }
}

/// Runs seeds in this process.
fn child(first: u64, end: u64, work: Work<'_>) -> ExitCode {
    let options = match work {
        Work::Compare(options) => options,
        Work::Mistakes => return find_mistakes(first, end),
    };
    let mut good = true;
    let mut from = first;
    while from < end {
        let number = from / MODULE;
        let to = end.min((number + 1) * MODULE);
        let mut plan = Plan::module(number);
        if !options.is_empty() {
            plan.options = options.to_owned();
        }
        if let Err(difference) = check_module(from..to, &plan) {
            println!("{} with \"{}\"\n", report(&difference, &plan), plan.options);
            good = false;
        }
        from = to;
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Looks for the mistakes of seeds; lists all that are not found.
fn find_mistakes(first: u64, end: u64) -> ExitCode {
    let Some(reports) = std::env::var_os("LANEWISE_CHECK_JSON") else {
        println!("LANEWISE_CHECK_JSON names no file for the reports");
        return ExitCode::FAILURE;
    };
    let missed = (first..end).filter(|seed| match check_mistake(*seed, Path::new(&reports)) {
        Ok(()) => false,
        Err(what) => {
            println!("{what}");
            true
        }
    });
    if missed.count() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Has a child run seeds; the errors are what it said, or how it died, with the first seed of each.
fn run_child(first: u64, end: u64, work: Work<'_>) -> Vec<(u64, String)> {
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(e) => return vec![(first, e.to_string())],
    };
    let mut command = Command::new(own);
    command.args(["--child", &first.to_string(), &end.to_string()]).env("LANEWISE_THREADS", "1");
    let reports = std::env::temp_dir().join(format!("lanewise-soak-{}-{first}.json", std::process::id()));
    match work {
        Work::Compare(options) => command.arg(options),
        Work::Mistakes => command.arg("--mistakes").env("LANEWISE_CHECK_JSON", &reports),
    };
    let output = command.output();
    let _ = std::fs::remove_file(&reports);
    let output = match output {
        Ok(output) => output,
        Err(e) => return vec![(first, e.to_string())],
    };
    if output.status.success() {
        return vec![];
    }
    // In checked mode standard error is full of the mistakes that were found.
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() == Some(1) && !said.is_empty() {
        return said.split("seed ").skip(1).map(|one| (seed_of(one, first), format!("seed {one}"))).collect();
    }
    if let Work::Compare(_) = work {
        said += &String::from_utf8_lossy(&output.stderr);
    }
    // Which of them? Modules first, then seeds.
    let step = if end - first > MODULE { MODULE } else { 1 };
    if end - first > 1 {
        let parts = (first..end).step_by(step as usize);
        let wrong: Vec<_> = parts.flat_map(|from| run_child(from, end.min(from + step), work)).collect();
        if !wrong.is_empty() {
            return wrong;
        }
    }
    vec![(first, format!("seeds {first} to {}: the process died ({})\n{said}", end - 1, output.status))]
}

/// The number that a text begins with.
fn seed_of(text: &str, otherwise: u64) -> u64 {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(otherwise)
}

/// What the threads of a soak share.
struct State {
    next: u64,
    /// The first seeds of what runs now.
    running: BTreeSet<u64>,
    done: u64,
    /// Differences, or mistakes that were not found.
    wrong: usize,
    totals: Totals,
}

fn parent(before: Totals, count: u64, work: Work<'_>) -> ExitCode {
    let (first, end) = (before.next, before.next + count);
    let start = Instant::now();
    let show = std::io::stdout().is_terminal();
    let good = match work {
        Work::Compare(_) => "kernels compared",
        Work::Mistakes => "kernels with a mistake",
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let chunk = (MODULE * MODULES).min(count.div_ceil(threads as u64).next_multiple_of(MODULE));
    let state = Mutex::new(State {
        next: first,
        running: BTreeSet::new(),
        done: 0,
        wrong: 0,
        totals: before.clone(),
    });
    let lock = || state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let take = || {
        let mut state = lock();
        let from = state.next;
        let enough = matches!(work, Work::Compare(_)) && state.wrong >= ENOUGH;
        if from >= end || enough {
            return None;
        }
        state.next = end.min((from / MODULE * MODULE) + chunk);
        state.running.insert(from);
        Some((from, state.next))
    };
    let finish = |from: u64, to: u64, wrong: Vec<(u64, String)>| {
        let mut state = lock();
        state.running.remove(&from);
        state.done += to - from;
        state.wrong += wrong.len();
        state.totals.next = state.running.first().copied().unwrap_or(state.next);
        state.totals.differences = before.differences + state.wrong as u64;
        state.totals.seconds = before.seconds + start.elapsed().as_secs();
        for (seed, what) in wrong {
            println!("{what}");
            state.totals.keep(seed, &what);
        }
        if let Err(e) = state.totals.write() {
            println!("the totals: {e}");
        }
        let rate = state.done as f64 / start.elapsed().as_secs_f64();
        let (end, wrong) = (if show { "\x1b[A" } else { "" }, state.wrong);
        println!(
            "{}{} {good}, {wrong} wrong, {rate:.1} a second{end}",
            if show { "\r" } else { "" },
            state.done
        );
        let _ = std::io::stdout().flush();
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((from, to)) = take() {
                    finish(from, to, run_child(from, to, work));
                }
            });
        }
    });
    let State { done, wrong, totals, .. } = state.into_inner().unwrap_or_else(|p| p.into_inner());
    let seconds = start.elapsed().as_secs();
    println!("{done} {good} in {seconds} s (seeds {first} to {}): {wrong} wrong", end - 1);
    if let Some(file) = &totals.file {
        let Totals { next, differences, seconds, .. } = &totals;
        println!("{}: {next} in {seconds} s, {differences} differences", file.display());
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
