//! The `lanewise` program.
//!
//! The command line becomes an [`args::Command`], and [`commands`] has one function for each. The
//! other modules read arguments and show results; only `program` uses more of the compiler than the
//! types of a kernel's parameters.

// Only `program` needs `unsafe`: it loads binaries as code.
#![deny(unsafe_code)]

mod args;
mod argspec;
mod commands;
mod digest;
mod divergence;
mod dump;
mod element;
mod error;
mod image;
mod imagespec;
mod json;
mod layout;
mod literal;
mod npy;
mod program;
mod progress;
mod roofline;
mod show;

use std::ffi::OsString;

use args::Command;
use error::Result;

/// Runs the program with the arguments after its name, and returns its exit code.
pub fn run(words: Vec<OsString>) -> u8 {
    match args::parse(words).and_then(dispatch) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("lanewise: {error}");
            error.exit_code()
        }
    }
}

fn dispatch(command: Command) -> Result<()> {
    match command {
        Command::Info { json, roofline: true } => commands::info_roofline(json),
        Command::Info { json: false, roofline: false } => commands::info(),
        Command::Info { json: true, roofline: false } => commands::info_json(),
        Command::Help(topic) => show::say(&args::help(topic)),
        Command::Page(page) => show::say(page.text().trim_end()),
        Command::Version => show::say(&format!("lanewise {}", env!("CARGO_PKG_VERSION"))),
        Command::Run(args) => commands::run(&args),
        Command::Compile(args) => commands::compile(&args),
        Command::HelpTarget(name) => commands::help_target(&name),
        Command::ListCpus(triple) => commands::list_cpus(triple.as_deref()),
        Command::Opt(args) => commands::opt(&args),
        Command::FileTests(args) => commands::file_tests(&args),
        Command::Vecz(args) => commands::vecz(&args),
        Command::Explore(args) => commands::explore(&args),
        Command::ListPasses(target) => commands::list_passes(&target),
    }
}
