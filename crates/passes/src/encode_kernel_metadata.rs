//! EncodeKernelMetadata: marks one kernel, chosen by name, with the known launch parameters.
//!
//! ```text
//! define spir_kernel void @k()
//! define spir_kernel void @j()
//! ───►
//! define spir_kernel void @k() #0 !reqd_work_group_size !{i32 64, i32 1, i32 1}
//! define spir_kernel void @j()
//! ```
//!
//! With `only`, the other kernels lose their marks, and all other functions become internal: the
//! module then has this kernel only. Needs nothing; changes no code.

use crate::transfer_kernel_metadata::{mark, order_option, with_order};
use crate::{Options, Pass, PassContext, PassError, Registry};
use analysis::Preserved;
use ir::attributes::{self, WorkItemOrder};
use ir::metadata;

#[derive(Clone, Debug, Default)]
pub struct EncodeKernelMetadata {
    pub kernel: String,
    /// The local size of all work-groups, where it is known.
    pub local_size: Option<[u64; 3]>,
    /// How many dimensions the range has, where it is known.
    pub work_dim: Option<u32>,
    /// The range begins at 0.
    pub zero_offset: bool,
    /// The range is long along y ([`attributes::LONG_COLUMN`]).
    pub long_columns: bool,
    /// The range ends before [`attributes::SMALL_RANGE_END`].
    pub small_range: bool,
    pub order: WorkItemOrder,
    /// All other kernels stop being entry points.
    pub only: bool,
}

pub(crate) fn register(registry: &mut Registry) {
    let summary = "mark one kernel: kernel=NAME;local=X:Y:Z;dims=N;zero-offset;long-columns;small-range;\
        order=xyz;only";
    registry.register("encode-kernel-metadata", summary, |options| {
        let kernel = options.value("kernel")?.ok_or("the option kernel=NAME is missing")?;
        let local_size = local_size_option(options)?;
        let work_dim = work_dim_option(options)?;
        let order = order_option(options)?;
        Ok(EncodeKernelMetadata {
            kernel,
            local_size,
            work_dim,
            zero_offset: options.flag("zero-offset")?,
            long_columns: options.flag("long-columns")?,
            small_range: options.flag("small-range")?,
            order,
            only: options.flag("only")?,
        })
    });
}

/// Takes the option `local=X:Y:Z`.
pub fn local_size_option(options: &mut Options) -> Result<Option<[u64; 3]>, PassError> {
    let Some(text) = options.value("local")? else { return Ok(None) };
    let sizes: Result<Vec<u64>, _> = text.split(':').map(str::parse).collect();
    let sizes = sizes.ok().and_then(|s| <[u64; 3]>::try_from(s).ok());
    let sizes = sizes.filter(|s| s.iter().all(|&d| d > 0));
    sizes.map(Some).ok_or_else(|| format!("'{text}' is not a local size such as 64:1:1").into())
}

/// Takes the option `dims=N`.
pub fn work_dim_option(options: &mut Options) -> Result<Option<u32>, PassError> {
    let Some(text) = options.value("dims")? else { return Ok(None) };
    match text.parse() {
        Ok(dims @ 1..=3) => Ok(Some(dims)),
        _ => Err(format!("'{text}' is not a number of dimensions from 1 to 3").into()),
    }
}

impl Pass for EncodeKernelMetadata {
    fn name(&self) -> &'static str {
        "encode-kernel-metadata"
    }

    fn options(&self) -> Options {
        let options = Options::default()
            .with_value("kernel", Some(&self.kernel))
            .with_value("local", self.local_size.map(|[x, y, z]| format!("{x}:{y}:{z}")))
            .with_value("dims", self.work_dim)
            .with_flag("zero-offset", self.zero_offset)
            .with_flag("long-columns", self.long_columns)
            .with_flag("small-range", self.small_range)
            .with_flag("only", self.only);
        with_order(options, self.order)
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let kernel = cx
            .module
            .function(&self.kernel)
            .filter(|f| !f.is_declaration())
            .ok_or_else(|| PassError::new(format!("the module defines no function '{}'", self.kernel)))?;
        if let (Some(given), Some(required)) =
            (self.local_size, metadata::reqd_work_group_size(cx.module, kernel))
            && given != required
        {
            let message = format!("the kernel requires the local size {required:?}, not {given:?}");
            return Err(PassError::in_function(kernel, message));
        }
        mark(cx.module, kernel, self.local_size, self.order);
        if let Some(dims) = self.work_dim {
            let most = metadata::max_work_dim(cx.module, kernel);
            if dims > most {
                let plural = if most == 1 { "" } else { "s" };
                let message =
                    format!("the kernel takes ranges of at most {most} dimension{plural}, not {dims}");
                return Err(PassError::in_function(kernel, message));
            }
            metadata::set_max_work_dim(cx.module, kernel, dims);
        }
        if self.zero_offset {
            attributes::set_zero_offset(kernel);
        }
        if self.long_columns {
            attributes::set_long_columns(kernel);
        }
        if self.small_range {
            attributes::set_for_small_range(kernel);
        }
        if self.only {
            // Functions of the program are external until now: what this kernel does not call would
            // go through all passes that follow.
            for other in cx.module.functions().into_iter().filter(|f| *f != kernel && !f.is_declaration()) {
                attributes::drop_is_kernel(other);
                other.set_internal();
            }
        }
        Ok(Preserved::All)
    }
}
