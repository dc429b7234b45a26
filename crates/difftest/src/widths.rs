//! The same kernel with other numbers of work-items at once: the bytes must be the same.

use crate::Result;
use crate::run::{buffer, contents, run};
use compiler::{DeviceSetting, NdRange, Options, Wfv};
use jit::Kernel;
use runtime::ArgValue;

/// How many work-items run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Fixed(u32),
    /// The width that the compiler chooses.
    Auto,
}

impl Width {
    pub const ALL: [Width; 8] = [
        Width::Auto,
        Width::Fixed(1),
        Width::Fixed(2),
        Width::Fixed(3),
        Width::Fixed(4),
        Width::Fixed(8),
        Width::Fixed(16),
        Width::Fixed(32),
    ];

    /// The build options for it.
    pub fn options(self) -> String {
        match self {
            Width::Auto => String::new(),
            Width::Fixed(1) => "-cl-wfv=never".to_owned(),
            Width::Fixed(width) => format!("-cl-wfv=always --lanes {width}"),
        }
    }

    /// Changes options to it.
    fn apply(self, options: &mut Options) {
        const LANES: &str = "--lanes";
        options.device.retain(|setting| setting.name != LANES);
        options.wfv = match self {
            Width::Auto => None,
            Width::Fixed(1) => Some(Wfv::Never),
            Width::Fixed(width) => {
                let value = Some(width.to_string());
                options.device.push(DeviceSetting { name: LANES.to_owned(), value });
                Some(Wfv::Always)
            }
        };
    }
}

/// Runs a kernel as [`run`] does, and then at other widths on copies of what its buffers held: the
/// error says where the bytes differ. Kernels whose results depend on the order of work-items, or
/// on addresses, are not for this.
pub fn run_at(kernel: &Kernel, range: NdRange, args: &[ArgValue], widths: &[Width]) -> Result<()> {
    let bytes = |args: &[ArgValue]| {
        let buffers = args.iter().filter_map(|arg| match arg {
            ArgValue::Buffer(buffer, _) => Some(contents(buffer)),
            _ => None,
        });
        buffers.collect::<Result<Vec<_>>>()
    };
    let before = bytes(args)?;
    run(kernel, range, args)?;
    let expected = bytes(args)?;
    // A kernel that is not compiled by itself has one width.
    let Some(compiler) = kernel.compiler() else { return Ok(()) };
    for width in widths {
        let mut options = compiler.options().clone();
        width.apply(&mut options);
        let mut copies = before.iter();
        let mut own = Vec::new();
        for arg in args {
            own.push(match arg {
                ArgValue::Buffer(_, offset) => {
                    ArgValue::Buffer(buffer(copies.next().expect("one for each"))?, *offset)
                }
                other => other.clone(),
            });
        }
        run(&kernel.with_options(options), range, &own).map_err(|e| format!("{width:?}: {e}"))?;
        for (i, (e, a)) in expected.iter().zip(bytes(&own)?).enumerate() {
            if let Some(at) = e.iter().zip(&a).position(|(x, y)| x != y) {
                let (e, a) = (e[at], a[at]);
                return Err(
                    format!("{width:?}: buffer {i} has {a:02x} at byte {at}, but otherwise {e:02x}").into()
                );
            }
        }
    }
    Ok(())
}
