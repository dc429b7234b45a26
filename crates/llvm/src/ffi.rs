//! The C functions of `shim/`, and the one way to call C.

use llvm_sys::prelude::*;
use llvm_sys::target_machine::{LLVMCodeGenFileType, LLVMTargetMachineRef};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Calls a C function.
macro_rules! ffi {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: every handle is non-null by construction and, by this crate's contract (see the
        // crate's documentation), belongs to a module that is alive and used by one thread; buffers
        // are passed with their length and outlive the call.
        unsafe { $function($($argument),*) }
    }};
}
pub(crate) use ffi;

/// A handle of LLVM's that is not null.
macro_rules! handle {
    ($(#[$attribute:meta])* $name:ident($raw:ty), $what:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(std::ptr::NonNull<$raw>);

        impl $name {
            pub(crate) fn new(raw: *mut $raw) -> Self {
                Self::maybe(raw).expect(concat!("LLVM returned no ", $what))
            }

            pub(crate) fn maybe(raw: *mut $raw) -> Option<Self> {
                std::ptr::NonNull::new(raw).map($name)
            }

            pub(crate) fn raw(self) -> *mut $raw {
                self.0.as_ptr()
            }
        }
    };
}
pub(crate) use handle;

/// A value that is known to be of one kind, and can do what values can.
macro_rules! kind_of_value {
    ($name:ident) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name(Value);

        impl std::ops::Deref for $name {
            type Target = Value;
            fn deref(&self) -> &Value {
                &self.0
            }
        }

        impl From<$name> for Value {
            fn from(it: $name) -> Value {
                it.0
            }
        }

        impl $name {
            pub(crate) fn from_raw(raw: LLVMValueRef) -> Self {
                $name(Value::new(raw))
            }
        }
    };
}
pub(crate) use kind_of_value;

#[repr(C)]
pub(crate) struct File {
    pub path: *const c_char,
    pub text: *const c_char,
    pub size: usize,
}

#[repr(C)]
pub(crate) struct ClangResult {
    pub module: LLVMModuleRef,
    pub log: *mut c_char,
    pub errors: c_uint,
    pub warnings: c_uint,
    pub crashed: bool,
    pub lookups: *mut ClangLookup,
    pub num_lookups: usize,
    pub volatile: bool,
}

#[repr(C)]
pub(crate) struct ClangLookup {
    pub path: *mut c_char,
    pub text: *mut c_char,
    pub size: usize,
    pub found: c_uint,
}

#[repr(C)]
pub(crate) struct Jit {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    pub(crate) fn lw_choose_scheduler();
    pub(crate) fn lw_initialize_native_target();
    pub(crate) fn lw_initialize_all_targets();
    pub(crate) fn lw_machine_has(machine: LLVMTargetMachineRef, feature: *const c_char) -> LLVMBool;
    pub(crate) fn lw_throughput(
        triple: *const c_char,
        cpu: *const c_char,
        features: *const c_char,
        assembly: *const c_char,
        lines: *const c_uint,
        counts: *const usize,
        num_loops: usize,
        error: *mut *mut c_char,
        crash: *mut *mut c_char,
    ) -> *mut c_char;
    pub(crate) fn lw_names(triple: *const c_char, features: LLVMBool) -> *mut c_char;
    pub(crate) fn lw_clone_function_into(
        new: LLVMValueRef,
        old: LLVMValueRef,
        args: *mut LLVMValueRef,
        crash: *mut *mut c_char,
    );
    pub(crate) fn lw_clone_blocks(
        blocks: *mut LLVMBasicBlockRef,
        count: c_uint,
        out: *mut LLVMBasicBlockRef,
        crash: *mut *mut c_char,
    );
    pub(crate) fn lw_split_block(before: LLVMValueRef, name: *const c_char) -> LLVMBasicBlockRef;
    pub(crate) fn lw_remove_predecessor(block: LLVMBasicBlockRef, pred: LLVMBasicBlockRef);
    pub(crate) fn lw_remove_unreachable_blocks(f: LLVMValueRef, crash: *mut *mut c_char) -> LLVMBool;
    pub(crate) fn lw_inline_call(
        call: LLVMValueRef,
        why: *mut *mut c_char,
        crash: *mut *mut c_char,
    ) -> LLVMBool;
    pub(crate) fn lw_target_types(m: LLVMModuleRef, out: *mut LLVMTypeRef, max: c_uint) -> c_uint;
    pub(crate) fn lw_replace_types(
        m: LLVMModuleRef,
        from: *mut LLVMTypeRef,
        to: *mut LLVMTypeRef,
        count: c_uint,
        crash: *mut *mut c_char,
    );
    pub(crate) fn lw_move_before(i: LLVMValueRef, before: LLVMValueRef);
    pub(crate) fn lw_copy_function_attributes(to: LLVMValueRef, from: LLVMValueRef);
    pub(crate) fn lw_copy_param_attributes(to: LLVMValueRef, ti: c_uint, from: LLVMValueRef, fi: c_uint);
    pub(crate) fn lw_expand_constant_users(c: LLVMValueRef, crash: *mut *mut c_char);
    pub(crate) fn lw_set_system_scope(i: LLVMValueRef);
    pub(crate) fn lw_add_function_metadata(f: LLVMValueRef, kind: c_uint, node: LLVMMetadataRef);
    pub(crate) fn lw_function_metadata(
        f: LLVMValueRef,
        kind: c_uint,
        out: *mut LLVMMetadataRef,
        max: c_uint,
    ) -> c_uint;
    pub(crate) fn lw_copy_function_metadata(to: LLVMValueRef, from: LLVMValueRef, with_debug: LLVMBool);
    pub(crate) fn lw_metadata_num_operands(node: LLVMMetadataRef) -> c_uint;
    pub(crate) fn lw_metadata_operand(node: LLVMMetadataRef, i: c_uint) -> LLVMMetadataRef;
    pub(crate) fn lw_metadata_value(m: LLVMMetadataRef) -> LLVMValueRef;
    pub(crate) fn lw_metadata_string(m: LLVMMetadataRef, len: *mut usize) -> *const c_char;
    pub(crate) fn lw_metadata_is_node(m: LLVMMetadataRef) -> LLVMBool;
    pub(crate) fn lw_copy_subprogram(to: LLVMValueRef, from: LLVMValueRef);
    pub(crate) fn lw_fill_debug_locations(f: LLVMValueRef);
    pub(crate) fn lw_declare_array(alloca: LLVMValueRef, name: *const c_char, count: c_uint);
    pub(crate) fn lw_fix_order_at(i: LLVMValueRef);
    pub(crate) fn lw_debug_line(i: LLVMValueRef, column: *mut c_uint) -> c_uint;
    pub(crate) fn lw_insertion_point(builder: LLVMBuilderRef) -> LLVMValueRef;
    pub(crate) fn lw_debug_stack(instruction: LLVMValueRef) -> *mut c_char;
    pub(crate) fn lw_replace_debug_declare(
        old: LLVMValueRef,
        new: LLVMValueRef,
        deref: LLVMBool,
        offset: c_int,
    ) -> LLVMBool;
    pub(crate) fn lw_has_debug_declare(v: LLVMValueRef) -> LLVMBool;
    pub(crate) fn lw_flatten_debug_addresses(m: LLVMModuleRef);
    pub(crate) fn lw_print_with_use_lists(m: LLVMModuleRef) -> *mut c_char;
    pub(crate) fn lw_strip_debug_info(m: LLVMModuleRef, crash: *mut *mut c_char) -> LLVMBool;
    pub(crate) fn lw_emit(
        machine: LLVMTargetMachineRef,
        module: LLVMModuleRef,
        kind: LLVMCodeGenFileType,
        error: *mut *mut c_char,
        crash: *mut *mut c_char,
    ) -> LLVMMemoryBufferRef;
    pub(crate) fn lw_const_scalable_splat(value: LLVMValueRef, lanes: c_uint) -> LLVMValueRef;
    pub(crate) fn lw_const_splat_value(vector: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn lw_widen_intrinsic(
        call: LLVMValueRef,
        width: c_uint,
        scalable: LLVMBool,
        scalar: *mut u64,
    ) -> LLVMValueRef;
    pub(crate) fn lw_drop_poison_flags(i: LLVMValueRef);
    pub(crate) fn lw_copy_flags(to: LLVMValueRef, from: LLVMValueRef);
    pub(crate) fn lw_run_function_passes(
        f: LLVMValueRef,
        pipeline: *const c_char,
        machine: LLVMTargetMachineRef,
        error: *mut *mut c_char,
        crash: *mut *mut c_char,
    ) -> LLVMBool;
    pub(crate) fn lw_run_module_passes(
        m: LLVMModuleRef,
        pipeline: *const c_char,
        machine: LLVMTargetMachineRef,
        error: *mut *mut c_char,
        crash: *mut *mut c_char,
    ) -> LLVMBool;
    pub(crate) fn lw_tuned_vscale(machine: LLVMTargetMachineRef, f: LLVMValueRef) -> u32;
    pub(crate) fn lw_costs(
        machine: LLVMTargetMachineRef,
        f: LLVMValueRef,
        instructions: *mut LLVMValueRef,
        count: u32,
        width: u32,
        scalable: LLVMBool,
        lanes: u32,
        scalar: *mut f64,
        vector: *mut f64,
        crash: *mut *mut c_char,
    );
    pub(crate) fn lw_leave_loop(branch: LLVMValueRef, rolled: LLVMBool);
    pub(crate) fn lw_reverse_functions(m: LLVMModuleRef);
    pub(crate) fn lw_lower_atomic(instruction: LLVMValueRef);
    pub(crate) fn lw_scalarize(f: LLVMValueRef, machine: LLVMTargetMachineRef, crash: *mut *mut c_char);
    pub(crate) fn lw_link_modules(
        dest: LLVMModuleRef,
        source: LLVMModuleRef,
        only_needed: LLVMBool,
        error: *mut *mut c_char,
        crash: *mut *mut c_char,
    ) -> LLVMBool;
    pub(crate) fn lw_parse_ir(
        context: LLVMContextRef,
        bytes: *const c_char,
        size: usize,
        name: *const c_char,
        error: *mut *mut c_char,
        crash: *mut *mut c_char,
    ) -> LLVMModuleRef;
    pub(crate) fn lw_parse_bitcode(
        context: LLVMContextRef,
        bytes: *const c_char,
        size: usize,
        name: *const c_char,
        error: *mut *mut c_char,
        crash: *mut *mut c_char,
    ) -> LLVMModuleRef;
    pub(crate) fn lw_verify(m: LLVMModuleRef, error: *mut *mut c_char, crash: *mut *mut c_char) -> LLVMBool;
    pub(crate) fn lw_to_bitcode(m: LLVMModuleRef, crash: *mut *mut c_char) -> LLVMMemoryBufferRef;
    pub(crate) fn lw_to_text(m: LLVMModuleRef, crash: *mut *mut c_char) -> *mut c_char;
    pub(crate) fn lw_clone_module(m: LLVMModuleRef, crash: *mut *mut c_char) -> LLVMModuleRef;
    pub(crate) fn lw_guard_hold();
    pub(crate) fn lw_guard_release();
    pub(crate) fn lw_guard_crash(kind: c_int, why: *mut *mut c_char) -> bool;
    pub(crate) fn lw_clang_compile(
        context: LLVMContextRef,
        args: *const *const c_char,
        num_args: usize,
        files: *const File,
        num_files: usize,
    ) -> ClangResult;
    pub(crate) fn lw_clang_free_lookups(lookups: *mut ClangLookup, count: usize);
    pub(crate) fn lw_share_global(global: LLVMValueRef);
    pub(crate) fn lw_jit_create(
        names: *const *const c_char,
        addresses: *const *const c_void,
        count: usize,
        perf: LLVMBool,
        debugged: LLVMBool,
        error: *mut *mut c_char,
    ) -> *mut Jit;
    pub(crate) fn lw_jit_dispose(jit: *mut Jit);
    pub(crate) fn lw_jit_load(
        jit: *mut Jit,
        object: *const c_char,
        size: usize,
        other: *mut c_void,
        names: *const *const c_char,
        addresses: *mut u64,
        count: usize,
        error: *mut *mut c_char,
    ) -> *mut c_void;
    pub(crate) fn lw_jit_unload(jit: *mut Jit, dylib: *mut c_void);
}
