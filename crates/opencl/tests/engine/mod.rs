//! A device that differs from the others wherever a device may: it has no doubles and no halves,
//! its own engine for copies, its own sub-groups, its own passes in every stage, its own build
//! options, and its own notes in binaries.
//!
//! A work-item is a thread, as on `crates/threads`. Kernels call functions of the device
//! ([`calls`]), which look up the work-item that the calling thread runs.

mod backend;
mod builtins;
mod device;
mod passes;

pub use backend::{DUMP_OPTION, GENERATION, SUB_GROUP_OPTION};
pub use device::{CODE_BYTES, COUNTERS, engine};

/// The functions of the device that kernels call, by name.
pub mod calls {
    /// Writes the local IDs of the work-item.
    pub const LOCAL_ID: &str = "engine_local_id";
    /// Writes what [`super::builtins::SubGroupField`] lists.
    pub const SUB_GROUP: &str = "engine_sub_group";
    pub const WORK_GROUP_BARRIER: &str = "engine_work_group_barrier";
    pub const SUB_GROUP_BARRIER: &str = "engine_sub_group_barrier";
    /// Returns eight bytes for each work-item of the sub-group, to exchange values.
    pub const EXCHANGE: &str = "engine_exchange";
    /// Hands a copy to the engine and returns an event.
    pub const COPY: &str = "engine_copy";
    /// Waits for events.
    pub const WAIT: &str = "engine_wait";
}
