//! The library of OpenCL C, written in OpenCL C (`cl/`), compiled when this crate is, as bitcode.
//!
//! Functions have the names that clang gives to calls in kernels, for `spir64-unknown-unknown` or,
//! with a `size_t` of 32 bits, for `spir-unknown-unknown`. Functions that depend on the work-item
//! (`get_global_id`, `barrier`, fences) are not here: passes define them.
#![forbid(unsafe_code)]

use llvm::{LinkMode, Module};
use std::collections::BTreeSet;

/// LLVM expects bitcode to start at a multiple of four.
#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

static BITCODE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/builtins.bc")));

#[cfg_attr(feature = "docs-only", expect(unused_macros, reason = "there are no parts"))]
macro_rules! part {
    ($path:literal) => {
        &Aligned(*include_bytes!($path))
    };
}

// PARTS, and tables of functions with the part each is in, sorted: INDEX for all devices;
// WITHOUT_DOUBLE, WITHOUT_HALF and ADDRESS_32 for what is there instead on devices without the type
// and for modules with 32-bit addresses.
include!(concat!(env!("OUT_DIR"), "/parts.rs"));

/// The whole library, for 64-bit addresses and devices with every type. Opening it takes several
/// times as long as compiling a small kernel: see [`link`].
pub fn bitcode() -> &'static [u8] {
    &BITCODE.0
}

/// A function and the part that it is in.
type Entry = (&'static str, usize);

/// The part with a function, by the first of the tables that has it.
fn part_of(name: &str, tables: &[&[Entry]]) -> Option<usize> {
    tables.iter().find_map(|table| {
        let place = table.binary_search_by_key(&name, |(name, _)| name).ok()?;
        Some(table[place].1)
    })
}

/// Whether the library defines this function.
pub fn contains(name: &str) -> bool {
    part_of(name, &[INDEX, ADDRESS_32]).is_some()
}

/// [`link`] for a device that has arithmetic of `half`, and the type `double`, or not. A linked
/// function that has no such type in its signature does not use it in its body either.
pub fn library(half: bool, double: bool) -> fn(&Module) -> Result<(), llvm::Error> {
    match (half, double) {
        (true, true) => link,
        (true, false) => link_for::<true, false>,
        (false, true) => link_for::<false, true>,
        (false, false) => link_for::<false, false>,
    }
}

/// Links the functions that a module declares and the library defines, and the functions that these
/// call. Other declarations stay.
pub fn link(module: &Module) -> Result<(), llvm::Error> {
    link_for::<true, true>(module)
}

fn link_for<const HALF: bool, const DOUBLE: bool>(module: &Module) -> Result<(), llvm::Error> {
    let mut tables = Vec::with_capacity(4);
    let narrow = module.size_type().int_bits() == 32;
    let special = [(!DOUBLE, WITHOUT_DOUBLE), (!HALF, WITHOUT_HALF), (narrow, ADDRESS_32)];
    tables.extend(special.into_iter().filter(|(wanted, _)| *wanted).map(|(_, table)| table));
    tables.push(INDEX);
    // A part can need another; each round defines all that is declared by then.
    loop {
        let declared = module.functions().into_iter().filter(|f| f.is_declaration());
        let parts: BTreeSet<usize> = declared.filter_map(|f| part_of(&f.name(), &tables)).collect();
        if parts.is_empty() {
            return Ok(());
        }
        // Linking a part defines all of its functions that are declared, also those that an earlier
        // table has another version of. So parts are linked one at a time, those of earlier tables,
        // which have lower numbers, first.
        let count = if tables.len() == 1 { parts.len() } else { 1 };
        for part in parts.into_iter().take(count) {
            let library = Module::open_bitcode(module.context(), &PARTS[part].0)?;
            module.link(library, LinkMode::OnlyNeeded)?;
        }
    }
}
