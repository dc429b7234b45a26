//! Metadata nodes, strings and values.

use crate::Value;
use crate::ffi::*;
use crate::text::copy;

handle!(
    #[derive(Debug)]
    Metadata(llvm_sys::LLVMOpaqueMetadata),
    "metadata"
);

impl Metadata {
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
