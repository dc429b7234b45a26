//! Bitcode is read by a child process first: LLVM's reader may crash on what is damaged, and then only the child does.

use crate::error::{Error, Result};
use std::io::{Read, Write};
use std::process::{Command, ExitCode, Stdio};

/// The argument that makes this program such a child.
pub const READ: &str = "--read-bitcode";

/// Refuses bitcode that cannot be read without a crash. What is merely wrong passes: reading it again says what.
pub fn check(name: &str, bytes: &[u8]) -> Result<()> {
    let is_bitcode = bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(&[0xde, 0xc0, 0x17, 0x0b]);
    if !is_bitcode {
        return Ok(());
    }
    let failed = |e: std::io::Error| Error::input(format!("{name}: cannot start a process to read it: {e}"));
    let mut child = Command::new(std::env::current_exe().map_err(failed)?)
        .arg(READ)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A child that is gone has its say in how it ended.
        let _ = input.write_all(bytes);
    }
    match child.wait().map_err(failed)?.code() {
        Some(_) => Ok(()),
        None => Err(Error::input(format!("{name}: the bitcode is damaged"))),
    }
}

/// What the child does.
pub fn read() -> ExitCode {
    let mut bytes = Vec::new();
    if std::io::stdin().read_to_end(&mut bytes).is_err() {
        return ExitCode::FAILURE;
    }
    let module = llvm::Module::parse(&llvm::Context::new(), &bytes, "bitcode");
    match module.and_then(|m| m.verify()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
