//! A backend's description of the vector unit that code is generated for.
//!
//! The vectorizer knows no CPU. How many lanes a kernel gets, whether a value may take several
//! registers and whether vector code pays depend on this description and on LLVM's cost model for
//! the `TargetMachine` at hand, and on no other property of the machine.

use crate::builtins::Builtins;
use crate::memory::{Gathers, Intrinsics, MemoryOps, SingleAccesses};
use crate::segments::Segments;
use passes::{Options, PassError};

/// The part of a machine that computes with vectors. The default is a generic CPU with 32 registers
/// of 64 bytes.
///
/// Where LLVM's `TargetTransformInfo` (TTI) answers the same question, the field names its
/// function. A backend may pass TTI's answer on, or a measured value: TTI counts the registers of
/// the instruction set, not the ones that are left for values, and some CPUs prefer narrower
/// vectors in LLVM's own vectorizers than in code that is wide throughout.
#[derive(Clone, Copy, Debug)]
pub struct VectorUnit {
    /// The bytes of a vector register: TTI's `getRegisterBitWidth`.
    pub register_bytes: u32,
    /// Registers have `register_bytes` times `vscale` bytes, which is known at run time only.
    pub scalable: bool,
    /// The registers that the values of a loop may take at once: TTI's `getNumberOfRegisters`, less
    /// those that the code generator needs for constants and temporaries.
    pub registers: u32,
    /// Masks have registers of their own. Otherwise a mask takes vector registers, as the values do
    /// that it masks.
    pub mask_registers: bool,
    /// The bytes per operation that scalar code gains from LLVM's loop and SLP vectorizers. Half a
    /// register if they use whole registers: a vector operation costs more than a scalar one, and
    /// there is code before and after the vector loop.
    pub alone_bytes: u32,
    /// The bytes of a cache line: TTI's `getCacheLineSize`.
    pub cache_line_bytes: u32,
    /// The floating-point operations that can wait for their operands at once: a part of
    /// `MCSchedModel::MicroOpBufferSize`. Straight-line code with more of them leaves execution
    /// units idle, which an interleave count of 2 fills.
    pub pending_operations: u32,
    /// The bytes of the smallest elements that the machine permutes by AVX-512's instructions, by
    /// which constant tables are looked up; 0 if there are none.
    pub permutes: u32,
    /// How loads and stores of all lanes are written.
    pub memory: &'static dyn MemoryOps,
    pub costs: Costs,
}

impl VectorUnit {
    /// A generic CPU with this many usable registers of this size.
    pub const fn generic(register_bytes: u32, registers: u32) -> Self {
        VectorUnit {
            register_bytes,
            scalable: false,
            registers,
            mask_registers: true,
            alone_bytes: register_bytes / 2,
            cache_line_bytes: 64,
            pending_operations: 48,
            permutes: 0,
            memory: &Intrinsics,
            costs: Costs::GENERIC,
        }
    }

    /// The options of `run-vecz` for this unit, where they are not the default. Options have no
    /// costs: a unit read from them has the generic ones.
    pub(crate) fn options(&self) -> Options {
        let default = VectorUnit::default();
        let bytes = (self.register_bytes != default.register_bytes).then_some(self.register_bytes);
        let registers = (self.registers != default.registers).then_some(self.registers);
        let memory = (self.memory.name() != default.memory.name()).then_some(self.memory.name());
        Options::default()
            .with_value("register-bytes", bytes)
            .with_value("registers", registers)
            .with_flag("scalable", self.scalable)
            .with_flag("no-mask-registers", !self.mask_registers)
            .with_value("permutes", (self.permutes != 0).then_some(self.permutes))
            .with_value("memory", memory)
    }

    /// The unit that options of `run-vecz` describe: the reverse of [`VectorUnit::options`].
    pub(crate) fn take_from(options: &mut Options) -> Result<Self, PassError> {
        let VectorUnit { mut register_bytes, mut registers, .. } = VectorUnit::default();
        if let Some(text) = options.value("register-bytes")? {
            register_bytes = match text.parse::<u32>() {
                Ok(bytes @ 8..=256) if bytes.is_power_of_two() => bytes,
                _ => {
                    return Err(
                        format!("'{text}' is not a size of registers: a power of two from 8 to 256").into()
                    );
                }
            };
        }
        if let Some(text) = options.value("registers")? {
            registers = match text.parse() {
                Ok(number @ 1..=256) => number,
                _ => return Err(format!("'{text}' is not a number of registers from 1 to 256").into()),
            };
        }
        let memory: &'static dyn MemoryOps = match options.value("memory")? {
            None => &Intrinsics,
            Some(name) if name == Intrinsics.name() => &Intrinsics,
            Some(name) if name == SingleAccesses.name() => &SingleAccesses,
            Some(name) if name == Gathers.name() => &Gathers,
            Some(name) if name == Builtins.name() => &Builtins,
            Some(name) if name == Segments::Sve.name() => &Segments::Sve,
            Some(name) if name == Segments::Rvv.name() => &Segments::Rvv,
            Some(other) => return Err(format!("'{other}' is not a way to reach memory").into()),
        };
        let permutes = match options.value("permutes")? {
            None => 0,
            Some(text) => match text.parse() {
                Ok(bytes @ (1 | 2 | 4)) => bytes,
                _ => return Err(format!("'{text}' is not a size of elements: 1, 2 or 4").into()),
            },
        };
        let mask_registers = !options.flag("no-mask-registers")?;
        let scalable = options.flag("scalable")?;
        let generic = VectorUnit::generic(register_bytes, registers);
        Ok(VectorUnit { mask_registers, scalable, permutes, memory, ..generic })
    }

    /// The number of registers for this many bytes, as a cost: a part of a register costs as much
    /// as a whole one.
    pub(crate) fn registers_for(&self, bytes: f64) -> f64 {
        (bytes / f64::from(self.register_bytes)).max(1.0)
    }
}

impl Default for VectorUnit {
    fn default() -> Self {
        VectorUnit::generic(64, 26)
    }
}

/// The costs of operations that LLVM's cost model lacks or underestimates, in its unit: a simple
/// scalar operation costs 1.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// An operation on a vector, times its cost in LLVM's model: CPUs start more scalar operations
    /// per cycle than vector ones.
    pub vector: f64,
    /// The same of operations on floating-point numbers, for which many CPUs have but one kind of
    /// unit.
    pub float: f64,
    /// A select of values in one register by a mask; `None` is LLVM's estimate.
    pub select: Option<f64>,
    /// A shuffle of two registers: few units can do it.
    pub shuffle: f64,
    /// An operation of [`ir::Math`], as the backend's `BuiltinInfo` defines it.
    pub math: f64,
    /// A branch of scalar code that neighbouring work-items take differently: at times it is
    /// predicted wrongly.
    pub guess: f64,
    /// A scalar integer division by a value that is not constant.
    pub division: f64,
    /// A lane's part of a division of vectors of integers of up to 32 bits. It is small where the
    /// pass DivideVectors runs.
    pub division_lane: f64,
    /// A lane's part of a gather or scatter: its address is extracted, and its value is extracted
    /// or inserted.
    pub gather_lane: f64,
    /// As `gather_lane`, in a loop in which each lane walks a row of its own: as many cache lines
    /// as lanes.
    pub gather_lane_in_rows: f64,
    /// An access of scalar code that steps by more than a cache line, and often a page, in each
    /// iteration of its loop.
    pub far_step: f64,
    /// A lane's part of an access whose stride is constant or uniform: no address is extracted.
    pub strided_lane: f64,
    /// As `strided_lane`, in a loop in which each lane walks a row of its own.
    pub strided_lane_in_rows: f64,
    /// By what the four costs of lanes are multiplied for loads that are one instruction
    /// ([`MemoryOps::gathers`]).
    pub gathered: f64,
}

impl Costs {
    /// An out-of-order CPU that computes with whole registers.
    pub const GENERIC: Costs = Costs {
        vector: 1.5,
        float: 1.5,
        select: None,
        shuffle: 3.0,
        math: 2.0,
        guess: 3.0,
        division: 8.0,
        division_lane: 2.5,
        gather_lane: 2.0,
        gather_lane_in_rows: 6.0,
        far_step: 8.0,
        strided_lane: 1.5,
        strided_lane_in_rows: 3.5,
        gathered: 0.6,
    };
}
