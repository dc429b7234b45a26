//! The builtins of the device: those about work-groups are the specification's own, the others call
//! the device.

use super::calls;
use ir::{
    Builtin, BuiltinInfo, DefaultBuiltinInfo, Dma, Group, GroupOp, GroupScope, SchedulingParam, define_with,
};
use llvm::{Builder, Function, IntPredicate, Module, Opcode, Type, Value};

/// The scheduling parameter of sub-groups, an array of [`SubGroupField`]s.
const SUB_GROUP: &str = "EngineSubGroup";

/// What a work-item knows of its sub-group, in order.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum SubGroupField {
    Size,
    Id,
    LocalId,
    Count,
}

pub struct EngineBuiltins {
    /// The size of all sub-groups but the last of a work-group.
    pub sub_group_size: u32,
}

impl BuiltinInfo for EngineBuiltins {
    fn scheduling_params(&self, module: &Module) -> Vec<SchedulingParam> {
        let mut params = DefaultBuiltinInfo::default().scheduling_params(module);
        let pointee = module.context().i32().array(4);
        params.push(SchedulingParam { name: SUB_GROUP, pointee, from_driver: false });
        params
    }

    /// The wrapper asks the device, once for each work-item.
    fn initialize_scheduling_param(
        &self,
        module: &Module,
        b: &Builder,
        _: Function,
        param: &SchedulingParam,
    ) -> Value {
        let memory = b.alloca(param.pointee, 0, param.name);
        let ask = if param.name == SUB_GROUP { calls::SUB_GROUP } else { calls::LOCAL_ID };
        call(module, b, ask, b.context().void(), &[memory]);
        memory
    }

    fn needs_scheduling_params(&self, builtin: Builtin) -> bool {
        matches!(builtin, Builtin::Group(_)) || DefaultBuiltinInfo::default().needs_scheduling_params(builtin)
    }

    fn define(&self, module: &Module, function: Function, builtin: Builtin) -> bool {
        let body = Body { module, function };
        let void = module.context().void();
        let all = function.params();
        match builtin {
            Builtin::GetMaxSubGroupSize => {
                define_with(module, function, |b| b.i32(self.sub_group_size));
            }
            Builtin::GetSubGroupSize => body.define_field(SubGroupField::Size),
            Builtin::GetSubGroupId => body.define_field(SubGroupField::Id),
            Builtin::GetSubGroupLocalId => body.define_field(SubGroupField::LocalId),
            Builtin::GetNumSubGroups => body.define_field(SubGroupField::Count),
            Builtin::WorkGroupBarrier => body.define_call(calls::WORK_GROUP_BARRIER, void, &[]),
            Builtin::SubGroupBarrier => body.define_call(calls::SUB_GROUP_BARRIER, void, &[]),
            // Of rows and planes, the first work-item makes the copies.
            Builtin::Dma(Dma::Read(1) | Dma::Write(1)) => {
                body.define_call(calls::COPY, function.return_type(), &all[..4]);
            }
            Builtin::Dma(Dma::Wait) => body.define_call(calls::WAIT, void, &all[..2]),
            Builtin::Group(group) => return body.define_group(group),
            _ => return DefaultBuiltinInfo::define_default(self.options(), module, function, builtin),
        }
        true
    }
}

/// Calls a function of the device, whose pointers have no address space.
fn call(module: &Module, b: &Builder, name: &str, result: Type, args: &[Value]) -> Value {
    let plain = module.context().ptr(0);
    let in_plain = |arg: &Value| match arg.ty().is_ptr() && arg.ty() != plain {
        true => b.address_space_cast(*arg, plain, ""),
        false => *arg,
    };
    let args: Vec<Value> = args.iter().map(in_plain).collect();
    let types: Vec<Type> = args.iter().map(|arg| arg.ty()).collect();
    let function = module.function(name);
    b.call(function.unwrap_or_else(|| module.add_function(name, result.function(&types))), &args, "")
}

/// The builtin that is given its body.
struct Body<'a> {
    module: &'a Module,
    function: Function,
}

impl Body<'_> {
    fn define_call(&self, name: &str, result: Type, args: &[Value]) {
        define_with(self.module, self.function, |b| {
            let value = call(self.module, b, name, result, args);
            (!result.is_void()).then_some(value)
        });
    }

    fn define_field(&self, field: SubGroupField) {
        define_with(self.module, self.function, |b| self.field(b, field));
    }

    fn field(&self, b: &Builder, field: SubGroupField) -> Value {
        // Scheduling parameters are the last ones, and this one is the last of them.
        let all = self.function.params();
        let at = b.gep(b.context().i32(), all[all.len() - 1], &[b.i32(field as u32)], "at");
        b.load(b.context().i32(), at, "")
    }

    /// Shuffles up and down and the operations of work-groups are not defined.
    fn define_group(&self, group: Group) -> bool {
        let by_index = matches!(group.op, GroupOp::Broadcast | GroupOp::Shuffle | GroupOp::ShuffleXor);
        let defined = group.scope == GroupScope::Sub && (by_index || group.op.arithmetic().is_some());
        if defined {
            define_with(self.module, self.function, |b| self.over_sub_group(b, group.op));
        }
        defined
    }

    /// Each work-item leaves its value where its sub-group sees it, and reads those of the others.
    fn over_sub_group(&self, b: &Builder, op: GroupOp) -> Value {
        let (value, i32) = (self.function.param(0), b.context().i32());
        let own = self.field(b, SubGroupField::LocalId);
        let values = call(self.module, b, calls::EXCHANGE, b.context().ptr(0), &[]);
        let place = |index: Value| b.gep(b.context().i64(), values, &[index], "");
        let meet = || call(self.module, b, calls::SUB_GROUP_BARRIER, b.context().void(), &[]);
        b.store(value, place(own));
        meet();
        let result = match op.arithmetic() {
            None if op == GroupOp::ShuffleXor => {
                let other = b.binary(Opcode::LLVMXor, own, self.function.param(1), "");
                b.load(value.ty(), place(other), "")
            }
            None => b.load(value.ty(), place(self.function.param(1)), ""),
            Some(arithmetic) => {
                let end = match op {
                    GroupOp::ScanInclusive(_) => b.add(own, b.i32(1), ""),
                    GroupOp::ScanExclusive(_) => own,
                    _ => self.field(b, SubGroupField::Size),
                };
                let before = b.block().expect("the builder is in a block");
                let [head, inside, after] =
                    ["head", "inside", "after"].map(|n| self.function.append_block(n));
                b.br(head);
                b.position_at_end(head);
                let (index, sum) = (b.phi(i32, "index"), b.phi(value.ty(), "sum"));
                b.cond_br(b.icmp(IntPredicate::LLVMIntULT, index, end, ""), inside, after);
                b.position_at_end(inside);
                let one = b.load(value.ty(), place(index), "");
                let next_sum = arithmetic.combine(self.module, b, sum, one);
                let next = b.add(index, b.i32(1), "");
                b.br(head);
                index.add_incoming(i32.zero(), before);
                index.add_incoming(next, inside);
                sum.add_incoming(arithmetic.identity(value.ty()), before);
                sum.add_incoming(next_sum, inside);
                b.position_at_end(after);
                sum
            }
        };
        // The places are used again by the next operation.
        meet();
        result
    }
}
