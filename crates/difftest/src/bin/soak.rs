//! Runs many random kernels: `soak [COUNT] [FIRST SEED] [OPTIONS]`.
//!
//! Each seed is run with its own local size and one other, at one of all widths unless there are
//! options; every fourth has images. The work is done by child processes, one on each core, so that
//! a kernel or a compilation that crashes is found by its seed. Ends at the first difference, with
//! the program cut down.

use lanewise_difftest::{Plan, check, report};
use std::io::{IsTerminal, Write};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Seeds a child runs.
const CHUNK: u64 = 100;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    if args.first().is_some_and(|a| a == "--child") {
        return child(number(1, 0), number(2, 0), args.get(3).map_or("", String::as_str));
    }
    let (count, first) = (number(0, 1000), number(1, 0));
    parent(first, first + count, args.get(2).map_or("", String::as_str))
}

/// Runs seeds in this process.
fn child(first: u64, end: u64, options: &str) -> ExitCode {
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

/// Has a child run seeds; the error is what it said, or how it died.
fn run_child(first: u64, end: u64, options: &str) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new(own)
        .args(["--child", &first.to_string(), &end.to_string(), options])
        .env("LANEWISE_THREADS", "1")
        .output()
        .map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(1) && !output.stdout.is_empty() {
        return Err(said);
    }
    if end - first > 1 {
        // Which of them?
        return (first..end).try_for_each(|seed| run_child(seed, seed + 1, options));
    }
    Err(format!("seed {first}: the process died ({})\n{said}", output.status))
}

fn parent(first: u64, end: u64, options: &str) -> ExitCode {
    let (next, done) = (AtomicU64::new(first), AtomicU64::new(0));
    let failed = AtomicBool::new(false);
    let start = Instant::now();
    let show = std::io::stdout().is_terminal();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while !failed.load(Ordering::Relaxed) {
                    let from = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if from >= end {
                        return;
                    }
                    let to = (from + CHUNK).min(end);
                    if let Err(what) = run_child(from, to, options) {
                        failed.store(true, Ordering::Relaxed);
                        println!("{what}");
                        return;
                    }
                    let total = done.fetch_add(to - from, Ordering::Relaxed) + to - from;
                    let rate = total as f64 / start.elapsed().as_secs_f64();
                    if show || total.is_multiple_of(10 * CHUNK) {
                        print!(
                            "{}{total} kernels without a difference, {rate:.1} a second",
                            if show { "\r" } else { "" }
                        );
                        println!("{}", if show { "\x1b[A" } else { "" });
                        let _ = std::io::stdout().flush();
                    }
                }
            });
        }
    });
    if failed.load(Ordering::Relaxed) {
        return ExitCode::FAILURE;
    }
    println!("{} kernels without a difference in {:.0} s", end - first, start.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}
