//! The `lanewise` program, by itself. Packages bring it inside of the driver, so that there is one
//! LLVM.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(lanewise_cli::run(std::env::args_os().skip(1).collect()))
}
