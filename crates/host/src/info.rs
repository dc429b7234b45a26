//! The description of the host compiler: its device, its options.

use crate::backend::HostBackend;
use compiler::{AddCompiler, Backend, DeviceInfo, Info};
use std::sync::OnceLock;

/// The option that sets the vectorizer's width.
pub(crate) const WIDTH_OPTION: &str = "--lanes";

/// The widths that [`WIDTH_OPTION`] takes.
const WIDTHS: std::ops::RangeInclusive<u32> = 2..=64;

/// The option that makes lanes consecutive in the linear order of the work-group.
pub(crate) const LINEAR_OPTION: &str = "--linear-lanes";

/// The option for partial scalarization: vectors of the source stay vectors.
pub(crate) const WHOLE_OPTION: &str = "--whole-vectors";

/// The option that runs LLVM's vectorizers before the whole-function vectorizer.
pub(crate) const EARLY_OPTION: &str = "--early-vectorization";

/// The option for degenerate sub-groups: the work-group is its only sub-group.
pub(crate) const DEGENERATE_OPTION: &str = "--degenerate-sub-groups";

struct HostInfo {
    device: DeviceInfo,
}

/// The compiler for this CPU.
pub fn host_info() -> &'static dyn Info {
    static INFO: OnceLock<HostInfo> = OnceLock::new();
    INFO.get_or_init(|| HostInfo {
        device: DeviceInfo {
            supports_images: true,
            vector_register_bytes: crate::cpu::vector_unit().register_bytes as usize,
            sub_group_sizes: vec![4, 8, 16, 32],
            accelerates_dot_products: crate::cpu::math_instructions().has_dot_products(),
            ..DeviceInfo::this_machine(llvm::host_cpu())
        },
    })
}

/// Calls `add` with every compiler of this crate.
pub fn compilers(add: AddCompiler<'_>) {
    add(host_info());
}

impl Info for HostInfo {
    fn device_info(&self) -> &DeviceInfo {
        &self.device
    }

    fn name(&self) -> &'static str {
        "cpu"
    }

    fn backend(&self) -> &'static dyn Backend {
        &HostBackend
    }

    fn supports_deferred_compilation(&self) -> bool {
        true
    }

    fn compilation_options(&self) -> &'static str {
        "--lanes,1,how many work-items the vectorizer runs at once (2 to 64);\
         --linear-lanes,0,run work-items at once that are consecutive in the linear order of the work-group;\
         --whole-vectors,0,keep the vectors whole that kernels are written with;\
         --quick-code,0,make machine code quickly: LLVM optimizes it little;\
         --early-vectorization,0,run the vectorizers of -cl-vec before work-items run at once and not after;\
         --degenerate-sub-groups,0,make the work-group the one sub-group of kernels that use sub-groups"
    }

    fn check_option(&self, name: &str, value: Option<&str>) -> compiler::Result<()> {
        let width = value.and_then(|value| value.parse().ok());
        if name != WIDTH_OPTION || width.is_some_and(|width| WIDTHS.contains(&width)) {
            return Ok(());
        }
        let (first, last, value) = (WIDTHS.start(), WIDTHS.end(), value.unwrap_or_default());
        let why = format!("{name} takes a number from {first} to {last}, not '{value}'");
        Err(compiler::Error::InvalidBuildOptions(why))
    }

    fn vectorizable(&self) -> bool {
        true
    }

    fn supports_checks(&self) -> bool {
        true
    }
}
