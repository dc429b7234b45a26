//! The state that a caller hands to a kernel, and the builtins that read it. Its layout is in
//! `include/lanewise_native_cpu.h`.

use crate::math::Instructions;
use ir::{Builtin, BuiltinInfo, DefaultBuiltinInfo, SchedulingParam, metadata};
use llvm::{Builder, Function, IntPredicate, Linkage, Module, Type, Value};

/// The name of the scheduling parameter.
pub const STATE: &str = "native_cpu::state";

/// The fields of the state, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Field {
    GroupId,
    NumGroups,
    LocalSize,
    EnqueuedLocalSize,
    GlobalSize,
    GlobalOffset,
    LocalId,
    Scratch,
    WorkDim,
}

pub fn state_type(module: &Module) -> Type {
    let context = module.context();
    let three = module.size_type().array(3);
    let fields = [three, three, three, three, three, three, three, context.ptr(0), context.i32()];
    context.named_struct(STATE, &fields)
}

/// Builtins that read the state. The others have the specification's default definitions, which
/// call these.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeCpuBuiltins {
    pub options: DefaultBuiltinInfo,
    pub(crate) math: Instructions,
}

impl BuiltinInfo for NativeCpuBuiltins {
    fn scheduling_params(&self, module: &Module) -> Vec<SchedulingParam> {
        vec![SchedulingParam { name: STATE, pointee: state_type(module), from_driver: true }]
    }

    fn options(&self) -> DefaultBuiltinInfo {
        self.options
    }

    fn define(&self, module: &Module, function: Function, builtin: Builtin) -> bool {
        use Builtin::*;
        if let Math(math) = builtin
            && self.math.define(module, function, math)
        {
            return true;
        }
        let array = match builtin {
            GetGroupId => Field::GroupId,
            GetNumGroups => Field::NumGroups,
            GetLocalSize => Field::LocalSize,
            GetEnqueuedLocalSize => Field::EnqueuedLocalSize,
            GetGlobalSize => Field::GlobalSize,
            GetGlobalOffset => Field::GlobalOffset,
            GetLocalId | SetLocalId => Field::LocalId,
            GetWorkDim => Field::WorkDim,
            AllocWorkGroupMemory | WorkGroupMemoryEnd => Field::Scratch,
            _ => return DefaultBuiltinInfo::define_default(self.options, module, function, builtin),
        };
        let scheduled = metadata::scheduled_params(module, function).unwrap_or_default();
        let Some(state) = scheduled.first().copied().flatten().map(|i| function.param(i)) else {
            return false;
        };
        let b = Builder::at_end(module.context(), function.append_block("entry"));
        let (ty, size) = (state_type(module), module.size_type());
        let field = || b.struct_gep(ty, state, array as u32, "at");
        let result: Option<Value> = match builtin {
            GetWorkDim => Some(b.load(b.context().i32(), field(), "")),
            AllocWorkGroupMemory => {
                let free = b.load(b.context().ptr(0), field(), "free");
                let bytes = ir::round_up_work_group_memory(&b, function.param(0), "bytes");
                b.store(b.gep(b.context().i8(), free, &[bytes], "next"), field());
                Some(free)
            }
            WorkGroupMemoryEnd => Some(b.load(b.context().ptr(0), field(), "")),
            SetLocalId => {
                let at = b.gep(ty, state, &[b.i32(0), b.i32(array as u32), function.param(0)], "at");
                b.store(function.param(1), at);
                None
            }
            _ => {
                let dimension = function.param(0);
                let inside = b.icmp(IntPredicate::LLVMIntULT, dimension, b.i32(3), "inside");
                let index = b.select(inside, dimension, b.i32(0), "index");
                let at = b.gep(ty, state, &[b.i32(0), b.i32(array as u32), index], "at");
                let otherwise = size.const_int(builtin.default_for_dimension());
                Some(b.select(inside, b.load(size, at, ""), otherwise, ""))
            }
        };
        match result {
            Some(value) => b.ret(value),
            None => b.ret_void(),
        };
        function.set_linkage(Linkage::LLVMInternalLinkage);
        function.set_flag("alwaysinline");
        function.remove_flag("memory");
        true
    }
}
