//! Runs kernels as Native CPU objects for all platforms, under emulation at all lengths of vectors:
//! `emulate FOLDER KERNELS`. That is as many random kernels, and the launches of execution tests
//! that are recorded in FOLDER/launches (`LANEWISE_RECORD`). `LANEWISE_EMULATE=sve,rvv` names the
//! platforms, if not all are to be tried.
//!
//! Objects of all but the first random kernels have no code for ranges with IDs from 2^27 on,
//! unless a recorded launch has one.
//!
//! FOLDER/done has a line for each program of some fifty kernels, so that a run that was stopped
//! goes on where it was, unless this program was built anew. FOLDER/wrong tells what differed,
//! FOLDER/fixed which kernels have vectors of a fixed size although the CPU has scalable ones. The
//! totals are printed at the end.

use compiler::SMALL_RANGE_END;
use lanewise_difftest::emulation::{Batch, Case, PLATFORMS, Platform, Same, record};
use lanewise_difftest::{Result, Totals, check_emulated};
use std::fs::OpenOptions;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// As many kernels are linked into one program.
const CHUNK: usize = 50;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let run = || match &args[..] {
        [folder, kernels] => emulate(Path::new(folder), kernels.parse()?),
        _ => Err("usage: emulate FOLDER KERNELS".into()),
    };
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("emulate: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything is right.
fn emulate(folder: &Path, kernels: u64) -> Result<bool> {
    std::fs::create_dir_all(folder)?;
    let progress = Progress::start(folder)?;
    let launches = folder.join("launches");
    let recorded = if launches.exists() { record::programs(&launches)? } else { Default::default() };
    let recorded: Vec<(String, Vec<PathBuf>)> = recorded.into_iter().collect();
    let only = std::env::var("LANEWISE_EMULATE").unwrap_or_default();
    let is_wanted = |name: &str| only.is_empty() || only.split(',').any(|one| one == name);
    let platforms = PLATFORMS.iter().filter(|platform| platform.runs_here() && is_wanted(platform.name));
    let platforms: Vec<_> = platforms.collect();
    for first in (0..kernels).step_by(CHUNK) {
        for platform in &platforms {
            let seeds = first..(first + CHUNK as u64).min(kernels);
            let what = format!("{} random {}..{}", platform.name, seeds.start, seeds.end);
            // The first ones, as `make test` has them, are whole.
            progress.step(&what, || check_emulated(seeds, platform, first > 0))?;
        }
    }
    for chunk in recorded.chunks(CHUNK) {
        let mut hasher = DefaultHasher::new();
        chunk.hash(&mut hasher);
        for platform in &platforms {
            let what = format!("{} recorded {:016x}", platform.name, hasher.finish());
            progress.step(&what, || replay(folder, chunk, platform))?;
        }
    }
    progress.totals(&platforms)
}

/// Runs recorded programs on all emulated CPUs of a platform.
fn replay(folder: &Path, programs: &[(String, Vec<PathBuf>)], platform: &'static Platform) -> Result<Totals> {
    let mut recorded = Vec::new();
    for (id, paths) in programs {
        let mut program = record::read(id, paths)?;
        // Vector code, also where scalar code is estimated to be faster.
        let options = &mut program.kernel.options;
        if !options.contains("-cl-wfv") && !options.contains("-cl-opt-disable") {
            options.push_str(" -cl-wfv=always");
        }
        if program.kernel.is_for(platform)? {
            recorded.push(program);
        }
    }
    let is_small = |case: &Case| case.launch.range().has_ids_below(SMALL_RANGE_END);
    let batch = Batch {
        kernels: recorded.iter().map(|program| program.kernel.clone()).collect(),
        small: recorded.iter().flat_map(|program| &program.cases).all(is_small),
    };
    let linked = batch.link(platform)?;
    let mut totals = Totals { kernels: recorded.len(), ..Totals::default() };
    let mut cases = Vec::new();
    for (n, program) in recorded.iter().enumerate() {
        let name = format!("{} ({})", program.kernel.name, program.id);
        match &linked.widths[n] {
            Err(e) => totals.wrong.push(format!("{}: {name}: {e}", platform.name)),
            Ok(width) => {
                totals.scalable += usize::from(width.scalable);
                if platform.vscale_bits > 0 && !width.scalable {
                    let why = program.kernel.why_fixed(platform).unwrap_or_else(|e| e.to_string());
                    append(&folder.join("fixed"), &format!("{} {width} {name}: {why}", platform.name))?;
                }
                for case in &program.cases {
                    let mut case = case.clone();
                    case.launch.kernel = n;
                    cases.push(case);
                }
            }
        }
    }
    for on in platform.runs {
        totals.launches += cases.len();
        totals.wrong.extend(linked.differences(on, &cases, Same::NaNs).into_iter().map(|(case, what)| {
            let launch = &cases[case].launch;
            let Some(program) = recorded.get(launch.kernel) else { return what };
            let (name, id, options) = (&program.kernel.name, &program.id, &program.kernel.options);
            let range = (launch.global, launch.offset, launch.local);
            format!("{} {}: {name} ({id}) {options} {range:?}: {what}", platform.name, on.bits)
        }));
    }
    Ok(totals)
}

fn append(path: &Path, line: &str) -> Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    Ok(writeln!(file, "{line}")?)
}

/// What is done, in files.
struct Progress {
    folder: PathBuf,
}

impl Progress {
    /// Goes on with what this very program has done.
    fn start(folder: &Path) -> Result<Progress> {
        let progress = Progress { folder: folder.to_owned() };
        let own = std::env::current_exe()?.metadata()?;
        let built = own.modified()?.duration_since(std::time::UNIX_EPOCH)?.as_nanos();
        let first = format!("built {built}");
        if progress.done().lines().next() != Some(&first) {
            for name in ["done", "wrong", "fixed"] {
                let _ = std::fs::remove_file(folder.join(name));
            }
            append(&folder.join("done"), &first)?;
        }
        // What was wrong is tried again.
        let _ = std::fs::remove_file(folder.join("wrong"));
        Ok(progress)
    }

    fn done(&self) -> String {
        std::fs::read_to_string(self.folder.join("done")).unwrap_or_default()
    }

    /// Does a step that is not done yet, and writes it down. A step with something wrong is done
    /// again the next time.
    fn step(&self, what: &str, run: impl FnOnce() -> Result<Totals>) -> Result<()> {
        if self.done().lines().any(|line| line.starts_with(&format!("{what}: "))) {
            return Ok(());
        }
        let totals = run().unwrap_or_else(|e| Totals { wrong: vec![e.to_string()], ..Totals::default() });
        let Totals { kernels, scalable, launches, wrong } = totals;
        if wrong.is_empty() {
            let line = format!("{what}: {kernels} kernels, {scalable} scalable, {launches} launches");
            println!("{line}");
            return append(&self.folder.join("done"), &line);
        }
        println!("{what}: {} of {launches} launches are wrong", wrong.len());
        wrong.iter().try_for_each(|text| append(&self.folder.join("wrong"), &format!("{what}: {text}")))
    }

    /// Prints the sums of what is done by platforms, and whether all of it is.
    fn totals(&self, platforms: &[&Platform]) -> Result<bool> {
        let done = self.done();
        for platform in platforms {
            for kind in ["random", "recorded"] {
                let start = format!("{} {kind} ", platform.name);
                let mut sums = [0usize; 3];
                for line in done.lines().filter(|line| line.starts_with(&start)) {
                    let numbers = line.rsplit(": ").next().unwrap_or_default().split(", ");
                    for (sum, part) in sums.iter_mut().zip(numbers) {
                        *sum += part.split(' ').next().unwrap_or_default().parse::<usize>()?;
                    }
                }
                let [kernels, scalable, launches] = sums;
                println!("{start}total: {kernels} kernels, {scalable} scalable, {launches} launches");
            }
        }
        let wrong = self.folder.join("wrong");
        if wrong.exists() {
            println!(
                "{} tells what is wrong; remove it and start again once that is mended",
                wrong.display()
            );
        }
        Ok(!wrong.exists())
    }
}
