//! The environment a module is made for: OpenCL kernels with addresses of the device's size, and
//! what a module may ask for beyond that. Everything else is refused by its name.

use crate::Error;
use crate::grammar::{self, Op};
use crate::module::Module;
use crate::parse::string;

/// The newest version of SPIR-V that is read.
pub const VERSION: (u32, u32) = (1, 6);

/// All capabilities that a module may declare.
pub fn capabilities() -> impl Iterator<Item = &'static str> {
    [OTHER_CAPABILITIES, SUB_GROUP_CAPABILITIES, IMAGE_CAPABILITIES].into_iter().flatten().copied()
}

/// The capabilities that a module may declare on every device, beside those below.
const OTHER_CAPABILITIES: &[&str] = &[
    "Addresses",
    "Linkage",
    "Kernel",
    "Vector16",
    "Float16Buffer",
    "Float16",
    "Float64",
    "Int64",
    "Int64Atomics",
    "Groups",
    "Int16",
    "Int8",
    "GenericPointer",
    "UniformDecoration",
    "GroupUniformArithmeticKHR",
    "DenormPreserve",
    "DenormFlushToZero",
    "SignedZeroInfNanPreserve",
    "RoundingModeRTE",
    "FunctionPointersINTEL",
    "IndirectReferencesINTEL",
    "AtomicFloat16AddEXT",
    "AtomicFloat32AddEXT",
    "AtomicFloat64AddEXT",
    "AtomicFloat16MinMaxEXT",
    "AtomicFloat32MinMaxEXT",
    "AtomicFloat64MinMaxEXT",
    "ExpectAssumeKHR",
    "ShaderClockKHR",
    "ArbitraryPrecisionIntegersINTEL",
    "UnstructuredLoopControlsINTEL",
    "KernelAttributesINTEL",
    "FPGAKernelAttributesINTEL",
    "MemoryAccessAliasingINTEL",
    "DotProduct",
    "DotProductInputAll",
    "DotProductInput4x8Bit",
    "DotProductInput4x8BitPacked",
    "BitInstructions",
    "OptNoneINTEL",
    "BFloat16ConversionINTEL",
    "BFloat16TypeKHR",
    "BFloat16DotProductKHR",
    "FPFastMathModeINTEL",
];

/// The extensions a module may use.
pub const EXTENSIONS: &[&str] = &[
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_float_controls",
    "SPV_KHR_expect_assume",
    "SPV_KHR_linkonce_odr",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_bit_instructions",
    "SPV_KHR_bfloat16",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_uniform_group_instructions",
    "SPV_KHR_shader_clock",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_relaxed_extended_instruction",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_optnone",
    "SPV_INTEL_subgroups",
    "SPV_INTEL_arbitrary_precision_integers",
    "SPV_INTEL_function_pointers",
    "SPV_INTEL_kernel_attributes",
    "SPV_INTEL_memory_access_aliasing",
    "SPV_INTEL_optnone",
    "SPV_INTEL_unstructured_loop_controls",
    "SPV_INTEL_bfloat16_conversion",
    "SPV_INTEL_fp_fast_math_mode",
];

/// The capabilities of sub-groups.
const SUB_GROUP_CAPABILITIES: &[&str] = &[
    SUB_GROUPS,
    "GroupNonUniform",
    "GroupNonUniformVote",
    "GroupNonUniformArithmetic",
    "GroupNonUniformBallot",
    "GroupNonUniformShuffle",
    "GroupNonUniformShuffleRelative",
    "GroupNonUniformClustered",
    "GroupNonUniformRotateKHR",
    "SubgroupShuffleINTEL",
    "SubgroupBufferBlockIOINTEL",
    IMAGE_BLOCKS,
];

/// The capability of both sub-groups and images.
const IMAGE_BLOCKS: &str = "SubgroupImageBlockIOINTEL";

/// The capabilities of images.
const IMAGE_CAPABILITIES: &[&str] = &[
    "ImageBasic",
    "ImageReadWrite",
    "LiteralSampler",
    "Sampled1D",
    "Image1D",
    "SampledBuffer",
    "ImageBuffer",
    "ImageQuery",
];

const SUB_GROUP_EXTENSIONS: &[&str] = &["SPV_KHR_subgroup_rotate", "SPV_INTEL_subgroups"];

/// The capability of every device with sub-groups.
pub(crate) const SUB_GROUPS: &str = "SubgroupDispatch";

/// What a device allows. The default is all that this reader can translate, with 64-bit addresses.
///
/// A type or operation that needs a capability the device lacks is refused, also where the module
/// does not declare the capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Capabilities and extensions by their SPIR-V names.
    pub capabilities: Vec<String>,
    pub extensions: Vec<String>,
    /// The size of addresses and `size_t`: 32 or 64.
    pub address_bits: u32,
}

impl DeviceInfo {
    /// The sets of extended instructions that a module may import, without those of debug
    /// information and others that have no meaning (`NonSemantic.…`).
    pub const EXTENDED_INSTRUCTION_SETS: &[&str] = &["OpenCL.std"];

    /// Without 16-bit floating-point arithmetic. Pointers to halves stay, for `vload_half` and its
    /// like.
    pub fn without_half(self) -> Self {
        self.without(&["Float16", "AtomicFloat16AddEXT", "AtomicFloat16MinMaxEXT"])
    }

    /// Without 64-bit floating-point numbers.
    pub fn without_double(self) -> Self {
        self.without(&["Float64", "AtomicFloat64AddEXT", "AtomicFloat64MinMaxEXT"])
    }

    /// Without atomic operations on 64 bits.
    pub fn without_int64_atomics(self) -> Self {
        self.without(&["Int64Atomics", "AtomicFloat64AddEXT", "AtomicFloat64MinMaxEXT"])
    }

    /// Without sub-groups: also operations of `Groups` and barriers that name the scope of one are
    /// refused.
    pub fn without_sub_groups(mut self) -> Self {
        self.extensions.retain(|name| !SUB_GROUP_EXTENSIONS.contains(&name.as_str()));
        self.without(SUB_GROUP_CAPABILITIES)
    }

    /// Without images and samplers.
    pub fn without_images(self) -> Self {
        self.without(IMAGE_CAPABILITIES).without(&[IMAGE_BLOCKS])
    }

    /// The capabilities by their SPIR-V numbers.
    pub fn capability_numbers(&self) -> Vec<u32> {
        let has = |name: &str| self.capabilities.iter().any(|c| c == name);
        let known = grammar::CAPABILITIES.iter().filter(|(name, ..)| has(name));
        let mut numbers: Vec<u32> = known.map(|(_, number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    fn without(mut self, capabilities: &[&str]) -> Self {
        self.capabilities.retain(|c| !capabilities.contains(&c.as_str()));
        self
    }

    /// Refuses what needs a capability that the device lacks.
    pub(crate) fn require(&self, capability: &str) -> Result<(), String> {
        if self.capabilities.iter().any(|c| c == capability) {
            return Ok(());
        }
        Err(format!("needs the capability {capability}, which the device does not have"))
    }
}

impl Default for DeviceInfo {
    fn default() -> Self {
        DeviceInfo {
            capabilities: capabilities().map(str::to_owned).collect(),
            extensions: EXTENSIONS.iter().map(|name| (*name).to_owned()).collect(),
            address_bits: 64,
        }
    }
}

/// Refuses what the module asks for and the device or this reader lacks.
pub(crate) fn check(m: &Module<'_>, device: &DeviceInfo) -> Result<(), Error> {
    let mut model = None;
    for (i, inst) in m.insts.iter().enumerate() {
        match inst.op {
            Op::Capability => capability(inst.args[0], device).map_err(|e| m.fail(i, e))?,
            Op::Extension => {
                let (name, _) = string(inst.args).map_err(|e| m.fail(i, e))?;
                let known = EXTENSIONS.contains(&name.as_str()) && device.extensions.contains(&name);
                if !known {
                    return Err(m.fail(i, format!("the extension {name} is not supported")));
                }
            }
            Op::MemoryModel => {
                memory_model(inst.args[0], inst.args[1], device).map_err(|e| m.fail(i, e))?;
                model = Some(i);
            }
            Op::EntryPoint if inst.args[0] != grammar::execution_model::KERNEL => {
                let name = grammar::name_in(grammar::EXECUTION_MODELS, inst.args[0]).unwrap_or("unknown");
                return Err(m.fail(i, format!("the execution model {name} is not supported, only Kernel")));
            }
            Op::Function => break,
            _ => {}
        }
    }
    if model.is_none() {
        return Err(m.fail(0, "the module has no OpMemoryModel"));
    }
    Ok(())
}

fn capability(number: u32, device: &DeviceInfo) -> Result<(), String> {
    let mut names = grammar::CAPABILITIES.iter().filter(|e| e.1 == number).map(|e| e.0).peekable();
    let Some(&first) = names.peek() else { return Err(format!("the capability {number} is unknown")) };
    // Some have several names.
    let known =
        names.any(|name| capabilities().any(|c| c == name) && device.capabilities.iter().any(|c| c == name));
    if known { Ok(()) } else { Err(format!("the capability {first} is not supported")) }
}

fn memory_model(addressing: u32, memory: u32, device: &DeviceInfo) -> Result<(), String> {
    let name = |table, number| grammar::name_in(table, number).unwrap_or("unknown");
    let (wanted, bits) = (name(grammar::ADDRESSING_MODELS, addressing), device.address_bits);
    let expected = if bits == 32 { "Physical32" } else { "Physical64" };
    if wanted != expected {
        return Err(format!(
            "the addressing model {wanted} is not supported: the device has {bits}-bit addresses ({expected})"
        ));
    }
    let model = name(grammar::MEMORY_MODELS, memory);
    if model == "OpenCL" {
        Ok(())
    } else {
        Err(format!("the memory model {model} is not supported, only OpenCL"))
    }
}
