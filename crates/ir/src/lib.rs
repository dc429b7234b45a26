//! The conventions of mux IR, each in one place: no pass spells the name of an attribute, of
//! metadata or of a builtin by hand.

#![forbid(unsafe_code)]

pub mod address_space;
pub mod attributes;
mod builtin;
mod builtin_info;
pub mod check;
mod declared;
mod dma;
mod group;
mod group_bodies;
pub mod mangling;
mod math;
pub mod metadata;
mod opencl_versions;
pub mod printf;
mod sync;
mod target_type;
pub mod work;

/// The alignment of the memory of a work-group (`__mux_alloc_work_group_memory`), and the largest
/// one of packed arguments: that of `long16`.
pub const WORK_GROUP_MEMORY_ALIGN: u64 = 128;

/// The most work-items of a work-group on CPUs: live memory is sized for it.
pub const MAX_WORK_GROUP_SIZE: usize = 4096;

/// The prefix of library functions that InlineShared inlines, after equal calls have been merged.
pub const SHARED: &str = "__lanewise_shared_";

pub use builtin::{Builtin, Dma};
pub use builtin_info::{
    BuiltinInfo, CHECK, CHECK_RECORD, DefaultBuiltinInfo, PRINTF, SchedulingParam, WORK_GROUP_INFO,
    WORK_ITEM_INFO, WorkGroupField, define_with, round_up_work_group_memory, work_group_info_type,
    work_item_info_type,
};
pub use declared::{check_builtin, check_front_end_ir};
pub use group::{Arithmetic, Group, GroupOp, GroupScope};
pub use llvm::Width;
pub use math::{DotBytes, Math, saturating_sum};
pub use opencl_versions::check_opencl_version;
pub use sync::{MemScope, MemSemantics, Ordering};
pub use target_type::{
    Dimension, IMAGE_FUNCTION, ImageAccess, ImageField, ImageType, OPAQUE_VALUE, SAMPLER_INITIALIZER,
    TargetType, sampler,
};
