//! Types and the constants made from them.

use crate::ffi::{ffi, handle};
use crate::text::{copy, take};
use crate::{Value, Width};
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use std::fmt;

pub use llvm_sys::LLVMTypeKind as TypeKind;

handle!(Type(llvm_sys::LLVMType), "type");

impl Type {
    pub fn kind(self) -> TypeKind {
        ffi!(LLVMGetTypeKind(self.raw()))
    }

    pub fn is_void(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVoidTypeKind
    }

    pub fn is_int(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMIntegerTypeKind
    }

    pub fn is_float(self) -> bool {
        matches!(
            self.kind(),
            LLVMTypeKind::LLVMHalfTypeKind
                | LLVMTypeKind::LLVMFloatTypeKind
                | LLVMTypeKind::LLVMDoubleTypeKind
        )
    }

    pub fn is_ptr(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }

    pub fn is_struct(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMStructTypeKind
    }

    pub fn is_array(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMArrayTypeKind
    }

    /// A vector of a fixed number of elements.
    pub fn is_vector(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVectorTypeKind
    }

    pub fn is_scalable_vector(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMScalableVectorTypeKind
    }

    /// Whether a value of this type can be kept in memory: not void, a label, a token or metadata.
    pub fn is_sized(self) -> bool {
        ffi!(LLVMTypeIsSized(self.raw())) != 0
    }

    pub fn int_bits(self) -> u32 {
        assert!(self.is_int());
        ffi!(LLVMGetIntTypeWidth(self.raw()))
    }

    /// Not an integer whose bits do not fill whole bytes: vectors of such are bit-packed in memory.
    pub fn int_is_whole_bytes(self) -> bool {
        !self.is_int() || self.int_bits().is_multiple_of(8) && self.int_bits().is_power_of_two()
    }

    /// The width of a floating-point type.
    pub fn float_bits(self) -> Option<u32> {
        match self.kind() {
            LLVMTypeKind::LLVMHalfTypeKind => Some(16),
            LLVMTypeKind::LLVMFloatTypeKind => Some(32),
            LLVMTypeKind::LLVMDoubleTypeKind => Some(64),
            _ => None,
        }
    }

    pub fn address_space(self) -> u32 {
        assert!(self.is_ptr());
        ffi!(LLVMGetPointerAddressSpace(self.raw()))
    }

    /// The element type of a vector or array.
    pub fn element(self) -> Type {
        Type::new(ffi!(LLVMGetElementType(self.raw())))
    }

    /// The type itself, or that of a vector's elements.
    pub fn scalar(self) -> Type {
        if self.is_vector() || self.is_scalable_vector() { self.element() } else { self }
    }

    /// The number of elements of a vector (the known multiple of a scalable one) or array.
    pub fn len(self) -> u64 {
        if self.is_array() {
            ffi!(LLVMGetArrayLength2(self.raw()))
        } else {
            u64::from(ffi!(LLVMGetVectorSize(self.raw())))
        }
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// A vector of elements of this type.
    pub fn vector(self, width: impl Into<Width>) -> Type {
        let Width { lanes, scalable } = width.into();
        Type::new(match scalable {
            true => ffi!(LLVMScalableVectorType(self.raw(), lanes)),
            false => ffi!(LLVMVectorType(self.raw(), lanes)),
        })
    }

    /// The number of elements of a vector type.
    pub fn width(self) -> Width {
        Width { lanes: self.len() as u32, scalable: self.is_scalable_vector() }
    }

    /// Whether a value of the type is, or holds, one of a scalar type.
    pub fn holds(self, scalar: TypeKind) -> bool {
        let holds = |ty: Type| ty.holds(scalar);
        match self.kind() {
            TypeKind::LLVMArrayTypeKind => holds(self.element()),
            TypeKind::LLVMStructTypeKind => self.struct_fields().into_iter().any(holds),
            TypeKind::LLVMFunctionTypeKind => {
                holds(self.return_type()) || self.params().into_iter().any(holds)
            }
            _ => self.scalar().kind() == scalar,
        }
    }

    /// An integer type of the same context.
    pub fn context_int(self, bits: u32) -> Type {
        let context = ffi!(LLVMGetTypeContext(self.raw()));
        Type::new(ffi!(LLVMIntTypeInContext(context, bits)))
    }

    pub fn array(self, len: u64) -> Type {
        Type::new(ffi!(LLVMArrayType2(self.raw(), len)))
    }

    pub fn function(self, params: &[Type]) -> Type {
        let mut raw: Vec<_> = params.iter().map(|t| t.raw()).collect();
        Type::new(ffi!(LLVMFunctionType(self.raw(), raw.as_mut_ptr(), raw.len() as u32, 0)))
    }

    /// The type of a function that takes more arguments after these.
    pub fn var_arg_function(self, params: &[Type]) -> Type {
        let mut raw: Vec<_> = params.iter().map(|t| t.raw()).collect();
        Type::new(ffi!(LLVMFunctionType(self.raw(), raw.as_mut_ptr(), raw.len() as u32, 1)))
    }

    pub fn params(self) -> Vec<Type> {
        let n = ffi!(LLVMCountParamTypes(self.raw())) as usize;
        let mut raw = vec![std::ptr::null_mut(); n];
        ffi!(LLVMGetParamTypes(self.raw(), raw.as_mut_ptr()));
        raw.into_iter().map(Type::new).collect()
    }

    pub fn return_type(self) -> Type {
        Type::new(ffi!(LLVMGetReturnType(self.raw())))
    }

    pub fn struct_fields(self) -> Vec<Type> {
        assert!(self.is_struct());
        let n = ffi!(LLVMCountStructElementTypes(self.raw())) as usize;
        let mut raw = vec![std::ptr::null_mut(); n];
        ffi!(LLVMGetStructElementTypes(self.raw(), raw.as_mut_ptr()));
        raw.into_iter().map(Type::new).collect()
    }

    /// The name and the integers of a target extension type:
    /// `target("spirv.Image", void, 1, 0, …)`.
    pub fn target_type(self) -> Option<(String, Vec<u32>)> {
        if self.kind() != LLVMTypeKind::LLVMTargetExtTypeKind {
            return None;
        }
        let name = ffi!(LLVMGetTargetExtTypeName(self.raw()));
        // SAFETY: a type's name is NUL-terminated and lives as long as the type.
        let len = unsafe { std::ffi::CStr::from_ptr(name) }.to_bytes().len();
        let count = ffi!(LLVMGetTargetExtTypeNumIntParams(self.raw()));
        let ints = (0..count).map(|i| ffi!(LLVMGetTargetExtTypeIntParam(self.raw(), i)));
        Some((copy(name, len), ints.collect()))
    }

    pub fn const_int(self, value: u64) -> Value {
        Value::new(ffi!(LLVMConstInt(self.raw(), value, 0)))
    }

    pub fn const_signed(self, value: i64) -> Value {
        Value::new(ffi!(LLVMConstInt(self.raw(), value as u64, 1)))
    }

    /// An integer of any width, by its 64-bit words, the lowest first.
    pub fn const_words(self, words: &[u64]) -> Value {
        let n = words.len() as u32;
        Value::new(ffi!(LLVMConstIntOfArbitraryPrecision(self.raw(), n, words.as_ptr())))
    }

    pub fn const_float(self, value: f64) -> Value {
        Value::new(ffi!(LLVMConstReal(self.raw(), value)))
    }

    /// Zero, null, all fields zero.
    pub fn zero(self) -> Value {
        Value::new(ffi!(LLVMConstNull(self.raw())))
    }

    pub fn undef(self) -> Value {
        Value::new(ffi!(LLVMGetUndef(self.raw())))
    }

    pub fn poison(self) -> Value {
        Value::new(ffi!(LLVMGetPoison(self.raw())))
    }

    pub fn const_array(self, elements: &[Value]) -> Value {
        let mut raw: Vec<_> = elements.iter().map(|v| v.raw()).collect();
        Value::new(ffi!(LLVMConstArray2(self.raw(), raw.as_mut_ptr(), raw.len() as u64)))
    }

    /// The constant of this named struct type with these fields.
    pub fn const_struct(self, fields: &[Value]) -> Value {
        let mut raw: Vec<_> = fields.iter().map(|v| v.raw()).collect();
        Value::new(ffi!(LLVMConstNamedStruct(self.raw(), raw.as_mut_ptr(), raw.len() as u32)))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&take(ffi!(LLVMPrintTypeToString(self.raw()))))
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
