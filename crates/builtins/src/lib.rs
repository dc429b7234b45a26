//! The library of OpenCL C, written in OpenCL C (`cl/`), compiled when this crate is, as bitcode.
//!
//! Functions have the names that clang gives to calls in kernels, for `spir64-unknown-unknown`. What depends on the
//! work-item (`get_global_id`, `barrier`, fences) is not here: passes define it.
#![forbid(unsafe_code)]

use llvm::{LinkMode, Module};
use std::collections::BTreeSet;

/// LLVM expects bitcode to start at a multiple of four.
#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

static BITCODE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/builtins.bc")));

macro_rules! part {
    ($path:literal) => {
        &Aligned(*include_bytes!($path))
    };
}

// PARTS, and INDEX: the name of each function and the part it is in, sorted.
include!(concat!(env!("OUT_DIR"), "/parts.rs"));

/// The whole library. Opening it takes several times as long as compiling a small kernel: see [`link`].
pub fn bitcode() -> &'static [u8] {
    &BITCODE.0
}

/// Whether the library defines this function.
pub fn contains(name: &str) -> bool {
    part_of(name).is_some()
}

fn part_of(name: &str) -> Option<usize> {
    let place = INDEX.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(INDEX[place].1)
}

/// Links the functions that a module declares and the library defines, and what these need. Other declarations stay.
pub fn link(module: &Module) -> Result<(), String> {
    // A part can need another; each round defines all that is declared by then.
    loop {
        let declared = module.functions().into_iter().filter(|f| f.is_declaration());
        let parts: BTreeSet<usize> = declared.filter_map(|f| part_of(&f.name())).collect();
        if parts.is_empty() {
            return Ok(());
        }
        for part in parts {
            let library = Module::open_bitcode(module.context(), &PARTS[part].0)?;
            module.link(library, LinkMode::OnlyNeeded)?;
        }
    }
}
