//! Global variables.

use crate::ffi::*;
use crate::text::c;
use crate::{Linkage, Type, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;

kind_of_value!(Global);

impl Global {
    pub fn value_type(self) -> Type {
        Type::new(ffi!(LLVMGlobalGetValueType(self.raw())))
    }

    pub fn address_space(self) -> u32 {
        self.ty().address_space()
    }

    pub fn alignment(self) -> u32 {
        ffi!(LLVMGetAlignment(self.raw()))
    }

    pub fn initializer(self) -> Option<Value> {
        Value::maybe(ffi!(LLVMGetInitializer(self.raw())))
    }

    pub fn set_initializer(self, value: Value) {
        ffi!(LLVMSetInitializer(self.raw(), value.raw()));
    }

    /// Turns the variable into a declaration, whose definition is elsewhere.
    pub fn remove_initializer(self) {
        ffi!(LLVMSetInitializer(self.raw(), std::ptr::null_mut()));
    }

    /// Lets objects that are loaded apart from each other have the variable in common, by its name.
    pub fn share(self) {
        ffi!(lw_share_global(self.raw()));
    }

    pub fn linkage(self) -> Linkage {
        ffi!(LLVMGetLinkage(self.raw()))
    }

    pub fn set_linkage(self, linkage: Linkage) {
        ffi!(LLVMSetLinkage(self.raw(), linkage));
    }

    /// Makes the variable the module's own.
    pub fn set_internal(self) {
        self.set_linkage(Linkage::LLVMInternalLinkage);
    }

    pub fn set_alignment(self, bytes: u32) {
        ffi!(LLVMSetAlignment(self.raw(), bytes));
    }

    pub fn is_constant(self) -> bool {
        ffi!(LLVMIsGlobalConstant(self.raw())) != 0
    }

    pub fn set_constant(self, constant: bool) {
        ffi!(LLVMSetGlobalConstant(self.raw(), LLVMBool::from(constant)));
    }

    pub fn set_section(self, name: &str) {
        let name = c(name);
        ffi!(LLVMSetSection(self.raw(), name.as_ptr()));
    }

    /// Removes the variable, which nothing may use.
    pub fn erase(self) {
        ffi!(LLVMDeleteGlobal(self.raw()));
    }
}
