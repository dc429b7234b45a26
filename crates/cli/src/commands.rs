//! One function for each command.

use std::thread::available_parallelism;

use crate::error::Result;
use crate::show;

/// `lanewise info`.
pub fn info() -> Result<()> {
    let cpus = available_parallelism().map_or(1, |n| n.get());
    show::say(&format!("version    {}\nCPUs       {cpus}", env!("CARGO_PKG_VERSION")))
}
