//! The `lanewise` program. Everything it does is in the library beside it.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    lanewise_cli::main(std::env::args_os().skip(1).collect())
}
