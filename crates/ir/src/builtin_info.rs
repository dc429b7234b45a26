//! How a target schedules work-items: the scheduling parameters of functions, and the bodies of the
//! builtins.
//!
//! [`DefaultBuiltinInfo`] keeps the work-group's facts in a `MuxWorkGroupInfo` that the caller of
//! the kernel provides and the work-item's in a `MuxWorkItemInfo` that the kernel wrapper
//! allocates. A target overrides what it does otherwise.

use crate::{Builtin, MemScope, MemSemantics, Ordering, TargetType, dma, group_bodies, math};
use crate::{WORK_GROUP_MEMORY_ALIGN, address_space};
use llvm::{AtomicOrdering, Builder, Function, IntPredicate, Linkage, Module, Type, Value};

/// A parameter that is added to the functions that need it for work-item builtins.
#[derive(Clone, Debug)]
pub struct SchedulingParam {
    pub name: &'static str,
    /// What the parameter points to.
    pub pointee: Type,
    /// Whether the caller of the kernel provides it. If not, the kernel wrapper allocates it.
    pub from_driver: bool,
}

pub const WORK_ITEM_INFO: &str = "MuxWorkItemInfo";
pub const WORK_GROUP_INFO: &str = "MuxWorkGroupInfo";

/// The function that the default body of [`Builtin::Printf`] calls, with the C calling convention.
/// The loader of the code provides it.
pub const PRINTF: &str = "__lanewise_printf";
/// The functions that the default bodies of [`Builtin::Check`] and [`Builtin::CheckRecord`] call.
pub const CHECK: &str = "__lanewise_check";
pub const CHECK_RECORD: &str = "__lanewise_check_record";

/// The fields of `MuxWorkGroupInfo`, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum WorkGroupField {
    GroupId,
    NumGroups,
    LocalSize,
    EnqueuedLocalSize,
    GlobalSize,
    GlobalOffset,
    Scratch,
    WorkDim,
}

pub fn work_group_info_type(module: &Module) -> Type {
    let context = module.context();
    let three = module.size_type().array(3);
    let fields = [three, three, three, three, three, three, context.ptr(0), context.i32()];
    context.named_struct(WORK_GROUP_INFO, &fields)
}

pub fn work_item_info_type(module: &Module) -> Type {
    module.context().named_struct(WORK_ITEM_INFO, &[module.size_type().array(3)])
}

/// A target's scheduling parameters and bodies of builtins.
pub trait BuiltinInfo: Send + Sync {
    /// The scheduling parameters, in the order of the indices in `!mux_scheduled_fn`.
    fn scheduling_params(&self, module: &Module) -> Vec<SchedulingParam> {
        vec![
            SchedulingParam {
                name: WORK_ITEM_INFO,
                pointee: work_item_info_type(module),
                from_driver: false,
            },
            SchedulingParam {
                name: WORK_GROUP_INFO,
                pointee: work_group_info_type(module),
                from_driver: true,
            },
        ]
    }

    /// Creates a scheduling parameter that the caller of the kernel does not provide, in the
    /// kernel's wrapper, and returns a pointer to it. By default it is an uninitialized alloca:
    /// passes store every field before they load it. The wrapper's own parameters are the packed
    /// arguments, and the scheduling parameters that the caller provides.
    fn initialize_scheduling_param(
        &self,
        _module: &Module,
        b: &Builder,
        _wrapper: Function,
        param: &SchedulingParam,
    ) -> Value {
        b.alloca(param.pointee, 0, param.name)
    }

    /// Whether the body of a builtin uses scheduling parameters.
    fn needs_scheduling_params(&self, builtin: Builtin) -> bool {
        builtin.is_work_item_query() && !matches!(builtin, Builtin::GetMaxSubGroupSize)
            || matches!(builtin, Builtin::SetLocalId | Builtin::AllocWorkGroupMemory)
            || dma::needs_scheduling_params(builtin)
    }

    /// Gives a declared builtin its body. Its scheduling parameters are the function's last ones
    /// (`ir::metadata::scheduled_params`). Returns false if the target does not define this
    /// builtin.
    fn define(&self, module: &Module, function: Function, builtin: Builtin) -> bool {
        DefaultBuiltinInfo::define_default(self.options(), module, function, builtin)
    }

    /// What an opaque type of the language is on the target; `None` if the target has nothing for
    /// it.
    fn target_type(&self, _module: &Module, _ty: TargetType) -> Option<Type> {
        None
    }

    /// Instructions that are better on this target than a call of a library function, written
    /// where the builder stands; `None` to leave the call as it is. `name` and `params` are the two
    /// parts of the function's mangled name. OptimalBuiltinReplacement asks before its own
    /// replacements.
    fn inline_library_call(
        &self,
        _module: &Module,
        _b: &Builder,
        _call: Value,
        _name: &str,
        _params: &str,
    ) -> Option<Value> {
        None
    }

    /// The answers of `__mux_isftz`, `__mux_usefast` and `__mux_isembeddedprofile`, and how
    /// barriers are fenced.
    fn options(&self) -> DefaultBuiltinInfo {
        DefaultBuiltinInfo::default()
    }
}

/// The specification's own definitions of the builtins, for sub-groups of one work-item.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultBuiltinInfo {
    pub flushes_to_zero: bool,
    pub use_fast: bool,
    pub embedded_profile: bool,
    /// Whether all work-items of a work-group run on one thread: ordering within a work-group then
    /// needs no fence.
    pub work_group_is_a_thread: bool,
}

impl BuiltinInfo for DefaultBuiltinInfo {
    fn options(&self) -> DefaultBuiltinInfo {
        *self
    }

    /// An image is the address of what describes it, which does not change while a kernel runs; a
    /// sampler is a number.
    fn target_type(&self, module: &Module, ty: TargetType) -> Option<Type> {
        Some(match ty {
            TargetType::Image(_) => module.context().ptr(address_space::CONSTANT),
            TargetType::Sampler => module.context().i32(),
        })
    }
}

/// Makes a builtin that got its body internal, and inlines it.
fn finish(function: Function) {
    function.set_linkage(Linkage::LLVMInternalLinkage);
    function.set_flag("alwaysinline");
    ["memory", "convergent", "noduplicate"].into_iter().for_each(|flag| function.remove_flag(flag));
}

/// Gives a declared builtin a body that returns the result of `compute`, if there is one: for
/// targets that define builtins of their own.
pub fn define_with<R: Into<Option<Value>>>(
    module: &Module,
    function: Function,
    compute: impl FnOnce(&Builder) -> R,
) {
    let b = Builder::at_end(module.context(), function.append_block("entry"));
    match compute(&b).into() {
        Some(result) => b.ret(result),
        None => b.ret_void(),
    };
    finish(function);
}

/// The size of a block of work-group memory, rounded up to [`WORK_GROUP_MEMORY_ALIGN`].
pub fn round_up_work_group_memory(b: &Builder, bytes: Value, name: &str) -> Value {
    let (ty, align) = (bytes.ty(), WORK_GROUP_MEMORY_ALIGN);
    let up = b.add(bytes, ty.const_int(align - 1), "");
    b.and(up, ty.const_signed(-(align as i64)), name)
}

/// Builds the body of one builtin.
pub(crate) struct Body<'a> {
    pub(crate) module: &'a Module,
    pub(crate) function: Function,
    pub(crate) b: Builder,
}

impl Body<'_> {
    /// Calls another builtin with this function's scheduling parameters, declaring it if need be.
    pub(crate) fn query(&self, builtin: Builtin, dimension: Option<u64>) -> Value {
        let mut args: Vec<Value> = dimension.map(|d| self.b.i32(d as u32)).into_iter().collect();
        args.extend(self.scheduling_args());
        let callee = self.declare_like_this(builtin);
        self.b.call(callee, &args, "")
    }

    fn query_dynamic(&self, builtin: Builtin, dimension: Value) -> Value {
        let mut args = vec![dimension];
        args.extend(self.scheduling_args());
        let callee = self.declare_like_this(builtin);
        self.b.call(callee, &args, "")
    }

    fn scheduling_args(&self) -> Vec<Value> {
        let indices = crate::metadata::scheduled_params(self.module, self.function).unwrap_or_default();
        indices.into_iter().flatten().map(|i| self.function.param(i)).collect()
    }

    /// Declares a builtin with the scheduling parameters that this one has.
    fn declare_like_this(&self, builtin: Builtin) -> Function {
        if let Some(f) = self.module.function(&builtin.name()) {
            return f;
        }
        let plain = builtin.function_type(self.module).expect("work-item builtins have a fixed type");
        let mut params = plain.params();
        let first = params.len() as u32;
        let extra = self.scheduling_args();
        params.extend(extra.iter().map(|v| v.ty()));
        let f = self.module.add_function(&builtin.name(), plain.return_type().function(&params));
        f.set_call_conv(self.function.call_conv());
        let indices = crate::metadata::scheduled_params(self.module, self.function).unwrap_or_default();
        let mut next = first;
        let indices: Vec<_> = indices
            .into_iter()
            .map(|i| {
                i.map(|_| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        crate::metadata::set_scheduled_params(self.module, f, &indices);
        f
    }

    fn param_named(&self, name: &str) -> Option<Value> {
        let names = crate::metadata::scheduling_params(self.module);
        let indices = crate::metadata::scheduled_params(self.module, self.function)?;
        let at = names.iter().position(|n| n == name)?;
        indices.get(at).copied().flatten().map(|i| self.function.param(i))
    }

    fn work_group(&self) -> Value {
        self.param_named(WORK_GROUP_INFO).expect("the builtin was given its scheduling parameters")
    }

    fn work_item(&self) -> Value {
        self.param_named(WORK_ITEM_INFO).expect("the builtin was given its scheduling parameters")
    }

    /// Loads `array[dimension]`, or `otherwise` if the dimension is over 2.
    fn load_dimension(&self, info: Type, base: Value, field: u32, otherwise: u64) -> Value {
        let size = self.module.size_type();
        let dimension = self.function.param(0);
        let inside = self.b.icmp(IntPredicate::LLVMIntULT, dimension, self.b.i32(3), "inside");
        // A load that is always valid and a select, instead of a branch.
        let index = self.b.select(inside, dimension, self.b.i32(0), "index");
        let at = self.b.gep(info, base, &[self.b.i32(0), self.b.i32(field), index], "at");
        let value = self.b.load(size, at, "value");
        self.b.select(inside, value, size.const_int(otherwise), "")
    }

    fn work_group_field(&self, field: WorkGroupField, otherwise: u64) -> Value {
        self.load_dimension(work_group_info_type(self.module), self.work_group(), field as u32, otherwise)
    }
}

impl DefaultBuiltinInfo {
    /// The specification's definition of a builtin.
    /// One arm a builtin: long, but a table.
    pub fn define_default(self, module: &Module, function: Function, builtin: Builtin) -> bool {
        use Builtin::*;
        let context = module.context().clone();
        let defined = match builtin {
            // Work-group barriers are lowered by WorkItemLoops or by the target.
            WorkGroupBarrier => false,
            Group(group) => group_bodies::can_define(group),
            _ => true,
        };
        if !defined {
            return false;
        }
        let entry = function.append_block("entry");
        let body = Body { module, function, b: Builder::at_end(&context, entry) };
        let b = &body.b;
        let linear = |ids: [Value; 3], sizes: [Value; 2]| {
            let row = b.add(b.mul(ids[2], sizes[1], ""), ids[1], "");
            b.add(b.mul(row, sizes[0], ""), ids[0], "")
        };
        let result = match builtin {
            IsFtz => Some(context.i1().const_int(self.flushes_to_zero.into())),
            UseFast => Some(context.i1().const_int(self.use_fast.into())),
            IsEmbeddedProfile => Some(context.i1().const_int(self.embedded_profile.into())),
            GetGroupId => Some(body.work_group_field(WorkGroupField::GroupId, 0)),
            GetNumGroups => Some(body.work_group_field(WorkGroupField::NumGroups, 1)),
            GetLocalSize => Some(body.work_group_field(WorkGroupField::LocalSize, 1)),
            GetEnqueuedLocalSize => Some(body.work_group_field(WorkGroupField::EnqueuedLocalSize, 1)),
            GetGlobalSize => Some(body.work_group_field(WorkGroupField::GlobalSize, 1)),
            GetGlobalOffset => Some(body.work_group_field(WorkGroupField::GlobalOffset, 0)),
            GetLocalId => Some(body.load_dimension(work_item_info_type(module), body.work_item(), 0, 0)),
            SetLocalId => {
                let index = [b.i32(0), b.i32(0), function.param(0)];
                let at = b.gep(work_item_info_type(module), body.work_item(), &index, "at");
                b.store(function.param(1), at);
                None
            }
            GetWorkDim => {
                let info = work_group_info_type(module);
                let at = b.struct_gep(info, body.work_group(), WorkGroupField::WorkDim as u32, "at");
                Some(b.load(context.i32(), at, ""))
            }
            // The last work-group may be smaller: the offset of a group follows from the enqueued
            // local size.
            GetGlobalId => {
                let dimension = function.param(0);
                let group = body.query_dynamic(GetGroupId, dimension);
                let enqueued = body.query_dynamic(GetEnqueuedLocalSize, dimension);
                let local = body.query_dynamic(GetLocalId, dimension);
                let offset = body.query_dynamic(GetGlobalOffset, dimension);
                let id = b.add(b.mul(group, enqueued, ""), local, "");
                Some(b.add(id, offset, ""))
            }
            GetGlobalLinearId => {
                let ids = [0, 1, 2].map(|d| {
                    b.sub(body.query(GetGlobalId, Some(d)), body.query(GetGlobalOffset, Some(d)), "")
                });
                Some(linear(ids, [0, 1].map(|d| body.query(GetGlobalSize, Some(d)))))
            }
            GetLocalLinearId => {
                let ids = [0, 1, 2].map(|d| body.query(GetLocalId, Some(d)));
                Some(linear(ids, [0, 1].map(|d| body.query(GetLocalSize, Some(d)))))
            }
            // Sub-groups of one work-item each.
            GetSubGroupId => Some(b.int_cast(body.query(GetLocalLinearId, None), context.i32(), "")),
            GetNumSubGroups => {
                let [x, y, z] = [0, 1, 2].map(|d| body.query(GetLocalSize, Some(d)));
                Some(b.int_cast(b.mul(b.mul(x, y, ""), z, ""), context.i32(), ""))
            }
            GetMaxSubGroupSize | GetSubGroupSize => Some(b.i32(1)),
            GetSubGroupLocalId => Some(b.i32(0)),
            AllocWorkGroupMemory => {
                let info = work_group_info_type(module);
                let at = b.struct_gep(info, body.work_group(), WorkGroupField::Scratch as u32, "at");
                let free = b.load(context.ptr(0), at, "free");
                let rounded = round_up_work_group_memory(b, function.param(0), "rounded");
                b.store(b.gep(context.i8(), free, &[rounded], "next"), at);
                Some(free)
            }
            WorkGroupMemoryEnd => {
                let info = work_group_info_type(module);
                let at = b.struct_gep(info, body.work_group(), WorkGroupField::Scratch as u32, "at");
                Some(b.load(context.ptr(0), at, ""))
            }
            SubGroupBarrier => {
                self.fence(b, function.param(1), function.param(2));
                None
            }
            MemBarrier => {
                self.fence(b, function.param(0), function.param(1));
                None
            }
            Dma(which) => dma::define(&body, which),
            Group(group) => Some(group_bodies::define(&body, group)),
            Math(math) => Some(math::define(&body, math)),
            Printf => {
                let print = module
                    .function(PRINTF)
                    .unwrap_or_else(|| module.add_function(PRINTF, function.function_type()));
                Some(b.call(print, &[function.param(0), function.param(1)], ""))
            }
            Check => {
                let params: Vec<Value> = (0..7).map(|i| function.param(i)).collect();
                let check = module.function(CHECK).unwrap_or_else(|| {
                    let f = module.add_function(CHECK, function.function_type());
                    f.set_memory_inaccessible();
                    ["nounwind", "willreturn", "cold"].into_iter().for_each(|flag| f.set_flag(flag));
                    f
                });
                Some(b.call(check, &params, ""))
            }
            // The same for all that a thread runs of a launch.
            CheckRecord => {
                let record = module.function(CHECK_RECORD).unwrap_or_else(|| {
                    let f = module.add_function(CHECK_RECORD, function.function_type());
                    f.set_memory_none();
                    ["nounwind", "willreturn", "nosync"].into_iter().for_each(|flag| f.set_flag(flag));
                    f
                });
                Some(b.call(record, &[], ""))
            }
            WorkGroupBarrier => unreachable!("refused above"),
        };
        match result {
            Some(value) => b.ret(value),
            None => b.ret_void(),
        };
        finish(function);
        true
    }

    /// Switches over the scope and the semantics. After inlining both are constants, and at most
    /// one fence is left.
    fn fence(self, b: &Builder, scope: Value, semantics: Value) {
        let function = b.block().expect("the builder is in a block").function();
        let done = function.append_block("done");
        if self.work_group_is_a_thread {
            let fenced = function.append_block("fenced");
            let narrow = b.i32(MemScope::WorkGroup as u32);
            let is_narrow = b.icmp(IntPredicate::LLVMIntUGE, scope, narrow, "is_narrow");
            b.cond_br(is_narrow, done, fenced);
            b.position_at_end(fenced);
        }
        let ordering = b.and(semantics, b.i32(MemSemantics::ORDERING_MASK), "ordering");
        let cases = [
            (MemSemantics::ACQUIRE, Ordering::Acquire),
            (MemSemantics::RELEASE, Ordering::Release),
            (MemSemantics::ACQUIRE_RELEASE, Ordering::AcquireRelease),
            (MemSemantics::SEQUENTIALLY_CONSISTENT, Ordering::SequentiallyConsistent),
        ];
        let blocks: Vec<_> = cases
            .iter()
            .map(|&(bits, ordering)| {
                let block = function.append_block("fence");
                let at = Builder::at_end(b.context(), block);
                at.fence(match ordering {
                    Ordering::Acquire => AtomicOrdering::LLVMAtomicOrderingAcquire,
                    Ordering::Release => AtomicOrdering::LLVMAtomicOrderingRelease,
                    Ordering::SequentiallyConsistent => {
                        AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent
                    }
                    _ => AtomicOrdering::LLVMAtomicOrderingAcquireRelease,
                });
                at.br(done);
                (b.i32(bits), block)
            })
            .collect();
        b.switch(ordering, done, &blocks);
        b.position_at_end(done);
    }
}
