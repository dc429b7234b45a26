//! What the language has beyond its core, in one table: clang's switches, the macros a program sees and what the
//! device reports all come from it.

/// Where a name belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name of `CL_DEVICE_EXTENSIONS`.
    Extension,
    /// A feature macro of OpenCL C 3.0, a name of `CL_DEVICE_OPENCL_C_FEATURES`.
    Feature,
}

/// One extension or feature, and whether programs can use it.
#[derive(Clone, Copy, Debug)]
pub struct Capability {
    pub name: &'static str,
    pub kind: Kind,
    pub supported: bool,
    /// Whether clang knows it as an option; it leaves the macros of the others to its header.
    in_clang: bool,
}

const fn extension(name: &'static str) -> Capability {
    Capability { name, kind: Kind::Extension, supported: true, in_clang: true }
}

const fn feature(name: &'static str, supported: bool) -> Capability {
    Capability { name, kind: Kind::Feature, supported, in_clang: true }
}

const fn header_feature(name: &'static str, supported: bool) -> Capability {
    Capability { in_clang: false, ..feature(name, supported) }
}

const fn header_extension(name: &'static str) -> Capability {
    Capability { in_clang: false, ..extension(name) }
}

/// The operations of `cl_ext_float_atomics`, all of them. A device reports them as capabilities, not as features.
pub const FLOAT_ATOMICS: &[&str] = &[
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
    header_extension("cl_intel_required_subgroup_size"),
    header_extension("cl_intel_subgroups"),
    header_extension("cl_intel_subgroups_char"),
    header_extension("cl_intel_subgroups_long"),
    header_extension("cl_intel_subgroups_short"),
    extension("cl_khr_byte_addressable_store"),
    header_extension("cl_khr_expect_assume"),
    header_extension("cl_khr_extended_bit_ops"),
    extension("cl_khr_fp16"),
    extension("cl_khr_fp64"),
    extension("cl_khr_global_int32_base_atomics"),
    extension("cl_khr_global_int32_extended_atomics"),
    extension("cl_khr_int64_base_atomics"),
    extension("cl_khr_int64_extended_atomics"),
    header_extension("cl_khr_integer_dot_product"),
    extension("cl_khr_local_int32_base_atomics"),
    extension("cl_khr_local_int32_extended_atomics"),
    header_extension("cl_khr_subgroup_ballot"),
    header_extension("cl_khr_subgroup_clustered_reduce"),
    header_extension("cl_khr_subgroup_extended_types"),
    header_extension("cl_khr_subgroup_non_uniform_arithmetic"),
    header_extension("cl_khr_subgroup_non_uniform_vote"),
    header_extension("cl_khr_subgroup_rotate"),
    header_extension("cl_khr_subgroup_shuffle"),
    header_extension("cl_khr_subgroup_shuffle_relative"),
    extension("cl_khr_subgroups"),
    feature("__opencl_c_3d_image_writes", false),
    feature("__opencl_c_atomic_order_acq_rel", true),
    feature("__opencl_c_atomic_order_seq_cst", true),
    header_feature("__opencl_c_atomic_scope_all_devices", true),
    header_feature("__opencl_c_atomic_scope_device", true),
    feature("__opencl_c_device_enqueue", false),
    feature("__opencl_c_fp64", true),
    feature("__opencl_c_generic_address_space", true),
    feature("__opencl_c_images", false),
    header_feature("__opencl_c_int64", true),
    header_feature("__opencl_c_integer_dot_product_input_4x8bit", true),
    header_feature("__opencl_c_integer_dot_product_input_4x8bit_packed", true),
    feature("__opencl_c_pipes", false),
    feature("__opencl_c_program_scope_global_variables", true),
    feature("__opencl_c_read_write_images", false),
    feature("__opencl_c_subgroups", true),
    header_feature("__opencl_c_work_group_collective_functions", true),
];

fn supported(kind: Kind) -> impl Iterator<Item = &'static str> {
    TABLE.iter().filter(move |c| c.kind == kind && c.supported).map(|c| c.name)
}

/// The extensions programs can use.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    supported(Kind::Extension)
}

/// The features of OpenCL C 3.0 programs can use.
pub fn features() -> impl Iterator<Item = &'static str> {
    supported(Kind::Feature)
}

/// The value of clang's `-cl-ext`.
pub(crate) fn clang_switches() -> String {
    let mut text = String::from("-all");
    for capability in TABLE.iter().filter(|c| c.supported && c.in_clang) {
        text.push_str(",+");
        text.push_str(capability.name);
    }
    text
}

/// What stands before clang's header: the target is no SPIR consumer for the program, and the features that only the
/// header would define.
pub(crate) fn before_header() -> String {
    let mut text = String::new();
    for name in ["__SPIR", "__SPIR__", "__SPIR64", "__SPIR64__", "__IMAGE_SUPPORT__"] {
        text.push_str(&format!("#undef {name}\n"));
    }
    let mut define = |version: u32, names: &mut dyn Iterator<Item = &str>| {
        text.push_str(&format!("#if __OPENCL_C_VERSION__ >= {version}\n"));
        names.for_each(|name| text.push_str(&format!("#undef {name}\n#define {name} 1\n")));
        text.push_str("#endif\n");
    };
    let ours =
        |kind| TABLE.iter().filter(move |c| c.supported && !c.in_clang && c.kind == kind).map(|c| c.name);
    define(100, &mut ours(Kind::Extension));
    define(200, &mut FLOAT_ATOMICS.iter().copied());
    define(300, &mut ours(Kind::Feature));
    text
}

/// What stands after clang's header, which takes all of OpenCL C 2.0 for granted.
pub(crate) fn after_header() -> String {
    TABLE.iter().filter(|c| !c.supported).map(|c| c.name).map(|name| format!("#undef {name}\n")).collect()
}
