//! One kernel of a finalized module.

use crate::{DeviceInfo, Error, NdRange, Result};
use std::any::Any;

/// What is known of an argument when code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor<'a> {
    Buffer,
    /// Memory of each work-group, of so many bytes.
    LocalMemory(usize),
    /// The bytes of a value. Code may be made for just this one.
    Value(&'a [u8]),
    /// A buffer of the target's own kind.
    CustomBuffer,
    /// Nothing is known.
    Null,
}

/// What a kernel will be run over, as far as code may be made for it (`mux_ndrange_options_t` of the specification).
#[derive(Clone, Copy, Debug)]
pub struct NdRangeOptions<'a> {
    /// One for each argument of the kernel, if anything is known of them.
    pub descriptors: Option<&'a [Descriptor<'a>]>,
    pub local_size: [usize; 3],
    pub global_offset: Option<[usize; 3]>,
    pub global_size: Option<[usize; 3]>,
    /// The number of dimensions.
    pub length: usize,
}

impl From<&NdRange> for NdRangeOptions<'_> {
    fn from(range: &NdRange) -> Self {
        NdRangeOptions {
            descriptors: None,
            local_size: range.local_size,
            global_offset: Some(range.global_offset),
            global_size: Some(range.global_size),
            length: range.work_dim as usize,
        }
    }
}

impl NdRangeOptions<'_> {
    /// The range, if the options are what the specification allows.
    pub fn check(&self, device: &DeviceInfo) -> Result<NdRange> {
        let invalid = |what: &str| Err(Error::InvalidValue(what.to_owned()));
        let descriptors = self.descriptors.unwrap_or_default();
        if self.descriptors.is_some() && descriptors.is_empty() {
            return invalid("there is a list of descriptors with nothing in it");
        }
        if descriptors.contains(&Descriptor::CustomBuffer) && !device.custom_buffers {
            return invalid("the device has no custom buffers");
        }
        let local_size = check_local_size(self.local_size)?;
        if !(1..=3).contains(&self.length) {
            return invalid("a range has one to three dimensions");
        }
        match (self.global_offset, self.global_size) {
            (Some(global_offset), Some(global_size)) => {
                Ok(NdRange { work_dim: self.length as u32, global_size, global_offset, local_size })
            }
            (None, _) => invalid("there is no global offset"),
            (_, None) => invalid("there is no global size"),
        }
    }
}

/// Refuses a local size with a 0 in it.
pub fn check_local_size(local_size: [usize; 3]) -> Result<[usize; 3]> {
    if local_size.contains(&0) {
        return Err(Error::InvalidValue("a local size is 0".to_owned()));
    }
    Ok(local_size)
}

/// A kernel whose machine code is made when it is known what it will run over.
pub trait Kernel: Send + Sync {
    fn name(&self) -> &str;

    /// A local size that suits the kernel, where the user has no wish.
    fn preferred_local_size(&self) -> [usize; 3];

    /// The bytes of local memory that the kernel's own variables take.
    fn local_memory_size(&self) -> usize;

    /// Makes code for a local size that may be asked for later.
    fn precache_local_size(&self, local_size: [usize; 3]) -> Result<()>;

    /// How many work-items run at once in work-groups of this size: at least one, at most all.
    fn get_dynamic_work_width(&self, local_size: [usize; 3]) -> Result<u32>;

    /// A binary with this kernel, made for what the options say. It runs ranges of the same local size and dimensions, with the same
    /// values in arguments that have a [`Descriptor::Value`].
    fn create_specialized_kernel(&self, options: &NdRangeOptions<'_>) -> Result<Vec<u8>>;

    /// The size of sub-groups in large work-groups, but for the last one of each.
    fn get_sub_group_size(&self) -> Result<u32>;

    /// The size of sub-groups in work-groups of this size; at most one is smaller.
    fn query_sub_group_size_for_local_size(&self, local_size: [usize; 3]) -> Result<u32>;

    /// A local size in one dimension that gives so many sub-groups, all of the same size; zeros if there is none.
    fn query_local_size_for_sub_group_count(&self, count: usize) -> Result<[usize; 3]>;

    /// The most sub-groups that a work-group of this kernel can have.
    fn query_max_sub_group_count(&self) -> Result<usize>;

    /// The target's own type.
    fn as_any(&self) -> &dyn Any;
}
