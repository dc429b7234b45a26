//! LLVM contexts, which own types and constants.

use crate::ffi::ffi;
use crate::text::c;
use crate::{Metadata, Type, Value, guard};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use llvm_sys::prelude::*;
use std::sync::Arc;

/// An LLVM context. Clones share it; it ends with the last clone or module.
#[derive(Clone)]
pub struct Context(Arc<Raw>);

struct Raw(LLVMContextRef);

// SAFETY: an LLVM context is not bound to a thread; that one thread uses it at a time is a rule for
// the users of this crate.
unsafe impl Send for Raw {}
// SAFETY: as above. The type does not enforce the rule: every method of a context may change it.
unsafe impl Sync for Raw {}

impl Drop for Raw {
    fn drop(&mut self) {
        if !guard::has_crashed(self.0.cast()) {
            ffi!(LLVMContextDispose(self.0));
        }
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Context {
    pub fn new() -> Self {
        let raw = ffi!(LLVMContextCreate());
        ffi!(LLVMContextSetDiscardValueNames(raw, 0));
        Context(Arc::new(Raw(raw)))
    }

    pub(crate) fn raw(&self) -> LLVMContextRef {
        self.0.0
    }

    /// Whether LLVM crashed while it worked in this context. Then neither the context nor anything
    /// of it may be used, only dropped.
    pub fn has_crashed(&self) -> bool {
        guard::has_crashed(self.raw().cast())
    }

    pub fn void(&self) -> Type {
        Type::new(ffi!(LLVMVoidTypeInContext(self.raw())))
    }

    pub fn int(&self, bits: u32) -> Type {
        Type::new(ffi!(LLVMIntTypeInContext(self.raw(), bits)))
    }

    pub fn i1(&self) -> Type {
        self.int(1)
    }

    pub fn i8(&self) -> Type {
        self.int(8)
    }

    pub fn i32(&self) -> Type {
        self.int(32)
    }

    pub fn i64(&self) -> Type {
        self.int(64)
    }

    pub fn half(&self) -> Type {
        Type::new(ffi!(LLVMHalfTypeInContext(self.raw())))
    }

    pub fn float(&self) -> Type {
        Type::new(ffi!(LLVMFloatTypeInContext(self.raw())))
    }

    pub fn double(&self) -> Type {
        Type::new(ffi!(LLVMDoubleTypeInContext(self.raw())))
    }

    /// The target extension type of this name with these parameters.
    pub fn target_type(&self, name: &str, types: &[Type], ints: &[u32]) -> Type {
        let name = c(name);
        let (mut types, mut ints): (Vec<_>, Vec<_>) =
            (types.iter().map(|t| t.raw()).collect(), ints.to_vec());
        Type::new(ffi!(LLVMTargetExtTypeInContext(
            self.raw(),
            name.as_ptr(),
            types.as_mut_ptr(),
            types.len() as u32,
            ints.as_mut_ptr(),
            ints.len() as u32
        )))
    }

    pub fn ptr(&self, address_space: u32) -> Type {
        Type::new(ffi!(LLVMPointerTypeInContext(self.raw(), address_space)))
    }

    /// A literal struct type.
    pub fn struct_type(&self, fields: &[Type], packed: bool) -> Type {
        let mut raw: Vec<_> = fields.iter().map(|t| t.raw()).collect();
        Type::new(ffi!(LLVMStructTypeInContext(
            self.raw(),
            raw.as_mut_ptr(),
            raw.len() as u32,
            LLVMBool::from(packed)
        )))
    }

    /// The named struct type with these fields: the one there is, if it has just these fields, or a
    /// new one.
    pub fn named_struct(&self, name: &str, fields: &[Type]) -> Type {
        if let Some(ty) = self.struct_named(name)
            && ty.struct_fields() == fields
        {
            return ty;
        }
        let name = c(name);
        let ty = ffi!(LLVMStructCreateNamed(self.raw(), name.as_ptr()));
        let mut raw: Vec<_> = fields.iter().map(|t| t.raw()).collect();
        ffi!(LLVMStructSetBody(ty, raw.as_mut_ptr(), raw.len() as u32, 0));
        Type::new(ty)
    }

    pub fn struct_named(&self, name: &str) -> Option<Type> {
        let name = c(name);
        Type::maybe(ffi!(LLVMGetTypeByName2(self.raw(), name.as_ptr())))
    }

    pub fn metadata_kind(&self, name: &str) -> u32 {
        ffi!(LLVMGetMDKindIDInContext(self.raw(), name.as_ptr().cast(), name.len() as u32))
    }

    pub fn metadata_string(&self, text: &str) -> Metadata {
        Metadata::new(ffi!(LLVMMDStringInContext2(self.raw(), text.as_ptr().cast(), text.len())))
    }

    pub fn metadata_node(&self, operands: &[Metadata]) -> Metadata {
        let mut raw: Vec<_> = operands.iter().map(|m| m.raw()).collect();
        Metadata::new(ffi!(LLVMMDNodeInContext2(self.raw(), raw.as_mut_ptr(), raw.len())))
    }

    /// A distinct node whose first operand is itself, as loop IDs are, followed by these operands.
    pub fn metadata_self_node(&self, operands: &[Metadata]) -> Metadata {
        let temporary = ffi!(LLVMTemporaryMDNode(self.raw(), std::ptr::null_mut(), 0));
        let mut raw = vec![temporary];
        raw.extend(operands.iter().map(|m| m.raw()));
        let node = ffi!(LLVMMDNodeInContext2(self.raw(), raw.as_mut_ptr(), raw.len()));
        ffi!(LLVMMetadataReplaceAllUsesWith(temporary, node));
        Metadata::new(node)
    }

    pub fn metadata_value(&self, value: Value) -> Metadata {
        Metadata::new(ffi!(LLVMValueAsMetadata(value.raw())))
    }

    /// A constant string as an array of bytes.
    pub fn const_bytes(&self, bytes: &[u8]) -> Value {
        Value::new(ffi!(LLVMConstStringInContext2(self.raw(), bytes.as_ptr().cast(), bytes.len(), 1)))
    }
}
