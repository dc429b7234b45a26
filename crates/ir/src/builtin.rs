//! The builtin functions of mux IR: their names, types and properties.

use crate::group::{Group, GroupOp, GroupScope};
use crate::math::Math;
use llvm::{Context, Function, Module, Type};
use std::borrow::Cow;

/// A DMA builtin: direction and number of dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dma {
    Read(u32),
    Write(u32),
    Wait,
}

/// A function of the specification's builtin list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    IsFtz,
    UseFast,
    IsEmbeddedProfile,
    GetGlobalSize,
    GetGlobalId,
    GetGlobalOffset,
    GetLocalSize,
    GetLocalId,
    GetSubGroupId,
    GetNumGroups,
    GetNumSubGroups,
    GetMaxSubGroupSize,
    GetSubGroupSize,
    GetSubGroupLocalId,
    GetGroupId,
    GetWorkDim,
    GetGlobalLinearId,
    GetLocalLinearId,
    GetEnqueuedLocalSize,
    MemBarrier,
    WorkGroupBarrier,
    SubGroupBarrier,
    Dma(Dma),
    /// Overloaded: see [`Group::name`] and [`Group::declare`].
    Group(Group),
    /// Ours, overloaded: see [`Math::name`] and [`Math::declare`].
    Math(Math),
    /// Ours: sets what `GetLocalId` returns. The work-item loops call it.
    SetLocalId,
    /// Ours: allocates memory of the work-group, of a size in bytes, aligned to
    /// [`WORK_GROUP_MEMORY_ALIGN`](crate::WORK_GROUP_MEMORY_ALIGN). It is released when the
    /// work-group ends.
    AllocWorkGroupMemory,
    /// Ours: the end of all memory that the work-group has allocated.
    WorkGroupMemoryEnd,
    /// Ours: prints, given pointers to a format descriptor (see [`crate::printf`]) and to the
    /// arguments. Returns 0, or -1 on failure.
    Printf,
    /// Ours: the launch's record for checked code, of [`crate::check::ArgumentField`]s.
    CheckRecord,
    /// Ours: tells the runtime of something in checked code, given a descriptor
    /// ([`crate::check::Site`]), three numbers and the global ID. The result depends on the event.
    Check,
}

use Builtin::*;

const NAMES: &[(Builtin, &str)] = &[
    (IsFtz, "__mux_isftz"),
    (UseFast, "__mux_usefast"),
    (IsEmbeddedProfile, "__mux_isembeddedprofile"),
    (GetGlobalSize, "__mux_get_global_size"),
    (GetGlobalId, "__mux_get_global_id"),
    (GetGlobalOffset, "__mux_get_global_offset"),
    (GetLocalSize, "__mux_get_local_size"),
    (GetLocalId, "__mux_get_local_id"),
    (GetSubGroupId, "__mux_get_sub_group_id"),
    (GetNumGroups, "__mux_get_num_groups"),
    (GetNumSubGroups, "__mux_get_num_sub_groups"),
    (GetMaxSubGroupSize, "__mux_get_max_sub_group_size"),
    (GetSubGroupSize, "__mux_get_sub_group_size"),
    (GetSubGroupLocalId, "__mux_get_sub_group_local_id"),
    (GetGroupId, "__mux_get_group_id"),
    (GetWorkDim, "__mux_get_work_dim"),
    (GetGlobalLinearId, "__mux_get_global_linear_id"),
    (GetLocalLinearId, "__mux_get_local_linear_id"),
    (GetEnqueuedLocalSize, "__mux_get_enqueued_local_size"),
    (MemBarrier, "__mux_mem_barrier"),
    (WorkGroupBarrier, "__mux_work_group_barrier"),
    (SubGroupBarrier, "__mux_sub_group_barrier"),
    (Dma(self::Dma::Read(1)), "__mux_dma_read_1D"),
    (Dma(self::Dma::Read(2)), "__mux_dma_read_2D"),
    (Dma(self::Dma::Read(3)), "__mux_dma_read_3D"),
    (Dma(self::Dma::Write(1)), "__mux_dma_write_1D"),
    (Dma(self::Dma::Write(2)), "__mux_dma_write_2D"),
    (Dma(self::Dma::Write(3)), "__mux_dma_write_3D"),
    (Dma(self::Dma::Wait), "__mux_dma_wait"),
    (SetLocalId, "__mux_set_local_id"),
    (AllocWorkGroupMemory, "__mux_alloc_work_group_memory"),
    (WorkGroupMemoryEnd, "__mux_work_group_memory_end"),
    (Printf, "__mux_printf"),
    (CheckRecord, "__mux_check_record"),
    (Check, "__mux_check"),
];

impl Builtin {
    /// All builtins that are not overloaded.
    pub fn all() -> impl Iterator<Item = Builtin> {
        NAMES.iter().map(|&(b, _)| b)
    }

    /// The name, without the type of an overloaded one.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Group(group) => group.to_string().into(),
            Math(math) => math.prefix().into(),
            _ => NAMES.iter().find(|(b, _)| *b == self).expect("every builtin has a name").1.into(),
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        if !name.starts_with("__mux_") {
            return None;
        }
        let plain = NAMES.iter().find(|(_, n)| *n == name).map(|&(b, _)| b);
        plain.or_else(|| Group::from_name(name).map(Group)).or_else(|| self::Math::from_name(name).map(Math))
    }

    /// The builtin a function is, by its name.
    pub fn of(f: Function) -> Option<Self> {
        Self::from_name(&f.name())
    }

    /// The builtin an instruction calls.
    pub fn called_by(instruction: llvm::Value) -> Option<Self> {
        Self::of(instruction.called_function()?)
    }

    /// The query that reads a builtin variable of SPIR-V, by the name in its specification.
    pub fn of_spirv_variable(name: &str) -> Option<Self> {
        Some(match name {
            "GlobalInvocationId" => GetGlobalId,
            "GlobalSize" => GetGlobalSize,
            "GlobalOffset" => GetGlobalOffset,
            "LocalInvocationId" => GetLocalId,
            "WorkgroupSize" => GetLocalSize,
            "EnqueuedWorkgroupSize" => GetEnqueuedLocalSize,
            "NumWorkgroups" => GetNumGroups,
            "WorkgroupId" => GetGroupId,
            "GlobalLinearId" => GetGlobalLinearId,
            "LocalInvocationIndex" => GetLocalLinearId,
            "WorkDim" => GetWorkDim,
            "SubgroupSize" => GetSubGroupSize,
            "SubgroupMaxSize" => GetMaxSubGroupSize,
            "NumSubgroups" => GetNumSubGroups,
            "SubgroupId" => GetSubGroupId,
            "SubgroupLocalInvocationId" => GetSubGroupLocalId,
            _ => return None,
        })
    }

    /// Takes the number of a dimension.
    pub fn takes_dimension(self) -> bool {
        matches!(
            self,
            GetGlobalSize
                | GetGlobalId
                | GetGlobalOffset
                | GetLocalSize
                | GetLocalId
                | GetNumGroups
                | GetGroupId
                | GetEnqueuedLocalSize
        )
    }

    /// A pure query about the work-item, its group or the range.
    pub fn is_work_item_query(self) -> bool {
        self.takes_dimension()
            || matches!(
                self,
                GetSubGroupId
                    | GetNumSubGroups
                    | GetMaxSubGroupSize
                    | GetSubGroupSize
                    | GetSubGroupLocalId
                    | GetWorkDim
                    | GetGlobalLinearId
                    | GetLocalLinearId
                    | WorkGroupMemoryEnd
            )
    }

    /// Rematerializable: may be called again instead of storing its result.
    pub fn is_rematerializable(self) -> bool {
        const RESULT: Group = Group { scope: GroupScope::Work, op: GroupOp::Result };
        self.is_work_item_query()
            || matches!(self, IsFtz | UseFast | IsEmbeddedProfile | CheckRecord | Group(RESULT))
    }

    /// The result is the same for all work-items of a work-group (given the same operands).
    pub fn is_work_group_uniform(self) -> bool {
        (self.is_rematerializable() || matches!(self, Math(_)))
            && !matches!(
                self,
                GetGlobalId
                    | GetLocalId
                    | GetSubGroupId
                    | GetSubGroupLocalId
                    | GetSubGroupSize
                    | GetGlobalLinearId
                    | GetLocalLinearId
            )
    }

    /// The result is the same for all work-items of a work-group, whatever the operands are.
    pub fn makes_uniform(self) -> bool {
        matches!(self, Group(Group { scope: GroupScope::Work, op }) if !op.is_scan())
    }

    /// All work-items of a work-group meet here: a barrier, or a collective operation over the
    /// work-group. The first operand is the barrier's ID.
    pub fn is_work_group_barrier(self) -> bool {
        match self {
            WorkGroupBarrier => true,
            Group(group) => group.scope == GroupScope::Work && group.op != GroupOp::Result,
            _ => false,
        }
    }

    /// A query about the sub-group.
    pub fn is_sub_group_query(self) -> bool {
        matches!(
            self,
            GetSubGroupId | GetNumSubGroups | GetMaxSubGroupSize | GetSubGroupSize | GetSubGroupLocalId
        )
    }

    /// A query about sub-groups, or a collective operation over one.
    pub fn uses_sub_groups(self) -> bool {
        match self {
            SubGroupBarrier => true,
            Group(group) => group.scope == GroupScope::Sub,
            _ => self.is_sub_group_query(),
        }
    }

    /// All work-items of a group wait for each other here.
    pub fn is_barrier(self) -> bool {
        matches!(self, WorkGroupBarrier | SubGroupBarrier)
    }

    /// Makes the division of the range into work-groups observable.
    pub fn sees_groups(self) -> bool {
        self.uses_sub_groups()
            || self.is_work_group_barrier()
            || matches!(
                self,
                GetLocalSize
                    | GetLocalId
                    | GetNumGroups
                    | GetGroupId
                    | GetLocalLinearId
                    | GetEnqueuedLocalSize
                    | AllocWorkGroupMemory
                    | WorkGroupMemoryEnd
                    | Dma(_)
            )
    }

    /// The result for a dimension that does not exist.
    pub fn default_for_dimension(self) -> u64 {
        match self {
            GetGlobalSize | GetLocalSize | GetNumGroups | GetEnqueuedLocalSize => 1,
            _ => 0,
        }
    }

    /// The type, without scheduling parameters. `None` for builtins whose type is not fixed: DMA
    /// builtins take events of any type, group and math builtins are overloaded.
    pub fn function_type(self, module: &Module) -> Option<Type> {
        let context: &Context = module.context();
        let size = module.size_type();
        let i32 = context.i32();
        Some(match self {
            IsFtz | UseFast | IsEmbeddedProfile => context.i1().function(&[]),
            b if b.takes_dimension() => size.function(&[i32]),
            GetGlobalLinearId | GetLocalLinearId => size.function(&[]),
            GetSubGroupId | GetNumSubGroups | GetMaxSubGroupSize | GetSubGroupSize | GetSubGroupLocalId
            | GetWorkDim => i32.function(&[]),
            MemBarrier => context.void().function(&[i32, i32]),
            WorkGroupBarrier | SubGroupBarrier => context.void().function(&[i32, i32, i32]),
            SetLocalId => context.void().function(&[i32, size]),
            AllocWorkGroupMemory => context.ptr(crate::address_space::PRIVATE).function(&[size]),
            WorkGroupMemoryEnd => context.ptr(crate::address_space::PRIVATE).function(&[]),
            Printf => i32.function(&[context.ptr(0), context.ptr(0)]),
            CheckRecord => context.ptr(crate::address_space::CONSTANT).function(&[]),
            Check => {
                let word = context.i64();
                i32.function(&[context.ptr(0), word, word, word, word, word, word])
            }
            _ => return None,
        })
    }

    /// The function in the module, declared now if it was not.
    ///
    /// # Panics
    /// For a builtin whose type is not fixed: of DMA, of a group or of mathematics.
    pub fn declare(self, module: &Module) -> Function {
        let name = self.name();
        if let Some(f) = module.function(&name) {
            return f;
        }
        let ty = self.function_type(module).expect("the builtin's type is fixed");
        let f = module.add_function(&name, ty);
        f.set_call_conv(llvm::CallConv::SpirFunc);
        f.set_flag("nounwind");
        f.set_flag("willreturn");
        if self.is_barrier() {
            f.set_flag("convergent");
            f.set_flag("noduplicate");
        } else if self.is_rematerializable() {
            f.set_memory_none();
            f.set_flag("nosync");
        } else if self == Check {
            f.set_memory_inaccessible();
        }
        f
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_is_found_by_its_name() {
        for builtin in Builtin::all() {
            assert_eq!(Builtin::from_name(&builtin.name()), Some(builtin));
        }
        assert_eq!(Builtin::from_name("__mux_get_global_idx"), None);
    }
}
