//! The accesses to memory of a function.

use super::provenance;
use ir::check::Access;
use ir::{Builtin, Dma};
use llvm::{Builder, Function, IntPredicate, Module, Opcode, Value};

/// How many bytes an access is to.
#[derive(Clone, Copy, Debug)]
pub enum Bytes {
    Constant(u64),
    /// A number of the type `size_t`.
    Dynamic(Value),
    /// Lines of so many bytes, their number, and the distance of their starts.
    Lines(Value, Value, Value),
}

/// One access of an instruction; a copy has two.
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess {
    pub instruction: Value,
    pub pointer: Value,
    pub bytes: Bytes,
    pub access: Access,
    pub align: u32,
}

/// Whether an instruction is an asynchronous copy.
pub fn is_copy(instruction: Value) -> bool {
    matches!(Builtin::called_by(instruction), Some(Builtin::Dma(Dma::Read(_) | Dma::Write(_))))
}

/// The accesses of an instruction, but for those to the launch's record.
pub fn of(module: &Module, instruction: Value) -> Vec<MemoryAccess> {
    let mut accesses = all_of(module, instruction);
    let is_record = |access: &MemoryAccess| {
        Builtin::called_by(provenance::origin(access.pointer)) == Some(Builtin::CheckRecord)
    };
    accesses.retain(|access| !is_record(access));
    accesses
}

fn all_of(module: &Module, instruction: Value) -> Vec<MemoryAccess> {
    let one = |pointer: Value, ty: llvm::Type, access: Access, align: u32| {
        let bytes = Bytes::Constant(module.store_size_of(ty));
        // Clang knows more of a field of a struct than its type needs.
        let align = align.min(module.align_of(ty));
        vec![MemoryAccess { instruction, pointer, bytes, access, align }]
    };
    match instruction.opcode() {
        Some(Opcode::LLVMLoad) => {
            let access = if instruction.is_atomic() { Access::Atomic } else { Access::Read };
            one(instruction.operand(0), instruction.ty(), access, instruction.alignment())
        }
        Some(Opcode::LLVMStore) => {
            let access = if instruction.is_atomic() { Access::Atomic } else { Access::Write };
            one(instruction.operand(1), instruction.operand(0).ty(), access, instruction.alignment())
        }
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => {
            let ty = instruction.operand(1).ty();
            one(instruction.operand(0), ty, Access::Atomic, module.size_of(ty) as u32)
        }
        Some(Opcode::LLVMCall) => of_call(instruction),
        _ => Vec::new(),
    }
}

fn of_call(call: Value) -> Vec<MemoryAccess> {
    let Some(f) = call.called_function() else { return Vec::new() };
    let args = call.call_args();
    let part = |pointer: usize, bytes: Bytes, access: Access| MemoryAccess {
        instruction: call,
        pointer: args[pointer],
        bytes,
        access,
        align: 1,
    };
    let name = f.name();
    if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
        let bytes = Bytes::of(args[2]);
        return vec![part(1, bytes, Access::Read), part(0, bytes, Access::Write)];
    }
    if name.starts_with("llvm.memset.") {
        return vec![part(0, Bytes::of(args[2]), Access::Write)];
    }
    match Builtin::of(f) {
        Some(Builtin::Dma(Dma::Read(1) | Dma::Write(1))) => {
            let bytes = Bytes::of(args[2]);
            vec![part(1, bytes, Access::Read), part(0, bytes, Access::Write)]
        }
        // To, from, the bytes of a line, the strides of to and from, the number of lines.
        Some(Builtin::Dma(Dma::Read(2) | Dma::Write(2))) => {
            let lines = |stride: usize| Bytes::Lines(args[2], args[5], args[stride]);
            vec![part(1, lines(4), Access::Read), part(0, lines(3), Access::Write)]
        }
        _ => Vec::new(),
    }
}

impl Bytes {
    fn of(value: Value) -> Bytes {
        value.as_const_int().map_or(Bytes::Dynamic(value), Bytes::Constant)
    }

    /// The access as lines: the bytes of one, their number, and the distance of their starts.
    pub fn lines(self, b: &Builder) -> [Value; 3] {
        match self {
            Bytes::Constant(_) | Bytes::Dynamic(_) => [self.span(b), b.i64(1), b.i64(0)],
            Bytes::Lines(line, lines, stride) => {
                [line, lines, stride].map(|v| b.int_cast(v, b.context().i64(), ""))
            }
        }
    }

    /// The bytes from the start of the access to its end, as a word. Between lines there may be
    /// bytes that are not accessed.
    pub fn span(self, b: &Builder) -> Value {
        let word = b.context().i64();
        match self {
            Bytes::Constant(n) => b.i64(n),
            Bytes::Dynamic(n) => b.int_cast(n, word, ""),
            Bytes::Lines(line, lines, stride) => {
                let [line, lines, stride] = [line, lines, stride].map(|v| b.int_cast(v, word, ""));
                let n = b.add(b.mul(b.sub(lines, b.i64(1), ""), stride, ""), line, "");
                let none = b.icmp(IntPredicate::LLVMIntEQ, lines, b.i64(0), "");
                b.select(none, b.i64(0), n, "")
            }
        }
    }
}

/// All accesses of a function.
pub fn all(module: &Module, function: Function) -> Vec<MemoryAccess> {
    function.instructions().into_iter().flat_map(|i| of(module, i)).collect()
}
