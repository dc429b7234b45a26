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
//! kernel that requires a local size gets it as a constant, and so an offset that is known to be 0.
//! One that cannot see its groups has no loops at all: the driver makes each of its slices one
//! work-group, of whatever size. Around a kernel for which subnormal numbers are zeros, the hook
//! sets the CPU's mode for it. Needs AddKernelWrapper.

use analysis::Preserved;
use ir::{WorkGroupField, attributes, metadata, work_group_info_type};
use llvm::{Builder, Function, IntPredicate, Linkage, Module, Value};
use passes::{KernelWrapper, Pass, PassContext, PassError, Registry, entry_points};

#[derive(Clone, Copy, Debug, Default)]
pub struct AddEntryHook;

pub(crate) fn register(registry: &mut Registry) {
    registry.register("add-entry-hook", "run kernels for every work-group of a slice", |_| Ok(AddEntryHook));
}

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
    let size = module.size_type();
    let pointer = context.ptr(0);
    let info = work_group_info_type(module);
    let three = size.array(3);
    let slice_type = context.named_struct("HostSlice", &[info, three, three]);

    let agnostic = attributes::is_group_agnostic(kernel);
    let required = metadata::reqd_work_group_size(module, kernel).filter(|_| !agnostic);
    let dims = metadata::max_work_dim(module, kernel);
    let wrapper = KernelWrapper::new(module, kernel, ".host-entry-hook", &[pointer, pointer], &[None, None]);
    let function = wrapper.function;
    function.set_linkage(Linkage::LLVMExternalLinkage);
    for i in 0..2 {
        // The driver does not change them while the hook runs, and no kernel has their address.
        ["noalias", "readonly", "nonnull"].iter().for_each(|flag| function.set_param_flag(i, flag));
    }
    let (args, slice) = (function.param(0), function.param(1));
    args.set_name("args");
    slice.set_name("slice");

    let b = Builder::at_end(context, function.append_block("entry"));
    let group = b.alloca(info, 0, "group");
    let mode = flushes_subnormals(module, kernel).then(|| flush_subnormals(module, &b));
    b.memcpy(group, module.align_of(info), slice, module.align_of(slice_type), module.size_of(info));
    let array = |b: &Builder, ty, base: Value, field: u32, d: u32| {
        let at = b.gep(ty, base, &[b.i32(0), b.i32(field), b.i32(d)], "");
        b.load(size, at, "")
    };
    let scratch = {
        let at = b.struct_gep(info, group, WorkGroupField::Scratch as u32, "scratch.at");
        (at, b.load(pointer, at, "scratch"))
    };
    let ends = [0, 1, 2].map(|d| array(&b, slice_type, slice, 2, d));
    let begins = [0, 1, 2].map(|d| array(&b, slice_type, slice, 1, d));
    let enqueued = [0, 1, 2].map(|d| array(&b, info, group, WorkGroupField::EnqueuedLocalSize as u32, d));
    let global = [0, 1, 2].map(|d| array(&b, info, group, WorkGroupField::GlobalSize as u32, d));

    // A slice is never empty, so the loops test at their end.
    let mut open = Vec::new();
    for d in [2usize, 1, 0] {
        let id = if agnostic || d as u32 >= dims {
            begins[d]
        } else {
            let before = b.block().expect("the builder is in a block");
            let header = function.append_block(["group.x", "group.y", "group.z"][d]);
            b.br(header);
            b.position_at_end(header);
            let id = b.phi(size, "");
            id.add_incoming(begins[d], before);
            open.push((d, header, id));
            id
        };
        let set = |field: WorkGroupField, value: Value| {
            let at = b.gep(info, group, &[b.i32(0), b.i32(field as u32), b.i32(d as u32)], "");
            b.store(value, at);
        };
        set(WorkGroupField::GroupId, id);
        let local = match required {
            Some(sizes) => size.const_int(sizes[d]),
            None => {
                let left = b.sub(global[d], b.mul(id, enqueued[d], ""), "");
                let smaller = b.icmp(IntPredicate::LLVMIntULT, left, enqueued[d], "");
                b.select(smaller, left, enqueued[d], "local_size")
            }
        };
        set(WorkGroupField::LocalSize, local);
        if attributes::has_zero_offset(kernel) {
            set(WorkGroupField::GlobalOffset, size.zero());
        }
        if let Some(sizes) = required {
            set(WorkGroupField::EnqueuedLocalSize, size.const_int(sizes[d]));
        }
    }
    b.store(scratch.1, scratch.0);
    b.call(kernel, &[args, group], "");
    for (d, header, id) in open.into_iter().rev() {
        let latch = b.block().expect("the builder is in a block");
        let next = b.add_nowrap(id, size.const_int(1), "");
        id.add_incoming(next, latch);
        let more = b.icmp(IntPredicate::LLVMIntULT, next, ends[d], "");
        let done = function.append_block("done");
        b.cond_br(more, header, done);
        b.position_at_end(done);
    }
    if let Some(mode) = mode {
        b.call(module.intrinsic("llvm.x86.sse.ldmxcsr", &[]), &[mode], "");
    }
    b.ret_void();
    function.fill_debug_locations();
}

/// Whether the kernel was compiled for subnormal numbers that are zeros (`-cl-denorms-are-zero`),
/// and the machine can do it.
fn flushes_subnormals(module: &Module, kernel: Function) -> bool {
    let zeros =
        kernel.attribute("denormal-fp-math-f32").is_some_and(|mode| mode.starts_with("preserve-sign"));
    zeros && module.triple().starts_with("x86_64")
}

/// Sets the bits of MXCSR that take subnormal arguments for zeros and give zeros for subnormal
/// results. Returns where the old mode is kept.
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
