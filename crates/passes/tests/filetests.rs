//! The filetests of this crate's passes. Their syntax is in `support/runner.rs`.

extern crate lanewise_passes as passes;

#[path = "support/matcher.rs"]
mod matcher;
#[macro_use]
#[path = "support/runner.rs"]
mod runner;

use lanewise_passes::register;

directories! {
    add_kernel_wrapper "add-kernel-wrapper"
    add_scheduling_parameters "add-scheduling-parameters"
    define_division "define-division"
    define_padding "define-padding"
    divide_vectors "divide-vectors"
    define_mux_builtins "define-mux-builtins"
    encode_kernel_metadata "encode-kernel-metadata"
    inline_shared "inline-shared"
    join_large_ranges "join-large-ranges"
    lower_printf "lower-printf"
    lower_to_mux_builtins "lower-to-mux-builtins"
    optimal_builtin_replacement "optimal-builtin-replacement"
    prepare_barriers "prepare-barriers"
    prepare_sub_groups "prepare-sub-groups"
    replace_local_module_scope_variables "replace-local-module-scope-variables"
    infer_address_spaces "infer-address-spaces"
    resolve_address_spaces "resolve-address-spaces"
    specialize_arguments "specialize-arguments"
    split_large_ranges "split-large-ranges"
    transfer_kernel_metadata "transfer-kernel-metadata"
    whole_chain "whole-chain"
    work_item_loops "work-item-loops"
}
