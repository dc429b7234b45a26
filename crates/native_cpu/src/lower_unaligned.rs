//! LowerUnaligned: accesses memory by smaller elements where those of a scalable vector are not
//! aligned.
//!
//! ```text
//! masked.store(<vscale x 4 x i16> %v, %p, align 1, %mask)   →
//!     %bytes = bitcast <vscale x 4 x i16> %v to <vscale x 8 x i8>
//!     %each  = … %mask, each of its bits twice …
//!     masked.store(<vscale x 8 x i8> %bytes, %p, align 1, %each)
//! ```
//!
//! A gather becomes one gather for each part of an element, and a scatter so many scatters. For
//! CPUs whose vector accesses trap on elements that are not aligned: LLVM's code generator for
//! RISC-V does so for plain loads and stores, has no code for masked ones, and overlooks gathers.
//! Runs last, on whatever LLVM's passes have left. Preserves control flow.

use analysis::Preserved;
use llvm::{Builder, Module, Opcode, Type, Value, Width};
use passes::{Pass, PassContext, PassError};

#[derive(Clone, Copy, Debug, Default)]
pub struct LowerUnaligned;

impl Pass for LowerUnaligned {
    fn name(&self) -> &'static str {
        "lower-unaligned"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for i in cx.module.functions().into_iter().flat_map(|f| f.instructions()) {
            let Some(f) = i.called_function().filter(|f| f.is_intrinsic()) else { continue };
            let name = f.name();
            let mut parts = name.strip_prefix("llvm.masked.").unwrap_or_default().split('.');
            let kind = parts.next().unwrap_or_default();
            // The operands: [value] memory, alignment, mask [value of inactive lanes].
            let (value, first) = match kind {
                "load" | "gather" => (i, 0),
                "store" | "scatter" => (i.operand(0), 1),
                _ => continue,
            };
            let align = i.operand(first + 1).as_const_int().expect("alignments are constants");
            let size = cx.module.size_of(value.ty().scalar());
            if !value.ty().is_scalable_vector() || align == 0 || align >= size {
                continue;
            }
            let b = &Builder::before(cx.module.context(), i);
            let access = Access {
                module: cx.module,
                b,
                memory: i.operand(first),
                mask: i.operand(first + 2),
                vector: value.ty(),
                size,
                part: align,
            };
            match kind {
                "load" => i.replace_all_uses_with(access.load(i.operand(3))),
                "gather" => i.replace_all_uses_with(access.gather(i.operand(3))),
                "store" => access.store(value),
                _ => access.scatter(value),
            }
            i.erase();
        }
        Ok(Preserved::control_flow())
    }
}

struct Access<'a> {
    module: &'a Module,
    b: &'a Builder,
    /// The address, or those of the lanes.
    memory: Value,
    mask: Value,
    vector: Type,
    /// The bytes of an element, and those that are accessed at once.
    size: u64,
    part: u64,
}

impl Access<'_> {
    fn align(&self) -> Value {
        self.b.i32(self.part as u32)
    }

    fn part_type(&self) -> Type {
        self.b.context().int(8 * self.part as u32)
    }

    /// The vector's type with integers in it.
    fn integers(&self) -> Type {
        self.b.context().int(8 * self.size as u32).vector(self.vector.width())
    }

    /// The vector's type as one of parts.
    fn parts(&self) -> Type {
        let lanes = self.vector.width().lanes * (self.size / self.part) as u32;
        self.part_type().vector(Width::scalable(lanes))
    }

    fn to_integers(&self, value: Value) -> Value {
        let op = if self.vector.scalar().is_ptr() { Opcode::LLVMPtrToInt } else { Opcode::LLVMBitCast };
        self.b.cast(op, value, self.integers(), "")
    }

    fn of_integers(&self, value: Value) -> Value {
        let op = if self.vector.scalar().is_ptr() { Opcode::LLVMIntToPtr } else { Opcode::LLVMBitCast };
        self.b.cast(op, value, self.vector, "")
    }

    fn to_parts(&self, value: Value) -> Value {
        self.b.cast(Opcode::LLVMBitCast, self.to_integers(value), self.parts(), "")
    }

    /// The mask, each of its bits once for each part of an element.
    fn mask_of_parts(&self) -> Value {
        let wide = self.b.cast(Opcode::LLVMSExt, self.mask, self.integers(), "");
        let each = self.b.cast(Opcode::LLVMBitCast, wide, self.parts(), "");
        let zero = self.parts().zero();
        self.b.icmp(llvm::IntPredicate::LLVMIntNE, each, zero, "")
    }

    fn load(&self, inactive: Value) -> Value {
        let load = self.module.intrinsic("llvm.masked.load", &[self.parts(), self.memory.ty()]);
        let args = [self.memory, self.align(), self.mask_of_parts(), self.to_parts(inactive)];
        let loaded = self.b.call(load, &args, "");
        self.of_integers(self.b.cast(Opcode::LLVMBitCast, loaded, self.integers(), ""))
    }

    fn store(&self, value: Value) {
        let store = self.module.intrinsic("llvm.masked.store", &[self.parts(), self.memory.ty()]);
        let args = [self.to_parts(value), self.memory, self.align(), self.mask_of_parts()];
        self.b.call(store, &args, "");
    }

    /// For each part of an element: the addresses of all lanes, and by how many bits its place in
    /// the element is.
    fn places(&self) -> impl Iterator<Item = (Value, Value)> {
        (0..self.size / self.part).map(|n| {
            let at = self.b.i64(n * self.part);
            let addresses = self.b.gep_anywhere(self.b.context().i8(), self.memory, &[at], "");
            let shift = self.integers().scalar().const_int(8 * n * self.part);
            (addresses, self.b.splat(shift, self.vector.width(), ""))
        })
    }

    fn gather(&self, inactive: Value) -> Value {
        let part = self.part_type().vector(self.vector.width());
        let gather = self.module.intrinsic("llvm.masked.gather", &[part, self.memory.ty()]);
        let all = self.places().fold(self.integers().zero(), |all, (addresses, shift)| {
            let loaded = self.b.call(gather, &[addresses, self.align(), self.mask, part.zero()], "");
            let wide = self.b.cast(Opcode::LLVMZExt, loaded, self.integers(), "");
            self.b.binary(Opcode::LLVMOr, all, self.b.binary(Opcode::LLVMShl, wide, shift, ""), "")
        });
        let loaded = self.of_integers(all);
        if inactive.is_undef_or_poison() { loaded } else { self.b.select(self.mask, loaded, inactive, "") }
    }

    fn scatter(&self, value: Value) {
        let part = self.part_type().vector(self.vector.width());
        let scatter = self.module.intrinsic("llvm.masked.scatter", &[part, self.memory.ty()]);
        let value = self.to_integers(value);
        for (addresses, shift) in self.places() {
            let moved = self.b.binary(Opcode::LLVMLShr, value, shift, "");
            let stored = self.b.cast(Opcode::LLVMTrunc, moved, part, "");
            self.b.call(scatter, &[stored, addresses, self.align(), self.mask], "");
        }
    }
}
