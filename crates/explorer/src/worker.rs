//! Compiles and runs in processes of their own, with limits on their time and memory: what the page
//! asks for may loop for ever, and a crash must not end the server.

use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, prlimit};

/// What one process may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    /// Bytes of its address space.
    pub memory: u64,
    /// Bytes that it may print.
    pub output: u64,
    /// What a process that ended without a word has probably done.
    pub cause: &'static str,
}

impl Limits {
    /// Those of a compilation.
    pub const COMPILE: Limits = Limits {
        time: Duration::from_secs(120),
        memory: 4 << 30,
        output: 512 << 20,
        cause: "perhaps the compiler needs more memory than its limit",
    };
    /// Those of a run, whose buffers count.
    pub const RUN: Limits = Limits {
        time: Duration::from_secs(120),
        memory: 16 << 30,
        output: 64 << 20,
        cause: "the kernel reads or writes what is not its own; `lanewise run --check` says where",
    };
}

/// The most bytes of what a process says about its failure.
const MOST_MESSAGE: usize = 4 << 10;

/// How often it is looked whether somebody still waits for a process.
const LOOK: Duration = Duration::from_millis(100);

/// Ends a process that is no longer waited for.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs this program with other arguments: what it printed, or the message it ended with. It is
/// ended when nobody wants its answer any more.
pub fn run(words: &[OsString], limits: Limits, is_wanted: &dyn Fn() -> bool) -> Result<Vec<u8>, String> {
    let program = std::env::current_exe().map_err(|e| format!("this program is not found: {e}"))?;
    run_program(Command::new(program).args(words), limits, is_wanted)
}

fn run_program(
    command: &mut Command,
    limits: Limits,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Vec<u8>, String> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Guard(command.spawn().map_err(|e| format!("cannot start a process: {e}"))?);
    let pid = i32::try_from(child.0.id()).ok().and_then(Pid::from_raw);
    let limit = |resource, value| {
        prlimit(pid, resource, Rlimit { current: Some(value), maximum: Some(value) })
            .map_err(|e| format!("cannot limit a process: {e}"))
    };
    limit(Resource::As, limits.memory)?;
    // The cores together: a process that the wall clock does not end in time ends by this.
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    limit(Resource::Cpu, (limits.time.as_secs() + 1) * cores)?;
    limit(Resource::Core, 0)?;

    let (send, ended) = mpsc::channel();
    let most = limits.output;
    let read = |stream: Option<Box<dyn Read + Send>>, most: u64| {
        let send = send.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(stream) = stream {
                let _ = stream.take(most + 1).read_to_end(&mut bytes);
            }
            let _ = send.send(());
            bytes
        })
    };
    let out = read(child.0.stdout.take().map(|s| Box::new(s) as _), most);
    let err = read(child.0.stderr.take().map(|s| Box::new(s) as _), 1 << 20);
    let start = std::time::Instant::now();
    let mut open = 2;
    while open > 0 {
        let left = limits.time.saturating_sub(start.elapsed());
        match ended.recv_timeout(left.min(LOOK)) {
            Ok(()) => open -= 1,
            Err(_) if left.is_zero() => {
                return Err(format!("stopped after {} s, which is the limit", limits.time.as_secs()));
            }
            Err(_) if !is_wanted() => return Err("stopped".to_owned()),
            Err(_) => {}
        }
    }
    let status = child.0.wait().map_err(|e| format!("a process was lost: {e}"))?;
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    if out.len() as u64 > most {
        return Err(format!("stopped: it has more than {} MiB to show", most >> 20));
    }
    if status.success() {
        return Ok(out);
    }
    // Kernels print to standard error, too: the message is at its end.
    let text = String::from_utf8_lossy(&err[err.len().saturating_sub(MOST_MESSAGE)..]).trim().to_owned();
    Err(match (text.is_empty(), status.code()) {
        (true, _) => format!("ended with {status}: {}", limits.cause),
        (false, None) => format!("ended with {status}: {}\n{text}", limits.cause),
        (false, Some(_)) => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str, limits: Limits) -> Result<String, String> {
        let out = run_program(Command::new("sh").args(["-c", text]), limits, &|| true)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn what_is_printed_comes_back() {
        assert_eq!(shell("echo a; echo b >&2", Limits::COMPILE), Ok("a\n".to_owned()));
        assert_eq!(shell("echo why >&2; exit 1", Limits::COMPILE), Err("why".to_owned()));
    }

    #[test]
    fn a_process_without_words_has_a_probable_cause() {
        let wrong = shell("kill -SEGV $$", Limits::RUN).unwrap_err();
        assert!(wrong.contains("SIGSEGV") && wrong.contains("--check"), "{wrong}");
        // Also if the kernel has printed something before.
        let wrong = shell("echo hello >&2; kill -SEGV $$", Limits::RUN).unwrap_err();
        assert!(wrong.contains("SIGSEGV") && wrong.ends_with("hello"), "{wrong}");
        let wrong = shell("head -c 100000 /dev/zero >&2; echo why >&2; exit 1", Limits::RUN).unwrap_err();
        assert!(wrong.ends_with("why") && wrong.len() < 10_000, "{wrong}");
    }

    #[test]
    fn time_is_limited() {
        let limits = Limits { time: Duration::from_millis(300), ..Limits::COMPILE };
        let start = std::time::Instant::now();
        let wrong = shell("while true; do :; done", limits).unwrap_err();
        assert!(wrong.contains("the limit"), "{wrong}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn what_nobody_waits_for_is_ended() {
        let start = std::time::Instant::now();
        let mut command = Command::new("sh");
        let wrong = run_program(command.args(["-c", "sleep 100"]), Limits::RUN, &|| false).unwrap_err();
        assert!(wrong == "stopped" && start.elapsed() < Duration::from_secs(50), "{wrong}");
    }

    #[test]
    fn memory_is_limited() {
        // The limits are set just after the process has started.
        let ask = "sleep 0.3; ulimit -v";
        assert_eq!(shell(ask, Limits { memory: 1 << 30, ..Limits::COMPILE }), Ok("1048576\n".to_owned()));
    }

    #[test]
    fn output_is_limited() {
        let limits = Limits { output: 1000, ..Limits::COMPILE };
        let wrong = shell("head -c 100000 /dev/zero", limits).unwrap_err();
        assert!(wrong.contains("more than"), "{wrong}");
    }
}
