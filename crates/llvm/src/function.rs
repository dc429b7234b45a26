//! Functions: parameters, blocks, attributes, metadata.

use crate::Error;
use crate::ffi::*;
use crate::text::{c, copy, take};
use crate::{Block, CallConv, Linkage, Metadata, TargetMachine, Type, Value, Width, guard};
use llvm_sys::comdat::{LLVMGetOrInsertComdat, LLVMSetComdat};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMSetSubprogram};
use llvm_sys::prelude::*;
use std::collections::HashMap;
use std::ptr::{null, null_mut};

kind_of_value!(Function);

/// The calls of a function, and whether it is used in any other way.
pub struct Uses {
    pub calls: Vec<Value>,
    pub others: bool,
}

pub(crate) fn string_attribute(context: LLVMContextRef, name: &str, value: &str) -> LLVMAttributeRef {
    ffi!(LLVMCreateStringAttribute(
        context,
        name.as_ptr().cast(),
        name.len() as u32,
        value.as_ptr().cast(),
        value.len() as u32
    ))
}

pub(crate) fn attribute_text(raw: LLVMAttributeRef) -> Option<String> {
    if raw.is_null() {
        return None;
    }
    let mut len = 0;
    let text = ffi!(LLVMGetStringAttributeValue(raw, &mut len));
    Some(copy(text, len as usize))
}

const FUNCTION_INDEX: u32 = llvm_sys::LLVMAttributeFunctionIndex;

impl Function {
    pub fn function_type(self) -> Type {
        Type::new(ffi!(LLVMGlobalGetValueType(self.raw())))
    }

    pub fn return_type(self) -> Type {
        self.function_type().return_type()
    }

    pub fn params(self) -> Vec<Value> {
        let n = ffi!(LLVMCountParams(self.raw()));
        (0..n).map(|i| self.param(i)).collect()
    }

    pub fn param(self, i: u32) -> Value {
        Value::new(ffi!(LLVMGetParam(self.raw(), i)))
    }

    pub fn is_declaration(self) -> bool {
        ffi!(LLVMIsDeclaration(self.raw())) != 0
    }

    pub fn is_intrinsic(self) -> bool {
        ffi!(LLVMGetIntrinsicID(self.raw())) != 0
    }

    pub fn blocks(self) -> Vec<Block> {
        let first = Block::maybe(ffi!(LLVMGetFirstBasicBlock(self.raw())));
        std::iter::successors(first, |b| b.next()).collect()
    }

    /// The entry block.
    ///
    /// # Panics
    /// If the function is a declaration.
    pub fn entry(self) -> Block {
        Block::new(ffi!(LLVMGetFirstBasicBlock(self.raw())))
    }

    /// All instructions as they are now.
    pub fn instructions(self) -> Vec<Value> {
        self.blocks().into_iter().flat_map(Block::instructions).collect()
    }

    pub fn append_block(self, name: &str) -> Block {
        let context = ffi!(LLVMGetTypeContext(self.ty().raw()));
        let name = c(name);
        Block::new(ffi!(LLVMAppendBasicBlockInContext(context, self.raw(), name.as_ptr())))
    }

    pub fn linkage(self) -> Linkage {
        ffi!(LLVMGetLinkage(self.raw()))
    }

    pub fn set_linkage(self, linkage: Linkage) {
        ffi!(LLVMSetLinkage(self.raw(), linkage));
    }

    pub fn is_internal(self) -> bool {
        matches!(self.linkage(), Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage)
    }

    /// Makes the function internal. It leaves its comdat: a linker that keeps another object's copy
    /// would discard it, and with it the code that the rest of this object calls.
    pub fn set_internal(self) {
        ffi!(LLVMSetVisibility(self.raw(), llvm_sys::LLVMVisibility::LLVMDefaultVisibility));
        self.set_linkage(Linkage::LLVMInternalLinkage);
        ffi!(LLVMSetComdat(self.raw(), null_mut()));
    }

    /// The linkage of an entry point in this function's place: weak for a weak or `linkonce`
    /// function (which objects share, and which nothing in the module needs to use), else external.
    pub fn exported_linkage(self) -> Linkage {
        use Linkage::*;
        match self.linkage() {
            LLVMWeakAnyLinkage | LLVMLinkOnceAnyLinkage => LLVMWeakAnyLinkage,
            LLVMWeakODRLinkage | LLVMLinkOnceODRLinkage => LLVMWeakODRLinkage,
            _ => LLVMExternalLinkage,
        }
    }

    /// Puts the function into the comdat of this name: of the objects that have it, a linker takes
    /// all functions in it from one.
    pub fn set_comdat(self, name: &str) {
        let name = c(name);
        let module = ffi!(LLVMGetGlobalParent(self.raw()));
        let comdat = ffi!(LLVMGetOrInsertComdat(module, name.as_ptr()));
        ffi!(LLVMSetComdat(self.raw(), comdat));
    }

    pub fn call_conv(self) -> CallConv {
        CallConv::from_number(ffi!(LLVMGetFunctionCallConv(self.raw())))
    }

    pub fn set_call_conv(self, conv: CallConv) {
        ffi!(LLVMSetFunctionCallConv(self.raw(), conv.number()));
    }

    /// Removes the function, which nothing may use.
    pub fn erase(self) {
        ffi!(LLVMDeleteFunction(self.raw()));
    }

    /// Removes a function that was replaced, with its body, even if dead code still calls it.
    pub fn erase_body_and_uses(self) {
        if self.is_used() {
            self.replace_all_uses_with(self.ty().poison());
        }
        self.erase();
    }

    /// Where the function is used.
    pub fn uses(self) -> Uses {
        let mut uses = Uses { calls: Vec::new(), others: false };
        for user in self.users() {
            if user.is_call() && user.called_function() == Some(self) && !user.call_args().contains(&self.0) {
                uses.calls.push(user);
            } else {
                uses.others = true;
            }
        }
        uses
    }

    // ---- Attributes ----------------------------------------------------------------------------

    /// The text of a string attribute.
    pub fn attribute(self, name: &str) -> Option<String> {
        let raw = ffi!(LLVMGetStringAttributeAtIndex(
            self.raw(),
            FUNCTION_INDEX,
            name.as_ptr().cast(),
            name.len() as u32
        ));
        attribute_text(raw)
    }

    pub fn set_attribute(self, name: &str, value: &str) {
        let raw = string_attribute(self.context(), name, value);
        ffi!(LLVMAddAttributeAtIndex(self.raw(), FUNCTION_INDEX, raw));
    }

    pub fn remove_attribute(self, name: &str) {
        ffi!(LLVMRemoveStringAttributeAtIndex(
            self.raw(),
            FUNCTION_INDEX,
            name.as_ptr().cast(),
            name.len() as u32
        ));
    }

    /// Whether the function has one of LLVM's own attributes (`noinline`, `alwaysinline` …).
    pub fn has_flag(self, name: &str) -> bool {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        !ffi!(LLVMGetEnumAttributeAtIndex(self.raw(), FUNCTION_INDEX, kind)).is_null()
    }

    pub fn set_flag(self, name: &str) {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        assert!(kind != 0, "LLVM has no attribute {name}");
        let raw = ffi!(LLVMCreateEnumAttribute(self.context(), kind, 0));
        ffi!(LLVMAddAttributeAtIndex(self.raw(), FUNCTION_INDEX, raw));
    }

    /// Whether calls neither read nor write memory.
    pub fn is_memory_none(self) -> bool {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(c"memory".as_ptr(), 6));
        let raw = ffi!(LLVMGetEnumAttributeAtIndex(self.raw(), FUNCTION_INDEX, kind));
        !raw.is_null() && ffi!(LLVMGetEnumAttributeValue(raw)) == 0
    }

    /// Whether calls write no memory.
    pub fn only_reads_memory(self) -> bool {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(c"memory".as_ptr(), 6));
        let raw = ffi!(LLVMGetEnumAttributeAtIndex(self.raw(), FUNCTION_INDEX, kind));
        // Two bits for each kind of memory, read and write.
        const WRITES: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        !raw.is_null() && ffi!(LLVMGetEnumAttributeValue(raw)) & WRITES == 0
    }

    /// Says that calls neither read nor write memory.
    pub fn set_memory_none(self) {
        self.set_memory(0);
    }

    /// `memory(inaccessiblemem: readwrite)`: calls have an effect, but do not alias any load or
    /// store.
    pub fn set_memory_inaccessible(self) {
        // Two bits for each kind of memory, read and write; the second kind is the inaccessible.
        self.set_memory(0b11 << 2);
    }

    fn set_memory(self, effects: u64) {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(c"memory".as_ptr(), 6));
        let raw = ffi!(LLVMCreateEnumAttribute(self.context(), kind, effects));
        ffi!(LLVMAddAttributeAtIndex(self.raw(), FUNCTION_INDEX, raw));
    }

    pub fn remove_flag(self, name: &str) {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        ffi!(LLVMRemoveEnumAttributeAtIndex(self.raw(), FUNCTION_INDEX, kind));
    }

    pub fn set_param_flag(self, i: u32, name: &str) {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        assert!(kind != 0, "LLVM has no attribute {name}");
        let raw = ffi!(LLVMCreateEnumAttribute(self.context(), kind, 0));
        ffi!(LLVMAddAttributeAtIndex(self.raw(), i + 1, raw));
    }

    /// Gives a parameter an attribute with a number (`align`, `dereferenceable`).
    pub fn set_param_number(self, i: u32, name: &str, value: u64) {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        assert!(kind != 0, "LLVM has no attribute {name}");
        let raw = ffi!(LLVMCreateEnumAttribute(self.context(), kind, value));
        ffi!(LLVMAddAttributeAtIndex(self.raw(), i + 1, raw));
    }

    /// Gives a parameter an attribute with a type (`byval`, `sret`).
    pub fn set_param_type(self, i: u32, name: &str, ty: Type) {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        assert!(kind != 0, "LLVM has no attribute {name}");
        let raw = ffi!(LLVMCreateTypeAttribute(self.context(), kind, ty.raw()));
        ffi!(LLVMAddAttributeAtIndex(self.raw(), i + 1, raw));
    }

    /// The type of a `byval` parameter.
    pub fn param_byval_type(self, i: u32) -> Option<Type> {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5));
        let raw = ffi!(LLVMGetEnumAttributeAtIndex(self.raw(), i + 1, kind));
        if raw.is_null() { None } else { Type::maybe(ffi!(LLVMGetTypeAttributeValue(raw))) }
    }

    /// The type of a `byref` parameter: a pointer to an argument that the function only reads.
    pub fn param_byref_type(self, i: u32) -> Option<Type> {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(c"byref".as_ptr(), 5));
        let raw = ffi!(LLVMGetEnumAttributeAtIndex(self.raw(), i + 1, kind));
        if raw.is_null() { None } else { Type::maybe(ffi!(LLVMGetTypeAttributeValue(raw))) }
    }

    /// Makes a `byval` parameter a `byref` one: the callee no longer owns a copy.
    pub fn make_param_byref(self, i: u32) {
        let Some(ty) = self.param_byval_type(i) else { return };
        self.remove_param_flag(i, "byval");
        let kind = ffi!(LLVMGetEnumAttributeKindForName(c"byref".as_ptr(), 5));
        let raw = ffi!(LLVMCreateTypeAttribute(self.context(), kind, ty.raw()));
        ffi!(LLVMAddAttributeAtIndex(self.raw(), i + 1, raw));
    }

    pub fn remove_param_flag(self, i: u32, name: &str) {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        ffi!(LLVMRemoveEnumAttributeAtIndex(self.raw(), i + 1, kind));
    }

    /// The `align` of a parameter, 0 if it has none.
    pub fn param_alignment(self, i: u32) -> u64 {
        let kind = ffi!(LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5));
        let raw = ffi!(LLVMGetEnumAttributeAtIndex(self.raw(), i + 1, kind));
        if raw.is_null() { 0 } else { ffi!(LLVMGetEnumAttributeValue(raw)) }
    }

    /// Copies the function's own attributes, not those of its parameters.
    pub fn copy_attributes_from(self, other: Function) {
        ffi!(lw_copy_function_attributes(self.raw(), other.raw()));
    }

    pub fn copy_param_attributes_from(self, i: u32, other: Function, other_i: u32) {
        ffi!(lw_copy_param_attributes(self.raw(), i, other.raw(), other_i));
    }

    // ---- Metadata ------------------------------------------------------------------------------

    /// The first node of this kind.
    pub fn metadata(self, kind: u32) -> Option<Metadata> {
        self.all_metadata(kind).into_iter().next()
    }

    pub fn all_metadata(self, kind: u32) -> Vec<Metadata> {
        let n = ffi!(lw_function_metadata(self.raw(), kind, null_mut(), 0));
        let mut raw = vec![null_mut(); n as usize];
        ffi!(lw_function_metadata(self.raw(), kind, raw.as_mut_ptr(), n));
        raw.into_iter().map(Metadata::new).collect()
    }

    /// Replaces all nodes of this kind by one.
    pub fn set_metadata(self, kind: u32, node: Metadata) {
        ffi!(LLVMGlobalSetMetadata(self.raw(), kind, node.raw()));
    }

    pub fn add_metadata(self, kind: u32, node: Metadata) {
        ffi!(lw_add_function_metadata(self.raw(), kind, node.raw()));
    }

    pub fn erase_metadata(self, kind: u32) {
        ffi!(LLVMGlobalEraseMetadata(self.raw(), kind));
    }

    /// Copies all metadata but the subprogram.
    pub fn copy_metadata_from(self, other: Function) {
        ffi!(lw_copy_function_metadata(self.raw(), other.raw(), 0));
    }

    // ---- Debug information ---------------------------------------------------------------------

    /// Gives this function, which wraps `other`, a subprogram with `other`'s name and line, if
    /// `other` has one.
    pub fn copy_subprogram_from(self, other: Function) {
        ffi!(lw_copy_subprogram(self.raw(), other.raw()));
    }

    pub fn has_subprogram(self) -> bool {
        !ffi!(LLVMGetSubprogram(self.raw())).is_null()
    }

    /// Takes over the subprogram of `other`, which has none then: debug locations in this function
    /// are in its scope.
    pub fn take_subprogram_from(self, other: Function) {
        let subprogram = ffi!(LLVMGetSubprogram(other.raw()));
        if !subprogram.is_null() {
            ffi!(LLVMSetSubprogram(self.raw(), subprogram));
            ffi!(LLVMSetSubprogram(other.raw(), null_mut()));
        }
    }

    /// Gives every instruction without a location the function's own line, if the function has a
    /// subprogram. To be called when a wrapper's body is complete: calls without a location lose
    /// the callee's lines when inlined.
    pub fn fill_debug_locations(self) {
        ffi!(lw_fill_debug_locations(self.raw()));
    }

    // ---- Bodies --------------------------------------------------------------------------------

    /// Clones this function's body, attributes, metadata and debug information into `new`, a
    /// declaration, with the arguments replaced by `args`. The map leads from each old block (as a
    /// value) and instruction to its copy.
    pub fn clone_into(self, new: Function, args: &[Value]) -> HashMap<Value, Value> {
        assert_eq!(args.len(), self.params().len());
        let mut raw: Vec<_> = args.iter().map(|v| v.raw()).collect();
        let (context, mut crash) = (self.context(), null_mut());
        ffi!(lw_clone_function_into(new.raw(), self.raw(), raw.as_mut_ptr(), &mut crash));
        guard::check_or_unwind(context, null(), crash);
        let mut map: HashMap<Value, Value> = self.params().into_iter().zip(args.iter().copied()).collect();
        for (old, new) in self.blocks().into_iter().zip(new.blocks()) {
            map.insert(old.as_value(), new.as_value());
            map.extend(old.instructions().into_iter().zip(new.instructions()));
        }
        map
    }

    /// Clones blocks of this function. Values defined in other blocks stay as they are. The map
    /// leads from each of the blocks (as a value) and their instructions to its copy.
    pub fn clone_blocks(self, blocks: &[Block]) -> HashMap<Value, Value> {
        let mut raw: Vec<_> = blocks.iter().map(|block| block.raw()).collect();
        let mut out = vec![null_mut(); raw.len()];
        let (context, mut crash) = (self.context(), null_mut());
        ffi!(lw_clone_blocks(raw.as_mut_ptr(), raw.len() as u32, out.as_mut_ptr(), &mut crash));
        guard::check_or_unwind(context, null(), crash);
        let mut map = HashMap::new();
        for (old, new) in blocks.iter().zip(out.into_iter().map(Block::new)) {
            map.insert(old.as_value(), new.as_value());
            map.extend(old.instructions().into_iter().zip(new.instructions()));
        }
        map
    }

    /// Runs function passes, in LLVM's syntax, on this function only. A crash of LLVM unwinds to
    /// [`crate::recover`], also where the caller has another way to go on: the module is lost.
    pub fn run_passes(self, pipeline: &str, machine: Option<&TargetMachine>) -> Result<(), Error> {
        let text = c(pipeline);
        let machine = machine.map_or(null_mut(), TargetMachine::raw);
        let (context, mut error, mut crash) = (self.context(), null_mut(), null_mut());
        let (text, error_at, crash_at) = (text.as_ptr(), &mut error, &mut crash);
        let ok = ffi!(lw_run_function_passes(self.raw(), text, machine, error_at, crash_at)) != 0;
        guard::check_or_unwind(context, machine.cast(), crash);
        if ok { Ok(()) } else { Err(Error::new(take(error))) }
    }

    /// Splits operations on vectors, loads and stores too, into operations on their elements.
    pub fn scalarize(self, machine: Option<&TargetMachine>) {
        let machine = machine.map_or(null_mut(), TargetMachine::raw);
        let (context, mut crash) = (self.context(), null_mut());
        ffi!(lw_scalarize(self.raw(), machine, &mut crash));
        guard::check_or_unwind(context, machine.cast(), crash);
    }

    /// The number of lanes of a width on the CPU that code is tuned for.
    pub fn tuned_lanes(self, machine: &TargetMachine, width: Width) -> u32 {
        match width.known() {
            Some(lanes) => lanes,
            None => width.lanes * ffi!(lw_tuned_vscale(machine.raw(), self.raw())).max(1),
        }
    }

    /// The cost of each instruction as it is, and with this many lanes, by TTI's reciprocal
    /// throughput.
    pub fn costs(self, machine: &TargetMachine, width: Width) -> HashMap<Value, (f64, f64)> {
        let instructions = self.instructions();
        let mut raw: Vec<_> = instructions.iter().map(|i| i.raw()).collect();
        let (mut scalar, mut vector) = (vec![0.0; raw.len()], vec![0.0; raw.len()]);
        let (context, mut crash) = (self.context(), null_mut());
        ffi!(lw_costs(
            machine.raw(),
            self.raw(),
            raw.as_mut_ptr(),
            raw.len() as u32,
            width.lanes,
            width.scalable.into(),
            self.tuned_lanes(machine, width),
            scalar.as_mut_ptr(),
            vector.as_mut_ptr(),
            &mut crash
        ));
        guard::check_or_unwind(context, machine.raw().cast(), crash);
        instructions.into_iter().zip(scalar.into_iter().zip(vector)).collect()
    }

    /// Removes the blocks that cannot be reached from the entry.
    pub fn remove_unreachable_blocks(self) -> bool {
        let (context, mut crash) = (self.context(), null_mut());
        let changed = ffi!(lw_remove_unreachable_blocks(self.raw(), &mut crash)) != 0;
        guard::check_or_unwind(context, null(), crash);
        changed
    }

    /// Inlines a call; the error is LLVM's reason why it cannot be.
    pub fn inline(call: Value) -> Result<(), Error> {
        let (context, mut why, mut crash) = (call.context(), null_mut(), null_mut());
        let ok = ffi!(lw_inline_call(call.raw(), &mut why, &mut crash)) != 0;
        guard::check_or_unwind(context, null(), crash);
        if ok { Ok(()) } else { Err(Error::new(take(why))) }
    }
}
