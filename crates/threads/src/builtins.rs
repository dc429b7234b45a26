//! The structure that describes a thread's work-item, and the builtins that read it.

use ir::{
    Builtin, BuiltinInfo, DefaultBuiltinInfo, Group, GroupOp, GroupScope, SchedulingParam, TargetType,
    metadata,
};
use llvm::{Builder, Function, IntPredicate, Linkage, Module, Type, Value};

/// The function of the driver that all threads of a work-group wait in. It takes the barrier of
/// [`Field::Barrier`].
pub const BARRIER: &str = "lanewise_thread_barrier";

const PARAM: &str = "ThreadInfo";

/// The fields of `ThreadInfo`, which the driver hands to each thread, in order.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Field {
    LocalId,
    GroupId,
    NumGroups,
    LocalSize,
    EnqueuedLocalSize,
    GlobalSize,
    GlobalOffset,
    /// Memory of the work-group: the same for all threads, each of which moves its own pointer on.
    Memory,
    /// Eight bytes for each work-item of the work-group, to exchange values.
    Exchange,
    Barrier,
    WorkDim,
}

fn info_type(module: &Module) -> Type {
    let context = module.context();
    let (three, pointer) = (module.size_type().array(3), context.ptr(0));
    let mut fields = vec![three; 7];
    fields.extend([pointer, pointer, pointer, context.i32()]);
    context.named_struct(PARAM, &fields)
}

/// The builtins of a target whose work-items are threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadBuiltins;

impl BuiltinInfo for ThreadBuiltins {
    fn scheduling_params(&self, module: &Module) -> Vec<SchedulingParam> {
        vec![SchedulingParam { name: PARAM, pointee: info_type(module), from_driver: true }]
    }

    fn needs_scheduling_params(&self, builtin: Builtin) -> bool {
        builtin.is_work_group_barrier() || DefaultBuiltinInfo::default().needs_scheduling_params(builtin)
    }

    /// Images are those of the CPU, whose memory this is.
    fn target_type(&self, module: &Module, ty: TargetType) -> Option<Type> {
        self.options().target_type(module, ty)
    }

    fn define(&self, module: &Module, function: Function, builtin: Builtin) -> bool {
        use Builtin::*;
        let field = match builtin {
            GetLocalId => Field::LocalId,
            GetGroupId => Field::GroupId,
            GetNumGroups => Field::NumGroups,
            GetLocalSize => Field::LocalSize,
            GetEnqueuedLocalSize => Field::EnqueuedLocalSize,
            GetGlobalSize => Field::GlobalSize,
            GetGlobalOffset => Field::GlobalOffset,
            AllocWorkGroupMemory | WorkGroupMemoryEnd => Field::Memory,
            WorkGroupBarrier => Field::Barrier,
            GetWorkDim => Field::WorkDim,
            Group(group) if group.scope == GroupScope::Work => Field::Exchange,
            // The default definitions, which call those above, with sub-groups of one work-item.
            _ => return DefaultBuiltinInfo::define_default(self.options(), module, function, builtin),
        };
        let scheduled = metadata::scheduled_params(module, function).unwrap_or_default();
        let Some(info) = scheduled.first().copied().flatten().map(|i| function.param(i)) else {
            return false;
        };
        let b = Builder::at_end(module.context(), function.append_block("entry"));
        let body = Body { module, function, info, b };
        let result = match builtin {
            GetWorkDim => Some(body.b.load(body.b.context().i32(), body.at(field), "")),
            AllocWorkGroupMemory => Some(body.allocate()),
            WorkGroupMemoryEnd => Some(body.pointer(field)),
            WorkGroupBarrier => {
                body.barrier();
                None
            }
            Group(group) => match body.over_work_group(group) {
                Some(result) => Some(result),
                None => return false,
            },
            _ => Some(body.dimension(field, builtin.default_for_dimension())),
        };
        match result {
            Some(value) => body.b.ret(value),
            None => body.b.ret_void(),
        };
        function.set_linkage(Linkage::LLVMInternalLinkage);
        ["memory", "convergent", "noduplicate"].iter().for_each(|flag| function.remove_flag(flag));
        true
    }
}

/// Builds the body of one builtin.
struct Body<'a> {
    module: &'a Module,
    function: Function,
    info: Value,
    b: Builder,
}

impl Body<'_> {
    fn at(&self, field: Field) -> Value {
        self.b.struct_gep(info_type(self.module), self.info, field as u32, "at")
    }

    fn pointer(&self, field: Field) -> Value {
        self.b.load(self.b.context().ptr(0), self.at(field), "")
    }

    /// An entry of an array, by the dimension that is the function's first parameter.
    fn dimension(&self, field: Field, otherwise: u64) -> Value {
        let (b, dimension) = (&self.b, self.function.param(0));
        let inside = b.icmp(IntPredicate::LLVMIntULT, dimension, b.i32(3), "inside");
        let index = b.select(inside, dimension, b.i32(0), "index");
        let value = self.known_dimension(field, index);
        b.select(inside, value, self.module.size_type().const_int(otherwise), "")
    }

    fn known_dimension(&self, field: Field, index: Value) -> Value {
        let b = &self.b;
        let at = b.gep(info_type(self.module), self.info, &[b.i32(0), b.i32(field as u32), index], "at");
        b.load(self.module.size_type(), at, "")
    }

    fn three(&self, field: Field) -> [Value; 3] {
        [0, 1, 2].map(|d| self.known_dimension(field, self.b.i32(d)))
    }

    /// All threads allocate in the same order, so that each computes the same address without
    /// synchronization.
    fn allocate(&self) -> Value {
        let b = &self.b;
        let free = self.pointer(Field::Memory);
        let bytes = ir::round_up_work_group_memory(b, self.function.param(0), "bytes");
        b.store(b.gep(b.context().i8(), free, &[bytes], "next"), self.at(Field::Memory));
        free
    }

    fn barrier(&self) {
        let context = self.b.context();
        let wait = self
            .module
            .function(BARRIER)
            .unwrap_or_else(|| self.module.add_function(BARRIER, context.void().function(&[context.ptr(0)])));
        self.b.call(wait, &[self.pointer(Field::Barrier)], "");
    }

    fn linear(&self, ids: [Value; 3], sizes: [Value; 3]) -> Value {
        let b = &self.b;
        b.add(b.mul(b.add(b.mul(ids[2], sizes[1], ""), ids[1], ""), sizes[0], ""), ids[0], "")
    }

    /// Each thread stores its value into the exchange array; after a barrier it reads the values of
    /// all.
    fn over_work_group(&self, group: Group) -> Option<Value> {
        let (b, size) = (&self.b, self.module.size_type());
        let (value, sizes) = (self.function.param(1), self.three(Field::LocalSize));
        let ty = value.ty();
        let own = self.linear(self.three(Field::LocalId), sizes);
        let exchange = self.pointer(Field::Exchange);
        let place = |i: Value| b.gep(self.module.context().i64(), exchange, &[i], "");
        b.store(value, place(own));
        self.barrier();
        let result = if group.op == GroupOp::Broadcast {
            let wanted = [2, 3, 4].map(|n| self.function.param(n));
            b.load(ty, place(self.linear(wanted, sizes)), "")
        } else {
            let a = group.op.arithmetic()?;
            let items = b.mul(b.mul(sizes[0], sizes[1], ""), sizes[2], "items");
            let end = match group.op {
                GroupOp::ScanInclusive(_) => b.add(own, size.const_int(1), ""),
                GroupOp::ScanExclusive(_) => own,
                _ => items,
            };
            let before = b.block().expect("the builder is in a block");
            let [head, inside, after] = ["head", "inside", "after"].map(|n| self.function.append_block(n));
            b.br(head);
            b.position_at_end(head);
            let (i, sum) = (b.phi(size, "i"), b.phi(ty, "sum"));
            b.cond_br(b.icmp(IntPredicate::LLVMIntULT, i, end, "more"), inside, after);
            b.position_at_end(inside);
            let next_sum = a.combine(self.module, b, sum, b.load(ty, place(i), ""));
            let next = b.add(i, size.const_int(1), "");
            b.br(head);
            i.add_incoming(size.zero(), before);
            i.add_incoming(next, inside);
            sum.add_incoming(a.identity(ty), before);
            sum.add_incoming(next_sum, inside);
            b.position_at_end(after);
            sum
        };
        // A second barrier: nobody may overwrite a value that another thread still reads.
        self.barrier();
        Some(result)
    }
}
