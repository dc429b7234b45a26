//! SPIR-V's built-in variables, and the mux builtins that compute them.

use ir::Builtin;

/// Where the value of a built-in variable comes from.
pub(crate) enum Source {
    /// A builtin that is called for each dimension.
    PerDimension(Builtin),
    Query(Builtin),
    /// A function of OpenCL C without parameters.
    Function(&'static str),
}

/// By the number of the `BuiltIn` decoration.
pub(crate) fn source(number: u32) -> Option<Source> {
    use Builtin::*;
    use Source::*;
    Some(match number {
        24 => PerDimension(GetNumGroups),
        25 => PerDimension(GetLocalSize),
        26 => PerDimension(GetGroupId),
        27 => PerDimension(GetLocalId),
        28 => PerDimension(GetGlobalId),
        29 => Query(GetLocalLinearId),
        30 => Query(GetWorkDim),
        31 => PerDimension(GetGlobalSize),
        32 => PerDimension(GetEnqueuedLocalSize),
        33 => PerDimension(GetGlobalOffset),
        34 => Query(GetGlobalLinearId),
        36 => Query(GetSubGroupSize),
        37 => Query(GetMaxSubGroupSize),
        38 => Query(GetNumSubGroups),
        39 => Function("get_enqueued_num_sub_groups"),
        40 => Query(GetSubGroupId),
        41 => Query(GetSubGroupLocalId),
        4416 => Function("get_sub_group_eq_mask"),
        4417 => Function("get_sub_group_ge_mask"),
        4418 => Function("get_sub_group_gt_mask"),
        4419 => Function("get_sub_group_le_mask"),
        4420 => Function("get_sub_group_lt_mask"),
        _ => return None,
    })
}
