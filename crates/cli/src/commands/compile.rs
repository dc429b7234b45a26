//! `lanewise compile`: the IR, assembly, object or binary of a program's kernels.

use compiler::Target;
use compiler::pipeline::Late;
use host::{Code, Lowered};

use crate::args::{CompileArgs, CompileTarget, Emit};
use crate::error::{Error, Result};
use crate::program::{Built, build, choose_kernel, with_remarks};
use crate::progress::Progress;
use crate::show;

pub fn compile(args: &CompileArgs) -> Result<()> {
    let bytes = args.file.read()?;
    if args.target == CompileTarget::NativeCpu {
        return compile_native_cpu(args, &bytes);
    }
    let progress = Progress::start(&format!("compiling {}", args.file));
    let built = Built::new(&args.file, &bytes, &with_remarks(&args.options, args.remarks))?;
    let infos = &built.module.program_info().kernels;
    if args.kernel.is_some() || infos.is_empty() {
        choose_kernel(&args.file, infos, args.kernel.as_deref())?;
    }
    let wrong = |e| Error::input(format!("{}: {e}", args.file));
    let mut lowered = lower(&built, args.kernel.as_deref()).map_err(wrong)?;
    let mut generate = |code| lowered.generate(code).map_err(wrong);
    let output = match args.emit {
        Emit::Ll => lowered.module.to_string().into_bytes(),
        Emit::Bc => lowered.module.to_bitcode(),
        Emit::Asm => generate(Code::Assembly)?,
        Emit::Obj => generate(Code::Object)?,
        Emit::Bin => host::seal(generate(Code::Object)?),
    };
    drop(progress);
    if built.module.options().remarks {
        let remarks = built.target.remarks(&built.module, args.kernel.as_deref(), None).map_err(wrong)?;
        eprint!("{}", show::remarks(&remarks));
    }
    if args.time_passes {
        let mut report = built.module.report().clone();
        report.extend(lowered.report);
        eprint!("{}", show::times(&report));
    }
    args.output.write(&output)
}

/// Code for programs that link it.
fn compile_native_cpu(args: &CompileArgs, bytes: &[u8]) -> Result<()> {
    let progress = Progress::start(&format!("compiling {}", args.file));
    let target = native_cpu::NativeCpuTarget::with_builtins();
    let module = build(target.clone(), &args.file, bytes, &with_remarks(&args.options, args.remarks))?;
    let infos = &module.program_info().kernels;
    if args.kernel.is_some() || infos.is_empty() {
        choose_kernel(&args.file, infos, args.kernel.as_deref())?;
    }
    let wrong = |e| Error::input(format!("{}: {e}", args.file));
    let lowered = target.lower(&module, args.kernel.as_deref()).map_err(wrong)?;
    let output = match args.emit {
        Emit::Ll => lowered.module.to_string().into_bytes(),
        Emit::Bc => lowered.module.to_bitcode(),
        Emit::Asm => lowered.assembly().map_err(wrong)?,
        Emit::Obj | Emit::Bin => lowered.object().map_err(wrong)?,
    };
    drop(progress);
    if module.options().remarks {
        eprint!("{}", show::remarks(&lowered.report.remarks));
    }
    if args.time_passes {
        let mut report = module.report().clone();
        report.extend(lowered.report);
        eprint!("{}", show::times(&report));
    }
    args.output.write(&output)
}

/// The passes after canonical form, for any NDRange.
fn lower(built: &Built, kernel: Option<&str>) -> compiler::Result<Lowered> {
    let options = built.module.options();
    let stage = Late { kernel, ..host::stage_of(&built.target, options) };
    host::lower(&built.target, &built.module.bitcode(), options, &stage)
}
