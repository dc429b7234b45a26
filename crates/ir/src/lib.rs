//! The conventions of mux IR, each in one place: no pass spells the name of an attribute, of metadata or of a builtin by
//! hand.

#![forbid(unsafe_code)]

pub mod address_space;
pub mod attributes;
mod builtin;
mod builtin_info;
mod declared;
mod dma;
mod group;
mod group_bodies;
pub mod mangling;
mod math;
pub mod metadata;
pub mod printf;
mod sync;

/// How the names of the library's functions begin that are inlined only when calls with the same arguments have become one.
pub const SHARED: &str = "__lanewise_shared_";

pub use builtin::{Builtin, Dma};
pub use builtin_info::{
    BuiltinInfo, DefaultBuiltinInfo, PRINTF, SchedulingParam, WORK_GROUP_INFO, WORK_ITEM_INFO,
    WorkGroupField, define_with, work_group_info_type, work_item_info_type,
};
pub use declared::check_front_end_ir;
pub use group::{Arithmetic, Group, GroupOp, GroupScope};
pub use math::Math;
pub use sync::{MemScope, MemSemantics, Ordering};
