//! Allocations that programs know by their address: shared virtual memory and unified shared
//! memory, which `cl_khr_unified_svm` makes types of one kind.
//!
//! Kernels reach all memory of the process. The types differ only in what is promised of them.

use crate::cl::*;
use crate::objects::Device;
use runtime::Buffer;
use std::sync::Arc;

/// A type of shared memory. Its number is its index in the lists of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvmType {
    /// `cl_intel_unified_shared_memory`'s three.
    Device,
    Host,
    Shared,
    /// `clSVMAlloc`'s two.
    CoarseGrain,
    FineGrain,
    /// The system's own memory, or what can be used as such.
    System,
}

impl SvmType {
    pub const ALL: [SvmType; 6] = [
        SvmType::Device,
        SvmType::Host,
        SvmType::Shared,
        SvmType::CoarseGrain,
        SvmType::FineGrain,
        SvmType::System,
    ];

    /// What every device of the platform promises of the type.
    pub fn capabilities(self) -> u64 {
        let everywhere = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR
            | CL_SVM_CAPABILITY_DEVICE_READ_KHR
            | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR
            | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR;
        let of_context = CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR;
        let host = CL_SVM_CAPABILITY_HOST_READ_KHR | CL_SVM_CAPABILITY_HOST_WRITE_KHR;
        let concurrent =
            CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR | CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR;
        let (map, indirect) = (CL_SVM_CAPABILITY_HOST_MAP_KHR, CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR);
        let own = match self {
            SvmType::Device => CL_SVM_CAPABILITY_DEVICE_OWNED_KHR | concurrent | indirect,
            SvmType::Host => of_context | CL_SVM_CAPABILITY_HOST_OWNED_KHR | host | concurrent | indirect,
            SvmType::Shared => host | concurrent | indirect,
            SvmType::CoarseGrain => of_context | map,
            SvmType::FineGrain => of_context | host | map | concurrent,
            SvmType::System => {
                CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR | of_context | host | map | concurrent | indirect
            }
        };
        everywhere | own
    }

    /// Whether its allocations need no device.
    pub fn is_unassociated(self) -> bool {
        self.capabilities() & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR != 0
    }

    /// The name of the type in `cl_intel_unified_shared_memory`, if it has one.
    pub fn intel(self) -> Option<cl_uint> {
        match self {
            SvmType::Device => Some(CL_MEM_TYPE_DEVICE_INTEL),
            SvmType::Host => Some(CL_MEM_TYPE_HOST_INTEL),
            SvmType::Shared => Some(CL_MEM_TYPE_SHARED_INTEL),
            SvmType::CoarseGrain | SvmType::FineGrain | SvmType::System => None,
        }
    }
}

#[derive(Clone)]
pub struct Allocation {
    pub buffer: Arc<Buffer>,
    pub ty: SvmType,
    pub device: Option<Arc<Device>>,
    /// As they were given with `CL_MEM_ALLOC_FLAGS_INTEL`.
    pub intel_flags: u64,
    /// As they were given with `CL_SVM_ALLOC_ACCESS_FLAGS_KHR`.
    pub access: u64,
    /// The property list of `clSVMAllocWithPropertiesKHR`, with its final 0.
    pub properties: Vec<u64>,
}

impl Allocation {
    pub fn new(buffer: Arc<Buffer>, ty: SvmType) -> Allocation {
        Allocation { buffer, ty, device: None, intel_flags: 0, access: 0, properties: Vec::new() }
    }

    pub fn start(&self) -> usize {
        self.buffer.as_ptr() as usize
    }
}
