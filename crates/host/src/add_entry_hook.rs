//! AddEntryHook: runs a kernel for every work-group of a slice.
//!
//! ```text
//! define void @k.mux-kernel-wrapper(ptr %args, ptr %wg)
//! ───►
//! define void @k.host-entry-hook(ptr %args, ptr %slice) {
//!   %wg = alloca %MuxWorkGroupInfo                 ; a copy of the slice's
//!   for z, y, x in slice.begin .. slice.end:
//!     wg.group_id = (x, y, z)
//!     wg.local_size = min(enqueued size, rest of the range)
//!     wg.scratch = slice.scratch
//!     call void @k.mux-kernel-wrapper(ptr %args, ptr %wg)
//! }
//! ```
//!
//! The ABI is that of `crate::abi`. There are loops only over the dimensions the kernel has. A
//! required local size and a global offset that is known to be 0 become constants. The hook of a
//! group-agnostic kernel has no loops at all: the driver makes each slice one work-group, of any
//! size. Around a kernel compiled with `-cl-denorms-are-zero`, the hook sets the CPU's mode that
//! flushes subnormal numbers. Needs AddKernelWrapper.

use analysis::Preserved;
use ir::{WorkGroupField, attributes, metadata, work_group_info_type};
use llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Value};
use passes::{KernelWrapper, Pass, PassContext, PassError, entry_points};

#[derive(Clone, Copy, Debug, Default)]
pub struct AddEntryHook;

impl Pass for AddEntryHook {
    fn name(&self) -> &'static str {
        "add-entry-hook"
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        for kernel in entry_points(cx.module) {
            if metadata::packed_args(cx.module, kernel).is_none() || kernel.params().len() != 2 {
                let message = "the kernel does not take packed arguments; run add-kernel-wrapper first";
                return Err(PassError::in_function(kernel, message));
            }
            hook(cx.module, kernel);
        }
        Ok(Preserved::None)
    }
}

fn hook(module: &Module, kernel: Function) {
    let context = module.context();
    let pointer = context.ptr(0);
    let info = work_group_info_type(module);
    let three = module.size_type().array(3);
    let slice_type = context.named_struct("HostSlice", &[info, three, three]);

    let function = declare_hook(module, kernel);
    let (args, slice) = (function.param(0), function.param(1));
    let b = Builder::at_end(context, function.append_block("entry"));
    let group = b.alloca(info, 0, "group");
    let mode = flushes_subnormals(module, kernel).then(|| flush_subnormals(module, &b));
    b.memcpy(group, module.align_of(info), slice, module.align_of(slice_type), module.size_of(info));
    let array = |ty, base: Value, field: u32| {
        [0, 1, 2].map(|d| {
            let at = b.gep(ty, base, &[b.i32(0), b.i32(field), b.i32(d)], "");
            b.load(module.size_type(), at, "")
        })
    };
    let scratch_at = b.struct_gep(info, group, WorkGroupField::Scratch as u32, "scratch.at");
    let scratch = b.load(pointer, scratch_at, "scratch");
    let ends = array(slice_type, slice, 2);
    let begins = array(slice_type, slice, 1);
    let enqueued = array(info, group, WorkGroupField::EnqueuedLocalSize as u32);
    let global = array(info, group, WorkGroupField::GlobalSize as u32);

    let looped_dims = match attributes::is_group_agnostic(kernel) {
        true => 0,
        false => metadata::max_work_dim(module, kernel),
    };
    let mut open = Vec::new();
    for d in [2usize, 1, 0] {
        let id = if d as u32 >= looped_dims {
            begins[d]
        } else {
            let group_loop = GroupLoop::open(module, &b, d, begins[d]);
            open.push((group_loop, ends[d]));
            group_loop.id
        };
        set_work_group(module, &b, kernel, group, d as u32, [id, enqueued[d], global[d]]);
    }
    b.store(scratch, scratch_at);
    b.call(kernel, &[args, group], "");
    for (group_loop, end) in open.into_iter().rev() {
        group_loop.close(module, &b, end);
    }
    if let Some(mode) = mode {
        b.call(module.intrinsic("llvm.x86.sse.ldmxcsr", &[]), &[mode], "");
    }
    b.ret_void();
    function.fill_debug_locations();
}

/// Declares the hook of a kernel: `void (ptr %args, ptr %slice)`.
fn declare_hook(module: &Module, kernel: Function) -> Function {
    let pointer = module.context().ptr(0);
    let wrapper = KernelWrapper::new(module, kernel, ".host-entry-hook", &[pointer, pointer], &[None, None]);
    let function = wrapper.function;
    function.set_linkage(Linkage::LLVMExternalLinkage);
    for (i, name) in ["args", "slice"].into_iter().enumerate() {
        // The driver changes neither struct while the hook runs, and no kernel has their address.
        ["noalias", "readonly", "nonnull"].iter().for_each(|flag| function.set_param_flag(i as u32, flag));
        function.param(i as u32).set_name(name);
    }
    function
}

/// A loop over the work-groups of a slice in one dimension: its header and its induction variable.
#[derive(Clone, Copy)]
struct GroupLoop {
    header: Block,
    id: Value,
}

impl GroupLoop {
    /// Opens the loop. A slice is never empty, so the loop is rotated: it tests at its latch.
    fn open(module: &Module, b: &Builder, dimension: usize, begin: Value) -> Self {
        let before = b.block().expect("the builder is in a block");
        let header = before.function().append_block(["group.x", "group.y", "group.z"][dimension]);
        b.br(header);
        b.position_at_end(header);
        let id = b.phi(module.size_type(), "");
        id.add_incoming(begin, before);
        GroupLoop { header, id }
    }

    fn close(self, module: &Module, b: &Builder, end: Value) {
        let latch = b.block().expect("the builder is in a block");
        let next = b.add_nowrap(self.id, module.size_type().const_int(1), "");
        self.id.add_incoming(next, latch);
        let more = b.icmp(IntPredicate::LLVMIntULT, next, end, "");
        let done = latch.function().append_block("done");
        b.cond_br(more, self.header, done);
        b.position_at_end(done);
    }
}

/// Stores the fields of the work-group's info that differ from group to group, and those that the
/// kernel's attributes make constant, in dimension `d`.
fn set_work_group(
    module: &Module,
    b: &Builder,
    kernel: Function,
    group: Value,
    d: u32,
    [id, enqueued, global]: [Value; 3],
) {
    let size = module.size_type();
    let set = |field: WorkGroupField, value: Value| {
        let at = b.gep(work_group_info_type(module), group, &[b.i32(0), b.i32(field as u32), b.i32(d)], "");
        b.store(value, at);
    };
    let required = metadata::reqd_work_group_size(module, kernel)
        .filter(|_| !attributes::is_group_agnostic(kernel))
        .map(|sizes| size.const_int(sizes[d as usize]));
    set(WorkGroupField::GroupId, id);
    let local = required.unwrap_or_else(|| {
        let left = b.sub(global, b.mul(id, enqueued, ""), "");
        let smaller = b.icmp(IntPredicate::LLVMIntULT, left, enqueued, "");
        b.select(smaller, left, enqueued, "local_size")
    });
    set(WorkGroupField::LocalSize, local);
    if attributes::has_zero_offset(kernel) {
        set(WorkGroupField::GlobalOffset, size.zero());
    }
    if let Some(required) = required {
        set(WorkGroupField::EnqueuedLocalSize, required);
    }
}

/// Whether the kernel was compiled with `-cl-denorms-are-zero` for a machine with a mode that
/// flushes subnormal numbers to zero.
fn flushes_subnormals(module: &Module, kernel: Function) -> bool {
    let zeros =
        kernel.attribute("denormal-fp-math-f32").is_some_and(|mode| mode.starts_with("preserve-sign"));
    zeros && module.triple().starts_with("x86_64")
}

/// Sets the bits of MXCSR that make subnormal operands and results zero. Returns the address at
/// which the old mode is saved.
fn flush_subnormals(module: &Module, b: &Builder) -> Value {
    const DENORMALS_ARE_ZERO: u32 = 1 << 6;
    const FLUSH_TO_ZERO: u32 = 1 << 15;
    let i32 = module.context().i32();
    let (old, new) = (b.alloca(i32, 4, "mode"), b.alloca(i32, 4, "kernel.mode"));
    b.call(module.intrinsic("llvm.x86.sse.stmxcsr", &[]), &[old], "");
    let bits = b.i32(DENORMALS_ARE_ZERO | FLUSH_TO_ZERO);
    b.store(b.binary(llvm::Opcode::LLVMOr, b.load(i32, old, ""), bits, ""), new);
    b.call(module.intrinsic("llvm.x86.sse.ldmxcsr", &[]), &[new], "");
    old
}
