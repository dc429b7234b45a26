//! The answers of `clGetDeviceInfo`.

use crate::cl::*;
use crate::ffi::{Answer, Res, err};
use crate::handle::Object;
use crate::il;
use crate::objects::platform::{self, VERSION_1_0};
use crate::objects::{Device, Platform, image, lock};
use compiler::{SpirvDeviceInfo, Standard};
use std::collections::BTreeSet;
use std::ffi::CString;
use std::sync::Mutex;

/// The version of OpenCL C that brought the features of the language, as `cl_version` spells it.
const FEATURES_VERSION: u32 = 3 << 22;

const VERSION_2_0: u32 = 2 << 22;

/// The version as `cl_version` spells it.
pub fn cl_version(version: Standard) -> u32 {
    let (major, minor) = version.version();
    major << 22 | minor << 12
}

/// The alignment of every buffer's address: the size of `long16`.
pub const BASE_ALIGN: usize = 128;

/// The most bytes of arguments of a kernel.
pub const MAX_PARAMETER_SIZE: usize = 4096;

const DRIVER_VERSION: &str = env!("CARGO_PKG_VERSION");

/// `cl_name_version`: a version and a name in 64 bytes.
pub struct NameVersion {
    name: &'static str,
    version: u32,
}

/// The capabilities of `cl_ext_float_atomics` for global memory (bits 0 to 2) and local memory (16
/// to 18): load and store, add, min and max. The library has all of them for every type.
const FP_ATOMICS: u64 = 0x7_0007;

impl From<(&'static str, u32)> for NameVersion {
    fn from((name, version): (&'static str, u32)) -> Self {
        NameVersion { name, version }
    }
}

pub fn with_versions(list: impl Iterator<Item = NameVersion>) -> Answer {
    let mut bytes = Vec::new();
    for NameVersion { name, version } in list {
        bytes.extend(version.to_ne_bytes());
        let mut padded = [0u8; 64];
        let len = name.len().min(63);
        padded[..len].copy_from_slice(&name.as_bytes()[..len]);
        bytes.extend(padded);
    }
    Answer(bytes)
}

/// The addresses of strings, which are there until the process ends.
fn texts<'a>(names: impl Iterator<Item = &'a str>) -> Answer {
    static KEPT: Mutex<BTreeSet<CString>> = Mutex::new(BTreeSet::new());
    let mut kept = lock(&KEPT);
    let mut address = |name: &str| {
        let name = CString::new(name).unwrap_or_default();
        if !kept.contains(&name) {
            kept.insert(name.clone());
        }
        // The text of a `CString` is on the heap: it stays when the set grows.
        kept.get(&name).map_or(0, |text| text.as_ptr() as usize)
    };
    Answer(names.flat_map(|name| address(name).to_ne_bytes()).collect())
}

/// The UUID of the machine or the driver: a hash of the properties that distinguish it.
fn uuid(parts: &[&str]) -> Answer {
    Answer(jit::hash128(parts.join("\n").as_bytes()).to_vec())
}

const ATOMIC_CAPABILITIES: u64 = CL_DEVICE_ATOMIC_ORDER_RELAXED
    | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
    | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
    | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM
    | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
    | CL_DEVICE_ATOMIC_SCOPE_DEVICE
    | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;

pub const SVM_CAPABILITIES: u64 = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
    | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
    | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
    | CL_DEVICE_SVM_ATOMICS;

/// The capabilities of each kind of unified shared memory, system allocations included.
const USM_CAPABILITIES: u64 = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL
    | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
    | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
    | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;

pub const QUEUE_PROPERTIES: u64 = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

/// What can be changed of a recorded launch.
pub const MUTABLE_FIELDS: u64 = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

impl Device {
    /// The extensions of the language, then those of the API.
    fn extensions(&self) -> Vec<(&'static str, u32)> {
        let version =
            |name: &str| if name == "cl_khr_integer_dot_product" { VERSION_2_0 } else { VERSION_1_0 };
        let language = self.compiler().language();
        let all = clc::extensions(&language).map(|name| (name, version(name)));
        let images = [("cl_khr_image2d_from_buffer", VERSION_1_0)];
        let images = images.into_iter().filter(|_| self.has_images());
        all.chain(platform::EXTENSIONS.iter().copied()).chain(images).collect()
    }

    /// What modules of SPIR-V may ask for.
    fn spirv(&self) -> SpirvDeviceInfo {
        self.compiler().restrict_spirv(SpirvDeviceInfo::default())
    }

    fn has_feature(&self, name: &str) -> bool {
        clc::features(&self.compiler().language()).any(|f| f == name)
    }

    /// The preferred multiple of a work-group's size: the lanes of a vector of floats.
    pub fn preferred_multiple(&self) -> usize {
        (self.compiler().vector_register_bytes / size_of::<f32>()).max(1)
    }

    /// The most bytes of one buffer: half of the memory.
    pub fn max_alloc_size(&self) -> u64 {
        self.device.properties().memory_bytes / 2
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        let answer = self.identity(name).or_else(|| self.compute(name)).or_else(|| self.memory(name));
        let answer = answer.or_else(|| self.images(name)).or_else(|| self.attributes(name));
        match answer.or_else(|| self.absent(name)) {
            Some(answer) => Ok(answer),
            None => err(CL_INVALID_VALUE),
        }
    }

    /// The queries about names, versions, parents and partitions.
    fn identity(&self, name: cl_uint) -> Option<Answer> {
        let (machine, compiler) = (self.device.properties(), self.compiler());
        let null: Handle = std::ptr::null_mut();
        Some(match name {
            CL_DEVICE_TYPE => CL_DEVICE_TYPE_CPU.into(),
            CL_DEVICE_VENDOR_ID => vendor_id(&machine.vendor).into(),
            CL_DEVICE_NAME => platform::name_from("LANEWISE_DEVICE_NAME", &machine.name),
            CL_DEVICE_VENDOR => machine.vendor.as_str().into(),
            CL_DRIVER_VERSION => DRIVER_VERSION.into(),
            CL_DEVICE_PROFILE => "FULL_PROFILE".into(),
            CL_DEVICE_VERSION => platform::version_text(compiler.opencl_version()).as_str().into(),
            CL_DEVICE_NUMERIC_VERSION => cl_version(compiler.opencl_version()).into(),
            // The highest version that is fully supported; 3.0 makes parts of 2.0 optional.
            CL_DEVICE_OPENCL_C_VERSION => "OpenCL C 1.2 Lanewise".into(),
            CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => (VERSION_1_0 | 2 << 12).into(),
            CL_DEVICE_OPENCL_C_ALL_VERSIONS => {
                let versions = Standard::complete(compiler.opencl_version()).map(cl_version);
                with_versions(versions.map(|v| NameVersion::from(("OpenCL C", v))))
            }
            CL_DEVICE_OPENCL_C_FEATURES => {
                let language = compiler.language();
                with_versions(
                    clc::features(&language).map(|name| NameVersion::from((name, FEATURES_VERSION))),
                )
            }
            CL_DEVICE_EXTENSIONS => {
                let names: Vec<_> = self.extensions().into_iter().map(|(name, _)| name).collect();
                names.join(" ").as_str().into()
            }
            CL_DEVICE_IL_VERSION => {
                let names: Vec<_> = (0..=il::NEWEST).rev().map(|minor| format!("SPIR-V_1.{minor}")).collect();
                names.join(" ").as_str().into()
            }
            CL_DEVICE_ILS_WITH_VERSION => {
                let version = |minor: u32| NameVersion { name: "SPIR-V", version: VERSION_1_0 | minor << 12 };
                with_versions((0..=il::NEWEST).rev().map(version))
            }
            CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => {
                texts(SpirvDeviceInfo::EXTENDED_INSTRUCTION_SETS.iter().copied())
            }
            CL_DEVICE_SPIRV_EXTENSIONS => texts(self.spirv().extensions.iter().map(String::as_str)),
            CL_DEVICE_SPIRV_CAPABILITIES => self.spirv().capability_numbers().as_slice().into(),
            CL_DEVICE_EXTENSIONS_WITH_VERSION => {
                with_versions(self.extensions().into_iter().map(NameVersion::from))
            }
            // There was no conformance submission; the answer has the required form of a date.
            CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => "v0000-01-01-00".into(),
            CL_DEVICE_PLATFORM => Platform::get().ok()?.handle().into(),
            CL_DEVICE_REFERENCE_COUNT => if self.is_root() { 1 } else { self.owner().references() }.into(),
            CL_DEVICE_PARENT_DEVICE => self.parent.as_ref().map_or(null, |p| p.handle()).into(),
            CL_DEVICE_PARTITION_MAX_SUB_DEVICES => {
                if self.partition_kinds().is_empty() { 0 } else { self.compute_units() as cl_uint }.into()
            }
            CL_DEVICE_PARTITION_PROPERTIES => match self.partition_kinds() {
                none if none.is_empty() => 0isize.into(),
                kinds => kinds.as_slice().into(),
            },
            CL_DEVICE_PARTITION_AFFINITY_DOMAIN => self.affinity_domains().into(),
            CL_DEVICE_PARTITION_TYPE => match self.partition.as_slice() {
                [] => 0isize.into(),
                properties => properties.into(),
            },
            CL_DEVICE_UUID_KHR => uuid(&["device", self.device.id(), &machine.name, &machine.vendor]),
            CL_DRIVER_UUID_KHR => uuid(&["driver", DRIVER_VERSION, llvm::VERSION]),
            CL_DEVICE_LUID_VALID_KHR => false.into(),
            CL_DEVICE_LUID_KHR => Answer(vec![0; 8]),
            CL_DEVICE_NODE_MASK_KHR => 0u32.into(),
            _ => return None,
        })
    }

    /// The queries about computing: units, vector widths, work-groups, arithmetic.
    fn compute(&self, name: cl_uint) -> Option<Answer> {
        let (machine, compiler) = (self.device.properties(), self.compiler());
        let most = compiler.max_work_group_size;
        let lanes =
            |bytes: usize| -> Answer { ((compiler.vector_register_bytes / bytes).max(1) as cl_uint).into() };
        let double = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
        Some(match name {
            CL_DEVICE_MAX_COMPUTE_UNITS => (self.compute_units() as cl_uint).into(),
            CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => 3u32.into(),
            CL_DEVICE_MAX_WORK_ITEM_SIZES => [most; 3].as_slice().into(),
            CL_DEVICE_MAX_WORK_GROUP_SIZE => most.into(),
            CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => self.preferred_multiple().into(),
            // The compiler vectorizes over work-items: a kernel need not be written with vectors.
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF => 1u32.into(),
            CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => lanes(1),
            CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => lanes(2),
            CL_DEVICE_NATIVE_VECTOR_WIDTH_INT | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => lanes(4),
            CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => lanes(8),
            CL_DEVICE_MAX_CLOCK_FREQUENCY => machine.clock_mhz.into(),
            CL_DEVICE_ADDRESS_BITS => compiler.address_bits.into(),
            CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT => FP_ATOMICS.into(),
            CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT if compiler.supports_double => FP_ATOMICS.into(),
            CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT if compiler.supports_half => FP_ATOMICS.into(),
            CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT | CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => {
                0u64.into()
            }
            // Clocks of the device, of a work-group, and of a sub-group.
            CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR => {
                (0b011 | u64::from(compiler.max_sub_group_count > 0) << 2).into()
            }
            // Vectors of bytes, and bytes packed into an integer.
            CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR => 3u64.into(),
            // Six kinds of dot products each.
            CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR
            | CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4X8BIT_PACKED_KHR => {
                [u32::from(compiler.accelerates_dot_products); 6].as_slice().into()
            }
            CL_DEVICE_SINGLE_FP_CONFIG => (double | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT).into(),
            CL_DEVICE_DOUBLE_FP_CONFIG if compiler.supports_double => {
                (double | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF).into()
            }
            CL_DEVICE_HALF_FP_CONFIG if compiler.supports_half => {
                (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST).into()
            }
            CL_DEVICE_DOUBLE_FP_CONFIG | CL_DEVICE_HALF_FP_CONFIG => 0u64.into(),
            CL_DEVICE_ENDIAN_LITTLE => compiler.little_endian.into(),
            CL_DEVICE_AVAILABLE | CL_DEVICE_COMPILER_AVAILABLE | CL_DEVICE_LINKER_AVAILABLE => true.into(),
            CL_DEVICE_EXECUTION_CAPABILITIES => (CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL).into(),
            CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => QUEUE_PROPERTIES.into(),
            CL_DEVICE_PROFILING_TIMER_RESOLUTION => 1usize.into(),
            CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => true.into(),
            CL_DEVICE_PRINTF_BUFFER_SIZE => (1usize << 20).into(),
            CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES | CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => {
                ATOMIC_CAPABILITIES.into()
            }
            CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => (CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
                | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
                | CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR)
                .into(),
            CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => MUTABLE_FIELDS.into(),
            // Queues of all devices wait for each other's events without the program.
            CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR => (Device::roots().ok()?.len() as cl_uint).into(),
            CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR => {
                let roots = Device::roots().ok()?.iter().map(|device| device.handle());
                roots.collect::<Vec<Handle>>().as_slice().into()
            }
            CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => QUEUE_PROPERTIES.into(),
            CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => 0u64.into(),
            CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => true.into(),
            // A kernel that cannot be vectorized has sub-groups of one work-item.
            CL_DEVICE_MAX_NUM_SUB_GROUPS => (compiler.max_sub_group_count as cl_uint).into(),
            // The sub-groups of a work-group run one after the other.
            CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => (compiler.max_sub_group_count > 0).into(),
            CL_DEVICE_SUB_GROUP_SIZES_INTEL if compiler.max_sub_group_count > 0 => {
                compiler.sub_group_sizes.as_slice().into()
            }
            CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => {
                self.has_feature("__opencl_c_work_group_collective_functions").into()
            }
            CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => {
                self.has_feature("__opencl_c_generic_address_space").into()
            }
            _ => return None,
        })
    }

    /// The queries about memory.
    fn memory(&self, name: cl_uint) -> Option<Answer> {
        let machine = self.device.properties();
        let globals = self.has_feature("__opencl_c_program_scope_global_variables");
        Some(match name {
            CL_DEVICE_GLOBAL_MEM_SIZE => machine.memory_bytes.into(),
            CL_DEVICE_MAX_MEM_ALLOC_SIZE | CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => self.max_alloc_size().into(),
            CL_DEVICE_MAX_CONSTANT_ARGS => ((MAX_PARAMETER_SIZE / 8) as cl_uint).into(),
            CL_DEVICE_MAX_PARAMETER_SIZE => MAX_PARAMETER_SIZE.into(),
            CL_DEVICE_MEM_BASE_ADDR_ALIGN => (BASE_ALIGN as cl_uint * 8).into(),
            CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => (BASE_ALIGN as cl_uint).into(),
            CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => CL_READ_WRITE_CACHE.into(),
            CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => (machine.cache_line_bytes as cl_uint).into(),
            // The last level.
            CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => {
                machine.cache_bytes.into_iter().rfind(|bytes| *bytes > 0).unwrap_or(0).into()
            }
            CL_DEVICE_LOCAL_MEM_TYPE => CL_GLOBAL.into(),
            CL_DEVICE_LOCAL_MEM_SIZE => (machine.local_memory_bytes as u64).into(),
            CL_DEVICE_ERROR_CORRECTION_SUPPORT => false.into(),
            CL_DEVICE_HOST_UNIFIED_MEMORY => true.into(),
            CL_DEVICE_SVM_CAPABILITIES => SVM_CAPABILITIES.into(),
            CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR => platform::svm_type_capabilities(),
            CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL => USM_CAPABILITIES.into(),
            CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
            | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => 0u32.into(),
            CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE => if globals { 64usize << 20 } else { 0 }.into(),
            CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => if globals { 64usize << 20 } else { 0 }.into(),
            _ => return None,
        })
    }

    /// The queries about images. A device without images has limits of 0.
    fn images(&self, name: cl_uint) -> Option<Answer> {
        let has_images = self.has_images();
        let count = |most: u32| Answer::from(if has_images { most } else { 0 });
        let size = |most: usize| Answer::from(if has_images { most } else { 0 });
        Some(match name {
            CL_DEVICE_IMAGE_SUPPORT => has_images.into(),
            CL_DEVICE_MAX_READ_IMAGE_ARGS
            | CL_DEVICE_MAX_WRITE_IMAGE_ARGS
            | CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => count(image::MAX_IMAGE_ARGS),
            CL_DEVICE_MAX_SAMPLERS => count(image::MAX_SAMPLERS),
            // In pixels: any row of whole pixels will do.
            CL_DEVICE_IMAGE_PITCH_ALIGNMENT | CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => count(1),
            CL_DEVICE_IMAGE2D_MAX_WIDTH | CL_DEVICE_IMAGE2D_MAX_HEIGHT => size(image::MAX_SIZE_2D),
            CL_DEVICE_IMAGE3D_MAX_WIDTH | CL_DEVICE_IMAGE3D_MAX_HEIGHT | CL_DEVICE_IMAGE3D_MAX_DEPTH => {
                size(image::MAX_SIZE_3D)
            }
            CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => size(image::MAX_BUFFER),
            CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => size(image::MAX_ARRAY),
            _ => return None,
        })
    }

    /// The queries about features that the device does not have: pipes, on-device queues, built-in
    /// kernels.
    fn absent(&self, name: cl_uint) -> Option<Answer> {
        Some(match name {
            CL_DEVICE_PIPE_SUPPORT => false.into(),
            CL_DEVICE_MAX_PIPE_ARGS
            | CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS
            | CL_DEVICE_PIPE_MAX_PACKET_SIZE
            | CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
            | CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
            | CL_DEVICE_MAX_ON_DEVICE_QUEUES
            | CL_DEVICE_MAX_ON_DEVICE_EVENTS => 0u32.into(),
            CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES | CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => 0u64.into(),
            CL_DEVICE_BUILT_IN_KERNELS => "".into(),
            CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => Answer(Vec::new()),
            _ => return None,
        })
    }
}

/// The PCI vendor of the CPU's maker.
fn vendor_id(vendor: &str) -> cl_uint {
    match vendor {
        "GenuineIntel" => 0x8086,
        "AuthenticAMD" => 0x1022,
        _ => 0,
    }
}
