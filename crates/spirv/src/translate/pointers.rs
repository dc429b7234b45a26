//! Addresses: arithmetic on them, their address spaces, and integers that hold them.

use super::{Res, Translator};
use crate::grammar::Op;
use crate::parse::Inst;
use crate::types::{Ty, space_of};
use ir::address_space;
use llvm::{CallConv, Opcode, Type, Value};

impl Translator<'_, '_> {
    pub(super) fn pointer(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.result_type(inst)?;
        match inst.op {
            Op::ConvertPtrToU => {
                let pointer = self.pointer_value(inst.args[0])?;
                if !ty.is_int() {
                    return Err("the result is not an integer".to_owned());
                }
                Ok(self.b.cast(Opcode::LLVMPtrToInt, pointer, ty, ""))
            }
            Op::ConvertUToPtr => {
                let int = self.scalar_int(inst.args[0])?;
                self.types.pointer(self.m, inst.ty)?;
                Ok(self.b.cast(Opcode::LLVMIntToPtr, int, ty, ""))
            }
            Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::GenericCastToPtrExplicit => {
                let pointer = self.pointer_value(inst.args[0])?;
                self.types.pointer(self.m, inst.ty)?;
                let (from, to) = (pointer.ty().address_space(), ty.address_space());
                let (generic, named) = if inst.op == Op::PtrCastToGeneric { (to, from) } else { (from, to) };
                if generic != address_space::GENERIC || named == address_space::CONSTANT {
                    return Err("casts between Generic and Function, Workgroup or CrossWorkgroup".to_owned());
                }
                if inst.op == Op::GenericCastToPtrExplicit {
                    if space_of(inst.args[1])? != to {
                        return Err("the result is not of the storage class named".to_owned());
                    }
                    return self.as_named(pointer, ty);
                }
                Ok(self.b.address_space_cast(pointer, ty, ""))
            }
            Op::GenericPtrMemSemantics => self.memory_semantics(inst, ty),
            Op::PtrDiff => {
                let a = self.pointer_value(inst.args[0])?;
                let b = self.value_of(inst.args[1], a.ty())?;
                let (_, to) = self.types.pointer(self.m, self.type_id(inst.args[0])?)?;
                let size = self.out.size_of(self.types.sized(self.m, to)?).max(1);
                if !ty.is_int() {
                    return Err("the result is not an integer".to_owned());
                }
                let size_type = self.size_type();
                let address = |p: Value| self.b.cast(Opcode::LLVMPtrToInt, p, size_type, "");
                let bytes = self.b.sub(address(a), address(b), "");
                let elements = self.b.binary(Opcode::LLVMSDiv, bytes, size_type.const_int(size), "");
                Ok(self.resize(elements, ty, true))
            }
            _ => self.access_chain(inst, ty),
        }
    }

    /// `to_global` and the like: null where the pointer is not one of that address space.
    fn as_named(&mut self, pointer: Value, ty: Type) -> Res<Value> {
        let name = match ty.address_space() {
            address_space::GLOBAL => "__to_global",
            address_space::LOCAL => "__to_local",
            address_space::PRIVATE => "__to_private",
            _ => return Err("no storage class that a generic pointer can be of".to_owned()),
        };
        let f = self.declare(name, ty.function(&[pointer.ty()]))?;
        f.set_memory_none();
        Ok(self.b.call(f, &[pointer], ""))
    }

    /// The memory a generic pointer points to, as bits of memory semantics.
    fn memory_semantics(&mut self, inst: &Inst<'_>, ty: Type) -> Res<Value> {
        let pointer = self.pointer_value(inst.args[0])?;
        let i32 = self.context.i32();
        if pointer.ty().address_space() != address_space::GENERIC || ty != i32 {
            return Err("takes a generic pointer and gives a 32-bit integer".to_owned());
        }
        let f = self.declare("_Z9get_fencePU3AS4v", i32.function(&[pointer.ty()]))?;
        f.set_memory_none();
        // CLK_LOCAL_MEM_FENCE is 1 and CLK_GLOBAL_MEM_FENCE 2; WorkgroupMemory and
        // CrossWorkgroupMemory are these bits, shifted left by eight.
        let flags = self.b.call(f, &[pointer], "");
        Ok(self.b.binary(Opcode::LLVMShl, self.b.and(flags, self.b.i32(3), ""), self.b.i32(8), ""))
    }

    fn access_chain(&mut self, inst: &Inst<'_>, ty: Type) -> Res<Value> {
        let base = self.pointer_value(inst.args[0])?;
        let (_, mut at) = self.types.pointer(self.m, self.type_id(inst.args[0])?)?;
        let source = self.types.sized(self.m, at)?;
        let by_element = matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        let mut indices = Vec::with_capacity(inst.args.len());
        let rest = if by_element {
            indices.push(self.scalar_int(inst.args[1])?);
            &inst.args[2..]
        } else {
            indices.push(self.b.i64(0));
            &inst.args[1..]
        };
        for index in rest {
            let value = self.scalar_int(*index)?;
            at = match self.types.of(self.m, at)? {
                Ty::Struct(fields) => {
                    let n = self.const_int(*index)?;
                    let field = usize::try_from(n).ok().and_then(|n| fields.get(n));
                    let field = *field.ok_or_else(|| format!("the struct has no member {n}"))?;
                    indices.push(self.b.i32(n as u32));
                    field
                }
                Ty::Array(element, _) | Ty::Vector(element, _) => {
                    indices.push(value);
                    *element
                }
                _ => return Err(format!("{} is an index into a scalar", self.m.show(*index))),
            };
        }
        let (_, to) = self.types.pointer(self.m, inst.ty)?;
        if ty != base.ty() {
            return Err("the result is not of the base's storage class".to_owned());
        }
        if self.types.sized(self.m, to)? != self.types.sized(self.m, at)? {
            return Err(format!("points to {}, not to {}", self.m.show(at), self.m.show(to)));
        }
        let in_bounds = matches!(inst.op, Op::InBoundsAccessChain | Op::InBoundsPtrAccessChain);
        Ok(if in_bounds {
            self.b.gep(source, base, &indices, "")
        } else {
            self.b.gep_anywhere(source, base, &indices, "")
        })
    }

    /// A function of this name and type, with the calling convention of functions.
    pub(super) fn declare(&self, name: &str, ty: Type) -> Res<llvm::Function> {
        if let Some(f) = self.out.function(name) {
            if f.function_type() != ty {
                return Err(format!("'{name}' is declared with another type"));
            }
            return Ok(f);
        }
        let f = self.out.add_function(name, ty);
        f.set_call_conv(CallConv::SpirFunc);
        f.set_flag("nounwind");
        f.set_flag("convergent");
        Ok(f)
    }
}
