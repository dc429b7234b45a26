//! The facts about compiled kernels that a driver needs.

use ir::address_space;
use ir::attributes::GroupShape;
use ir::check::Checks;

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// By value: the bytes of a scalar, vector or struct.
    Value,
    /// A pointer to global memory.
    Global,
    /// A pointer to constant memory.
    Constant,
    /// Local memory of a size given when the kernel is run: the packed arguments hold the bytes as
    /// a `size_t`.
    Local,
    /// An image: the address of the device's descriptor of it.
    Image,
    /// A sampler, by the value the device has for it.
    Sampler,
}

impl ArgKind {
    /// The kind of an argument by its object, if it is an image or sampler
    /// (`ir::metadata::ArgInfo::object`), else by the address space of a pointer; a value if there
    /// is neither.
    pub fn of(space: Option<u32>, object: &str) -> ArgKind {
        match object {
            "" => {}
            ir::metadata::SAMPLER_OBJECT => return ArgKind::Sampler,
            _ => return ArgKind::Image,
        }
        match space {
            Some(address_space::GLOBAL) => ArgKind::Global,
            Some(address_space::CONSTANT) => ArgKind::Constant,
            Some(address_space::LOCAL) => ArgKind::Local,
            _ => ArgKind::Value,
        }
    }
}

/// The alignment of a work-group's memory and of packed arguments: `ir::WORK_GROUP_MEMORY_ALIGN`.
pub const GROUP_MEMORY_ALIGN: usize = ir::WORK_GROUP_MEMORY_ALIGN as usize;

/// One argument's place in the packed arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgFact {
    pub kind: ArgKind,
    pub offset: usize,
    pub size: usize,
}

/// The facts about a compiled kernel that the driver needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFacts {
    pub name: String,
    pub args: Vec<ArgFact>,
    /// The size of the packed arguments.
    pub args_size: usize,
    /// Scratch for one work-group: static local memory and the live variables that are kept once
    /// per group.
    pub scratch_fixed: usize,
    /// Scratch for each work-item of a group: the live variables across barriers.
    pub scratch_per_item: usize,
    /// Whether the kernel can tell its work-groups apart (barriers, local memory, local IDs …). If
    /// not, it is group-agnostic: the driver may cut the range into any work-groups.
    pub sees_groups: bool,
    /// The local size that the code was compiled for; `None` for code for any local size.
    pub local_size: Option<[usize; 3]>,
    /// The most dimensions of a range.
    pub max_work_dim: u32,
    /// The code is only for ranges that begin at 0.
    pub zero_offset: bool,
    /// The code is only for ranges that end before [`ir::attributes::SMALL_RANGE_END`].
    pub small_range: bool,
    /// How many work-items run at once: the lanes of a vector, which are a sub-group.
    pub work_width: usize,
    /// The shape of work-groups that suits a group-agnostic kernel.
    pub group_shape: GroupShape,
    /// Whether the kernel uses sub-groups.
    pub uses_sub_groups: bool,
    /// Whether sub-groups are degenerate: the work-group is its only sub-group.
    pub degenerate_sub_groups: bool,
    /// The steering arguments: known values would make loops faster.
    pub steering_args: Vec<usize>,
    /// Whether the estimate left open if vector code pays.
    pub undecided: bool,
    /// What a work-item does, if it can be counted.
    pub work: Option<ir::work::Work>,
    /// The checks in the code: a launch needs a record of its arguments.
    pub checks: Checks,
    /// The bytes of the backend's own handler ([`crate::MetadataHandler`]).
    pub extra: Vec<u8>,
}

impl KernelFacts {
    /// The facts of scalar code for any range, without arguments, that needs no memory and can tell
    /// its work-groups apart.
    pub fn plain(name: &str) -> Self {
        KernelFacts {
            name: name.to_owned(),
            args: vec![],
            args_size: 0,
            scratch_fixed: 0,
            scratch_per_item: 0,
            sees_groups: true,
            local_size: None,
            max_work_dim: 3,
            zero_offset: false,
            small_range: false,
            work_width: 1,
            group_shape: GroupShape::Rows,
            uses_sub_groups: false,
            degenerate_sub_groups: false,
            steering_args: vec![],
            undecided: false,
            work: None,
            checks: Checks::NONE,
            extra: vec![],
        }
    }

    /// The size of the sub-groups in a work-group of `items` work-items; the last may be smaller.
    pub fn sub_group_size(&self, items: usize) -> usize {
        if self.degenerate_sub_groups { items } else { self.work_width.min(items) }
    }

    /// Scratch a thread needs to run work-groups of `items` work-items with `dynamic_local` bytes
    /// of local memory in `Local` arguments.
    pub fn scratch_bytes(&self, items: usize, dynamic_local: usize) -> usize {
        let locals = self.args.iter().filter(|a| a.kind == ArgKind::Local).count();
        self.scratch_fixed + self.scratch_per_item * items + dynamic_local + (locals + 3) * GROUP_MEMORY_ALIGN
    }
}
