//! The optional extensions and features of the language, in one table: clang's switches, the macros
//! a program sees and what the device reports all come from it. Whether a [`Device`] supports a
//! name follows from its capabilities.

use crate::{Device, Standard};

/// Where a name belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name of `CL_DEVICE_EXTENSIONS`.
    Extension,
    /// A feature macro of OpenCL C 3.0, a name of `CL_DEVICE_OPENCL_C_FEATURES`.
    Feature,
}

/// What a device must have for a capability.
#[derive(Clone, Copy, Debug)]
enum Needs {
    Nothing,
    Half,
    Double,
    Int64Atomics,
    SubGroups,
    Images,
    SubGroupsAndImages,
    /// A capability that this implementation lacks.
    Unimplemented,
}

/// One extension or feature.
#[derive(Clone, Copy, Debug)]
pub struct Capability {
    pub name: &'static str,
    pub kind: Kind,
    needs: Needs,
    /// Whether clang knows it as an option; it leaves the macros of the others to its header.
    in_clang: bool,
}

impl Capability {
    /// Whether programs for the device can use it.
    pub fn is_supported(&self, device: &Device) -> bool {
        match self.needs {
            Needs::Nothing => true,
            Needs::Half => device.half,
            Needs::Double => device.double,
            Needs::Int64Atomics => device.int64_atomics,
            Needs::SubGroups => device.sub_groups,
            Needs::Images => device.images,
            Needs::SubGroupsAndImages => device.sub_groups && device.images,
            Needs::Unimplemented => false,
        }
    }

    const fn needs(self, needs: Needs) -> Self {
        Capability { needs, ..self }
    }
}

const fn extension(name: &'static str) -> Capability {
    Capability { name, kind: Kind::Extension, needs: Needs::Nothing, in_clang: true }
}

const fn feature(name: &'static str) -> Capability {
    Capability { kind: Kind::Feature, ..extension(name) }
}

const fn header_feature(name: &'static str) -> Capability {
    Capability { in_clang: false, ..feature(name) }
}

const fn header_extension(name: &'static str) -> Capability {
    Capability { in_clang: false, ..extension(name) }
}

/// The operations of `cl_ext_float_atomics`, all of them.
const FLOAT_ATOMICS: &[&str] = &[
    "__opencl_c_ext_fp16_global_atomic_load_store",
    "__opencl_c_ext_fp16_local_atomic_load_store",
    "__opencl_c_ext_fp16_global_atomic_add",
    "__opencl_c_ext_fp16_local_atomic_add",
    "__opencl_c_ext_fp16_global_atomic_min_max",
    "__opencl_c_ext_fp16_local_atomic_min_max",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_min_max",
];

/// Extensions that are not named here do not exist for a program.
pub const TABLE: &[Capability] = &[
    header_extension("cl_ext_float_atomics"),
    header_extension("cl_intel_bfloat16_conversions"),
    header_extension("cl_intel_required_subgroup_size").needs(Needs::SubGroups),
    header_extension("cl_intel_spirv_subgroups").needs(Needs::SubGroupsAndImages),
    header_extension("cl_intel_subgroup_local_block_io").needs(Needs::SubGroups),
    header_extension("cl_intel_subgroups").needs(Needs::SubGroups),
    header_extension("cl_intel_subgroups_char").needs(Needs::SubGroups),
    header_extension("cl_intel_subgroups_long").needs(Needs::SubGroups),
    header_extension("cl_intel_subgroups_short").needs(Needs::SubGroups),
    extension("cl_khr_3d_image_writes").needs(Needs::Images),
    extension("cl_khr_byte_addressable_store"),
    extension("cl_khr_depth_images").needs(Needs::Images),
    header_extension("cl_khr_expect_assume"),
    header_extension("cl_khr_extended_bit_ops"),
    extension("cl_khr_fp16").needs(Needs::Half),
    extension("cl_khr_fp64").needs(Needs::Double),
    extension("cl_khr_global_int32_base_atomics"),
    extension("cl_khr_global_int32_extended_atomics"),
    extension("cl_khr_int64_base_atomics").needs(Needs::Int64Atomics),
    extension("cl_khr_int64_extended_atomics").needs(Needs::Int64Atomics),
    header_extension("cl_khr_integer_dot_product"),
    header_extension("cl_khr_kernel_clock"),
    extension("cl_khr_local_int32_base_atomics"),
    extension("cl_khr_local_int32_extended_atomics"),
    extension("cl_khr_srgb_image_writes").needs(Needs::Images),
    header_extension("cl_khr_subgroup_ballot").needs(Needs::SubGroups),
    header_extension("cl_khr_subgroup_clustered_reduce").needs(Needs::SubGroups),
    header_extension("cl_khr_subgroup_extended_types").needs(Needs::SubGroups),
    header_extension("cl_khr_subgroup_non_uniform_arithmetic").needs(Needs::SubGroups),
    header_extension("cl_khr_subgroup_non_uniform_vote").needs(Needs::SubGroups),
    header_extension("cl_khr_subgroup_rotate").needs(Needs::SubGroups),
    header_extension("cl_khr_subgroup_shuffle").needs(Needs::SubGroups),
    header_extension("cl_khr_subgroup_shuffle_relative").needs(Needs::SubGroups),
    extension("cl_khr_subgroups").needs(Needs::SubGroups),
    header_extension("cl_khr_work_group_uniform_arithmetic"),
    feature("__opencl_c_3d_image_writes").needs(Needs::Images),
    feature("__opencl_c_atomic_order_acq_rel"),
    feature("__opencl_c_atomic_order_seq_cst"),
    header_feature("__opencl_c_atomic_scope_all_devices"),
    header_feature("__opencl_c_atomic_scope_device"),
    feature("__opencl_c_device_enqueue").needs(Needs::Unimplemented),
    feature("__opencl_c_fp64").needs(Needs::Double),
    feature("__opencl_c_generic_address_space"),
    feature("__opencl_c_images").needs(Needs::Images),
    header_feature("__opencl_c_int64"),
    header_feature("__opencl_c_integer_dot_product_input_4x8bit"),
    header_feature("__opencl_c_integer_dot_product_input_4x8bit_packed"),
    header_feature("__opencl_c_kernel_clock_scope_device"),
    header_feature("__opencl_c_kernel_clock_scope_sub_group").needs(Needs::SubGroups),
    header_feature("__opencl_c_kernel_clock_scope_work_group"),
    feature("__opencl_c_pipes").needs(Needs::Unimplemented),
    feature("__opencl_c_program_scope_global_variables"),
    feature("__opencl_c_read_write_images").needs(Needs::Images),
    feature("__opencl_c_subgroups").needs(Needs::SubGroups),
    header_feature("__opencl_c_work_group_collective_functions"),
];

fn supported(kind: Kind, device: &Device) -> impl Iterator<Item = &'static str> + use<> {
    let device = *device;
    TABLE.iter().filter(move |c| c.kind == kind && c.is_supported(&device)).map(|c| c.name)
}

/// The extensions that programs for the device can use.
pub fn extensions(device: &Device) -> impl Iterator<Item = &'static str> + use<> {
    supported(Kind::Extension, device)
}

/// The features of OpenCL C 3.0 that programs for the device can use.
pub fn features(device: &Device) -> impl Iterator<Item = &'static str> + use<> {
    supported(Kind::Feature, device)
}

/// The macros of `cl_ext_float_atomics` for the device, which reports them as capabilities, not as
/// features. An atomic operation on a `double` is one on 64 bits.
pub fn float_atomics(device: &Device) -> impl Iterator<Item = &'static str> + use<> {
    let (half, double) = (device.half, device.double && device.int64_atomics);
    FLOAT_ATOMICS
        .iter()
        .copied()
        .filter(move |name| (half || !name.contains("_fp16_")) && (double || !name.contains("_fp64_")))
}

/// The value of clang's `-cl-ext`.
pub(crate) fn clang_switches(device: &Device) -> String {
    // Bit-fields, for programs that ask for clang's extension by its pragma.
    let mut text = String::from("-all,+__cl_clang_bitfields");
    for capability in TABLE.iter().filter(|c| c.in_clang && c.is_supported(device)) {
        text.push_str(",+");
        text.push_str(capability.name);
    }
    text
}

/// The text before clang's header: it hides from the program that the target is SPIR, and defines
/// the features that only the header would define.
pub(crate) fn before_header(device: &Device) -> String {
    let mut text = String::new();
    for name in
        ["__SPIR", "__SPIR__", "__SPIR32", "__SPIR32__", "__SPIR64", "__SPIR64__", "__IMAGE_SUPPORT__"]
    {
        text.push_str(&format!("#undef {name}\n"));
    }
    if device.images {
        text.push_str("#define __IMAGE_SUPPORT__ 1\n");
    }
    if device.version >= Standard::Cl31 {
        text.push_str("#define CL_VERSION_3_1 310\n");
    }
    let mut define = |version: u32, names: &mut dyn Iterator<Item = &str>| {
        text.push_str(&format!("#if __OPENCL_C_VERSION__ >= {version}\n"));
        names.for_each(|name| text.push_str(&format!("#undef {name}\n#define {name} 1\n")));
        text.push_str("#endif\n");
    };
    let ours = |kind| {
        let ours = TABLE.iter().filter(move |c| c.kind == kind && !c.in_clang && c.is_supported(device));
        ours.map(|c| c.name)
    };
    define(100, &mut ours(Kind::Extension));
    define(200, &mut float_atomics(device));
    define(300, &mut ours(Kind::Feature));
    text
}

/// The text after clang's header, which assumes all of OpenCL C 2.0.
pub(crate) fn after_header(device: &Device) -> String {
    let missing = TABLE.iter().filter(|c| !c.is_supported(device));
    missing.map(|c| format!("#undef {}\n", c.name)).collect()
}
