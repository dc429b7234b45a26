//! The `lanewise` program, which packages contain inside of the driver, so that LLVM is installed
//! once. The launcher finds it by `clGetExtensionFunctionAddress`: no other symbol is exported.

use crate::ffi::In;
use runtime::outside;
use std::ffi::{OsString, c_char, c_int};
use std::os::unix::ffi::OsStringExt;

/// Runs the program with the `count` arguments after its name, and returns its exit code.
pub extern "C" fn lanewiseProgramLANEWISE(count: c_int, words: In<In<c_char>>) -> c_int {
    let words = words.list(count.max(0) as usize);
    let words = words.into_iter().filter_map(|word| word.bytes_of(0)).map(OsString::from_vec).collect();
    outside(|| c_int::from(cli::run(words)))
}
