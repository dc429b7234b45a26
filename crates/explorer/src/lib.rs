//! A kernel's way from source to instructions as a page (`lanewise explore`).
//!
//! ```text
//! dump of a compilation ─ stages.rs ──┐
//! assembly ─ assembly.rs, llvm-mca ───┼─► model::Compilation ─ page.rs ─► one HTML file
//! remarks ─ advice.rs ────────────────┘                      └ server.rs ─► the same page, which compiles
//! and runs again
//! ```
//!
//! Everything the page shows is data that it gets as JSON ([`Page`]); its script is in `web/`, and
//! bundled into `assets/`. The server compiles and runs in processes of their own (`worker.rs`).

#![forbid(unsafe_code)]

mod advice;
mod assembly;
mod http;
mod ir_lines;
mod local_accesses;
pub mod model;
mod page;
mod roofline;
mod server;
mod stages;
pub mod worker;

pub use advice::{Facts, advice};
pub use assembly::assembly;
pub use ir_lines::with_own_lines;
pub use local_accesses::mark_local_accesses;
pub use model::Compilation;
pub use page::html;
pub use roofline::{Bandwidth, Roofline, RunResult, variants};
pub use server::{RunRequest, Server, Work};
pub use stages::{local_size, programs, stages};

use serde::{Deserialize, Serialize};

/// All that a page shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Whether a server is behind it, which compiles and runs.
    pub live: bool,
    pub compilation: Compilation,
    /// Another setting, to be seen beside it.
    pub other: Option<Compilation>,
    /// The sizes and arguments that the user gave.
    pub global: Vec<usize>,
    pub args: Vec<String>,
    /// The kernel that they are for.
    pub args_of: String,
    pub repeat: u32,
    pub run: Option<RunResult>,
    pub other_run: Option<RunResult>,
    /// Runs with other settings, by their names.
    pub what_if: Vec<(String, RunResult)>,
    pub roofline: Option<Roofline>,
}
