//! Makes instructions at a place.

use crate::ffi::{ffi, lw_const_scalable_splat, lw_insertion_point};
use crate::text::c;
use crate::{
    AtomicOp, AtomicOrdering, Block, Context, Function, IntPredicate, Opcode, RealPredicate, Type, Value,
    Width,
};
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::*;

pub struct Builder {
    raw: LLVMBuilderRef,
    context: Context,
}

/// The constant vector of these lanes.
pub fn const_vector(lanes: &[Value]) -> Value {
    let mut raw: Vec<_> = lanes.iter().map(|v| v.raw()).collect();
    Value::new(ffi!(LLVMConstVector(raw.as_mut_ptr(), raw.len() as u32)))
}

impl Drop for Builder {
    fn drop(&mut self) {
        if !self.context.has_crashed() {
            ffi!(LLVMDisposeBuilder(self.raw));
        }
    }
}

impl Builder {
    pub fn new(context: &Context) -> Self {
        Builder { raw: ffi!(LLVMCreateBuilderInContext(context.raw())), context: context.clone() }
    }

    pub fn at_end(context: &Context, block: Block) -> Self {
        let builder = Self::new(context);
        builder.position_at_end(block);
        builder
    }

    /// Inserts before an instruction, with that instruction's source location.
    pub fn before(context: &Context, instruction: Value) -> Self {
        let builder = Self::new(context);
        builder.position_before(instruction);
        builder
    }

    pub(crate) fn raw(&self) -> LLVMBuilderRef {
        self.raw
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    pub fn position_at_end(&self, block: Block) {
        ffi!(LLVMPositionBuilderAtEnd(self.raw, block.raw()));
    }

    pub fn position_before(&self, instruction: Value) {
        ffi!(LLVMPositionBuilderBefore(self.raw, instruction.raw()));
        self.set_place_of(instruction);
    }

    /// Gives what is built from now on the debug location of an instruction.
    pub fn set_place_of(&self, instruction: Value) {
        let location = ffi!(LLVMInstructionGetDebugLoc(instruction.raw()));
        ffi!(LLVMSetCurrentDebugLocation2(self.raw, location));
    }

    pub fn block(&self) -> Option<Block> {
        Block::maybe(ffi!(LLVMGetInsertBlock(self.raw)))
    }

    /// The instruction that new ones are inserted before; none at the end of a block.
    pub fn insertion_point(&self) -> Option<Value> {
        Value::maybe(ffi!(lw_insertion_point(self.raw)))
    }

    /// Inserts an instruction that is in no block.
    pub fn insert(&self, instruction: Value, name: &str) -> Value {
        let name = c(name);
        ffi!(LLVMInsertIntoBuilderWithName(self.raw, instruction.raw(), name.as_ptr()));
        instruction
    }

    pub fn i32(&self, value: u32) -> Value {
        self.context.i32().const_int(u64::from(value))
    }

    pub fn i64(&self, value: u64) -> Value {
        self.context.i64().const_int(value)
    }

    // ---- Arithmetic ----------------------------------------------------------------------------

    pub fn binary(&self, op: Opcode, a: Value, b: Value, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildBinOp(self.raw, op, a.raw(), b.raw(), name.as_ptr())))
    }

    pub fn add(&self, a: Value, b: Value, name: &str) -> Value {
        self.binary(Opcode::LLVMAdd, a, b, name)
    }

    /// An addition that is known not to wrap, signed or unsigned.
    pub fn add_nowrap(&self, a: Value, b: Value, name: &str) -> Value {
        let sum = self.add(a, b, name);
        if sum.is_instruction() {
            ffi!(LLVMSetNUW(sum.raw(), 1));
            ffi!(LLVMSetNSW(sum.raw(), 1));
        }
        sum
    }

    /// A product that does not overflow, signed or unsigned.
    pub fn mul_nowrap(&self, a: Value, b: Value, name: &str) -> Value {
        let product = self.mul(a, b, name);
        if product.is_instruction() {
            product.set_no_wrap(true, true);
        }
        product
    }

    pub fn sub(&self, a: Value, b: Value, name: &str) -> Value {
        self.binary(Opcode::LLVMSub, a, b, name)
    }

    pub fn mul(&self, a: Value, b: Value, name: &str) -> Value {
        self.binary(Opcode::LLVMMul, a, b, name)
    }

    pub fn and(&self, a: Value, b: Value, name: &str) -> Value {
        self.binary(Opcode::LLVMAnd, a, b, name)
    }

    pub fn icmp(&self, predicate: IntPredicate, a: Value, b: Value, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildICmp(self.raw, predicate, a.raw(), b.raw(), name.as_ptr())))
    }

    pub fn fcmp(&self, predicate: RealPredicate, a: Value, b: Value, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildFCmp(self.raw, predicate, a.raw(), b.raw(), name.as_ptr())))
    }

    pub fn fneg(&self, a: Value, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildFNeg(self.raw, a.raw(), name.as_ptr())))
    }

    pub fn freeze(&self, a: Value, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildFreeze(self.raw, a.raw(), name.as_ptr())))
    }

    pub fn extract_value(&self, aggregate: Value, field: u32, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildExtractValue(self.raw, aggregate.raw(), field, name.as_ptr())))
    }

    pub fn insert_value(&self, aggregate: Value, element: Value, field: u32, name: &str) -> Value {
        let name = c(name);
        let raw = ffi!(LLVMBuildInsertValue(self.raw, aggregate.raw(), element.raw(), field, name.as_ptr()));
        Value::new(raw)
    }

    pub fn extract_element(&self, vector: Value, lane: Value, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildExtractElement(self.raw, vector.raw(), lane.raw(), name.as_ptr())))
    }

    pub fn insert_element(&self, vector: Value, element: Value, lane: Value, name: &str) -> Value {
        let name = c(name);
        let raw =
            ffi!(LLVMBuildInsertElement(self.raw, vector.raw(), element.raw(), lane.raw(), name.as_ptr()));
        Value::new(raw)
    }

    /// A permutation of the lanes of two vectors.
    pub fn shuffle(&self, a: Value, b: Value, mask: &[u32], name: &str) -> Value {
        let name = c(name);
        let lanes: Vec<Value> = mask.iter().map(|&lane| self.i32(lane)).collect();
        let mask = const_vector(&lanes);
        Value::new(ffi!(LLVMBuildShuffleVector(self.raw, a.raw(), b.raw(), mask.raw(), name.as_ptr())))
    }

    /// A vector with the same value in all lanes.
    pub fn splat(&self, value: Value, width: impl Into<Width>, name: &str) -> Value {
        let width = width.into();
        match width.known() {
            Some(lanes) if value.is_constant() => return const_vector(&vec![value; lanes as usize]),
            None if value.is_constant() => {
                return Value::new(ffi!(lw_const_scalable_splat(value.raw(), width.lanes)));
            }
            _ => {}
        }
        let poison = value.ty().vector(width).poison();
        let one = self.insert_element(poison, value, self.i64(0), "");
        let Some(lanes) = width.known() else {
            let (name, first) = (c(name), self.context.i32().vector(width).zero());
            let raw =
                ffi!(LLVMBuildShuffleVector(self.raw, one.raw(), poison.raw(), first.raw(), name.as_ptr()));
            return Value::new(raw);
        };
        self.shuffle(one, poison, &vec![0; lanes as usize], name)
    }

    pub fn select(&self, condition: Value, yes: Value, no: Value, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildSelect(self.raw, condition.raw(), yes.raw(), no.raw(), name.as_ptr())))
    }

    pub fn cast(&self, op: Opcode, value: Value, to: Type, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildCast(self.raw, op, value.raw(), to.raw(), name.as_ptr())))
    }

    /// Zero-extends or truncates an integer to the type.
    pub fn int_cast(&self, value: Value, to: Type, name: &str) -> Value {
        let (from, bits) = (value.ty().int_bits(), to.int_bits());
        match from.cmp(&bits) {
            std::cmp::Ordering::Less => self.cast(Opcode::LLVMZExt, value, to, name),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.cast(Opcode::LLVMTrunc, value, to, name),
        }
    }

    /// The pointer in another address space.
    pub fn address_space_cast(&self, value: Value, to: Type, name: &str) -> Value {
        if value.ty() == to { value } else { self.cast(Opcode::LLVMAddrSpaceCast, value, to, name) }
    }

    // ---- Memory --------------------------------------------------------------------------------

    /// Memory for a value of a type. LLVM has no larger alignment than 16 bytes for scalable
    /// vectors on the stack.
    pub fn alloca(&self, ty: Type, align: u32, name: &str) -> Value {
        let align = if ty.is_scalable_vector() { 16 } else { align };
        let name = c(name);
        let slot = Value::new(ffi!(LLVMBuildAlloca(self.raw, ty.raw(), name.as_ptr())));
        if align > 0 {
            slot.set_alignment(align);
        }
        slot
    }

    /// A load with the type's natural alignment unless one is set later.
    /// Memory for so many values of a type.
    pub fn array_alloca(&self, ty: Type, count: Value, align: u32, name: &str) -> Value {
        let name = c(name);
        let value = Value::new(ffi!(LLVMBuildArrayAlloca(self.raw, ty.raw(), count.raw(), name.as_ptr())));
        value.set_alignment(align);
        value
    }

    pub fn load(&self, ty: Type, pointer: Value, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildLoad2(self.raw, ty.raw(), pointer.raw(), name.as_ptr())))
    }

    pub fn store(&self, value: Value, pointer: Value) -> Value {
        Value::new(ffi!(LLVMBuildStore(self.raw, value.raw(), pointer.raw())))
    }

    pub fn struct_gep(&self, ty: Type, pointer: Value, field: u32, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildStructGEP2(self.raw, ty.raw(), pointer.raw(), field, name.as_ptr())))
    }

    pub fn gep(&self, ty: Type, pointer: Value, indices: &[Value], name: &str) -> Value {
        let name = c(name);
        let mut raw: Vec<_> = indices.iter().map(|v| v.raw()).collect();
        Value::new(ffi!(LLVMBuildInBoundsGEP2(
            self.raw,
            ty.raw(),
            pointer.raw(),
            raw.as_mut_ptr(),
            raw.len() as u32,
            name.as_ptr()
        )))
    }

    /// An address that need not be inside of the object it starts from.
    pub fn gep_anywhere(&self, ty: Type, pointer: Value, indices: &[Value], name: &str) -> Value {
        let name = c(name);
        let mut raw: Vec<_> = indices.iter().map(|v| v.raw()).collect();
        let n = raw.len() as u32;
        Value::new(ffi!(LLVMBuildGEP2(self.raw, ty.raw(), pointer.raw(), raw.as_mut_ptr(), n, name.as_ptr())))
    }

    /// Copies a constant number of bytes.
    pub fn memcpy(&self, to: Value, to_align: u32, from: Value, from_align: u32, bytes: u64) -> Value {
        let size = self.i64(bytes);
        Value::new(ffi!(LLVMBuildMemCpy(self.raw, to.raw(), to_align, from.raw(), from_align, size.raw())))
    }

    /// Copies a number of bytes between addresses of a known alignment.
    pub fn memcpy_aligned(&self, to: (Value, u32), from: (Value, u32), bytes: Value) -> Value {
        let ((to, to_align), (from, from_align)) = (to, from);
        Value::new(ffi!(LLVMBuildMemCpy(self.raw, to.raw(), to_align, from.raw(), from_align, bytes.raw())))
    }

    /// Copies bytes, of which nothing is known.
    pub fn memcpy_dynamic(&self, to: Value, from: Value, bytes: Value) -> Value {
        Value::new(ffi!(LLVMBuildMemCpy(self.raw, to.raw(), 1, from.raw(), 1, bytes.raw())))
    }

    pub fn fence(&self, ordering: AtomicOrdering) -> Value {
        Value::new(ffi!(LLVMBuildFence(self.raw, ordering, 0, c"".as_ptr())))
    }

    /// A compare-and-exchange; the result is the old value and whether it was exchanged.
    pub fn atomic_cmpxchg(
        &self,
        pointer: Value,
        expected: Value,
        new: Value,
        orderings: (AtomicOrdering, AtomicOrdering),
    ) -> Value {
        let (success, failure) = orderings;
        let [pointer, expected, new] = [pointer, expected, new].map(Value::raw);
        Value::new(ffi!(LLVMBuildAtomicCmpXchg(self.raw, pointer, expected, new, success, failure, 0)))
    }

    pub fn atomic_rmw(&self, op: AtomicOp, pointer: Value, value: Value, ordering: AtomicOrdering) -> Value {
        Value::new(ffi!(LLVMBuildAtomicRMW(self.raw, op, pointer.raw(), value.raw(), ordering, 0)))
    }

    // ---- Control flow --------------------------------------------------------------------------

    pub fn br(&self, to: Block) -> Value {
        Value::new(ffi!(LLVMBuildBr(self.raw, to.raw())))
    }

    pub fn cond_br(&self, condition: Value, yes: Block, no: Block) -> Value {
        Value::new(ffi!(LLVMBuildCondBr(self.raw, condition.raw(), yes.raw(), no.raw())))
    }

    pub fn switch(&self, value: Value, default: Block, cases: &[(Value, Block)]) -> Value {
        let switch = ffi!(LLVMBuildSwitch(self.raw, value.raw(), default.raw(), cases.len() as u32));
        for (case, block) in cases {
            ffi!(LLVMAddCase(switch, case.raw(), block.raw()));
        }
        Value::new(switch)
    }

    pub fn ret(&self, value: Value) -> Value {
        Value::new(ffi!(LLVMBuildRet(self.raw, value.raw())))
    }

    pub fn ret_void(&self) -> Value {
        Value::new(ffi!(LLVMBuildRetVoid(self.raw)))
    }

    pub fn unreachable(&self) -> Value {
        Value::new(ffi!(LLVMBuildUnreachable(self.raw)))
    }

    pub fn phi(&self, ty: Type, name: &str) -> Value {
        let name = c(name);
        Value::new(ffi!(LLVMBuildPhi(self.raw, ty.raw(), name.as_ptr())))
    }

    /// A call of what a pointer points to, a function of this type.
    pub fn call_indirect(&self, ty: Type, pointer: Value, args: &[Value], name: &str) -> Value {
        let mut raw: Vec<_> = args.iter().map(|v| v.raw()).collect();
        let name = if ty.return_type().is_void() { c("") } else { c(name) };
        let n = raw.len() as u32;
        let call =
            ffi!(LLVMBuildCall2(self.raw, ty.raw(), pointer.raw(), raw.as_mut_ptr(), n, name.as_ptr()));
        Value::new(call)
    }

    /// A call with the callee's calling convention.
    pub fn call(&self, function: Function, args: &[Value], name: &str) -> Value {
        let mut raw: Vec<_> = args.iter().map(|v| v.raw()).collect();
        let name = if function.return_type().is_void() { c("") } else { c(name) };
        let call = Value::new(ffi!(LLVMBuildCall2(
            self.raw,
            function.function_type().raw(),
            function.raw(),
            raw.as_mut_ptr(),
            raw.len() as u32,
            name.as_ptr()
        )));
        call.set_call_conv(function.call_conv());
        call
    }
}
