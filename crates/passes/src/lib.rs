//! The passes of the specification, one file each, and the manager that runs them.
//!
//! A pass is a struct with its options as fields ([`Pass`]). Crates to the right register theirs in
//! the same [`Registry`], under the specification's name in kebab-case; pipelines are text or
//! values ([`Pipeline`]). Each pass can be written as text and read back, so that a dump of a
//! compilation ([`Dumps`]) can be replayed step by step.

#![forbid(unsafe_code)]

mod callgraph;
mod dump;
mod error;
pub mod filetest;
mod manager;
mod pass;
mod pipeline;
mod private_memory;
mod registry;
mod remark;
mod wrap;

mod add_kernel_wrapper;
mod add_scheduling_parameters;
mod checks;
mod compare_halves;
mod define_division;
mod define_mux_builtins;
mod define_padding;
mod define_traps;
mod divide_vectors;
mod early_vectorization;
mod encode_kernel_metadata;
mod freeze_divisions;
mod infer_address_spaces;
mod initialize_memory;
mod inline_images;
mod inline_shared;
mod join_large_ranges;
mod link_builtins;
mod lower_groups;
mod lower_huge_switches;
mod lower_printf;
mod lower_spirv_functions;
mod lower_to_mux_builtins;
mod optimal_builtin_replacement;
mod prepare_barriers;
mod prepare_sub_groups;
mod refuse_recursion;
mod replace_local_module_scope_variables;
mod replace_target_ext_types;
mod resolve_address_spaces;
mod set_data_layout;
mod specialize_arguments;
mod split_large_ranges;
mod transfer_kernel_metadata;
mod waiting_loops;
mod work_item_loops;

pub use add_kernel_wrapper::{AddKernelWrapper, PackedArgs, packed_args};
pub use add_scheduling_parameters::AddSchedulingParameters;
pub use callgraph::{
    asks_for_work_item, may_be_made_anew, reachable_functions, sees_groups, using_functions,
};
pub use checks::{CheckArithmetic, CheckKernels, CheckSubGroups};
pub use compare_halves::CompareHalves;
pub use define_division::DefineDivision;
pub use define_mux_builtins::DefineMuxBuiltins;
pub use define_padding::DefinePadding;
pub use define_traps::DefineTraps;
pub use divide_vectors::DivideVectors;
pub use dump::{DumpFile, Dumps, record, sanitized as dump_name};
pub use early_vectorization::EarlyVectorization;
pub use encode_kernel_metadata::{EncodeKernelMetadata, local_size_option, work_dim_option};
pub use error::PassError;
pub use freeze_divisions::FreezeDivisions;
pub use infer_address_spaces::InferAddressSpaces;
pub use initialize_memory::InitializeMemory;
pub use inline_images::{InlineImages, is_image_function};
pub use inline_shared::InlineShared;
pub use join_large_ranges::JoinLargeRanges;
pub use link_builtins::{Library, LinkBuiltins};
pub use lower_huge_switches::{LowerHugeSwitches, MOST_CASES, huge_switch};
pub use lower_printf::LowerPrintf;
pub use lower_to_mux_builtins::LowerToMuxBuiltins;
pub use manager::{PassManager, Report, Trace};
pub use optimal_builtin_replacement::OptimalBuiltinReplacement;
pub use pass::{Pass, PassContext};
pub use pipeline::Pipeline;
pub use prepare_barriers::PrepareBarriers;
pub use prepare_sub_groups::PrepareSubGroups;
pub use refuse_recursion::RefuseRecursion;
pub use registry::{Options, Registry};
pub use remark::{Remark, RemarkKind, Remarks, SourceLine};
pub use replace_local_module_scope_variables::ReplaceLocalModuleScopeVariables;
pub use replace_target_ext_types::ReplaceTargetExtTypes;
pub use resolve_address_spaces::ResolveAddressSpaces;
pub use set_data_layout::SetDataLayout;
pub use specialize_arguments::{KnownArgument, SpecializeArguments, arguments_option};
pub use split_large_ranges::SplitLargeRanges;
pub use transfer_kernel_metadata::TransferKernelMetadata;
pub use work_item_loops::WorkItemLoops;
pub use wrap::{KernelWrapper, entry_points, is_linear_along};

/// Registers the passes of this crate that need nothing from outside.
pub fn register(registry: &mut Registry) {
    registry.add("wrap kernels into functions of packed arguments", AddKernelWrapper);
    registry.add(
        "add the target's scheduling parameters to the functions that need them",
        AddSchedulingParameters,
    );
    checks::register(registry);
    registry.add("give every integer division a result", DefineDivision);
    registry.add("end work-items at traps", DefineTraps);
    registry.add("give the mux builtins their bodies", DefineMuxBuiltins);
    registry.add("give the fourth element of a stored vector of three a value", DefinePadding);
    registry.add("compare vectors of halves as floats, where LLVM errs", CompareHalves);
    registry.add("divide vectors of integers as floating-point numbers", DivideVectors);
    registry.add("freeze what vectors of integers are divided by, where LLVM errs", FreezeDivisions);
    early_vectorization::register(registry);
    encode_kernel_metadata::register(registry);
    initialize_memory::register(registry);
    inline_images::register(registry);
    registry.add("inline what functions of the library share", InlineShared);
    registry.add("look up the values that the cases of huge switches choose", LowerHugeSwitches);
    registry.add("choose between two versions of a kernel by the IDs of the range", JoinLargeRanges);
    registry.add("describe the calls of printf for the runtime", LowerPrintf);
    registry
        .add("turn OpenCL's work-item, barrier and fence functions into mux builtins", LowerToMuxBuiltins);
    registry.add("put instructions in the place of calls to the library", OptimalBuiltinReplacement);
    registry.add("inline functions with barriers into kernels and number the barriers", PrepareBarriers);
    prepare_sub_groups::register(registry);
    registry.add("refuse functions that call themselves", RefuseRecursion);
    registry.add(
        "put the local variables of a kernel into memory of the work-group",
        ReplaceLocalModuleScopeVariables,
    );
    registry.add("replace images and samplers by what they are on the target", ReplaceTargetExtTypes);
    registry
        .add("access memory in the address space that a generic pointer was made from", InferAddressSpaces);
    registry.add("answer which address space a generic pointer points into", ResolveAddressSpaces);
    registry.add("give the module the triple and data layout of the target machine", SetDataLayout);
    specialize_arguments::register(registry);
    split_large_ranges::register(registry);
    transfer_kernel_metadata::register(registry);
    work_item_loops::register(registry);
}
