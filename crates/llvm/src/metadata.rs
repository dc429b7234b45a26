//! Metadata nodes, strings and values.

use crate::Value;
use crate::ffi::*;
use crate::text::copy;
use llvm_sys::prelude::*;
use std::ptr::NonNull;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Metadata(NonNull<llvm_sys::LLVMOpaqueMetadata>);

impl Metadata {
    pub(crate) fn new(raw: LLVMMetadataRef) -> Self {
        Metadata(NonNull::new(raw).expect("LLVM returned no metadata"))
    }

    pub(crate) fn maybe(raw: LLVMMetadataRef) -> Option<Self> {
        NonNull::new(raw).map(Metadata)
    }

    pub(crate) fn raw(self) -> LLVMMetadataRef {
        self.0.as_ptr()
    }

    pub fn is_node(self) -> bool {
        ffi!(lw_metadata_is_node(self.raw())) != 0
    }

    /// The operands of a node (none for anything else); a null operand is `None`.
    pub fn operands(self) -> Vec<Option<Metadata>> {
        if !self.is_node() {
            return Vec::new();
        }
        let n = ffi!(lw_metadata_num_operands(self.raw()));
        (0..n).map(|i| Metadata::maybe(ffi!(lw_metadata_operand(self.raw(), i)))).collect()
    }

    /// The constant or function a metadata operand wraps.
    pub fn value(self) -> Option<Value> {
        Value::maybe(ffi!(lw_metadata_value(self.raw())))
    }

    pub fn string(self) -> Option<String> {
        let mut len = 0;
        let text = ffi!(lw_metadata_string(self.raw(), &mut len));
        (!text.is_null()).then(|| copy(text, len))
    }
}
