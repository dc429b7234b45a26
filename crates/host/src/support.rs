//! Functions that generated code calls for what the CPU has no instruction for.
//!
//! Most come from the C library, found in the process. Those here are in no shared library that is sure to be loaded.

use llvm::Symbol;
use std::ffi::c_void;

/// A 128-bit integer as the C ABI returns and takes it.
extern "C" fn udivti3(a: u128, b: u128) -> u128 {
    a.checked_div(b).unwrap_or(0)
}

extern "C" fn umodti3(a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(0)
}

extern "C" fn divti3(a: i128, b: i128) -> i128 {
    a.checked_div(b).unwrap_or(0)
}

extern "C" fn modti3(a: i128, b: i128) -> i128 {
    a.checked_rem(b).unwrap_or(0)
}

extern "C" fn multi3(a: i128, b: i128) -> i128 {
    a.wrapping_mul(b)
}

pub fn symbols() -> Vec<Symbol> {
    let symbol = |name, address| Symbol { name, address };
    vec![
        symbol("__udivti3", udivti3 as *const c_void),
        symbol("__umodti3", umodti3 as *const c_void),
        symbol("__divti3", divti3 as *const c_void),
        symbol("__modti3", modti3 as *const c_void),
        symbol("__multi3", multi3 as *const c_void),
    ]
}
