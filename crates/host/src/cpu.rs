//! What the targets for this CPU know of it.

use compiler::pipeline::{Query, SingleAccesses};

/// Whether it has an instruction set extension, by LLVM's name.
fn has(feature: &str) -> bool {
    llvm::host_features().split(',').any(|f| f.strip_prefix('+') == Some(feature))
}

/// The widest vector register, in bytes.
pub fn register_bytes() -> usize {
    match () {
        () if has("avx512f") => 64,
        () if has("avx") => 32,
        () => 16,
    }
}

/// Whether vectors of all sizes have the instructions of AVX-512.
pub(crate) fn has_avx512() -> bool {
    has("avx512f") && has("avx512vl")
}

/// The same answers, with memory reached as it is fastest. Zen's gather takes about 1.7 times as long as single loads, its scatter
/// 1.6 times as long as single stores.
pub fn with_fast_memory(query: Query) -> Query {
    if llvm::host_cpu().starts_with("znver") { query.with_memory(&SingleAccesses) } else { query }
}
