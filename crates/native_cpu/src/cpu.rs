//! The CPUs that objects are made for: x86-64, AArch64 and RISC-V.

use crate::math::Instructions;
use compiler::pipeline::{Costs, Segments, VectorUnit};
use compiler::{Error, Machine, Options, Result, Tier};
use host::MathInstructions;
use host::cpu::NEON;
use llvm::TargetMachine;

/// The costs of scalable vectors. Gathers and scatters are instructions that take about a cycle for
/// each element, strided accesses among them. There are fewer lanes than AVX-512 has, so that fewer
/// rows are walked at once. Scalars and vectors of floats are computed in the same units.
const COSTS: Costs = Costs {
    float: 1.0,
    gather_lane: 1.0,
    gather_lane_in_rows: 1.5,
    strided_lane: 1.0,
    strided_lane_in_rows: 1.5,
    ..Costs::GENERIC
};

/// SVE: 32 registers of `vscale` times 16 bytes, and predicate registers.
pub const SVE: VectorUnit =
    VectorUnit { scalable: true, memory: &Segments::Sve, costs: COSTS, ..VectorUnit::generic(16, 26) };

/// RISC-V's V extension. `vscale` counts units of 8 bytes: groups of two registers are used (LMUL
/// 2), of which there are 16. The mask of an instruction is in v0, and other masks take registers.
pub const RVV: VectorUnit = VectorUnit {
    scalable: true,
    mask_registers: false,
    memory: &Segments::Rvv,
    costs: COSTS,
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
    /// Elements of vectors in memory have to be aligned.
    pub aligned: bool,
    pub math: Instructions,
}

impl Cpu {
    pub fn of(machine: Machine) -> Result<Cpu> {
        let triple = &machine.triple;
        // Other systems have other formats of objects, of which ours knows nothing.
        if ["apple", "darwin", "windows", "msvc", "mingw"].iter().any(|system| triple.contains(system)) {
            return Err(Error::InvalidValue(format!("objects are ELF, which '{triple}' does not use")));
        }
        if ["x32", "ilp32"].iter().any(|abi| triple.ends_with(abi)) {
            return Err(Error::InvalidValue(format!("addresses have 64 bits, and those of '{triple}' 32")));
        }
        let llvm = machine.llvm(&Options::default(), Tier::Best)?;
        let aligned = triple.starts_with("riscv") && !llvm.has("unaligned-vector-mem");
        let (unit, halves, math) = match triple.split('-').next().unwrap_or_default() {
            "aarch64" | "arm64" if llvm.has("sve") => {
                (Some(SVE), true, Instructions::Sve { two: llvm.has("sve2") })
            }
            "aarch64" | "arm64" => {
                (llvm.has("neon").then_some(NEON), llvm.has("fp-armv8"), Instructions::None)
            }
            "riscv64" => {
                let (unit, halves) = riscv(&llvm);
                (unit, halves, Instructions::None)
            }
            "x86_64" | "amd64" if !llvm.has("64bit") => {
                return Err(Error::InvalidValue(format!("'{}' has no 64-bit mode", machine.cpu)));
            }
            "x86_64" | "amd64" => {
                let unit = host::cpu::x86_vector_unit(|feature| llvm.has(feature), &machine.cpu);
                let math = Instructions::X86(MathInstructions::of(|feature| llvm.has(feature)));
                (Some(unit), llvm.has("f16c"), math)
            }
            other => {
                return Err(Error::InvalidValue(format!(
                    "there is no target for '{other}': objects are for x86_64, aarch64 and riscv64"
                )));
            }
        };
        Ok(Cpu { machine, unit, halves, aligned, math })
    }
}

fn riscv(llvm: &TargetMachine) -> (Option<VectorUnit>, bool) {
    let vectors = llvm.has("v");
    (vectors.then_some(RVV), llvm.has("zfhmin") && (llvm.has("zvfhmin") || !vectors))
}
