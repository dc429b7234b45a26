//! Repeats something and says how long it took.

use std::fmt;
use std::time::{Duration, Instant};

/// Best, median and worst of several runs.
pub struct Times {
    sorted: Vec<Duration>,
}

/// Runs `f` so many times, after a few that do not count.
pub fn repeat(runs: usize, warm_up: usize, mut f: impl FnMut()) -> Times {
    (0..warm_up).for_each(|_| f());
    let time = |_| {
        let start = Instant::now();
        f();
        start.elapsed()
    };
    let mut sorted: Vec<_> = (0..runs).map(time).collect();
    sorted.sort_unstable();
    Times { sorted }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |d: &Duration| match d.as_secs_f64() {
            s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
            s if s < 1.0 => format!("{:.2} ms", s * 1e3),
            s => format!("{s:.2} s"),
        };
        let at = |part: usize| show(&self.sorted[(self.sorted.len() - 1) * part / 2]);
        write!(f, "{:>12} {:>12} {:>12}", at(0), at(1), at(2))
    }
}
