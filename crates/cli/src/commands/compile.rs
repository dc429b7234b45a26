//! `lanewise compile`: the IR, assembly, object or binary of a program's kernels.

use compiler::pipeline::Late;
use host::{Code, Lowered};

use crate::args::{CompileArgs, Emit};
use crate::error::{Error, Result};
use crate::program::{Built, choose_kernel};
use crate::progress::Progress;

pub fn compile(args: &CompileArgs) -> Result<()> {
    let bytes = args.file.read()?;
    let progress = Progress::start(&format!("compiling {}", args.file));
    let built = Built::new(&args.file, &bytes, &args.options)?;
    let infos = &built.module.program_info().kernels;
    if args.kernel.is_some() || infos.is_empty() {
        choose_kernel(&args.file, infos, args.kernel.as_deref())?;
    }
    let lowered =
        lower(&built, args.kernel.as_deref()).map_err(|e| Error::input(format!("{}: {e}", args.file)))?;
    let generate = |code| lowered.generate(code).map_err(|e| Error::input(format!("{}: {e}", args.file)));
    let output = match args.emit {
        Emit::Ll => lowered.module.to_string().into_bytes(),
        Emit::Bc => lowered.module.to_bitcode(),
        Emit::Asm => generate(Code::Assembly)?,
        Emit::Obj => generate(Code::Object)?,
        Emit::Bin => host::seal(generate(Code::Object)?),
    };
    drop(progress);
    args.output.write(&output)
}

/// The passes after canonical form, for any NDRange.
fn lower(built: &Built, kernel: Option<&str>) -> compiler::Result<Lowered> {
    let options = built.module.options();
    let stage = Late { kernel, debug: options.debug, optimize: !options.opt_disable, ..Late::default() };
    host::lower(&built.target, &built.module.bitcode(), options, &stage)
}
