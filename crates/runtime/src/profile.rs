//! With `LANEWISE_PROFILE=1`: which kernels ran for how long. When the process ends, a table on
//! standard error and a trace in the format of `chrome://tracing` and Perfetto,
//! `lanewise-trace.PID.json` in the current folder.

use crate::clock;
use crate::driver::Launch;
use crate::environment::is_on;
use crate::lock;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, OnceLock};

/// The most launches in a trace: a bound on the memory of a program that runs for days.
const MOST_EVENTS: usize = 1 << 20;

#[derive(Default)]
struct Profile {
    kernels: HashMap<String, Total>,
    events: Vec<Event>,
    /// Launches that came after [`MOST_EVENTS`].
    left_out: u64,
    began: u64,
}

#[derive(Clone, Copy, Default)]
struct Total {
    launches: u64,
    work_items: u64,
    /// From the start of each launch to its end.
    elapsed_ns: u64,
    /// The time of all threads.
    busy_ns: u64,
    /// What all launches moved and computed, and whether one of them could not be counted.
    bytes: f64,
    operations: f64,
    is_uncounted: bool,
}

struct Event {
    kernel: String,
    global_size: [usize; 3],
    local_size: [usize; 3],
    thread: i64,
    started: u64,
    ended: u64,
}

/// `None` where nobody asked.
fn profile() -> Option<&'static Mutex<Profile>> {
    static PROFILE: OnceLock<Option<Mutex<Profile>>> = OnceLock::new();
    PROFILE.get_or_init(begin).as_ref()
}

fn begin() -> Option<Mutex<Profile>> {
    if !is_on("LANEWISE_PROFILE", false) {
        return None;
    }
    extern "C" fn at_exit() {
        finish();
    }
    // SAFETY: a function that takes nothing and returns nothing.
    unsafe { libc::atexit(at_exit) };
    Some(Mutex::new(Profile { began: clock::now(), ..Profile::default() }))
}

/// A launch has ended just now, which began at `started` and kept threads busy for `busy_ns` in
/// all.
pub(crate) fn note(launch: &Launch, started: u64, busy_ns: u64) {
    let Some(profile) = profile() else { return };
    let (name, range, ended) = (&launch.kernel().facts().name, launch.range(), clock::now());
    let mut profile = lock(profile);
    let total = profile.kernels.entry(name.clone()).or_default();
    total.launches += 1;
    total.work_items += range.work_items() as u64;
    total.elapsed_ns += ended.saturating_sub(started);
    total.busy_ns += busy_ns;
    match launch.work() {
        Some((bytes, operations)) => {
            total.bytes += bytes;
            total.operations += operations;
        }
        None => total.is_uncounted = true,
    }
    if profile.events.len() == MOST_EVENTS {
        profile.left_out += 1;
        return;
    }
    // SAFETY: asks for the number of this thread.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) };
    let (global_size, local_size) = (range.global_size, launch.grid().local);
    profile.events.push(Event { kernel: name.clone(), global_size, local_size, thread, started, ended });
}

fn finish() {
    let Some(profile) = profile() else { return };
    let profile = lock(profile);
    eprint!("{}", table(&profile));
    let path = format!("lanewise-trace.{}.json", std::process::id());
    match std::fs::write(&path, trace(&profile)) {
        Ok(()) => eprintln!("lanewise: {path} is for Perfetto and chrome://tracing"),
        Err(e) => eprintln!("lanewise: cannot write {path}: {e}"),
    }
}

fn table(profile: &Profile) -> String {
    let mut kernels: Vec<_> = profile.kernels.iter().collect();
    kernels.sort_by_key(|(name, total)| (std::cmp::Reverse(total.elapsed_ns), *name));
    let all = kernels.iter().map(|(_, total)| total.elapsed_ns).sum::<u64>().max(1) as f64;
    let mut text = format!(
        "lanewise: kernels by time\n{:>9} {:>12} {:>7} {:>12} {:>8} {:>12} {:>9} {:>9}  kernel\n",
        "launches", "time ms", "share", "mean us", "threads", "M items/s", "GB/s", "GFLOP/s"
    );
    for (name, total) in kernels {
        let elapsed = total.elapsed_ns.max(1) as f64;
        // A byte or an operation a nanosecond is a thousand million a second.
        let rate = |amount: f64| match total.is_uncounted || amount == 0.0 {
            true => "-".to_owned(),
            false => format!("{:.3}", amount / elapsed),
        };
        let _ = writeln!(
            text,
            "{:>9} {:>12.3} {:>6.1}% {:>12.3} {:>8.2} {:>12.2} {:>9} {:>9}  {name}",
            total.launches,
            elapsed / 1e6,
            100.0 * elapsed / all,
            elapsed / 1e3 / total.launches as f64,
            total.busy_ns as f64 / elapsed,
            total.work_items as f64 * 1e3 / elapsed,
            rate(total.bytes),
            rate(total.operations),
        );
    }
    if profile.left_out > 0 {
        let _ = writeln!(text, "lanewise: the trace lacks the last {} launches", profile.left_out);
    }
    text
}

fn trace(profile: &Profile) -> String {
    let process = std::process::id();
    let event = |event: &Event| {
        let Event { kernel, global_size, local_size, thread, started, ended } = event;
        let kernel = json_text(kernel);
        let microseconds = |ns: u64| ns as f64 / 1e3;
        format!(
            "{{\"name\":{kernel},\"cat\":\"kernel\",\"ph\":\"X\",\"pid\":{process},\"tid\":{thread},\
             \"ts\":{:.3},\"dur\":{:.3},\
             \"args\":{{\"global_size\":{global_size:?},\"local_size\":{local_size:?}}}}}",
            microseconds(started.saturating_sub(profile.began)),
            microseconds(ended.saturating_sub(*started)),
        )
    };
    let events: Vec<String> = profile.events.iter().map(event).collect();
    format!("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{}\n]}}\n", events.join(",\n"))
}

/// A text as JSON has it. LLVM IR can name a kernel anything.
fn json_text(text: &str) -> String {
    let character = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", c as u32),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(character).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_of_json() {
        assert_eq!(json_text("_Z3fooPf"), r#""_Z3fooPf""#);
        assert_eq!(json_text("a\"b\\c\nd"), r#""a\"b\\c\u000ad""#);
    }

    #[test]
    fn tables_and_traces_name_kernels() {
        let mut profile = Profile::default();
        for (kernel, ns) in [("short", 1_000), ("long", 3_000_000)] {
            let total = Total {
                launches: 2,
                work_items: 3000,
                elapsed_ns: ns,
                busy_ns: 2 * ns,
                bytes: 8e3,
                ..Total::default()
            };
            profile.kernels.insert(kernel.to_owned(), total);
            let sizes = ([64, 1, 1], [16, 1, 1]);
            profile.events.push(Event {
                kernel: kernel.to_owned(),
                global_size: sizes.0,
                local_size: sizes.1,
                thread: 7,
                started: 500,
                ended: 500 + ns,
            });
        }
        let table = table(&profile);
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[2].ends_with("  long") && lines[2].contains("100.0%") && lines[2].contains(" 2.00 "));
        assert!(lines[3].ends_with("     8.000         -  short"), "{table}");
        let trace = trace(&profile);
        assert!(trace.contains(r#""name":"long","cat":"kernel","ph":"X""#));
        assert!(trace.contains(r#""ts":0.500,"dur":3000.000,"args":{"global_size":[64, 1, 1]"#));
    }
}
