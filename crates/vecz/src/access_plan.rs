//! The access plan: how a load or store of all lanes is done, decided once.
//!
//! The cost model, BOSCC and interleaving read the [`Pattern`] of the lanes' addresses. From the
//! pattern, the mask and the interleave groups of the block follows the [`AccessCode`], which
//! `load_store` writes and remarks report.
//!
//! | pattern | `p[…]` | code |
//! | --- | --- | --- |
//! | uniform | `p[n]` | one scalar access, of the last lane for a varying value |
//! | contiguous, reversed | `p[i]`, `p[-i]` | one wide access |
//! | strided | `p[4 * i]` | single accesses, no vector of addresses; a gather if masked |
//! | strided by a uniform value | `p[n * i]` | the same, perhaps tested for being contiguous |
//! | from IDs | `p[clamp(i, 0, n)]` | tested at run time for being contiguous |
//! | irregular | `p[q[i]]` | a gather or scatter |

use crate::interleave_groups::{InterleaveGroup, InterleaveGroups};
use crate::remarks::Access;
use crate::shape::{Shape, Shapes};
use crate::structure::Structure;
use llvm::{Function, Module, Opcode, Type, Value};
use std::rc::Rc;

/// Lanes that are so many bytes apart share no cache lines.
const FAR: u64 = 64;

/// How the address differs from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    Uniform,
    /// Grows by one element from lane to lane.
    Contiguous,
    /// Decreases by one element from lane to lane.
    Reversed,
    /// A constant stride, in bytes.
    Strided(i64),
    /// The stride is this multiple of a uniform value, in bytes.
    StridedBy(Value, i64),
    /// Computed from IDs and uniform values: perhaps contiguous at run time.
    FromIds,
    Irregular,
}

/// A load or store, and the pattern of its addresses.
#[derive(Clone, Copy)]
pub struct AccessPlan {
    access: Value,
    pub address: Value,
    /// The type of one lane's value.
    pub ty: Type,
    /// The size of one lane's value, in bytes.
    pub size: i64,
    pub pattern: Pattern,
}

/// The code for a load or store of all lanes.
pub enum AccessCode {
    /// One scalar access for all lanes.
    Scalar,
    /// A scalar store of the last lane's value.
    LastLane,
    Contiguous,
    Reversed,
    Strided(i64),
    StridedBy {
        by: Value,
        times: i64,
        /// Tested at run time for being contiguous.
        test: bool,
    },
    /// Tested at run time for being contiguous, and a gather or scatter otherwise.
    TestContiguous,
    /// A gather or scatter.
    Gather,
    /// Part of an interleave group.
    Interleaved(Rc<InterleaveGroup>),
    /// Instantiated for each lane: atomic or volatile.
    PerLane,
}

impl AccessPlan {
    /// The plan of a load or store; `None` for other instructions.
    pub fn of(module: &Module, shapes: &Shapes, access: Value) -> Option<AccessPlan> {
        let (address, ty) = match access.opcode()? {
            Opcode::LLVMLoad => (access.operand(0), access.ty()),
            Opcode::LLVMStore => (access.operand(1), access.operand(0).ty()),
            _ => return None,
        };
        let size = module.size_of(ty) as i64;
        let pattern = match shapes.get(address) {
            Shape::Uniform => Pattern::Uniform,
            Shape::Strided(stride) if stride == size => Pattern::Contiguous,
            Shape::Strided(stride) if stride == -size => Pattern::Reversed,
            Shape::Strided(stride) => Pattern::Strided(stride),
            Shape::StridedBy(by, times) => Pattern::StridedBy(by, times),
            Shape::Varying if is_computed_from_ids(shapes, address) => Pattern::FromIds,
            Shape::Varying => Pattern::Irregular,
        };
        Some(AccessPlan { access, address, ty, size, pattern })
    }

    /// The code for the access, under a mask or not.
    pub fn code(
        &self,
        module: &Module,
        structure: &Structure,
        shapes: &Shapes,
        groups: &InterleaveGroups,
        masked: bool,
    ) -> AccessCode {
        let access = self.access;
        let data = if access.is_load() { access } else { access.operand(0) };
        if self.pattern == Pattern::Uniform && shapes.get(data) == Shape::Uniform {
            return AccessCode::Scalar;
        }
        if access.is_atomic() || access.is_volatile() {
            return AccessCode::PerLane;
        }
        if let Some(group) = groups.get(access) {
            return AccessCode::Interleaved(group);
        }
        // Vectors of other integers are bit-packed in memory.
        let wide = self.ty.scalar().int_is_whole_bytes();
        if self.ty.is_vector() {
            let packed = self.ty.len() * module.size_of(self.ty.element());
            return match shapes.get(self.address) {
                Shape::Strided(stride) if wide && stride == packed as i64 => AccessCode::Contiguous,
                _ if wide && self.pattern == Pattern::FromIds && self.size == packed as i64 => {
                    AccessCode::TestContiguous
                }
                _ => AccessCode::Gather,
            };
        }
        match self.pattern {
            Pattern::Contiguous if wide => AccessCode::Contiguous,
            Pattern::Reversed if wide => AccessCode::Reversed,
            Pattern::Contiguous if !masked => AccessCode::Strided(self.size),
            Pattern::Reversed if !masked => AccessCode::Strided(-self.size),
            Pattern::Strided(stride) if !masked => AccessCode::Strided(stride),
            Pattern::StridedBy(by, times) => {
                let in_loop = access.block().is_some_and(|block| structure.is_in_loop(block));
                let test = wide && !in_loop && starts_at_an_argument(shapes, self.address);
                AccessCode::StridedBy { by, times, test }
            }
            Pattern::Uniform if access.is_store() && !masked => AccessCode::LastLane,
            Pattern::FromIds if wide => AccessCode::TestContiguous,
            _ => AccessCode::Gather,
        }
    }

    /// The kind of access that remarks report for this code.
    pub fn remark(&self, code: &AccessCode, shapes: &Shapes) -> Access {
        match code {
            AccessCode::Scalar | AccessCode::LastLane => Access::Uniform,
            AccessCode::Contiguous => Access::Contiguous,
            AccessCode::Reversed => Access::Reversed,
            AccessCode::Strided(stride) => Access::Strided(*stride),
            AccessCode::StridedBy { .. } => Access::StridedByUniform,
            AccessCode::TestContiguous => Access::TestedContiguous,
            AccessCode::Gather => Access::of(shapes.get(self.address)),
            AccessCode::Interleaved(group) => Access::Interleaved(group.fields(shapes.get(group.root))),
            AccessCode::PerLane => Access::PerLane,
        }
    }
}

/// Finds BLAS's `x[i * incx]`, where a run-time test for stride 1 pays. In a loop, or beside the ID
/// of another dimension, each lane most often has a row of its own, and the test would fail.
///
/// Whether the uniform part of a strided address is made of the kernel's arguments and constants
/// alone.
fn starts_at_an_argument(shapes: &Shapes, value: Value) -> bool {
    use Opcode::*;
    match shapes.get(value) {
        Shape::StridedBy(..) => match value.opcode() {
            Some(LLVMGetElementPtr | LLVMAdd | LLVMSExt) => {
                value.operands().all(|v| starts_at_an_argument(shapes, v))
            }
            Some(LLVMMul | LLVMShl) => true,
            _ => false,
        },
        Shape::Uniform => {
            let from =
                if matches!(value.opcode(), Some(LLVMSExt | LLVMZExt)) { value.operand(0) } else { value };
            from.is_constant() || from.is_argument()
        }
        _ => false,
    }
}

/// Whether an address is computed from IDs and uniform values alone. Such addresses are often
/// contiguous at run time: `clamp(x, 0, w)`, `i % n`, `i ^ n`.
fn is_computed_from_ids(shapes: &Shapes, address: Value) -> bool {
    /// How far back to look.
    const DEPTH: u32 = 8;
    fn follows(shapes: &Shapes, value: Value, depth: u32) -> bool {
        match shapes.get(value) {
            Shape::Uniform | Shape::Strided(_) => return true,
            Shape::StridedBy(..) => return false,
            Shape::Varying => {}
        }
        let plain = match value.opcode() {
            Some(Opcode::LLVMCall) => value.called_function().is_some_and(|f| f.is_intrinsic()),
            Some(Opcode::LLVMLoad | Opcode::LLVMPHI) | None => false,
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => false,
            Some(_) => true,
        };
        let data = |v: &Value| v.as_function().is_none();
        let plain = plain && !is_row(shapes, value);
        plain && depth > 0 && value.operands().filter(data).all(|v| follows(shapes, v, depth - 1))
    }
    shapes.get(address) == Shape::Varying && follows(shapes, address, DEPTH)
}

/// Whether a value is `i * n`: strided by a value known only at run time.
fn is_row(shapes: &Shapes, value: Value) -> bool {
    let strided = |n: u32| matches!(shapes.get(value.operand(n)), Shape::Strided(_));
    let product = matches!(value.opcode(), Some(Opcode::LLVMMul | Opcode::LLVMShl));
    matches!(shapes.get(value), Shape::StridedBy(..)) || product && (strided(0) || strided(1))
}

/// The accesses that would be contiguous if lanes were along the other dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transposed {
    Loads,
    /// All such accesses are stores: they cost more than loads, since they also read the cache
    /// lines that they write to.
    Stores,
}

/// Whether lanes with `shapes`, along one dimension, access rows of the other, as a transposition
/// does: lanes with `turned`, along that one, would be contiguous.
pub fn transposed(module: &Module, kernel: Function, shapes: &Shapes, turned: &Shapes) -> Option<Transposed> {
    let is_transposed = |access: &Value| {
        let plans = [shapes, turned].map(|shapes| AccessPlan::of(module, shapes, *access));
        let [Some(own), Some(other)] = plans else { return false };
        let apart = match own.pattern {
            Pattern::Strided(stride) => stride.unsigned_abs() >= FAR,
            Pattern::StridedBy(..) => true,
            Pattern::Irregular => has_own_rows(shapes, own.address),
            _ => false,
        };
        apart && matches!(other.pattern, Pattern::Contiguous | Pattern::FromIds)
    };
    let found: Vec<Value> = kernel.instructions().into_iter().filter(is_transposed).collect();
    let stores = found.iter().all(|access| access.is_store());
    (!found.is_empty()).then_some(if stores { Transposed::Stores } else { Transposed::Loads })
}

/// Whether each lane has a row of its own: the address is `i * n` plus something.
pub fn has_own_rows(shapes: &Shapes, address: Value) -> bool {
    /// How far back to look.
    const DEPTH: u32 = 5;
    fn follows(shapes: &Shapes, value: Value, depth: u32) -> bool {
        let sum = matches!(
            value.opcode(),
            Some(
                Opcode::LLVMGetElementPtr
                    | Opcode::LLVMAdd
                    | Opcode::LLVMOr
                    | Opcode::LLVMSExt
                    | Opcode::LLVMZExt
            )
        );
        matches!(shapes.get(value), Shape::StridedBy(..) | Shape::Varying)
            && depth > 0
            && (is_row(shapes, value) || sum && value.operands().any(|v| follows(shapes, v, depth - 1)))
    }
    follows(shapes, address, DEPTH)
}
