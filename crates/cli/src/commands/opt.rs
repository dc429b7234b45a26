//! `lanewise opt`: a pipeline of passes over LLVM IR, or over the IR of a SPIR-V module.

use compiler::{Info, PassMachinery};
use passes::Pipeline;

use crate::args::{FileTestArgs, OptArgs};
use crate::error::{Error, Result};
use crate::program::{Language, spirv_words};
use crate::progress::Progress;
use crate::show;

pub fn opt(args: &OptArgs) -> Result<()> {
    let mut machinery = machinery(args.target.compiler()?, &args.options)?;
    let pipeline = Pipeline::parse(&args.passes, &machinery.registry)
        .map_err(|why| Error::input(format!("--passes: {why}")))?;
    check_print_after(args, &pipeline, &machinery)?;
    machinery.trace.print_after_all = args.print_after_all;
    machinery.trace.print_after.clone_from(&args.print_after);
    machinery.trace.verify_each = args.verify_each;

    let bytes = args.file.read()?;
    let context = llvm::Context::new();
    let name = args.file.to_string();
    let module = match Language::of(&args.file, &bytes) {
        language @ (Language::SpirV | Language::SpirVText) => {
            let wrong = |why: String| Error::input(format!("{name}: {why}"));
            let words = spirv_words(&bytes, language).map_err(wrong)?;
            spirv::translate(&context, &words, &Default::default(), &Default::default())
                .map_err(|e| wrong(e.to_string()))?
        }
        _ => llvm::Module::parse(&context, &bytes, &name).map_err(Error::input)?,
    };
    module.verify().map_err(|why| Error::input(format!("{name}: the IR is not well-formed: {why}")))?;

    let progress = Progress::start(&format!("running passes over {name}"));
    let report = machinery.manager().run(&pipeline, &module);
    drop(progress);
    let report = report.map_err(|error| Error::input(format!("{name}: {error}")))?;
    if args.time_passes {
        eprint!("{}", show::times(&report));
    }
    let bitcode = args.output.path().is_some_and(|path| path.extension().is_some_and(|e| e == "bc"));
    args.output.write(&if bitcode { module.to_bitcode() } else { module.to_string().into_bytes() })
}

/// `lanewise opt --test`.
pub fn file_tests(args: &FileTestArgs) -> Result<()> {
    let registry = machinery(compiler_named(&args.target)?, "")?.registry;
    let say = |line: &str| drop(show::say(line));
    passes::filetest::run_all(&args.paths, &registry, args.bless, say)
        .map(|_| ())
        .map_err(|why| Error::input(why.to_string()))
}

/// `lanewise opt --list`.
pub fn list_passes(target: &str) -> Result<()> {
    let registry = machinery(compiler_named(target)?, "")?.registry;
    let (stages, passes): (Vec<_>, Vec<_>) = (registry.stages().collect(), registry.list().collect());
    let width = stages.iter().chain(&passes).map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::from("stages:\n");
    for (name, summary) in stages {
        text += &format!("{name:width$}  {summary}\n");
    }
    text += "\npasses:\n";
    for (name, summary) in passes {
        text += &format!("{name:width$}  {summary}\n");
    }
    text += &format!("{:width$}  LLVM's passes, in LLVM's own syntax", "llvm(…)");
    show::say(&text)
}

fn compiler_named(target: &str) -> Result<&'static dyn Info> {
    devices::compiler(target).map_err(|e| Error::usage(format!("--target: {e}")))
}

/// The pass machinery of a compiler under these build options.
fn machinery(compiler: &'static dyn Info, options: &str) -> Result<PassMachinery> {
    let options = compiler.parse_options(options).map_err(|e| Error::usage(format!("--options: {e}")))?;
    PassMachinery::new(compiler, &options).map_err(|e| Error::input(e.to_string()))
}

/// Refuses a name in `--print-after` that is not in the pipeline: it would silently print nothing.
fn check_print_after(args: &OptArgs, pipeline: &Pipeline, machinery: &PassMachinery) -> Result<()> {
    let names = pipeline.names();
    let Some(wrong) = args.print_after.iter().find(|name| !names.contains(&name.as_str())) else {
        return Ok(());
    };
    let known = machinery.registry.list().any(|(name, _)| name == wrong);
    let why = if known { "is not in the pipeline" } else { "is no pass" };
    Err(Error::input(format!("--print-after: {wrong} {why}; the pipeline has {}", names.join(", "))))
}
