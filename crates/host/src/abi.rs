//! The ABI between the generated code and the driver.
//!
//! A kernel's machine code is one function, the entry hook. The driver calls it once per [`Slice`],
//! a box of work-groups; the hook runs every work-group of the slice, one after the other, on the
//! calling thread. Several threads may run slices of one launch at the same time. Each slice of a
//! group-agnostic kernel (not `KernelFacts::sees_groups`) is one work-group.

/// The description of the NDRange and the work-group that kernels read (`MuxWorkGroupInfo` of the
/// specification).
///
/// The order of the fields is known to the code generator (`crate::builtin_info`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WorkGroupInfo {
    /// Written by the entry hook for each work-group.
    pub group_id: [u64; 3],
    pub num_groups: [u64; 3],
    /// The size of this work-group, smaller than the enqueued one at the end of a range it does not
    /// divide. Written by the entry hook.
    pub local_size: [u64; 3],
    pub enqueued_local_size: [u64; 3],
    pub global_size: [u64; 3],
    pub global_offset: [u64; 3],
    /// Memory for one work-group at a time: local memory and the live variables across barriers. At
    /// least `Launch::group_memory_bytes` bytes, aligned to [`compiler::GROUP_MEMORY_ALIGN`], owned
    /// by the calling thread.
    pub scratch: *mut u8,
    pub work_dim: u32,
}

/// A box of work-groups: those with `begin[d] <= group_id[d] < end[d]` in each dimension.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    pub info: WorkGroupInfo,
    pub begin: [u64; 3],
    pub end: [u64; 3],
}

/// Runs all work-groups of `slice` with the packed arguments at `args`, whose address has the
/// alignment of the strictest of them.
pub type EntryHook = unsafe extern "C" fn(args: *const u8, slice: *const Slice);
