//! `lanewise vecz`: the vector version of one kernel of any LLVM IR.

use compiler::pipeline::{self, FixedRegisters, Intrinsics, Mode, RunVecz, VectorUnit};
use compiler::{BUILTIN_LIBRARY, Checks, Options, PassMachinery};
use ir::{attributes, metadata};
use passes::{PrepareBarriers, entry_points};

use crate::args::VeczArgs;
use crate::error::{Error, Result};
use crate::program::choose;
use crate::progress::Progress;
use crate::show;

pub fn vecz(args: &VeczArgs) -> Result<()> {
    let bytes = args.file.read()?;
    let name = args.file.to_string();
    let wrong = |why: &dyn std::fmt::Display| Error::input(format!("{name}: {why}"));
    let context = llvm::Context::new();
    let module = llvm::Module::parse(&context, &bytes, &name).map_err(Error::input)?;
    module.verify().map_err(|why| wrong(&format!("the IR is not well-formed: {why}")))?;
    ir::check_front_end_ir(&module).map_err(|why| wrong(&why))?;

    let progress = Progress::start(&format!("vectorizing {name}"));
    let compiler = devices::all()[0].compiler();
    let mut machinery = PassMachinery::new(compiler, &Options::default()).map_err(|e| wrong(&e))?;
    machinery.trace.remarks = args.remarks;
    // Only the passes that the vectorizer needs: the rest of the IR stays as it was written.
    let mut canonical = pipeline::mux_form(BUILTIN_LIBRARY, false, Checks::NONE);
    canonical.add(PrepareBarriers);
    machinery.manager().run(&canonical, &module).map_err(|e| wrong(&e))?;

    let kernels: Vec<String> = entry_points(&module).into_iter().map(|f| f.name()).collect();
    let kernel = choose(&args.file, &kernels, args.kernel.as_deref())?.clone();
    // Gathers stay LLVM's intrinsics, for readers of the IR and for other compilers.
    let unit = compiler.backend().vectors().unwrap_or_default();
    let unit = VectorUnit { memory: &Intrinsics, ..unit };
    let registers = FixedRegisters {
        width: args.width,
        unit,
        linear: false,
        whole_vectors: false,
        only_required: false,
        mode: Mode::Always,
    };
    let mut vectorize = passes::Pipeline::new();
    vectorize.add(RunVecz { query: registers.query(), kernel: Some(kernel.clone()) });
    let report = machinery.manager().run(&vectorize, &module).map_err(|e| wrong(&e))?;
    drop(progress);
    eprint!("{}", show::remarks(&report.remarks));

    if let Some(scalar) = module.function(&kernel).filter(|f| attributes::is_kernel_entry_point(*f)) {
        let why = metadata::vectorization_failures(&module, scalar).pop();
        let why = why.unwrap_or_else(|| "the target or the options ask for no vector version".to_owned());
        return Err(wrong(&format!("{kernel} is not vectorized: {why}")));
    }
    let bitcode = args.output.path().is_some_and(|path| path.extension().is_some_and(|e| e == "bc"));
    args.output.write(&if bitcode { module.to_bitcode() } else { module.to_string().into_bytes() })
}
