//! One file for each command.

mod compile;
mod explore;
mod info;
mod opt;
mod run;
mod vecz;

pub use compile::{compile, help_target, list_cpus};
pub use explore::explore;
pub use info::{info, info_json, info_roofline};
pub use opt::{file_tests, list_passes, opt};
pub use run::run;
pub use vecz::vecz;
