//! Modules: parsing, printing, linking, running LLVM's passes.

use crate::Error;
use crate::ffi::*;
use crate::text::{c, copy, take};
use crate::{Builder, Context, Function, Global, Metadata, TargetMachine, Type, Value, Width, guard};
use llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use std::ffi::CStr;
use std::fmt;
use std::ptr::{null, null_mut};

/// An LLVM module, with the context it lives in.
pub struct Module {
    raw: LLVMModuleRef,
    context: Context,
}

// SAFETY: a module is not bound to a thread; that only one thread uses its context at a time is
// this crate's rule.
unsafe impl Send for Module {}

/// How one module is linked into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkMode {
    All,
    /// Only what the destination refers to; it becomes internal there.
    OnlyNeeded,
}

impl Drop for Module {
    fn drop(&mut self) {
        // The linker has taken the module it linked from.
        if !self.raw.is_null() && !self.context.has_crashed() {
            ffi!(LLVMDisposeModule(self.raw));
        }
    }
}

impl Module {
    pub fn new(context: &Context, name: &str) -> Self {
        let name = c(name);
        Self::from_raw(ffi!(LLVMModuleCreateWithNameInContext(name.as_ptr(), context.raw())), context)
    }

    pub(crate) fn from_raw(raw: LLVMModuleRef, context: &Context) -> Self {
        assert!(!raw.is_null());
        Module { raw, context: context.clone() }
    }

    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    /// Parses IR as text or bitcode. The error has the line and the place.
    pub fn parse(context: &Context, bytes: &[u8], name: &str) -> Result<Self, Error> {
        let file = c(name);
        let (start, mut message, mut crash) = (bytes.as_ptr().cast(), null_mut(), null_mut());
        let raw =
            ffi!(lw_parse_ir(context.raw(), start, bytes.len(), file.as_ptr(), &mut message, &mut crash));
        guard::check(context.raw(), null(), crash).map_err(|why| Error::new(format!("{name}: {why}")))?;
        if raw.is_null() {
            Err(Error::new(take(message).trim_end()))
        } else {
            Ok(Self::from_raw(raw, context))
        }
    }

    pub fn parse_bitcode(context: &Context, bytes: &[u8]) -> Result<Self, Error> {
        Self::parse_bitcode_for(context, bytes, None)
    }

    /// The same for a function: functions that it does not need are left out.
    pub fn parse_bitcode_for(context: &Context, bytes: &[u8], name: Option<&str>) -> Result<Self, Error> {
        let (start, mut message, mut crash) = (bytes.as_ptr().cast(), null_mut(), null_mut());
        let name = name.map(c);
        let name = name.as_ref().map_or(null(), |name| name.as_ptr());
        let raw = ffi!(lw_parse_bitcode(context.raw(), start, bytes.len(), name, &mut message, &mut crash));
        guard::check(context.raw(), null(), crash)?;
        let message = take(message);
        if raw.is_null() {
            return Err(Error::new(format!("not bitcode of this LLVM: {message}")));
        }
        Ok(Self::from_raw(raw, context))
    }

    /// Opens bitcode whose functions are read when they are needed. `bytes` must be trusted: errors
    /// in a function body show late.
    pub fn open_bitcode(context: &Context, bytes: &'static [u8]) -> Result<Self, Error> {
        let mut raw = null_mut();
        let memory = ffi!(LLVMCreateMemoryBufferWithMemoryRange(
            bytes.as_ptr().cast(),
            bytes.len(),
            c"bitcode".as_ptr(),
            0
        ));
        // On success the module owns the buffer.
        if ffi!(LLVMGetBitcodeModuleInContext2(context.raw(), memory, &mut raw)) != 0 {
            return Err(Error::new("not bitcode of this LLVM"));
        }
        Ok(Self::from_raw(raw, context))
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    /// A copy in the same context.
    pub fn duplicate(&self) -> Self {
        let mut crash = null_mut();
        let raw = ffi!(lw_clone_module(self.raw, &mut crash));
        guard::check_or_unwind(self.context.raw(), null(), crash);
        Self::from_raw(raw, &self.context)
    }

    pub fn name(&self) -> String {
        let mut len = 0;
        let name = ffi!(LLVMGetModuleIdentifier(self.raw, &mut len));
        copy(name, len)
    }

    /// The module as text with the order in which values keep their uses, so that parsing gives
    /// that order back.
    pub fn to_string_with_use_lists(&self) -> String {
        take(ffi!(lw_print_with_use_lists(self.raw)))
    }

    pub fn to_bitcode(&self) -> Vec<u8> {
        let mut crash = null_mut();
        let memory = ffi!(lw_to_bitcode(self.raw, &mut crash));
        guard::check_or_unwind(self.context.raw(), null(), crash);
        take_buffer(memory)
    }

    /// The reason why the IR is not well-formed.
    pub fn verify(&self) -> Result<(), Error> {
        let (mut message, mut crash) = (null_mut(), null_mut());
        let ok = ffi!(lw_verify(self.raw, &mut message, &mut crash)) != 0;
        let message = take(message);
        guard::check(self.context.raw(), null(), crash)?;
        if ok { Ok(()) } else { Err(Error::new(message.trim_end())) }
    }

    pub fn triple(&self) -> String {
        let triple = ffi!(LLVMGetTarget(self.raw));
        // SAFETY: NUL-terminated, owned by the module.
        unsafe { CStr::from_ptr(triple) }.to_string_lossy().into_owned()
    }

    pub fn set_triple(&self, triple: &str) {
        let triple = c(triple);
        ffi!(LLVMSetTarget(self.raw, triple.as_ptr()));
    }

    pub fn data_layout(&self) -> String {
        let layout = ffi!(LLVMGetDataLayoutStr(self.raw));
        // SAFETY: NUL-terminated, owned by the module.
        unsafe { CStr::from_ptr(layout) }.to_string_lossy().into_owned()
    }

    pub fn set_data_layout(&self, layout: &str) {
        let layout = c(layout);
        ffi!(LLVMSetDataLayout(self.raw, layout.as_ptr()));
    }

    // ---- Types in memory -----------------------------------------------------------------------

    fn layout(&self) -> LLVMTargetDataRef {
        ffi!(LLVMGetModuleDataLayout(self.raw))
    }

    /// The size of a type in memory with its padding.
    pub fn size_of(&self, ty: Type) -> u64 {
        ffi!(LLVMABISizeOfType(self.layout(), ty.raw()))
    }

    /// The bytes that a store of a type writes, without the padding after them.
    pub fn store_size_of(&self, ty: Type) -> u64 {
        ffi!(LLVMStoreSizeOfType(self.layout(), ty.raw()))
    }

    /// The size of a type; of a scalable vector for each `vscale`.
    pub fn min_size_of(&self, ty: Type) -> u64 {
        match ty.is_scalable_vector() {
            true => self.size_of(ty.element().vector(ty.len() as u32)),
            false => self.size_of(ty),
        }
    }

    /// The number of lanes, as an integer of a type: a constant if it is known.
    pub fn lane_count(&self, b: &Builder, width: Width, ty: Type) -> Value {
        if let Some(lanes) = width.known() {
            return ty.const_int(lanes.into());
        }
        b.mul(self.vscale(b, ty), ty.const_int(width.lanes.into()), "lanes")
    }

    /// The number that the lanes of a scalable vector are a multiple of.
    pub fn vscale(&self, b: &Builder, ty: Type) -> Value {
        b.call(self.intrinsic("llvm.vscale", &[ty]), &[], "vscale")
    }

    pub fn align_of(&self, ty: Type) -> u32 {
        ffi!(LLVMABIAlignmentOfType(self.layout(), ty.raw()))
    }

    pub fn offset_of(&self, ty: Type, field: u32) -> u64 {
        ffi!(LLVMOffsetOfElement(self.layout(), ty.raw(), field))
    }

    /// The integer type that is as wide as a pointer.
    pub fn size_type(&self) -> Type {
        Type::new(ffi!(LLVMIntPtrTypeInContext(self.context.raw(), self.layout())))
    }

    // ---- What it holds -------------------------------------------------------------------------

    pub fn functions(&self) -> Vec<Function> {
        let first = ffi!(LLVMGetFirstFunction(self.raw));
        std::iter::successors(Value::maybe(first), |f| Value::maybe(ffi!(LLVMGetNextFunction(f.raw()))))
            .map(|v| Function::from_raw(v.raw()))
            .collect()
    }

    pub fn function(&self, name: &str) -> Option<Function> {
        let name = c(name);
        let raw = ffi!(LLVMGetNamedFunction(self.raw, name.as_ptr()));
        Value::maybe(raw).map(|v| Function::from_raw(v.raw()))
    }

    pub fn add_function(&self, name: &str, ty: Type) -> Function {
        let name = c(name);
        Function::from_raw(ffi!(LLVMAddFunction(self.raw, name.as_ptr(), ty.raw())))
    }

    /// The declaration of an intrinsic, by its name without types: `llvm.masked.load`.
    pub fn intrinsic(&self, name: &str, types: &[Type]) -> Function {
        let id = ffi!(LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()));
        assert!(id != 0, "LLVM has no intrinsic {name}");
        let mut raw: Vec<_> = types.iter().map(|t| t.raw()).collect();
        let f = ffi!(LLVMGetIntrinsicDeclaration(self.raw, id, raw.as_mut_ptr(), raw.len()));
        Function::from_raw(f)
    }

    pub fn globals(&self) -> Vec<Global> {
        let first = ffi!(LLVMGetFirstGlobal(self.raw));
        std::iter::successors(Value::maybe(first), |g| Value::maybe(ffi!(LLVMGetNextGlobal(g.raw()))))
            .map(|v| Global::from_raw(v.raw()))
            .collect()
    }

    /// The aliases and indirect functions.
    pub fn aliases(&self) -> Vec<Value> {
        let (alias, indirect) =
            (ffi!(LLVMGetFirstGlobalAlias(self.raw)), ffi!(LLVMGetFirstGlobalIFunc(self.raw)));
        let next = |v: &Value| Value::maybe(ffi!(LLVMGetNextGlobalAlias(v.raw())));
        let next_indirect = |v: &Value| Value::maybe(ffi!(LLVMGetNextGlobalIFunc(v.raw())));
        let aliases = std::iter::successors(Value::maybe(alias), next);
        aliases.chain(std::iter::successors(Value::maybe(indirect), next_indirect)).collect()
    }

    pub fn global(&self, name: &str) -> Option<Global> {
        let name = c(name);
        let raw = ffi!(LLVMGetNamedGlobal(self.raw, name.as_ptr()));
        Value::maybe(raw).map(|v| Global::from_raw(v.raw()))
    }

    pub fn add_global(&self, name: &str, ty: Type) -> Global {
        let name = c(name);
        Global::from_raw(ffi!(LLVMAddGlobal(self.raw, ty.raw(), name.as_ptr())))
    }

    /// A variable in an address space.
    pub fn add_global_in(&self, name: &str, ty: Type, address_space: u32) -> Global {
        let name = c(name);
        let raw = ffi!(LLVMAddGlobalInAddressSpace(self.raw, ty.raw(), name.as_ptr(), address_space));
        Global::from_raw(raw)
    }

    /// Keeps a variable that nothing refers to (`llvm.compiler.used`). To be called once for a
    /// module.
    pub fn keep(&self, global: Global) {
        let array = self.context.ptr(0).const_array(&[global.into()]);
        let list = self.add_global("llvm.compiler.used", array.ty());
        list.set_initializer(array);
        list.set_linkage(crate::Linkage::LLVMAppendingLinkage);
        list.set_section("llvm.metadata");
    }

    /// The operands of named module metadata.
    pub fn named_metadata(&self, name: &str) -> Vec<Metadata> {
        let name = c(name);
        let n = ffi!(LLVMGetNamedMetadataNumOperands(self.raw, name.as_ptr())) as usize;
        let mut raw = vec![null_mut(); n];
        ffi!(LLVMGetNamedMetadataOperands(self.raw, name.as_ptr(), raw.as_mut_ptr()));
        raw.into_iter().map(|v| Metadata::new(ffi!(LLVMValueAsMetadata(v)))).collect()
    }

    pub fn add_named_metadata(&self, name: &str, node: Metadata) {
        let name = c(name);
        let value = ffi!(LLVMMetadataAsValue(self.context.raw(), node.raw()));
        ffi!(LLVMAddNamedMetadataOperand(self.raw, name.as_ptr(), value));
    }

    /// Removes address spaces from debug expressions of variables: on a CPU all memory is one.
    pub fn flatten_debug_addresses(&self) {
        ffi!(lw_flatten_debug_addresses(self.raw));
    }

    pub fn strip_debug_info(&self) {
        let mut crash = null_mut();
        ffi!(lw_strip_debug_info(self.raw, &mut crash));
        guard::check_or_unwind(self.context.raw(), null(), crash);
    }

    // ---- Whole-module steps --------------------------------------------------------------------

    /// Links `source` into this module. Both must be of one context. The error says what clashed.
    pub fn link(&self, mut source: Module, mode: LinkMode) -> Result<(), Error> {
        let (mut error, mut crash) = (null_mut(), null_mut());
        let only_needed = LLVMBool::from(mode == LinkMode::OnlyNeeded);
        let raw = std::mem::replace(&mut source.raw, null_mut());
        let ok = ffi!(lw_link_modules(self.raw, raw, only_needed, &mut error, &mut crash)) != 0;
        guard::check(self.context.raw(), null(), crash)?;
        if ok { Ok(()) } else { Err(Error::new(take(error).trim_end())) }
    }

    /// The target extension types that functions, their values and variables have.
    pub fn target_types(&self) -> Vec<Type> {
        let count = ffi!(lw_target_types(self.raw, null_mut(), 0));
        let mut raw = vec![null_mut(); count as usize];
        ffi!(lw_target_types(self.raw, raw.as_mut_ptr(), count));
        raw.into_iter().map(Type::new).collect()
    }

    /// Replaces types, each by the other one of its pair, in functions and their values. A function
    /// whose type changes is a new one, with the name and the body of the old.
    pub fn replace_types(&self, pairs: &[(Type, Type)]) {
        let (mut from, mut to): (Vec<_>, Vec<_>) = pairs.iter().map(|(a, b)| (a.raw(), b.raw())).unzip();
        let mut crash = null_mut();
        ffi!(lw_replace_types(self.raw, from.as_mut_ptr(), to.as_mut_ptr(), pairs.len() as u32, &mut crash));
        guard::check_or_unwind(self.context.raw(), null(), crash);
    }

    /// Reverses the order of the functions.
    pub fn reverse_functions(&self) {
        ffi!(lw_reverse_functions(self.raw));
    }

    /// Runs a pipeline in LLVM's own syntax.
    pub fn run_passes(&self, pipeline: &str, target: Option<&TargetMachine>) -> Result<(), Error> {
        let text = c(pipeline);
        let machine = target.map_or(null_mut(), TargetMachine::raw);
        let (mut error, mut crash) = (null_mut(), null_mut());
        let ok = ffi!(lw_run_module_passes(self.raw, text.as_ptr(), machine, &mut error, &mut crash)) != 0;
        guard::check(self.context.raw(), machine.cast(), crash)?;
        if ok { Ok(()) } else { Err(Error::new(take(error))) }
    }
}

pub(crate) fn take_buffer(memory: LLVMMemoryBufferRef) -> Vec<u8> {
    let start = ffi!(LLVMGetBufferStart(memory));
    let size = ffi!(LLVMGetBufferSize(memory));
    // SAFETY: LLVM's buffer is `size` bytes long.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), size) }.to_vec();
    ffi!(LLVMDisposeMemoryBuffer(memory));
    bytes
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut crash = null_mut();
        let text = take(ffi!(lw_to_text(self.raw, &mut crash)));
        guard::check_or_unwind(self.context.raw(), null(), crash);
        f.write_str(&text)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({})", self.name())
    }
}
