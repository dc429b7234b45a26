//! The operands of the barrier builtins: the scope of the memory ordering, the memory that it
//! applies to, and its strength.

/// `MemScope` of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum MemScope {
    CrossDevice = 0,
    Device = 1,
    WorkGroup = 2,
    SubGroup = 3,
    WorkItem = 4,
}

impl MemScope {
    pub fn from_bits(bits: u32) -> Option<Self> {
        [Self::CrossDevice, Self::Device, Self::WorkGroup, Self::SubGroup, Self::WorkItem]
            .get(bits as usize)
            .copied()
    }
}

/// The ordering part of [`MemSemantics`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

/// `MemSemantics` of the specification: one ordering, and the kinds of memory it orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemSemantics(pub u32);

impl MemSemantics {
    pub const RELAXED: u32 = 0x0;
    pub const ACQUIRE: u32 = 0x2;
    pub const RELEASE: u32 = 0x4;
    pub const ACQUIRE_RELEASE: u32 = 0x8;
    pub const SEQUENTIALLY_CONSISTENT: u32 = 0x10;
    pub const ORDERING_MASK: u32 = 0x1F;
    pub const SUB_GROUP_MEMORY: u32 = 0x80;
    pub const WORK_GROUP_MEMORY: u32 = 0x100;
    pub const CROSS_WORK_GROUP_MEMORY: u32 = 0x200;

    /// Sequentially consistent, for all memory.
    pub const STRONGEST: u32 = Self::SEQUENTIALLY_CONSISTENT
        | Self::SUB_GROUP_MEMORY
        | Self::WORK_GROUP_MEMORY
        | Self::CROSS_WORK_GROUP_MEMORY;

    /// The ordering; `None` if the bits hold none or several.
    pub fn ordering(self) -> Option<Ordering> {
        match self.0 & Self::ORDERING_MASK {
            Self::RELAXED => Some(Ordering::Relaxed),
            Self::ACQUIRE => Some(Ordering::Acquire),
            Self::RELEASE => Some(Ordering::Release),
            Self::ACQUIRE_RELEASE => Some(Ordering::AcquireRelease),
            Self::SEQUENTIALLY_CONSISTENT => Some(Ordering::SequentiallyConsistent),
            _ => None,
        }
    }
}
