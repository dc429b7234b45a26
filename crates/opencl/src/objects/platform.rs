//! The one platform.

use crate::cl::*;
use crate::ffi::{Answer, ErrorCode, Res, err};
use crate::handle::{self, Object, Owner};
use crate::objects::allocation::SvmType;
use crate::objects::device_info::{NameVersion, cl_version, with_versions};
use compiler::{Standard, opencl_version};
use jit::Jit;
use std::sync::{Arc, OnceLock};

pub struct Platform {
    owner: Owner,
}

impl Object for Platform {
    const INVALID: cl_int = CL_INVALID_PLATFORM;
    const IN_CONTEXT: bool = false;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

/// Extensions of the platform; the device has them too.
pub const EXTENSIONS: &[(&str, u32)] = &[
    // Build options beyond OpenCL's: `-g`, `-S FILE`, `-cl-wfv`, `-cl-vec`.
    ("cl_codeplay_extra_build_options", VERSION_1_0),
    ("cl_ext_buffer_device_address", VERSION_1_0 | 2),
    ("cl_intel_device_attribute_query", VERSION_1_0),
    ("cl_intel_unified_shared_memory", VERSION_1_0),
    ("cl_khr_command_buffer", 9 << 12 | 8),
    ("cl_khr_command_buffer_multi_device", 9 << 12 | 2),
    ("cl_khr_command_buffer_mutable_dispatch", 9 << 12 | 5),
    ("cl_khr_create_command_queue", VERSION_1_0),
    ("cl_khr_device_uuid", VERSION_1_0),
    ("cl_khr_extended_versioning", VERSION_1_0),
    ("cl_khr_icd", 2 << 22),
    ("cl_khr_il_program", VERSION_1_0),
    ("cl_khr_initialize_memory", VERSION_1_0),
    ("cl_khr_priority_hints", VERSION_1_0),
    ("cl_khr_spirv_linkonce_odr", VERSION_1_0),
    ("cl_khr_spirv_no_integer_wrap_decoration", VERSION_1_0),
    ("cl_khr_spirv_queries", VERSION_1_0),
    ("cl_khr_suggested_local_work_size", VERSION_1_0),
    ("cl_khr_throttle_hints", VERSION_1_0),
    ("cl_khr_unified_svm", 9 << 12),
];

/// 1.0.0, as `cl_version` spells it.
pub const VERSION_1_0: u32 = 1 << 22;

/// The name in an environment variable, for programs that look for a certain one; without it `own`.
pub fn name_from(variable: &str, own: &str) -> Answer {
    let name = std::env::var(variable).ok().filter(|name| !name.is_empty());
    name.as_deref().unwrap_or(own).into()
}

/// The answer of `CL_PLATFORM_VERSION` and `CL_DEVICE_VERSION` for a version.
pub fn version_text(version: Standard) -> String {
    let (major, minor) = version.version();
    format!("OpenCL {major}.{minor} Lanewise {}", env!("CARGO_PKG_VERSION"))
}

/// The answer of `CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR`, which is that of every device, too.
pub fn svm_type_capabilities() -> Answer {
    SvmType::ALL.map(SvmType::capabilities).as_slice().into()
}

impl Platform {
    pub fn get() -> Res<&'static Arc<Platform>> {
        static PLATFORM: OnceLock<Res<Arc<Platform>>> = OnceLock::new();
        let made = PLATFORM.get_or_init(|| handle::publish(|owner| Platform { owner }));
        made.as_ref().map_err(|ErrorCode(code)| ErrorCode(*code))
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        let extensions = || EXTENSIONS.iter().copied();
        Ok(match name {
            CL_PLATFORM_PROFILE => "FULL_PROFILE".into(),
            CL_PLATFORM_VERSION => version_text(opencl_version()).as_str().into(),
            CL_PLATFORM_NUMERIC_VERSION => cl_version(opencl_version()).into(),
            CL_PLATFORM_NAME => name_from("LANEWISE_PLATFORM_NAME", "Lanewise"),
            CL_PLATFORM_VENDOR => "The Lanewise developers".into(),
            CL_PLATFORM_EXTENSIONS => {
                extensions().map(|(name, _)| name).collect::<Vec<_>>().join(" ").as_str().into()
            }
            CL_PLATFORM_EXTENSIONS_WITH_VERSION => with_versions(extensions().map(NameVersion::from)),
            // One nanosecond: the clock of host and device is the same.
            CL_PLATFORM_HOST_TIMER_RESOLUTION => 1u64.into(),
            // Queues wait for each other's events, whatever their devices.
            CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR => (CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR
                | CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR
                | CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR)
                .into(),
            CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR => svm_type_capabilities(),
            CL_PLATFORM_ICD_SUFFIX_KHR => "LANEWISE".into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}

/// The JIT of all programs: one for the process, since programs have no handle to it.
pub fn jit() -> &'static Arc<Jit> {
    static JIT: OnceLock<Arc<Jit>> = OnceLock::new();
    JIT.get_or_init(|| Arc::new(Jit::from_environment()))
}
