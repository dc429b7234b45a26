//! The features of this CPU that its targets depend on.

use compiler::pipeline::{SingleAccesses, VectorUnit};

/// Whether it has an instruction set extension, by LLVM's name.
fn has(feature: &str) -> bool {
    llvm::host_features().split(',').any(|f| f.strip_prefix('+') == Some(feature))
}

/// Whether vectors of all sizes have the instructions of AVX-512.
pub(crate) fn has_avx512() -> bool {
    has("avx512f") && has("avx512vl")
}

/// AVX-512: 32 registers of 64 bytes, and others for masks. The costs were calibrated with it, on
/// Zen 4.
pub const AVX512: VectorUnit = VectorUnit::generic(64, 26);

/// AVX and AVX2: 16 registers of 32 bytes, of which masks take some.
pub const AVX: VectorUnit = VectorUnit { mask_registers: false, ..VectorUnit::generic(32, 12) };

/// SSE: 16 registers of 16 bytes, of which masks take some.
pub const SSE: VectorUnit = VectorUnit { mask_registers: false, ..VectorUnit::generic(16, 12) };

/// The vector unit of this CPU.
pub fn vector_unit() -> VectorUnit {
    let unit = match () {
        () if has("avx512f") => AVX512,
        () if has("avx") => AVX,
        () => SSE,
    };
    // Zen's gather takes about 1.7 times as long as single loads, its scatter 1.6 times as long as
    // single stores.
    match llvm::host_cpu().starts_with("znver") {
        true => VectorUnit { memory: &SingleAccesses, ..unit },
        false => unit,
    }
}
