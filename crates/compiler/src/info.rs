//! The description of a compiler: its device, its options and its capabilities.

use crate::{
    Backend, Context, Error, Machine, NotifyCallback, Options, Result, SpirvDeviceInfo, Standard, Target,
};
use std::sync::{Arc, OnceLock};

/// The version of OpenCL that programs are told: 3.1, or the one in `LANEWISE_VERSION`. Some
/// programs take no version that they do not know.
pub fn opencl_version() -> Standard {
    static VERSION: OnceLock<Standard> = OnceLock::new();
    *VERSION.get_or_init(|| {
        let text = std::env::var_os("LANEWISE_VERSION").unwrap_or_default();
        match text.to_str() {
            Some("3.0") => Standard::Cl30,
            Some("" | "3.1") => Standard::Cl31,
            _ => {
                eprintln!("lanewise: LANEWISE_VERSION={text:?} is ignored: expected 3.0 or 3.1");
                Standard::Cl31
            }
        }
    })
}

/// A device as the compiler sees it (`mux_device_info_t` of the specification).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    pub name: String,
    pub vendor: String,
    pub address_bits: u32,
    pub little_endian: bool,
    pub supports_half: bool,
    pub supports_double: bool,
    pub supports_int64_atomics: bool,
    /// Images and samplers as arguments of kernels.
    pub supports_images: bool,
    pub max_work_group_size: usize,
    /// The widest vector register in bytes.
    pub vector_register_bytes: usize,
    pub max_sub_group_count: usize,
    /// The sizes that kernels can require of their sub-groups (`intel_reqd_sub_group_size`).
    pub sub_group_sizes: Vec<usize>,
    /// Whether kernels take the target's custom buffers ([`crate::Descriptor::CustomBuffer`]).
    pub custom_buffers: bool,
    /// Whether dot products of bytes are instructions.
    pub accelerates_dot_products: bool,
}

impl DeviceInfo {
    /// A device of this name on this machine, with all features of a CPU but without vector
    /// registers.
    pub fn this_machine(name: &str) -> DeviceInfo {
        DeviceInfo {
            name: name.to_owned(),
            vendor: "Lanewise".to_owned(),
            address_bits: usize::BITS,
            little_endian: cfg!(target_endian = "little"),
            supports_half: true,
            supports_double: true,
            supports_int64_atomics: true,
            supports_images: false,
            max_work_group_size: ir::MAX_WORK_GROUP_SIZE,
            vector_register_bytes: 0,
            max_sub_group_count: ir::MAX_WORK_GROUP_SIZE,
            sub_group_sizes: Vec::new(),
            custom_buffers: false,
            accelerates_dot_products: false,
        }
    }

    /// An error if the device has no sub-groups.
    pub fn check_sub_groups(&self) -> Result<()> {
        match self.max_sub_group_count {
            0 => Err(Error::FeatureUnsupported(format!("{} has no sub-groups", self.name))),
            _ => Ok(()),
        }
    }

    /// The version of OpenCL that the device can have: 3.1 asks for sub-groups.
    pub fn opencl_version(&self) -> Standard {
        if self.max_sub_group_count > 0 { opencl_version() } else { Standard::Cl30 }
    }

    /// The device as OpenCL C sees it.
    pub fn language(&self) -> clc::Device {
        clc::Device {
            version: self.opencl_version(),
            address_bits: self.address_bits,
            half: self.supports_half,
            double: self.supports_double,
            int64_atomics: self.supports_int64_atomics,
            sub_groups: self.max_sub_group_count > 0,
            images: self.supports_images,
        }
    }

    /// Restricts the allowed features of SPIR-V to those of the device.
    pub fn restrict_spirv(&self, mut allowed: SpirvDeviceInfo) -> SpirvDeviceInfo {
        allowed.address_bits = self.address_bits;
        if !self.supports_half {
            allowed = allowed.without_half();
        }
        if !self.supports_double {
            allowed = allowed.without_double();
        }
        if !self.supports_int64_atomics {
            allowed = allowed.without_int64_atomics();
        }
        if !self.supports_images {
            allowed = allowed.without_images();
        }
        if self.max_sub_group_count == 0 {
            allowed = allowed.without_sub_groups();
        }
        allowed
    }
}

/// The optional types that the builtin library must support for a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuiltinCapabilities {
    pub address_bits_32: bool,
    pub fp64: bool,
    pub fp16: bool,
}

/// One compiler configuration. There is one static instance of each.
pub trait Info: Send + Sync {
    /// The device that is compiled for.
    fn device_info(&self) -> &DeviceInfo;

    /// The short name by which users choose the compiler: `cpu`.
    fn name(&self) -> &'static str;

    /// The backend: the machine that code is generated for.
    fn backend(&self) -> &'static dyn Backend;

    /// The same compiler for another machine. Most compilers are for one machine only.
    fn for_machine(&self, machine: &Machine) -> Result<&'static dyn Info> {
        let own = self.backend().machine();
        Err(Error::InvalidValue(format!(
            "the target '{}' is for {} ({}) only, not for {} ({}); native-cpu is for any machine",
            self.name(),
            own.triple,
            own.cpu,
            machine.triple,
            machine.cpu
        )))
    }

    /// Whether kernels can be compiled when they are first enqueued. Otherwise a program is
    /// compiled as a whole.
    fn supports_deferred_compilation(&self) -> bool {
        false
    }

    /// The target's own options: `--name,1,help;--name,0,help`, see [`parse_compilation_options`].
    fn compilation_options(&self) -> &'static str {
        ""
    }

    /// Checks an option of [`Info::compilation_options`] that was given, with its value if it takes
    /// one. The error says what the option takes: "--lanes takes a number from 2 to 64, not
    /// 'banana'".
    fn check_option(&self, _name: &str, _value: Option<&str>) -> Result<()> {
        Ok(())
    }

    /// Whether the whole-function vectorizer makes vector code of kernels.
    fn vectorizable(&self) -> bool {
        false
    }

    /// Whether the target runs kernels in checked mode (`-cl-lanewise-check`): its runtime gives
    /// them their launch's record, and takes their reports (`runtime::checks`).
    fn supports_checks(&self) -> bool {
        false
    }

    /// Whether the device has an engine for copies of its own: the backend defines the DMA builtins
    /// (`__mux_dma_…`).
    fn dma_optimizable(&self) -> bool {
        false
    }

    /// Whether vectors may have a size that is known at run time only.
    fn scalable_vector_support(&self) -> bool {
        false
    }

    fn builtin_capabilities(&self) -> BuiltinCapabilities {
        let device = self.device_info();
        BuiltinCapabilities {
            address_bits_32: device.address_bits == 32,
            fp64: device.supports_double,
            fp16: device.supports_half,
        }
    }
}

impl dyn Info {
    /// Parses options: OpenCL's, and the compiler's own.
    pub fn parse_options(&self, text: &str) -> Result<Options> {
        let own = parse_compilation_options(self.compilation_options())?
            .into_iter()
            .map(|o| clc::DeviceOption { name: o.name, takes_value: o.takes_value, help: o.help })
            .collect::<Vec<_>>();
        let options = Options::parse(text, &own).map_err(|e| Error::InvalidBuildOptions(e.to_string()))?;
        if !options.checks.is_empty() && !self.supports_checks() {
            let name = self.name();
            return Err(Error::InvalidBuildOptions(format!(
                "-cl-lanewise-check: {name} does not run kernels in checked mode"
            )));
        }
        for setting in &options.device {
            self.check_option(&setting.name, setting.value.as_deref())?;
        }
        Ok(options)
    }

    /// Makes the target. `callback` gets messages for the user.
    pub fn create_target(
        &'static self,
        context: Arc<Context>,
        callback: Option<NotifyCallback>,
    ) -> Result<Arc<Target>> {
        Ok(Arc::new(Target::new(self, context, callback)))
    }

    /// A target with a context of its own and the builtin library.
    pub fn target(&'static self, callback: Option<NotifyCallback>) -> Result<Arc<Target>> {
        let target = self.create_target(Arc::new(Context::new()), callback)?;
        target.init_with_builtins(crate::builtin_library(self.builtin_capabilities()))?;
        Ok(target)
    }
}

/// A callback that receives compilers: each target's crate has a function that calls it with each
/// of its own.
pub type AddCompiler<'a> = &'a mut dyn FnMut(&'static dyn Info);

/// An option of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilationOption {
    pub name: String,
    pub takes_value: bool,
    pub help: String,
}

/// Parses the options an [`Info`] reports: tuples of name, `1` or `0` for whether a value follows,
/// and a help text, separated by semicolons.
pub fn parse_compilation_options(text: &str) -> Result<Vec<CompilationOption>> {
    let parse = |tuple: &str| {
        let mut fields = tuple.splitn(3, ',');
        let (Some(name), Some(value), Some(help)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(format!("'{tuple}' is not a tuple of name, 1 or 0, and help"));
        };
        if !name.starts_with("--") || name.len() == 2 || name.contains(char::is_whitespace) {
            return Err(format!("'{name}' is not a name that starts with -- and has no white space"));
        }
        let takes_value = match value {
            "1" => true,
            "0" => false,
            _ => return Err(format!("'{value}' of '{name}' is neither 1 nor 0")),
        };
        if help.contains(|c: char| c.is_whitespace() && c != ' ') {
            return Err(format!("the help of '{name}' has white space other than blanks"));
        }
        Ok(CompilationOption { name: name.to_owned(), takes_value, help: help.to_owned() })
    };
    let all = text.split(';').filter(|_| !text.is_empty()).map(parse).collect::<std::result::Result<_, _>>();
    all.map_err(Error::InvalidValue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parsed_by_the_specified_syntax() {
        let text = "--dummy-device-option,1,takes an integer value;--dummy-device-flag,0,enables device \
            optimization";
        let options = parse_compilation_options(text).unwrap();
        assert_eq!(options[0].name, "--dummy-device-option");
        assert!(options[0].takes_value && !options[1].takes_value);
        assert_eq!(options[1].help, "enables device optimization");
        assert_eq!(parse_compilation_options("").unwrap(), []);
        for wrong in ["-x,1,help", "--x y,1,help", "--x,2,help", "--x,1", "--x,1,tab\there", "--x,1,help;"] {
            assert!(parse_compilation_options(wrong).is_err(), "{wrong}");
        }
    }
}
