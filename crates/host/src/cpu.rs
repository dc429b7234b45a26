//! The features of this CPU that its targets depend on.

use crate::builtin_info::MathInstructions;
use compiler::pipeline::{Costs, Gathers, SingleAccesses, VectorUnit};

/// Whether this CPU has an instruction set extension, by LLVM's name.
fn has(feature: &str) -> bool {
    llvm::host_features().split(',').any(|f| f.strip_prefix('+') == Some(feature))
}

/// Whether this CPU has an instruction that tests for classes of floating-point numbers (AVX512DQ).
pub(crate) fn classifies_floats() -> bool {
    has("avx512f") && has("avx512vl") && has("avx512dq")
}

/// The instructions of this CPU for mathematics.
pub(crate) fn math_instructions() -> MathInstructions {
    MathInstructions::of(has)
}

/// Whether an addition has a shorter latency than a fused multiplication and addition, and units of
/// its own: 3 and 4 cycles on Zen 3 and 4, 2 and 4 on Zen 5.
pub(crate) fn adds_faster_than_it_fuses() -> bool {
    llvm::host_cpu().starts_with("znver")
}

/// AVX-512: 32 registers of 64 bytes, and mask registers. The costs were calibrated on a Zen 4 CPU.
pub const AVX512: VectorUnit = VectorUnit::generic(64, 26);

/// AVX and AVX2: 16 registers of 32 bytes, of which masks take some.
pub const AVX: VectorUnit = VectorUnit { mask_registers: false, ..VectorUnit::generic(32, 12) };

/// SSE: 16 registers of 16 bytes, of which masks take some.
pub const SSE: VectorUnit = VectorUnit { mask_registers: false, ..VectorUnit::generic(16, 12) };

/// Advanced SIMD (NEON): 32 registers of 16 bytes, of which masks take some.
pub const NEON: VectorUnit =
    VectorUnit { mask_registers: false, costs: NEON_COSTS, ..VectorUnit::generic(16, 26) };

/// Scalars and vectors of floats are computed in the same units. LLVM estimates that selects are
/// done lane by lane. There are few lanes, which walk few rows at once.
const NEON_COSTS: Costs = Costs {
    vector: 1.25,
    float: 1.0,
    select: Some(1.0),
    gather_lane_in_rows: 3.0,
    strided_lane_in_rows: 2.5,
    ..Costs::GENERIC
};

/// The vector unit of this CPU. RISC-V's vectors have no size that code for a launch could count
/// on; LLVM makes what it can of those of 16 bytes.
pub fn vector_unit() -> VectorUnit {
    match std::env::consts::ARCH {
        "aarch64" => NEON,
        "riscv64" => VectorUnit { mask_registers: false, ..VectorUnit::generic(16, 12) },
        _ => x86_vector_unit(has, llvm::host_cpu()),
    }
}

/// The vector unit of an x86-64 CPU with these features.
pub fn x86_vector_unit(has: impl Fn(&str) -> bool, cpu: &str) -> VectorUnit {
    let unit = match () {
        () if has("avx512f") => AVX512,
        () if has("avx") => AVX,
        () => SSE,
    };
    // AVX512VBMI and AVX512BW permute bytes and words, AVX512F what is larger.
    let permutes = match () {
        () if !has("avx512f") => 0,
        () if !has("avx512bw") => 4,
        () => {
            if has("avx512vbmi") {
                1
            } else {
                2
            }
        }
    };
    let unit = VectorUnit { permutes, ..unit };
    match () {
        // A gather on Zen takes about 1.7 times as long as one scalar load per lane, a scatter 1.6
        // times as long as scalar stores.
        () if cpu.starts_with("znver") => VectorUnit { memory: &SingleAccesses, ..unit },
        // SERIALIZE came with Alder Lake and Sapphire Rapids, the first of Intel's CPUs whose
        // gathers are not slowed down for safety ("Downfall"): one takes half as long as loads.
        () if has("serialize") => VectorUnit { memory: &Gathers, ..unit },
        () => unit,
    }
}
