//! The CPUs that objects are made for: x86-64, AArch64 and RISC-V.

use compiler::pipeline::{Segments, VectorUnit};
use compiler::{Machine, Options, Result};
use llvm::TargetMachine;

/// Advanced SIMD (NEON): 32 registers of 16 bytes, of which masks take some.
pub const NEON: VectorUnit = VectorUnit { mask_registers: false, ..VectorUnit::generic(16, 26) };

/// SVE: 32 registers of `vscale` times 16 bytes, and predicate registers.
pub const SVE: VectorUnit =
    VectorUnit { scalable: true, memory: &Segments::Sve, ..VectorUnit::generic(16, 26) };

/// RISC-V's V extension. `vscale` counts units of 8 bytes: groups of two registers are used (LMUL
/// 2), of which there are 16. The mask of an instruction is in v0, and other masks take registers.
pub const RVV: VectorUnit = VectorUnit {
    scalable: true,
    mask_registers: false,
    memory: &Segments::Rvv,
    ..VectorUnit::generic(16, 12)
};

/// A machine, and what its CPU has.
#[derive(Clone, Debug)]
pub(crate) struct Cpu {
    pub machine: Machine,
    /// `None` if the CPU has no vectors.
    pub unit: Option<VectorUnit>,
    /// Scalars and vectors of halves are converted by instructions.
    pub halves: bool,
}

impl Cpu {
    pub fn of(machine: Machine) -> Result<Cpu> {
        let llvm = machine.llvm(&Options::default())?;
        let (unit, halves) = match machine.triple.split('-').next().unwrap_or_default() {
            "aarch64" | "arm64" => (Some(if llvm.has("sve") { SVE } else { NEON }), true),
            "riscv64" => riscv(&llvm),
            _ => (
                Some(host::cpu::x86_vector_unit(|feature| llvm.has(feature), &machine.cpu)),
                llvm.has("f16c"),
            ),
        };
        Ok(Cpu { machine, unit, halves })
    }
}

fn riscv(llvm: &TargetMachine) -> (Option<VectorUnit>, bool) {
    let vectors = llvm.has("v");
    (vectors.then_some(RVV), llvm.has("zfhmin") && (llvm.has("zvfhmin") || !vectors))
}
