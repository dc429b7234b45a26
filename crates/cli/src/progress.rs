//! A line on the terminal while something takes long.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::show;

/// Steps that end within this time are not shown.
const PATIENCE: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(200);

/// Shows the current step on standard error, from one second after [`Progress::start`] until it is
/// dropped. Does nothing where standard error is not a terminal.
///
/// The line is drawn by a thread of its own, so that work which reports nothing for a long time is
/// shown too.
#[derive(Debug)]
pub struct Progress {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct State {
    label: Mutex<String>,
    done: AtomicU64,
    /// The number of steps; 0 if it is not known.
    total: AtomicU64,
    ended: Mutex<bool>,
    wake: Condvar,
}

impl Progress {
    pub fn start(label: &str) -> Self {
        Self::start_if(label, std::io::stderr().is_terminal())
    }

    fn start_if(label: &str, terminal: bool) -> Self {
        let state = Arc::new(State {
            label: Mutex::new(label.to_owned()),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            ended: Mutex::new(false),
            wake: Condvar::new(),
        });
        let thread = terminal.then(|| {
            let state = Arc::clone(&state);
            std::thread::Builder::new().name("progress".into()).spawn(move || draw(&state))
        });
        // Without a thread there is no line, and nothing else is lost.
        Self { state, thread: thread.and_then(std::io::Result::ok) }
    }

    /// Names the next step.
    pub fn label(&self, label: &str) {
        *self.state.label.lock().unwrap_or_else(PoisonError::into_inner) = label.to_owned();
        self.set(0, 0);
    }

    /// Sets the progress: `done` of `total` steps.
    pub fn set(&self, done: u64, total: u64) {
        self.state.total.store(total, Ordering::Relaxed);
        self.state.done.store(done, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        *self.state.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.state.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn draw(state: &State) {
    let start = Instant::now();
    let mut wait = PATIENCE;
    let mut drawn = false;
    let mut ended = state.ended.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let result = state.wake.wait_timeout_while(ended, wait, |ended| !*ended);
        ended = result.unwrap_or_else(PoisonError::into_inner).0;
        if *ended {
            break;
        }
        wait = INTERVAL;
        drawn = true;
        let label = state.label.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (done, total) = (state.done.load(Ordering::Relaxed), state.total.load(Ordering::Relaxed));
        // Back to the start of the line, the text, and clear the rest of the line.
        let _ = write!(std::io::stderr(), "\r{}\x1b[K", line(&label, done, total, start.elapsed()));
        let _ = std::io::stderr().flush();
    }
    if drawn {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
        let _ = std::io::stderr().flush();
    }
}

fn line(label: &str, done: u64, total: u64, elapsed: Duration) -> String {
    let time = show::duration(Duration::from_secs(elapsed.as_secs()));
    let time = time.replace(".00 s", " s").replace(".0 s", " s");
    if total == 0 {
        return format!("{label} … {time}");
    }
    let percent = (done.min(total) as f64 / total as f64 * 100.0) as u64;
    format!("{label} … {done} of {total} ({percent} %), {time}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        assert_eq!(line("compiling", 0, 0, Duration::from_millis(1900)), "compiling … 1 s");
        assert_eq!(line("running", 5, 20, Duration::from_secs(12)), "running … 5 of 20 (25 %), 12 s");
        assert_eq!(line("running", 9, 3, Duration::from_secs(60)), "running … 9 of 3 (100 %), 60 s");
    }

    #[test]
    fn ends_at_once() {
        let start = Instant::now();
        for terminal in [true, false] {
            let progress = Progress::start_if("working", terminal);
            progress.set(1, 2);
            progress.label("still working");
        }
        assert!(start.elapsed() < PATIENCE);
    }
}
