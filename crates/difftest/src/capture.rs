//! What a kernel's `printf` writes, which goes where the process writes its own text.

use crate::Result;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::dup;
use rustix::stdio::{dup2_stdout, stdout};
use std::fs::File;
use std::io::{Read, Seek, Write};

/// Calls `f`, and gives what the process wrote to its standard output meanwhile. Only for processes
/// in which no other thread writes.
pub(crate) fn captured<T>(f: impl FnOnce() -> T) -> Result<(T, String)> {
    std::io::stdout().flush()?;
    let mut file = File::from(memfd_create(c"text", MemfdFlags::CLOEXEC)?);
    let before = dup(stdout())?;
    dup2_stdout(&file)?;
    let result = f();
    dup2_stdout(&before)?;
    file.rewind()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok((result, text))
}
