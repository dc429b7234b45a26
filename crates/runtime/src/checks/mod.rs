//! Checked mode: what a launch of checked code is told of its arguments, and what it found.
//!
//! The compiler's CheckKernels puts the checks into kernels. Such code asks for the launch's record
//! (`__lanewise_check_record`), and calls `__lanewise_check` where a check fails, on the thread
//! that runs the work-item. Findings are kept in the record, one for each place, and reported when
//! the launch has ended: to standard error, to the file of `LANEWISE_CHECK_JSON`, and to the
//! launch's own listener.

pub(crate) mod allocations;
mod barriers;
mod flights;
pub(crate) mod order;
mod origin;
mod races;
mod record;
mod report;
mod shadow;
mod vector_clock;
mod waiting;

pub use origin::Origin;
pub use record::CheckedArgument;
pub(crate) use record::Record;
pub(crate) use report::size as describe_size;
pub use report::{Finding, Ids, Kind, Other};

use crate::device::Device;
use crate::environment::warn_once;
use crate::lock;
use ir::check::{Access, Checks, Event, LaunchField, PlaceTable, Site};
use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

/// What a checked program is checked for without a choice.
pub const USUAL: &str = "bounds,races,uninitialized,barriers,alignment";

/// The build option that the variable `LANEWISE_CHECK` stands for; empty if it is not set. A word
/// that is none is ignored with a warning.
pub fn option_from_environment() -> &'static str {
    static OPTION: OnceLock<String> = OnceLock::new();
    OPTION.get_or_init(|| {
        let text = std::env::var("LANEWISE_CHECK").unwrap_or_default();
        let words: Vec<&str> =
            text.split(',').map(str::trim).filter(|w| !matches!(*w, "" | "fatal")).collect();
        match words.as_slice() {
            ["0"] => String::new(),
            [] if text.is_empty() => String::new(),
            [] | ["1"] => "-cl-lanewise-check".to_owned(),
            words => {
                let known = |word: &&&str| !Checks::from_names([**word]).is_none();
                // Beside others, 1 means all that it means alone.
                let usual: Vec<&str> = USUAL.split(',').filter(|_| words.contains(&"1")).collect();
                let others = words.iter().copied().filter(|word| *word != "1");
                let words: Vec<&str> = others.chain(usual).collect();
                for word in words.iter().filter(|word| !known(word)) {
                    let names = Checks::ALL;
                    warn_once(&format!(
                        "LANEWISE_CHECK: '{word}' is ignored: expected 0, 1, fatal or some of {names}"
                    ));
                }
                let good: Vec<&str> = words.iter().filter(known).copied().collect();
                if good.is_empty() { String::new() } else { format!("-cl-lanewise-check={}", good.join(",")) }
            }
        }
    })
}

/// Build options for a device with those that `LANEWISE_CHECK` stands for in front, so that options
/// for checks in the text itself win. A device without checked mode is left alone, with a warning.
pub fn with_environment(device: &dyn Device, options: &str) -> String {
    let checks = option_from_environment();
    if options.contains("-cl-lanewise-check") {
        IN_USE.store(true, Relaxed);
    }
    match (checks.is_empty(), device.compiler().supports_checks()) {
        (true, _) => options.to_owned(),
        (false, true) => format!("{checks} {options}"),
        (false, false) => {
            warn_once(&format!("LANEWISE_CHECK: {} does not run kernels in checked mode", device.id()));
            options.to_owned()
        }
    }
}

/// Whether a program was built with checks, or is to be: new buffers keep which of their bytes
/// nobody has written, and commands which others come before them.
pub fn is_in_use() -> bool {
    IN_USE.load(Relaxed) || !option_from_environment().is_empty()
}

static IN_USE: AtomicBool = AtomicBool::new(false);

/// Whether the process is to end with [`EXIT_CODE`] if anything was found.
fn is_fatal() -> bool {
    std::env::var("LANEWISE_CHECK").is_ok_and(|text| text.split(',').any(|word| word.trim() == "fatal"))
}

/// The exit code of programs that end because of what was found.
pub const EXIT_CODE: i32 = 3;

static FOUND: AtomicUsize = AtomicUsize::new(0);

/// How many places with mistakes were reported so far.
pub fn found() -> usize {
    FOUND.load(Relaxed)
}

/// A launch that a thread runs.
struct Running {
    record: *const Record,
    /// The record's words, which are the thread's own.
    words: Vec<Cell<u64>>,
}

thread_local! {
    /// The launch that the thread runs.
    static CURRENT: Cell<*const Running> = const { Cell::new(null()) };
}

/// Runs `f`, whose checked code belongs to `record`.
pub(crate) fn with<T>(record: Option<&Record>, f: impl FnOnce() -> T) -> T {
    let Some(record) = record else { return f() };
    /// Sets the launch back, also when the kernel's device panics.
    struct Back(*const Running);
    impl Drop for Back {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let mut words: Vec<Cell<u64>> = record.words().into_iter().map(Cell::new).collect();
    let launch = words.len();
    words.resize(launch + ir::check::LAUNCH_WORDS as usize, Cell::new(0));
    words[launch + LaunchField::Run as usize].set(run_number());
    words[launch + LaunchField::InFlight as usize].set(record.is_in_flight().into());
    let running = Running { record, words };
    let back = Back(CURRENT.replace(&running));
    let _running = record.run();
    barriers::reset();
    let result = f();
    drop(back);
    if running.words[launch + LaunchField::Serial as usize].get() != 0 {
        record.set_serial();
    }
    result
}

/// A number that no memory holds by chance.
fn run_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6c61_6e65_7769_7365
}

/// The words of the arguments and of the launch, for generated code.
pub(crate) extern "C" fn check_record() -> *const u64 {
    // SAFETY: set by `with`, which outlives the code that runs.
    let running = unsafe { CURRENT.get().as_ref() };
    running.map_or(null(), |running| running.words.as_ptr().cast())
}

/// The event of generated code.
pub(crate) extern "C" fn check(site: *const u8, a: u64, b: u64, c: u64, x: u64, y: u64, z: u64) -> u32 {
    // SAFETY: as in `check_record`.
    let Some(running) = (unsafe { CURRENT.get().as_ref() }) else { return 0 };
    // SAFETY: the record outlives the call of `with`.
    let Some(record) = (unsafe { running.record.as_ref() }) else { return 0 };
    let launch = running.words.len() - ir::check::LAUNCH_WORDS as usize;
    record.event(site, [a, b, c], [x, y, z], &running.words[launch..])
}

/// The descriptor at an address of generated code.
fn decode(site: *const u8) -> Option<Site> {
    Site::decode(encoded(site))
}

/// The bytes of a descriptor, without the header.
fn encoded<'a>(site: *const u8) -> &'a [u8] {
    // SAFETY: the compiler made the constant: a length, and so many bytes. It lives as long as the
    // code that runs.
    unsafe {
        let len = u64::from_le_bytes(*site.cast::<[u8; Site::HEADER]>()) as usize;
        std::slice::from_raw_parts(site.add(Site::HEADER), len)
    }
}

/// The descriptor of a place in a table of generated code, and the bytes of its access before it.
fn place(table: *const u8, place: usize) -> Option<(*const u8, u64)> {
    // SAFETY: the compiler made the table: a number, and so many places of eight bytes.
    let head = unsafe {
        let count = u64::from_le_bytes(*table.cast::<[u8; 8]>()) as usize;
        std::slice::from_raw_parts(table, 8 + 8 * count)
    };
    let (site, back) = PlaceTable::decode_place(head, place)?;
    Some((table.wrapping_add(site as usize), back.into()))
}

/// Writes zeros over the shadows of some bytes.
fn define(shadow: u64, bytes: u64) {
    // SAFETY: the launch keeps the buffer with these shadows, which are atomic bytes.
    let shadows = unsafe { std::slice::from_raw_parts(shadow as *const AtomicU8, bytes as usize) };
    shadows.iter().for_each(|byte| byte.store(0, Relaxed));
}

/// Whether any of some shadows is not zero.
fn is_set(shadow: u64, bytes: u64) -> bool {
    // SAFETY: as in `define`; those of local memory are the work-group's own.
    let shadows = unsafe { std::slice::from_raw_parts(shadow as *const AtomicU8, bytes as usize) };
    shadows.iter().any(|byte| byte.load(Relaxed) != 0)
}

/// Whether there is a NUL among some bytes of a string.
fn has_nul(address: u64, bytes: u64) -> bool {
    // SAFETY: the pass says how many bytes of the memory are left from the address on.
    let text = unsafe { std::slice::from_raw_parts(address as *const u8, bytes as usize) };
    text.contains(&0)
}

/// The first facts of a descriptor: the event, the access, whether it is to local memory, and
/// whether its scope is narrow.
fn head(site: *const u8) -> Option<(Event, Access, bool, bool)> {
    // SAFETY: as in `decode`; these fields come first, and have a fixed size.
    let words = unsafe { std::slice::from_raw_parts(site.add(Site::HEADER), Site::HEAD) };
    Site::decode_head(words)
}

/// Receives the text of a report.
pub type Listener = std::sync::Arc<dyn Fn(&str) + Send + Sync>;

/// Writes findings to all who want them.
fn publish(findings: &[Finding], listener: Option<&Listener>) {
    static WRITING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = lock(&WRITING);
    FOUND.fetch_add(findings.len(), Relaxed);
    let texts: Vec<String> = findings.iter().map(Finding::text).collect();
    // Nobody may read them any more: a pipe that was closed.
    let _ = std::io::stderr().write_all(texts.concat().as_bytes());
    if let Some(path) = std::env::var_os("LANEWISE_CHECK_JSON").filter(|path| !path.is_empty()) {
        let lines: String = findings.iter().map(|finding| finding.json() + "\n").collect();
        let file = OpenOptions::new().create(true).append(true).open(&path);
        if let Err(e) = file.and_then(|mut file| file.write_all(lines.as_bytes())) {
            warn_once(&format!("LANEWISE_CHECK_JSON: {} cannot be written: {e}", path.display()));
        }
    }
    if let Some(listener) = listener {
        texts.iter().for_each(|text| listener(text));
    }
    if is_fatal() {
        static ONCE: OnceLock<()> = OnceLock::new();
        ONCE.get_or_init(|| {
            // SAFETY: the function is one of C, and does not unwind.
            unsafe { libc::atexit(end_with_code) };
        });
    }
}

/// Ends the process with [`EXIT_CODE`], after what ran at its end before.
extern "C" fn end_with_code() {
    let _ = std::io::stdout().flush();
    // SAFETY: streams of C are flushed first: `_exit` does not.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(EXIT_CODE);
    }
}
