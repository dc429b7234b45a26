//! Basic blocks.

use crate::ffi::*;
use crate::text::{c, copy};
use crate::{Function, Value};
use llvm_sys::core::*;
use std::ffi::CStr;
use std::fmt;

handle!(Block(llvm_sys::LLVMBasicBlock), "block");

impl Block {
    pub fn name(self) -> String {
        let name = ffi!(LLVMGetBasicBlockName(self.raw()));
        // SAFETY: a block's name is NUL-terminated.
        let len = unsafe { CStr::from_ptr(name) }.to_bytes().len();
        copy(name, len)
    }

    pub fn set_name(self, name: &str) {
        self.as_value().set_name(name);
    }

    pub fn as_value(self) -> Value {
        Value::new(ffi!(LLVMBasicBlockAsValue(self.raw())))
    }

    pub fn function(self) -> Function {
        Function::from_raw(ffi!(LLVMGetBasicBlockParent(self.raw())))
    }

    pub fn next(self) -> Option<Block> {
        Block::maybe(ffi!(LLVMGetNextBasicBlock(self.raw())))
    }

    pub fn first(self) -> Option<Value> {
        Value::maybe(ffi!(LLVMGetFirstInstruction(self.raw())))
    }

    pub fn last(self) -> Option<Value> {
        Value::maybe(ffi!(LLVMGetLastInstruction(self.raw())))
    }

    pub fn first_non_phi(self) -> Option<Value> {
        self.instructions().into_iter().find(|i| !i.is_phi())
    }

    /// The block's terminator; a well-formed block has one.
    pub fn terminator(self) -> Option<Value> {
        Value::maybe(ffi!(LLVMGetBasicBlockTerminator(self.raw())))
    }

    /// The instructions as they are now; the block may change while the list is walked.
    pub fn instructions(self) -> Vec<Value> {
        std::iter::successors(self.first(), |i| i.next()).collect()
    }

    pub fn phis(self) -> Vec<Value> {
        std::iter::successors(self.first(), |i| i.next()).take_while(|i| i.is_phi()).collect()
    }

    pub fn successors(self) -> Vec<Block> {
        self.terminator().map(|t| t.successors()).unwrap_or_default()
    }

    /// The blocks that branch here, each once.
    pub fn predecessors(self) -> Vec<Block> {
        let mut found = Vec::new();
        for user in self.as_value().users() {
            if user.is_terminator()
                && let Some(block) = user.block()
                && !found.contains(&block)
            {
                found.push(block);
            }
        }
        found
    }

    pub fn move_after(self, other: Block) {
        ffi!(LLVMMoveBasicBlockAfter(self.raw(), other.raw()));
    }

    pub fn move_before(self, other: Block) {
        ffi!(LLVMMoveBasicBlockBefore(self.raw(), other.raw()));
    }

    /// Splits before an instruction: it and all after it move to a new block, to which this one
    /// branches.
    pub fn split_before(instruction: Value, name: &str) -> Block {
        let name = c(name);
        Block::new(ffi!(lw_split_block(instruction.raw(), name.as_ptr())))
    }

    /// Tells the PHIs here that `pred` no longer branches to this block.
    pub fn remove_predecessor(self, pred: Block) {
        ffi!(lw_remove_predecessor(self.raw(), pred.raw()));
    }

    /// Removes the block, which nothing may refer to.
    pub fn erase(self) {
        ffi!(LLVMDeleteBasicBlock(self.raw()));
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.name())
    }
}
