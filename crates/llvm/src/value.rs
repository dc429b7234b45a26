//! Values: constants, arguments, instructions, functions. The kind of a value is queried at run
//! time.

use crate::ffi::*;
use crate::text::{c, copy, take};
use crate::{AtomicOrdering, Block, Function, Global, IntPredicate, Metadata, Opcode, Type};
use llvm_sys::LLVMValueKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::*;
use std::fmt;

/// A function on the stack of an instruction's source location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackFrame {
    pub line: u32,
    pub column: u32,
    pub file: String,
    pub function: String,
}

handle!(Value(llvm_sys::LLVMValue), "value");

impl Value {
    pub fn ty(self) -> Type {
        Type::new(ffi!(LLVMTypeOf(self.raw())))
    }

    pub fn name(self) -> String {
        let mut len = 0;
        let name = ffi!(LLVMGetValueName2(self.raw(), &mut len));
        copy(name, len)
    }

    pub fn set_name(self, name: &str) {
        ffi!(LLVMSetValueName2(self.raw(), name.as_ptr().cast(), name.len()));
    }

    // ---- What it is ----------------------------------------------------------------------------

    fn kind(self) -> LLVMValueKind {
        ffi!(LLVMGetValueKind(self.raw()))
    }

    pub fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    pub fn is_argument(self) -> bool {
        self.kind() == LLVMValueKind::LLVMArgumentValueKind
    }

    pub fn is_constant(self) -> bool {
        ffi!(LLVMIsConstant(self.raw())) != 0
    }

    pub fn is_block(self) -> bool {
        self.kind() == LLVMValueKind::LLVMBasicBlockValueKind
    }

    pub fn is_undef_or_poison(self) -> bool {
        ffi!(LLVMIsUndef(self.raw())) != 0 || ffi!(LLVMIsPoison(self.raw())) != 0
    }

    /// Zero, null or all zeros.
    pub fn is_zero(self) -> bool {
        ffi!(LLVMIsNull(self.raw())) != 0
    }

    pub fn as_function(self) -> Option<Function> {
        (self.kind() == LLVMValueKind::LLVMFunctionValueKind).then(|| Function::from_raw(self.raw()))
    }

    pub fn as_global(self) -> Option<Global> {
        (self.kind() == LLVMValueKind::LLVMGlobalVariableValueKind).then(|| Global::from_raw(self.raw()))
    }

    pub fn as_block(self) -> Option<Block> {
        self.is_block().then(|| Block::new(ffi!(LLVMValueAsBasicBlock(self.raw()))))
    }

    /// The value of a constant integer of at most 64 bits, zero-extended.
    pub fn as_const_int(self) -> Option<u64> {
        (self.kind() == LLVMValueKind::LLVMConstantIntValueKind && self.ty().int_bits() <= 64)
            .then(|| ffi!(LLVMConstIntGetZExtValue(self.raw())))
    }

    /// The bytes of a constant array of `i8`, with the NUL of a string.
    pub fn as_const_bytes(self) -> Option<Vec<u8>> {
        let ty = self.ty();
        if !ty.is_array() || !ty.element().is_int() || ty.element().int_bits() != 8 {
            return None;
        }
        if self.is_zero() {
            return Some(vec![0; ty.len() as usize]);
        }
        if self.kind() != LLVMValueKind::LLVMConstantDataArrayValueKind {
            return None;
        }
        let mut len = 0;
        let bytes = ffi!(LLVMGetAsString(self.raw(), &mut len));
        // SAFETY: the bytes are the constant's, which is alive.
        Some(unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), len) }.to_vec())
    }

    pub fn as_const_signed(self) -> Option<i64> {
        (self.kind() == LLVMValueKind::LLVMConstantIntValueKind && self.ty().int_bits() <= 64)
            .then(|| ffi!(LLVMConstIntGetSExtValue(self.raw())))
    }

    /// An element of a constant vector, array or struct.
    pub fn const_element(self, n: u32) -> Option<Value> {
        Value::maybe(ffi!(LLVMGetAggregateElement(self.raw(), n)))
    }

    /// The constant that all lanes of a constant vector have.
    pub fn const_splat(self) -> Option<Value> {
        let is_vector = self.ty().is_vector() || self.ty().is_scalable_vector();
        if !is_vector || !self.is_constant() {
            return None;
        }
        Value::maybe(ffi!(lw_const_splat_value(self.raw())))
    }

    // ---- Operands and uses ---------------------------------------------------------------------

    pub fn num_operands(self) -> u32 {
        ffi!(LLVMGetNumOperands(self.raw())).max(0) as u32
    }

    pub fn operand(self, i: u32) -> Value {
        Value::new(ffi!(LLVMGetOperand(self.raw(), i)))
    }

    pub fn set_operand(self, i: u32, value: Value) {
        ffi!(LLVMSetOperand(self.raw(), i, value.raw()));
    }

    pub fn operands(self) -> impl Iterator<Item = Value> {
        (0..self.num_operands()).filter_map(move |i| Value::maybe(ffi!(LLVMGetOperand(self.raw(), i))))
    }

    /// The users, one entry for each use.
    pub fn users(self) -> Vec<Value> {
        let mut users = Vec::new();
        let mut at = ffi!(LLVMGetFirstUse(self.raw()));
        while !at.is_null() {
            users.push(Value::new(ffi!(LLVMGetUser(at))));
            at = ffi!(LLVMGetNextUse(at));
        }
        users
    }

    pub fn is_used(self) -> bool {
        !ffi!(LLVMGetFirstUse(self.raw())).is_null()
    }

    /// Every use anywhere becomes a use of `other`.
    pub fn replace_all_uses_with(self, other: Value) {
        ffi!(LLVMReplaceAllUsesWith(self.raw(), other.raw()));
    }

    /// In this user, every operand that is `old` becomes `new`.
    pub fn replace_operand(self, old: Value, new: Value) {
        for i in 0..self.num_operands() {
            if self.operand(i) == old {
                self.set_operand(i, new);
            }
        }
    }

    // ---- Instructions --------------------------------------------------------------------------

    /// The opcode of an instruction or constant expression.
    pub fn opcode(self) -> Option<Opcode> {
        if self.is_instruction() {
            Some(ffi!(LLVMGetInstructionOpcode(self.raw())))
        } else if self.kind() == LLVMValueKind::LLVMConstantExprValueKind {
            Some(ffi!(LLVMGetConstOpcode(self.raw())))
        } else {
            None
        }
    }

    fn is_op(self, op: Opcode) -> bool {
        self.is_instruction() && self.opcode() == Some(op)
    }

    pub fn is_phi(self) -> bool {
        self.is_op(Opcode::LLVMPHI)
    }

    pub fn is_call(self) -> bool {
        self.is_op(Opcode::LLVMCall)
    }

    pub fn is_alloca(self) -> bool {
        self.is_op(Opcode::LLVMAlloca)
    }

    pub fn is_load(self) -> bool {
        self.is_op(Opcode::LLVMLoad)
    }

    pub fn is_store(self) -> bool {
        self.is_op(Opcode::LLVMStore)
    }

    pub fn is_return(self) -> bool {
        self.is_op(Opcode::LLVMRet)
    }

    pub fn is_terminator(self) -> bool {
        self.is_instruction() && !ffi!(LLVMIsATerminatorInst(self.raw())).is_null()
    }

    pub fn is_cast(self) -> bool {
        self.is_instruction() && !ffi!(LLVMIsACastInst(self.raw())).is_null()
    }

    pub fn block(self) -> Option<Block> {
        if !self.is_instruction() {
            return None;
        }
        Block::maybe(ffi!(LLVMGetInstructionParent(self.raw())))
    }

    pub fn next(self) -> Option<Value> {
        Value::maybe(ffi!(LLVMGetNextInstruction(self.raw())))
    }

    /// Removes the instruction for good. Its uses must be gone.
    pub fn erase(self) {
        debug_assert!(!self.is_used(), "erasing an instruction that is used: {self}");
        ffi!(LLVMInstructionEraseFromParent(self.raw()));
    }

    /// A copy of the instruction that is in no block yet.
    pub fn clone_instruction(self) -> Value {
        Value::new(ffi!(LLVMInstructionClone(self.raw())))
    }

    pub fn move_before(self, other: Value) {
        ffi!(lw_move_before(self.raw(), other.raw()));
    }

    /// The function a call calls, if that is known and the call's type is the function's.
    pub fn called_function(self) -> Option<Function> {
        if !self.is_call() {
            return None;
        }
        let callee = Value::maybe(ffi!(LLVMGetCalledValue(self.raw())))?.as_function()?;
        (callee.function_type() == self.called_type()).then_some(callee)
    }

    pub fn called_type(self) -> Type {
        Type::new(ffi!(LLVMGetCalledFunctionType(self.raw())))
    }

    pub fn call_args(self) -> Vec<Value> {
        let n = ffi!(LLVMGetNumArgOperands(self.raw()));
        (0..n).map(|i| self.operand(i)).collect()
    }

    pub fn set_call_conv(self, conv: crate::CallConv) {
        ffi!(LLVMSetInstructionCallConv(self.raw(), conv.number()));
    }

    /// The text of a string attribute on a call site.
    pub fn call_attribute(self, name: &str) -> Option<String> {
        let index = llvm_sys::LLVMAttributeFunctionIndex;
        let raw =
            ffi!(LLVMGetCallSiteStringAttribute(self.raw(), index, name.as_ptr().cast(), name.len() as u32));
        crate::function::attribute_text(raw)
    }

    pub fn set_call_attribute(self, name: &str, value: &str) {
        let raw = crate::function::string_attribute(self.context(), name, value);
        ffi!(LLVMAddCallSiteAttribute(self.raw(), llvm_sys::LLVMAttributeFunctionIndex, raw));
    }

    /// Gives an argument of a call an attribute with a type (`byval`).
    pub fn set_call_param_type(self, i: u32, name: &str, ty: Type) {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        assert!(kind != 0, "LLVM has no attribute {name}");
        let raw = ffi!(LLVMCreateTypeAttribute(self.context(), kind, ty.raw()));
        ffi!(LLVMAddCallSiteAttribute(self.raw(), i + 1, raw));
    }

    pub fn remove_call_flag(self, name: &str) {
        let index = llvm_sys::LLVMAttributeFunctionIndex;
        let kind = ffi!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        ffi!(LLVMRemoveCallSiteEnumAttribute(self.raw(), index, kind));
    }

    pub(crate) fn context(self) -> LLVMContextRef {
        ffi!(LLVMGetTypeContext(self.ty().raw()))
    }

    pub fn incoming(self) -> Vec<(Value, Block)> {
        assert!(self.is_phi());
        let n = ffi!(LLVMCountIncoming(self.raw()));
        (0..n)
            .map(|i| {
                let value = Value::new(ffi!(LLVMGetIncomingValue(self.raw(), i)));
                (value, Block::new(ffi!(LLVMGetIncomingBlock(self.raw(), i))))
            })
            .collect()
    }

    pub fn add_incoming(self, value: Value, block: Block) {
        assert!(self.is_phi());
        let (mut value, mut block) = (value.raw(), block.raw());
        ffi!(LLVMAddIncoming(self.raw(), &mut value, &mut block, 1));
    }

    pub fn successors(self) -> Vec<Block> {
        let n = ffi!(LLVMGetNumSuccessors(self.raw()));
        (0..n).map(|i| Block::new(ffi!(LLVMGetSuccessor(self.raw(), i)))).collect()
    }

    pub fn set_successor(self, i: u32, block: Block) {
        ffi!(LLVMSetSuccessor(self.raw(), i, block.raw()));
    }

    /// The condition of a conditional branch or the value a switch is on.
    pub fn condition(self) -> Option<Value> {
        match self.opcode()? {
            Opcode::LLVMBr if ffi!(LLVMIsConditional(self.raw())) != 0 => {
                Some(Value::new(ffi!(LLVMGetCondition(self.raw()))))
            }
            Opcode::LLVMSwitch => Some(self.operand(0)),
            _ => None,
        }
    }

    pub fn int_predicate(self) -> IntPredicate {
        ffi!(LLVMGetICmpPredicate(self.raw()))
    }

    pub fn allocated_type(self) -> Type {
        assert!(self.is_alloca());
        Type::new(ffi!(LLVMGetAllocatedType(self.raw())))
    }

    /// The alignment of an alloca, load or store.
    pub fn alignment(self) -> u32 {
        ffi!(LLVMGetAlignment(self.raw()))
    }

    pub fn set_alignment(self, bytes: u32) {
        ffi!(LLVMSetAlignment(self.raw(), bytes));
    }

    /// The bits of a constant as a constant of another type of the same size.
    pub fn const_bitcast(self, to: Type) -> Value {
        Value::new(ffi!(LLVMConstBitCast(self.raw(), to.raw())))
    }

    pub fn set_volatile(self) {
        ffi!(LLVMSetVolatile(self.raw(), 1));
    }

    /// Says of a load that the memory never changes while the function may run.
    pub fn set_invariant(self) {
        let context = ffi!(LLVMGetTypeContext(self.ty().raw()));
        let kind = ffi!(LLVMGetMDKindIDInContext(context, c"invariant.load".as_ptr(), 14));
        let empty = ffi!(LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0));
        let node = ffi!(LLVMMetadataAsValue(context, empty));
        ffi!(LLVMSetMetadata(self.raw(), kind, node));
    }

    /// Sets `nsw` and `nuw` on an integer operation; does nothing for a constant.
    pub fn set_no_wrap(self, signed: bool, unsigned: bool) {
        if self.is_instruction() {
            ffi!(LLVMSetNSW(self.raw(), LLVMBool::from(signed)));
            ffi!(LLVMSetNUW(self.raw(), LLVMBool::from(unsigned)));
        }
    }

    /// Sets the fast-math flags ([`crate::fast_math`]) of an instruction that can have them.
    pub fn set_fast_math(self, flags: u32) {
        if self.is_instruction() && ffi!(LLVMCanValueUseFastMathFlags(self.raw())) != 0 {
            ffi!(LLVMSetFastMathFlags(self.raw(), flags));
        }
    }

    /// The fast-math flags of an instruction, none if it cannot have them.
    pub fn fast_math(self) -> u32 {
        let may_have = self.is_instruction() && ffi!(LLVMCanValueUseFastMathFlags(self.raw())) != 0;
        if may_have { ffi!(LLVMGetFastMathFlags(self.raw())) } else { 0 }
    }

    pub fn is_volatile(self) -> bool {
        ffi!(LLVMGetVolatile(self.raw())) != 0
    }

    pub fn is_atomic(self) -> bool {
        match self.opcode() {
            Some(Opcode::LLVMLoad | Opcode::LLVMStore) => {
                self.ordering() != AtomicOrdering::LLVMAtomicOrderingNotAtomic
            }
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence) => true,
            _ => false,
        }
    }

    /// The ordering of a load, store, fence or read-modify-write.
    pub fn ordering(self) -> AtomicOrdering {
        ffi!(LLVMGetOrdering(self.raw()))
    }

    /// What an `atomicrmw` does.
    pub fn atomic_op(self) -> crate::AtomicOp {
        ffi!(LLVMGetAtomicRMWBinOp(self.raw()))
    }

    /// Adds loop metadata to the latch's branch that disables vectorization, and unrolling if it is
    /// to stay `rolled`.
    pub fn leave_loop(self, rolled: bool) {
        ffi!(lw_leave_loop(self.raw(), rolled.into()));
    }

    /// Makes an atomic operation a plain one: for memory that no other thread reaches.
    pub fn make_plain(self) {
        match self.opcode() {
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => ffi!(lw_lower_atomic(self.raw())),
            _ => self.set_ordering(AtomicOrdering::LLVMAtomicOrderingNotAtomic),
        }
    }

    pub fn set_ordering(self, ordering: AtomicOrdering) {
        ffi!(LLVMSetOrdering(self.raw(), ordering));
    }

    /// The orderings of a compare-and-exchange, on success and on failure.
    pub fn cmpxchg_orderings(self) -> (AtomicOrdering, AtomicOrdering) {
        (ffi!(LLVMGetCmpXchgSuccessOrdering(self.raw())), ffi!(LLVMGetCmpXchgFailureOrdering(self.raw())))
    }

    pub fn set_cmpxchg_orderings(self, success: AtomicOrdering, failure: AtomicOrdering) {
        ffi!(LLVMSetCmpXchgSuccessOrdering(self.raw(), success));
        ffi!(LLVMSetCmpXchgFailureOrdering(self.raw(), failure));
    }

    /// Drops the synchronisation scope of an atomic instruction: it is then the whole system.
    pub fn set_system_scope(self) {
        ffi!(lw_set_system_scope(self.raw()));
    }

    /// The mask of a `shufflevector`; a lane that is undefined is -1.
    pub fn shuffle_mask(self) -> Vec<i32> {
        let n = ffi!(LLVMGetNumMaskElements(self.raw()));
        (0..n).map(|i| ffi!(LLVMGetMaskValue(self.raw(), i))).collect()
    }

    /// The vector overload of the intrinsic that this call calls, and which of its arguments stay
    /// scalars.
    pub fn widened_intrinsic(self, width: impl Into<crate::Width>) -> Option<(Function, Vec<bool>)> {
        let width = width.into();
        if !self.is_call() {
            return None;
        }
        let mut scalar = 0;
        let raw = ffi!(lw_widen_intrinsic(self.raw(), width.lanes, width.scalable.into(), &mut scalar));
        let function = Value::maybe(raw)?.as_function()?;
        let stays = (0..self.call_args().len()).map(|i| scalar >> i & 1 != 0).collect();
        Some((function, stays))
    }

    /// Drops the flags that make the result poison when something wraps or is out of bounds.
    pub fn drop_poison_flags(self) {
        ffi!(lw_drop_poison_flags(self.raw()));
    }

    /// Takes the no-wrap, exact and fast-math flags of another instruction.
    pub fn copy_flags_from(self, other: Value) {
        ffi!(lw_copy_flags(self.raw(), other.raw()));
    }

    pub fn has_no_signed_wrap(self) -> bool {
        ffi!(LLVMGetNSW(self.raw())) != 0
    }

    /// Whether this is an `or disjoint`, which is also a sum.
    pub fn is_disjoint_or(self) -> bool {
        self.opcode() == Some(Opcode::LLVMOr)
            && self.is_instruction()
            && ffi!(LLVMGetIsDisjoint(self.raw())) != 0
    }

    /// Whether this is a `zext nneg`, which is also a sign extension.
    pub fn is_non_negative_zext(self) -> bool {
        self.opcode() == Some(Opcode::LLVMZExt) && self.is_instruction() && ffi!(LLVMGetNNeg(self.raw())) != 0
    }

    pub fn is_in_bounds(self) -> bool {
        ffi!(LLVMIsInBounds(self.raw())) != 0
    }

    /// The field an `extractvalue` takes; `None` of other instructions.
    pub fn aggregate_index(self) -> Option<u32> {
        if self.opcode() != Some(Opcode::LLVMExtractValue) || ffi!(LLVMGetNumIndices(self.raw())) != 1 {
            return None;
        }
        // SAFETY: there is one index.
        Some(unsafe { *LLVMGetIndices(self.raw()) })
    }

    pub fn real_predicate(self) -> crate::RealPredicate {
        ffi!(LLVMGetFCmpPredicate(self.raw()))
    }

    pub fn gep_source_type(self) -> Type {
        Type::new(ffi!(LLVMGetGEPSourceElementType(self.raw())))
    }

    // ---- Metadata ------------------------------------------------------------------------------

    /// The line and column the instruction was written at, if it is known.
    pub fn debug_line(self) -> Option<(u32, u32)> {
        let mut column = 0;
        let line = ffi!(lw_debug_line(self.raw(), &mut column));
        (line != 0).then_some((line, column))
    }

    /// The stack of functions that were inlined at an instruction's place, innermost first.
    pub fn debug_stack(self) -> Vec<StackFrame> {
        let raw = ffi!(lw_debug_stack(self.raw()));
        if raw.is_null() {
            return Vec::new();
        }
        let text = take(raw);
        let frame = |line: &str| {
            let mut parts = line.splitn(4, '\t');
            Some(StackFrame {
                line: parts.next()?.parse().ok()?,
                column: parts.next()?.parse().ok()?,
                file: parts.next()?.to_owned(),
                function: parts.next()?.to_owned(),
            })
        };
        text.lines().filter_map(frame).collect()
    }

    /// The file and line an instruction was written at, or a function begins at, if they are known.
    pub fn debug_place(self) -> Option<(String, u32)> {
        if self.as_function().is_none() && !self.is_instruction() {
            return None;
        }
        let line = ffi!(LLVMGetDebugLocLine(self.raw()));
        if line == 0 {
            return None;
        }
        let mut len = 0;
        let file = ffi!(LLVMGetDebugLocFilename(self.raw(), &mut len));
        let file = if file.is_null() { String::new() } else { copy(file, len as usize) };
        Some((file, line))
    }

    /// Tells debuggers that an alloca holds an array of so many unsigned integers of 64 bits, if
    /// its function has debug information.
    pub fn declare_array(self, name: &str, count: u32) {
        let name = c(name);
        ffi!(lw_declare_array(self.raw(), name.as_ptr(), count));
    }

    /// Keeps the code generator from moving instructions from before this one to after it, or the
    /// other way round.
    pub fn fix_order_here(self) {
        ffi!(lw_fix_order_at(self.raw()));
    }

    /// Copies the debug location of another instruction.
    pub fn copy_place_from(self, other: Value) {
        // A constant that the builder folded is no instruction.
        if self.is_instruction() && other.is_instruction() {
            ffi!(LLVMInstructionSetDebugLoc(self.raw(), LLVMInstructionGetDebugLoc(other.raw())));
        }
    }

    /// Puts metadata on an instruction.
    pub fn set_metadata(self, kind: u32, node: Metadata) {
        let value = ffi!(LLVMMetadataAsValue(self.context(), node.raw()));
        ffi!(LLVMSetMetadata(self.raw(), kind, value));
    }

    /// Whether an instruction has metadata of a kind.
    pub fn has_metadata(self, kind: u32) -> bool {
        !ffi!(LLVMGetMetadata(self.raw(), kind)).is_null()
    }

    /// Whether a source variable is declared to live at this address.
    pub fn has_debug_declare(self) -> bool {
        ffi!(lw_has_debug_declare(self.raw())) != 0
    }

    /// Makes the source variables declared at this address live at `base + offset`, or, with
    /// `deref`, at `offset` past the address that is stored at `base`.
    pub fn move_debug_declare(self, base: Value, deref: bool, offset: i32) {
        ffi!(lw_replace_debug_declare(self.raw(), base.raw(), i32::from(deref), offset));
    }

    /// Expands the constant expressions that use this constant into instructions at their uses.
    pub fn expand_constant_users(self) {
        let (context, mut crash) = (self.context(), std::ptr::null_mut());
        ffi!(lw_expand_constant_users(self.raw(), &mut crash));
        crate::guard::check_or_unwind(context, std::ptr::null(), crash);
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(take(ffi!(LLVMPrintValueToString(self.raw()))).trim())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
