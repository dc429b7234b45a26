//! Barriers, built-in variables, and group instructions (collectives).

use super::library::Arg;
use super::{Res, Translator};
use crate::builtin_variables::{Source, source};
use crate::environment::SUB_GROUPS;
use crate::grammar::{self, Op};
use crate::module::Func;
use crate::parse::Inst;
use ir::{Builtin, ImageAccess, MemScope};
use llvm::{Type, Value};
use std::collections::BTreeSet;

impl Translator<'_, '_> {
    // ---- Built-in variables ---------------------------------------------------------------------

    /// Gives each built-in variable that the function uses an alloca with its value, at the
    /// function's entry.
    pub(super) fn built_in_variables(&mut self, func: &Func) -> Res<()> {
        if self.built_ins.is_empty() {
            return Ok(());
        }
        let mut used = BTreeSet::new();
        for block in &func.blocks {
            for inst in &self.m.insts[block.body.clone()] {
                inst.for_each_id(&mut |id| {
                    if self.built_ins.contains_key(&id) {
                        used.insert(id);
                    }
                });
            }
        }
        for id in used {
            let name = self.m.names.get(&id).cloned().unwrap_or_default();
            let (_, to) = self.types.pointer(self.m, self.type_id(id)?)?;
            let ty = self.types.sized(self.m, to)?;
            let slot = self.b.alloca(ty, 0, &name);
            let value = self.built_in(self.built_ins[&id], ty)?;
            self.b.store(value, slot);
            self.values[id as usize] = Some(slot);
        }
        Ok(())
    }

    fn built_in(&mut self, number: u32, ty: Type) -> Res<Value> {
        let name = grammar::name_in(grammar::BUILT_INS, number).unwrap_or("unknown");
        let unfit = || format!("the built-in variable {name} ({number}) is not of type {ty}");
        let Some(source) = source(number) else {
            return Err(format!("the built-in variable {name} ({number}) is not supported"));
        };
        let of_sub_groups = match &source {
            Source::PerDimension(builtin) | Source::Query(builtin) => builtin.uses_sub_groups(),
            Source::Function(function) => function.contains("sub_group"),
        };
        if of_sub_groups {
            let refuse = |why| format!("the built-in variable {name} {why}");
            self.device.require(SUB_GROUPS).map_err(refuse)?;
        }
        match source {
            Source::PerDimension(builtin) => {
                if !ty.is_vector() || !ty.element().is_int() || ty.len() != 3 {
                    return Err(unfit());
                }
                let f = builtin.declare(&self.out);
                let mut vector = ty.poison();
                for d in 0..3 {
                    let one = self.b.call(f, &[self.b.i32(d)], "");
                    let one = self.resize(one, ty.element(), false);
                    vector = self.b.insert_element(vector, one, self.b.i64(d.into()), "");
                }
                Ok(vector)
            }
            Source::Query(builtin) => {
                if !ty.is_int() {
                    return Err(unfit());
                }
                let value = self.b.call(builtin.declare(&self.out), &[], "");
                Ok(self.resize(value, ty, false))
            }
            Source::Function(function) => {
                let result = if function.ends_with("mask") {
                    self.context.i32().vector(4)
                } else {
                    self.context.i32()
                };
                if ty != result {
                    return Err(unfit());
                }
                self.library(function, &[], result)
            }
        }
    }

    // ---- Groups --------------------------------------------------------------------------------

    pub(super) fn group(&mut self, inst: &Inst<'_>) -> Res<Option<Value>> {
        use Op::*;
        match inst.op {
            ControlBarrier => self.barrier(inst).map(|()| None),
            GroupAsyncCopy => self.async_copy(inst).map(Some),
            GroupWaitEvents => self.wait_events(inst).map(|()| None),
            SubgroupShuffleINTEL
            | SubgroupShuffleXorINTEL
            | SubgroupShuffleDownINTEL
            | SubgroupShuffleUpINTEL => self.shuffle_intel(inst).map(Some),
            SubgroupBlockReadINTEL
            | SubgroupBlockWriteINTEL
            | SubgroupImageBlockReadINTEL
            | SubgroupImageBlockWriteINTEL => self.block_io(inst),
            GroupNonUniformRotateKHR => self.rotate(inst).map(Some),
            _ => {
                let scope = self.scope(inst.args[0])?;
                self.collective(inst, scope).map(Some)
            }
        }
    }

    /// The counter of a scope, as a number of 64 bits or as its two halves.
    pub(super) fn read_clock(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let scope = match MemScope::from_bits(self.const_int(inst.args[0])? as u32) {
            Some(MemScope::Device) => "device",
            Some(MemScope::WorkGroup) => "work_group",
            Some(MemScope::SubGroup) => {
                self.device.require(SUB_GROUPS).map_err(|why| format!("the scope Subgroup {why}"))?;
                "sub_group"
            }
            _ => return Err("a clock has the scope Device, Workgroup or Subgroup".to_owned()),
        };
        let ty = self.result_type(inst)?;
        let (i32, i64) = (self.context.i32(), self.context.i64());
        let function = if ty == i64 {
            format!("clock_read_{scope}")
        } else if ty == i32.vector(2) {
            format!("clock_read_hilo_{scope}")
        } else {
            return Err(format!("a clock is a number of 64 bits or a vector of two of 32 bits, not {ty}"));
        };
        self.library(&function, &[], ty)
    }

    /// The scope of a group: a work-group or a sub-group.
    fn scope(&self, id: u32) -> Res<MemScope> {
        match MemScope::from_bits(self.const_int(id)? as u32) {
            Some(MemScope::SubGroup) => {
                self.device.require(SUB_GROUPS).map_err(|why| format!("the scope Subgroup {why}"))?;
                Ok(MemScope::SubGroup)
            }
            Some(MemScope::WorkGroup) => Ok(MemScope::WorkGroup),
            _ => Err(format!("the scope {} is neither Workgroup nor Subgroup", self.m.show(id))),
        }
    }

    fn barrier(&mut self, inst: &Inst<'_>) -> Res<()> {
        let builtin = match MemScope::from_bits(self.const_int(inst.args[0])? as u32) {
            // No barrier reaches further than the work-group. Producers write these scopes, and
            // mean the memory that is made visible.
            Some(MemScope::CrossDevice | MemScope::Device) => Builtin::WorkGroupBarrier,
            _ => match self.scope(inst.args[0])? {
                MemScope::WorkGroup => Builtin::WorkGroupBarrier,
                _ => Builtin::SubGroupBarrier,
            },
        };
        let i32 = self.context.i32();
        let (scope, semantics) = (self.value_of(inst.args[1], i32)?, self.value_of(inst.args[2], i32)?);
        self.b.call(builtin.declare(&self.out), &[self.b.i32(0), scope, semantics], "");
        Ok(())
    }

    /// A copy between local and global memory: `async_work_group_strided_copy`.
    fn async_copy(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let event_type = self.result_type(inst)?;
        self.scope(inst.args[0])?;
        let (to, from) = (self.pointer_value(inst.args[1])?, self.pointer_value(inst.args[2])?);
        let (_, element) = self.types.pointer(self.m, self.type_id(inst.args[1])?)?;
        let element = self.types.sized(self.m, element)?;
        let (_, other) = self.types.pointer(self.m, self.type_id(inst.args[2])?)?;
        if self.types.sized(self.m, other)? != element {
            return Err("the pointers do not point to one type".to_owned());
        }
        let size_type = self.size_type();
        let size = |id| {
            let value = self.scalar_int(id)?;
            let bits = size_type.int_bits();
            if value.ty() == size_type {
                Ok(value)
            } else {
                Err(self.unfit(id, &format!("{bits}-bit integers")))
            }
        };
        let (count, stride) = (size(inst.args[3])?, size(inst.args[4])?);
        let event = self.value_of(inst.args[5], event_type)?;
        let pointer = |pointer, constant| Arg::Pointer { pointer, to: element, signed: true, constant };
        let mut args = vec![pointer(to, false), pointer(from, true), Arg::Plain(count, false)];
        // A stride of one is a plain copy.
        let name = if stride.as_const_int() == Some(1) {
            "async_work_group_copy"
        } else {
            args.push(Arg::Plain(stride, false));
            "async_work_group_strided_copy"
        };
        args.push(Arg::Event(event));
        self.library(name, &args, event_type)
    }

    fn wait_events(&mut self, inst: &Inst<'_>) -> Res<()> {
        self.scope(inst.args[0])?;
        let count = self.scalar_int(inst.args[1])?;
        let count = self.resize(count, self.context.i32(), false);
        let events = self.pointer_value(inst.args[2])?;
        let args = [Arg::Plain(count, true), Arg::EventPointer(events)];
        let void = self.context.void();
        self.library("wait_group_events", &args, void).map(|_| ())
    }

    /// Calls the group builtin of a name for a scalar, or for each component of a vector.
    fn group_builtin(
        &mut self,
        op: Op,
        scope: MemScope,
        name: &str,
        value: Value,
        rest: &[Value],
    ) -> Res<Value> {
        let ty = value.ty();
        if !ty.is_vector() {
            return self.scalar_group_builtin(op, scope, name, value, rest);
        }
        let mut result = ty.poison();
        for i in 0..ty.len() {
            let lane = |v: Value| {
                if v.ty().is_vector() { self.b.extract_element(v, self.b.i64(i), "") } else { v }
            };
            let rest: Vec<_> = rest.iter().map(|v| lane(*v)).collect();
            let own = self.scalar_group_builtin(op, scope, name, lane(value), &rest)?;
            result = self.b.insert_element(result, own, self.b.i64(i), "");
        }
        Ok(result)
    }

    fn scalar_group_builtin(
        &mut self,
        op: Op,
        scope: MemScope,
        name: &str,
        value: Value,
        rest: &[Value],
    ) -> Res<Value> {
        let ty = value.ty();
        let suffix = ir::mangling::group_suffix(ty).ok_or_else(|| format!("no group operation on {ty}"))?;
        let of = if scope == MemScope::WorkGroup { "work" } else { "sub" };
        let group = ir::Group::from_name(&format!("__mux_{of}_group_{name}_{suffix}"));
        let group = group.ok_or_else(|| format!("no group operation on {ty}"))?;
        let mut args = Vec::new();
        if scope == MemScope::WorkGroup {
            args.push(self.b.i32(0));
        }
        args.push(value);
        args.extend(rest);
        let f = group.declare(&self.out, ty);
        let types: Vec<_> = args.iter().map(|a| a.ty()).collect();
        if f.function_type().params() != types {
            return Err("the operands are not those of the operation".to_owned());
        }
        let call = self.b.call(f, &args, "");
        if is_uniform(op) {
            ir::metadata::set_uniform_group(&self.context, call);
        }
        Ok(call)
    }

    /// Builds a group operation: a dispatch, one arm a kind of operation.
    fn collective(&mut self, inst: &Inst<'_>, scope: MemScope) -> Res<Value> {
        use Op::*;
        let ty = self.result_type(inst)?;
        let (i1, i32, size) = (self.context.i1(), self.context.i32(), self.size_type());
        let args = inst.args;
        let sub_group_only = || match scope {
            MemScope::SubGroup => Ok(()),
            _ => Err("this operation is one of sub-groups".to_owned()),
        };
        match inst.op {
            GroupAll | GroupAny | GroupNonUniformAll | GroupNonUniformAny => {
                let name = if matches!(inst.op, GroupAll | GroupNonUniformAll) { "all" } else { "any" };
                let predicate = self.value_of(args[1], i1)?;
                if ty != i1 {
                    return Err("the result is not a boolean".to_owned());
                }
                self.group_builtin(inst.op, scope, name, predicate, &[])
            }
            GroupBroadcast if scope == MemScope::WorkGroup => {
                let value = self.number(args[1], ty)?;
                let id = self.int_value(args[2])?;
                let mut ids = vec![size.zero(); 3];
                if id.ty().is_vector() {
                    for (d, slot) in ids.iter_mut().enumerate().take(id.ty().len() as usize) {
                        let one = self.b.extract_element(id, self.b.i64(d as u64), "");
                        *slot = self.resize(one, size, false);
                    }
                } else {
                    ids[0] = self.resize(id, size, false);
                }
                self.group_builtin(inst.op, scope, "broadcast", value, &ids)
            }
            GroupBroadcast
            | GroupNonUniformBroadcast
            | GroupNonUniformShuffle
            | GroupNonUniformShuffleXor => {
                sub_group_only()?;
                let value = self.number(args[1], ty)?;
                let id = self.scalar_int(args[2])?;
                let id = self.resize(id, i32, false);
                let name = match inst.op {
                    GroupNonUniformShuffle => "shuffle",
                    GroupNonUniformShuffleXor => "shuffle_xor",
                    _ => "broadcast",
                };
                self.group_builtin(inst.op, scope, name, value, &[id])
            }
            // Lanes that read from outside of the sub-group get an undefined value.
            GroupNonUniformShuffleUp | GroupNonUniformShuffleDown => {
                sub_group_only()?;
                let value = self.number(args[1], ty)?;
                let delta = self.scalar_int(args[2])?;
                let delta = self.resize(delta, i32, false);
                let name = if inst.op == GroupNonUniformShuffleUp { "shuffle_up" } else { "shuffle_down" };
                self.group_builtin(inst.op, scope, name, value, &[value, delta])
            }
            GroupNonUniformElect => {
                sub_group_only()?;
                self.truth_function("sub_group_elect", &[], ty)
            }
            GroupNonUniformAllEqual => {
                sub_group_only()?;
                let value = self.value(args[1])?;
                self.number(args[1], value.ty())?;
                self.truth_function("sub_group_non_uniform_all_equal", &[Arg::Plain(value, true)], ty)
            }
            GroupNonUniformBroadcastFirst => {
                sub_group_only()?;
                let value = self.number(args[1], ty)?;
                self.lane_function("sub_group_broadcast_first", value, None)
            }
            GroupNonUniformBallot => {
                sub_group_only()?;
                let predicate = self.value_of(args[1], i1)?;
                let predicate = self.resize(predicate, i32, false);
                if ty != i32.vector(4) {
                    return Err("the result is not a vector of four 32-bit integers".to_owned());
                }
                self.library("sub_group_ballot", &[Arg::Plain(predicate, true)], ty)
            }
            GroupNonUniformInverseBallot
            | GroupNonUniformBallotBitExtract
            | GroupNonUniformBallotBitCount
            | GroupNonUniformBallotFindLSB
            | GroupNonUniformBallotFindMSB => {
                sub_group_only()?;
                self.ballot(inst, ty)
            }
            _ => self.reduction(inst, scope, ty),
        }
    }

    /// An arithmetic value of this type.
    fn number(&self, id: u32, ty: Type) -> Res<Value> {
        let value = self.value_of(id, ty)?;
        if ty.scalar().is_int() || ty.scalar().is_float() {
            Ok(value)
        } else {
            Err(self.unfit(id, "numbers"))
        }
    }

    /// A function of OpenCL C that answers with an `int`, as a boolean.
    fn truth_function(&mut self, name: &str, args: &[Arg], ty: Type) -> Res<Value> {
        if ty != self.context.i1() {
            return Err("the result is not a boolean".to_owned());
        }
        let answer = self.library(name, args, self.context.i32())?;
        Ok(self.is_nonzero(answer))
    }

    /// A function of OpenCL C from a scalar to its like, done for each component of a vector.
    fn lane_function(&mut self, name: &str, value: Value, more: Option<Arg>) -> Res<Value> {
        let ty = value.ty();
        let one = |t: &mut Self, value: Value| {
            let mut args = vec![Arg::Plain(value, true)];
            args.extend(more);
            t.library(name, &args, value.ty())
        };
        if !ty.is_vector() {
            return one(self, value);
        }
        let mut result = ty.poison();
        for i in 0..ty.len() {
            let lane = self.b.extract_element(value, self.b.i64(i), "");
            let own = one(self, lane)?;
            result = self.b.insert_element(result, own, self.b.i64(i), "");
        }
        Ok(result)
    }

    fn ballot(&mut self, inst: &Inst<'_>, ty: Type) -> Res<Value> {
        let i32 = self.context.i32();
        let args = inst.args;
        let bits = |t: &Self, id| t.value_of(id, i32.vector(4)).map(|v| Arg::Plain(v, false));
        match inst.op {
            Op::GroupNonUniformInverseBallot => {
                let value = bits(self, args[1])?;
                self.truth_function("sub_group_inverse_ballot", &[value], ty)
            }
            Op::GroupNonUniformBallotBitExtract => {
                let value = bits(self, args[1])?;
                let index = self.scalar_int(args[2])?;
                let index = Arg::Plain(self.resize(index, i32, false), false);
                self.truth_function("sub_group_ballot_bit_extract", &[value, index], ty)
            }
            _ => {
                let (name, value) = match (inst.op, args[1]) {
                    (Op::GroupNonUniformBallotFindLSB, _) => ("sub_group_ballot_find_lsb", args[1]),
                    (Op::GroupNonUniformBallotFindMSB, _) => ("sub_group_ballot_find_msb", args[1]),
                    (_, 0) => ("sub_group_ballot_bit_count", args[2]),
                    (_, 1) => ("sub_group_ballot_inclusive_scan", args[2]),
                    (_, 2) => ("sub_group_ballot_exclusive_scan", args[2]),
                    _ => return Err("this group operation is not one on ballots".to_owned()),
                };
                if !ty.is_int() {
                    return Err("the result is not an integer".to_owned());
                }
                let value = bits(self, value)?;
                let count = self.library(name, &[value], i32)?;
                Ok(self.resize(count, ty, false))
            }
        }
    }

    fn reduction(&mut self, inst: &Inst<'_>, scope: MemScope, ty: Type) -> Res<Value> {
        let (operation, value) = (inst.args[1], self.number(inst.args[2], ty)?);
        let (name, of_floats) = arithmetic(inst.op).ok_or("this instruction is not supported")?;
        if of_floats != ty.scalar().is_float() {
            return Err(format!("no such operation on {ty}"));
        }
        let kind = match grammar::name_in(grammar::GROUP_OPERATIONS, operation) {
            Some("Reduce") => "reduce",
            Some("InclusiveScan") => "scan_inclusive",
            Some("ExclusiveScan") => "scan_exclusive",
            Some("ClusteredReduce") => {
                let size = self.scalar_int(inst.arg(3).ok_or("has no cluster size")?)?;
                let size = Arg::Plain(self.resize(size, self.context.i32(), false), false);
                let (short, signed) = opencl_arithmetic(name);
                return self.clustered(&format!("sub_group_clustered_reduce_{short}"), value, signed, size);
            }
            _ => return Err("this group operation is not supported".to_owned()),
        };
        self.group_builtin(inst.op, scope, &format!("{kind}_{name}"), value, &[])
    }

    fn clustered(&mut self, name: &str, value: Value, signed: bool, size: Arg) -> Res<Value> {
        if value.ty().is_vector() {
            return Err("no clustered reduction of vectors".to_owned());
        }
        // Logical operations are on truth values of type int.
        if value.ty() == self.context.i1() {
            let int = self.resize(value, self.context.i32(), false);
            let result = self.library(name, &[Arg::Plain(int, true), size], int.ty())?;
            return Ok(self.is_nonzero(result));
        }
        self.library(name, &[Arg::Plain(value, signed), size], value.ty())
    }

    fn rotate(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let ty = self.result_type(inst)?;
        let scope = self.scope(inst.args[0])?;
        if scope != MemScope::SubGroup {
            return Err("this operation is one of sub-groups".to_owned());
        }
        let value = self.number(inst.args[1], ty)?;
        let i32 = self.context.i32();
        let delta = self.scalar_int(inst.args[2])?;
        let delta = Arg::Plain(self.resize(delta, i32, false), true);
        match inst.arg(3) {
            None => self.lane_function("sub_group_rotate", value, Some(delta)),
            Some(size) => {
                let size = self.scalar_int(size)?;
                let size = Arg::Plain(self.resize(size, i32, false), false);
                if ty.is_vector() {
                    return Err("no clustered rotation of vectors".to_owned());
                }
                self.library("sub_group_clustered_rotate", &[Arg::Plain(value, true), delta, size], ty)
            }
        }
    }

    // ---- SPV_INTEL_subgroups -------------------------------------------------------------------

    fn shuffle_intel(&mut self, inst: &Inst<'_>) -> Res<Value> {
        self.device.require("SubgroupShuffleINTEL")?;
        let ty = self.result_type(inst)?;
        let value = self.number(inst.args[0], ty)?;
        let (name, rest) = match inst.op {
            Op::SubgroupShuffleINTEL => ("shuffle", vec![]),
            Op::SubgroupShuffleXorINTEL => ("shuffle_xor", vec![]),
            Op::SubgroupShuffleDownINTEL => ("shuffle_down", vec![self.number(inst.args[1], ty)?]),
            _ => ("shuffle_up", vec![self.number(inst.args[1], ty)?]),
        };
        let index = self.scalar_int(inst.args[inst.args.len() - 1])?;
        let index = self.resize(index, self.context.i32(), false);
        let rest: Vec<_> = rest.into_iter().chain([index]).collect();
        self.group_builtin(inst.op, MemScope::SubGroup, name, value, &rest)
    }

    fn block_io(&mut self, inst: &Inst<'_>) -> Res<Option<Value>> {
        let reads = matches!(inst.op, Op::SubgroupBlockReadINTEL | Op::SubgroupImageBlockReadINTEL);
        let of_image = matches!(inst.op, Op::SubgroupImageBlockReadINTEL | Op::SubgroupImageBlockWriteINTEL);
        self.device.require(if of_image {
            "SubgroupImageBlockIOINTEL"
        } else {
            "SubgroupBufferBlockIOINTEL"
        })?;
        let data = inst.args[if of_image { 2 } else { 1 }.min(inst.args.len() - 1)];
        let ty = if reads { self.result_type(inst)? } else { self.value(data)?.ty() };
        let scalar = ty.scalar();
        if !scalar.is_int() {
            return Err("blocks are of integers".to_owned());
        }
        let suffix = match scalar.int_bits() {
            8 => "_uc",
            16 => "_us",
            32 => "",
            64 => "_ul",
            _ => return Err(format!("no blocks of {ty}")),
        };
        let width = if ty.is_vector() { ty.len().to_string() } else { String::new() };
        let direction = if reads { "read" } else { "write" };
        let name = format!("intel_sub_group_block_{direction}{suffix}{width}");
        let mut args = if of_image {
            let kind = self.image_type(inst.args[0])?;
            let is_plain = kind.kind_name() == "2d";
            let writes = !reads;
            if !is_plain
                || reads && kind.access == ImageAccess::WriteOnly
                || writes && kind.access == ImageAccess::ReadOnly
            {
                return Err(self.unfit(inst.args[0], "2D images that are accessed so"));
            }
            let at = self.coordinate(inst.args[1], kind)?;
            vec![Arg::Image(self.value(inst.args[0])?, kind), Arg::Plain(at, true)]
        } else {
            let pointer = self.pointer_value(inst.args[0])?;
            vec![Arg::Pointer { pointer, to: scalar, signed: false, constant: reads }]
        };
        if reads {
            return self.library(&name, &args, ty).map(Some);
        }
        args.push(Arg::Plain(self.value(data)?, false));
        let void = self.context.void();
        self.library(&name, &args, void).map(|_| None)
    }
}

/// The operation of a reduction as mux builtins call it, and whether it is one on floating-point
/// numbers.
fn arithmetic(op: Op) -> Option<(&'static str, bool)> {
    use Op::*;
    Some(match op {
        GroupIAdd | GroupNonUniformIAdd => ("add", false),
        GroupFAdd | GroupNonUniformFAdd => ("fadd", true),
        GroupIMulKHR | GroupNonUniformIMul => ("mul", false),
        GroupFMulKHR | GroupNonUniformFMul => ("fmul", true),
        GroupSMin | GroupNonUniformSMin => ("smin", false),
        GroupUMin | GroupNonUniformUMin => ("umin", false),
        GroupFMin | GroupNonUniformFMin => ("fmin", true),
        GroupSMax | GroupNonUniformSMax => ("smax", false),
        GroupUMax | GroupNonUniformUMax => ("umax", false),
        GroupFMax | GroupNonUniformFMax => ("fmax", true),
        GroupBitwiseAndKHR | GroupNonUniformBitwiseAnd => ("and", false),
        GroupBitwiseOrKHR | GroupNonUniformBitwiseOr => ("or", false),
        GroupBitwiseXorKHR | GroupNonUniformBitwiseXor => ("xor", false),
        GroupLogicalAndKHR | GroupNonUniformLogicalAnd => ("logical_and", false),
        GroupLogicalOrKHR | GroupNonUniformLogicalOr => ("logical_or", false),
        GroupLogicalXorKHR | GroupNonUniformLogicalXor => ("logical_xor", false),
        _ => return None,
    })
}

/// Whether all work-items of the group must come to an operation.
fn is_uniform(op: Op) -> bool {
    op.name().starts_with("Group") && !op.name().starts_with("GroupNonUniform")
}

/// The operation as OpenCL C calls it, and whether it is one on signed integers.
fn opencl_arithmetic(name: &str) -> (&str, bool) {
    match name {
        "umin" => ("min", false),
        "umax" => ("max", false),
        "fadd" | "fmul" | "fmin" | "fmax" | "smin" | "smax" => (&name[1..], true),
        name => (name, true),
    }
}
