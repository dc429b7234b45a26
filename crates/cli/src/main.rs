//! The `lanewise` program as an executable of its own. Packages contain it inside of the driver, so
//! that LLVM is installed once.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(lanewise_cli::run(std::env::args_os().skip(1).collect()))
}
