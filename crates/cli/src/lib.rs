//! The `lanewise` program, as a library, so that its benchmark and its tests share the parts.
//!
//! The command line becomes an [`args::Command`], and [`commands`] has one function for each. The other
//! modules are what those functions need to read arguments and show results; of the compiler, only `program` knows more
//! than the types of a kernel's parameters.

// `program` loads binaries, which is to trust them.
#![deny(unsafe_code)]

pub mod args;
pub mod argspec;
pub mod commands;
pub mod digest;
pub mod element;
pub mod error;
pub mod image;
pub mod json;
pub mod layout;
pub mod literal;
pub mod npy;
pub mod program;
pub mod progress;
pub mod show;

use std::ffi::OsString;
use std::process::ExitCode;

use args::Command;
use error::Result;

/// Runs the program on its arguments (without the program's name), and says how it ended.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    match args::parse(arguments).and_then(dispatch) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lanewise: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn dispatch(command: Command) -> Result<()> {
    match command {
        Command::Info { json: false } => commands::info(),
        Command::Info { json: true } => commands::info_json(),
        Command::Help(topic) => show::say(&args::help(topic)),
        Command::Version => show::say(&format!("lanewise {}", env!("CARGO_PKG_VERSION"))),
        Command::Run(args) => commands::run(&args),
        Command::Compile(args) => commands::compile(&args),
        Command::HelpTarget(name) => commands::help_target(&name),
        Command::Opt(args) => commands::opt(&args),
        Command::FileTests(args) => commands::file_tests(&args),
        Command::Vecz(args) => commands::vecz(&args),
        Command::ListPasses(target) => commands::list_passes(&target),
    }
}
