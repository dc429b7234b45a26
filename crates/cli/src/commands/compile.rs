//! `lanewise compile`: the IR, assembly, object or binary of a program's kernels.

use compiler::{Output, parse_compilation_options, seal};

use crate::args::{CompileArgs, Emit};
use crate::error::{Error, Result};
use crate::program::{build, choose_kernel, with_remarks};
use crate::progress::Progress;
use crate::show;

pub fn compile(args: &CompileArgs) -> Result<()> {
    let compiler = args.target.compiler()?;
    let bytes = args.file.read()?;
    let progress = Progress::start(&format!("compiling {}", args.file));
    let options = with_remarks(&args.options, args.remarks);
    let module = build(compiler, &args.file, &bytes, &options, &args.constants)?;
    let infos = &module.program_info().kernels;
    if args.kernel.is_some() || infos.is_empty() {
        choose_kernel(&args.file, infos, args.kernel.as_deref())?;
    }
    let wrong = |e| Error::input(format!("{}: {e}", args.file));
    if args.canonical {
        let context = llvm::Context::new();
        let wrong = |e| Error::input(format!("{}: {e}", args.file));
        let ir = llvm::Module::parse_bitcode(&context, &module.bitcode()).map_err(wrong)?;
        drop(progress);
        return args.output.write(&match args.emit {
            Emit::Bc => ir.to_bitcode(),
            _ => ir.to_string().into_bytes(),
        });
    }
    let mut lowered = module.lower(args.kernel.as_deref()).map_err(wrong)?;
    let mut generate = |output| lowered.generate(output).map_err(wrong);
    let output = match args.emit {
        Emit::Ll => lowered.module.to_string().into_bytes(),
        Emit::Bc => lowered.module.to_bitcode(),
        Emit::Asm => generate(Output::Assembly)?,
        Emit::Obj => generate(Output::Object)?,
        Emit::Bin => seal(generate(Output::Object)?, module.target().compiler_info().name()),
    };
    drop(progress);
    if module.options().remarks {
        let remarks = module.remarks(args.kernel.as_deref(), None).map_err(wrong)?;
        eprint!("{}", show::remarks(&remarks));
    }
    if args.time_passes {
        let mut report = module.report().clone();
        report.extend(lowered.report);
        eprint!("{}", show::times(&report));
    }
    args.output.write(&output)
}

/// `lanewise compile --list-cpus`: LLVM's names for the CPUs of each architecture, or of one.
pub fn list_cpus(triple: Option<&str>) -> Result<()> {
    let all = ["x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu"];
    let mut text = String::new();
    for triple in triple.map_or(all.to_vec(), |one| vec![one]) {
        let cpus = llvm::cpus(triple)
            .ok_or_else(|| Error::usage(format!("--triple {triple}: there is no code generator for it")))?;
        text += &format!("{triple}:\n  {}\n", cpus.join("\n  "));
    }
    show::say(text.trim_end())
}

/// `lanewise compile --help-target NAME`: a description of the target, and its own build options.
pub fn help_target(name: &str) -> Result<()> {
    let compiler = devices::compiler(name).map_err(|e| Error::usage(format!("--help-target: {e}")))?;
    let device = compiler.device_info();
    let machine = compiler.backend().machine();
    let yes = |has: bool| if has { "yes" } else { "no" };
    let mut text = format!("{name}, code for {} ({})\n\n", machine.triple, machine.cpu);
    for (what, has) in [
        ("compiles kernels when they are launched", compiler.supports_deferred_compilation()),
        ("vectorizes kernels", compiler.vectorizable()),
        ("has vectors of a size known at run time", compiler.scalable_vector_support()),
        ("has an engine for copies", compiler.dma_optimizable()),
        ("double", device.supports_double),
        ("half", device.supports_half),
        ("64-bit atomics", device.supports_int64_atomics),
    ] {
        text += &format!("  {what:40}  {}\n", yes(has));
    }
    text += &format!("  {:40}  {} bits\n", "addresses", device.address_bits);
    text += &format!("  {:40}  {} work-items\n", "work-groups", device.max_work_group_size);
    let options = parse_compilation_options(compiler.compilation_options()).map_err(Error::input)?;
    text += if options.is_empty() { "\nno build options of its own" } else { "\nits own build options:" };
    for option in options {
        let value = if option.takes_value { " VALUE" } else { "" };
        text += &format!("\n  {:28}  {}", option.name + value, option.help);
    }
    show::say(&text)
}
