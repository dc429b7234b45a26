//! Clang as a function: source text in, a module and diagnostics out.

use crate::ffi::*;
use crate::text::{c, take};
use crate::{Context, Module, guard};

/// A file that exists only for one compilation.
pub struct SourceFile<'a> {
    pub path: &'a str,
    pub text: &'a str,
}

/// What a compilation gave.
pub struct ClangOutput {
    /// None if there were errors.
    pub module: Option<Module>,
    /// The diagnostics as clang prints them, with source lines and carets.
    pub log: String,
    pub errors: u32,
    pub warnings: u32,
}

/// Runs `clang -cc1` with these arguments on the first file. Text ends at a NUL. A crash of clang
/// is an error in the log.
pub fn compile(context: &Context, args: &[String], files: &[SourceFile]) -> ClangOutput {
    let args: Vec<_> = args.iter().map(|a| c(a)).collect();
    let args: Vec<_> = args.iter().map(|a| a.as_ptr()).collect();
    let owned: Vec<_> = files.iter().map(|f| (c(f.path), c(f.text))).collect();
    let files: Vec<_> = owned
        .iter()
        .map(|(path, text)| File { path: path.as_ptr(), text: text.as_ptr(), size: text.as_bytes().len() })
        .collect();
    let result =
        ffi!(lw_clang_compile(context.raw(), args.as_ptr(), args.len(), files.as_ptr(), files.len()));
    if result.crashed {
        guard::note_crash(context.raw(), std::ptr::null());
    }
    ClangOutput {
        module: (!result.module.is_null()).then(|| Module::from_raw(result.module, context)),
        log: take(result.log),
        errors: result.errors,
        warnings: result.warnings,
    }
}
