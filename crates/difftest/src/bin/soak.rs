//! Runs many random kernels: `soak [--mistakes] [COUNT] [FIRST SEED] [OPTIONS]`.
//!
//! Each seed is run with its own local size and one other, at one of all widths unless there are
//! options; every fourth has images. The work is done by child processes, one on each core, so that
//! a kernel or a compilation that crashes is found by its seed. Ends at the first difference, with
//! the program cut down.
//!
//! With `--mistakes`, kernels with a mistake are run in checked mode, and all that are not found as
//! they should be are listed, with their number at the end.

use lanewise_difftest::{Plan, check, check_mistake, report};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Seeds a child runs.
const CHUNK: u64 = 100;

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
    let number = |i: usize, default| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let work = |i: usize| match mistakes {
        Some(_) => Work::Mistakes,
        None => Work::Compare(args.get(i).map_or("", String::as_str)),
    };
    if args.first().is_some_and(|a| a == "--child") {
        return child(number(1, 0), number(2, 0), work(3));
    }
    let (count, first) = (number(0, 1000), number(1, 0));
    parent(first, first + count, work(2))
}

/// Runs seeds in this process.
fn child(first: u64, end: u64, work: Work<'_>) -> ExitCode {
    let options = match work {
        Work::Compare(options) => options,
        Work::Mistakes => return find_mistakes(first, end),
    };
    for seed in first..end {
        let share = if seed % 4 == 3 { Plan::share_of_images(seed) } else { Plan::share(seed) };
        let mut plan = Plan { only_locals: false, ..share };
        if !options.is_empty() {
            plan.options = options.to_owned();
        }
        if let Err(difference) = check(seed, &plan) {
            println!("{}", report(&difference, &plan));
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
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

/// Has a child run seeds; the error is what it said, or how it died.
fn run_child(first: u64, end: u64, work: Work<'_>) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(own);
    command.args(["--child", &first.to_string(), &end.to_string()]).env("LANEWISE_THREADS", "1");
    let reports = std::env::temp_dir().join(format!("lanewise-soak-{}-{first}.json", std::process::id()));
    match work {
        Work::Compare(options) => command.arg(options),
        Work::Mistakes => command.arg("--mistakes").env("LANEWISE_CHECK_JSON", &reports),
    };
    let output = command.output().map_err(|e| e.to_string());
    let _ = std::fs::remove_file(&reports);
    let output = output?;
    if output.status.success() {
        return Ok(());
    }
    // In checked mode standard error is full of the mistakes that were found.
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    if let Work::Compare(_) = work {
        said += &String::from_utf8_lossy(&output.stderr);
    }
    if output.status.code() == Some(1) && !output.stdout.is_empty() {
        return Err(said);
    }
    if end - first > 1 {
        // Which of them?
        let wrong: Vec<String> =
            (first..end).filter_map(|seed| run_child(seed, seed + 1, work).err()).collect();
        return if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) };
    }
    Err(format!("seed {first}: the process died ({})\n{said}", output.status))
}

fn parent(first: u64, end: u64, work: Work<'_>) -> ExitCode {
    let (next, done) = (AtomicU64::new(first), AtomicU64::new(0));
    let (failed, missed) = (AtomicBool::new(false), AtomicU64::new(0));
    let start = Instant::now();
    let show = std::io::stdout().is_terminal();
    let good = match work {
        Work::Compare(_) => "kernels without a difference",
        Work::Mistakes => "kernels with a mistake",
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while !failed.load(Ordering::Relaxed) {
                    let from = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if from >= end {
                        return;
                    }
                    let to = (from + CHUNK).min(end);
                    if let Err(what) = run_child(from, to, work) {
                        println!("{what}");
                        match work {
                            Work::Compare(_) => {
                                failed.store(true, Ordering::Relaxed);
                                return;
                            }
                            Work::Mistakes => {
                                let seeds = what.lines().filter(|line| line.starts_with("seed ")).count();
                                missed.fetch_add(seeds as u64, Ordering::Relaxed);
                            }
                        }
                    }
                    let total = done.fetch_add(to - from, Ordering::Relaxed) + to - from;
                    let rate = total as f64 / start.elapsed().as_secs_f64();
                    if show || total.is_multiple_of(10 * CHUNK) {
                        print!("{}{total} {good}, {rate:.1} a second", if show { "\r" } else { "" });
                        println!("{}", if show { "\x1b[A" } else { "" });
                        let _ = std::io::stdout().flush();
                    }
                }
            });
        }
    });
    let missed = missed.into_inner();
    let seconds = start.elapsed().as_secs_f64();
    match work {
        _ if failed.into_inner() => return ExitCode::FAILURE,
        Work::Compare(_) => println!("{} {good} in {seconds:.0} s", end - first),
        Work::Mistakes => println!("{} {good} in {seconds:.0} s, {missed} not found", end - first),
    }
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
