//! Clang as a function: source text in, a module and diagnostics out.

use crate::ffi::*;
use crate::text::{c, c_bytes, take};
use crate::{Context, Module, guard};
use std::ffi::{CStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A file that exists only for one compilation. Its text need not be UTF-8.
pub struct SourceFile<'a> {
    pub path: &'a str,
    pub text: &'a [u8],
}

/// A path that clang looked for on disk, relative to the current directory if it does not begin
/// with `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    pub path: PathBuf,
    pub found: Found,
}

/// What is under a path. Files that are neither regular nor directories are never opened, and count
/// as absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Absent,
    Directory,
    /// A regular file whose text was not needed.
    Regular,
    /// A regular file with this text.
    Read(Vec<u8>),
}

/// What a compilation gave.
pub struct ClangOutput {
    /// None if there were errors.
    pub module: Option<Module>,
    /// The diagnostics as clang prints them, with source lines and carets.
    pub log: String,
    pub errors: u32,
    pub warnings: u32,
    /// All that clang asked the disk for: another compilation with the same arguments and files
    /// gives the same if these are the same. `None` if it may not, since the text depends on the
    /// time.
    pub lookups: Option<Vec<Lookup>>,
}

/// Runs `clang -cc1` with these arguments on the first file. Text ends at a NUL. A crash of clang
/// is an error in the log.
pub fn compile(context: &Context, args: &[String], files: &[SourceFile]) -> ClangOutput {
    let args: Vec<_> = args.iter().map(|a| c(a)).collect();
    let args: Vec<_> = args.iter().map(|a| a.as_ptr()).collect();
    let owned: Vec<_> = files.iter().map(|f| (c(f.path), c_bytes(f.text))).collect();
    let files: Vec<_> = owned
        .iter()
        .map(|(path, text)| File { path: path.as_ptr(), text: text.as_ptr(), size: text.as_bytes().len() })
        .collect();
    let result =
        ffi!(lw_clang_compile(context.raw(), args.as_ptr(), args.len(), files.as_ptr(), files.len()));
    if result.crashed {
        guard::note_crash(context.raw(), std::ptr::null());
    }
    let lookups = match result.lookups.is_null() {
        true => &[][..],
        // SAFETY: the shim gives so many of them.
        false => unsafe { std::slice::from_raw_parts(result.lookups, result.num_lookups) },
    };
    let found: Vec<Lookup> = lookups.iter().map(lookup).collect();
    ffi!(lw_clang_free_lookups(result.lookups, result.num_lookups));
    ClangOutput {
        lookups: (!result.volatile).then_some(found),
        module: (!result.module.is_null()).then(|| Module::from_raw(result.module, context)),
        log: take(result.log),
        errors: result.errors,
        warnings: result.warnings,
    }
}

fn lookup(entry: &ClangLookup) -> Lookup {
    // SAFETY: the shim gives a path that ends with NUL.
    let path = unsafe { CStr::from_ptr(entry.path) }.to_bytes().to_vec();
    let found = match entry.found {
        0 => Found::Absent,
        1 => Found::Directory,
        2 => Found::Regular,
        // SAFETY: the shim gives the text of a file that was read, with its size.
        _ => Found::Read(unsafe { std::slice::from_raw_parts(entry.text.cast::<u8>(), entry.size) }.to_vec()),
    };
    Lookup { path: PathBuf::from(OsString::from_vec(path)), found }
}
