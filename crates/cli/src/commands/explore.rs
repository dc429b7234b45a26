//! `lanewise explore`: a kernel's way from source to instructions, as a page.
//!
//! The page is made of one compilation, which `--json` prints. `--html` and the server start this
//! program again for each compilation and each run, with limits on what it may use.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use compiler::{ArgKind, KernelArg, NdRange, Output};
use explorer::model::{self, Language as Shown, Machine, Param, Settings, Source};
use explorer::worker::{self, Limits};
use explorer::{Compilation, Facts, Page, Roofline, RunRequest, RunResult, Server, Work};
use passes::{DumpFile, Remark, RemarkKind};

use crate::args::{ExploreArgs, Place, TargetArgs};
use crate::argspec::ArgSpec;
use crate::dump::{Dump, Dumped};
use crate::error::{Error, Result};
use crate::imagespec::ImageSpec;
use crate::program::{Language, build, choose_kernel, with_remarks};
use crate::progress::Progress;
use crate::show;

pub fn explore(args: &ExploreArgs) -> Result<()> {
    if args.json {
        let compilation = if is_folder(&args.file) { from_dump(args) } else { compile(args) }?;
        let text = serde_json::to_string(&compilation).map_err(|e| Error::input(e.to_string()))?;
        return show::say(&text);
    }
    if args.file == Place::Standard {
        return Err(Error::usage("`lanewise explore` reads its file again and again: it cannot be -"));
    }
    let workshop = Workshop { args };
    let progress = Progress::start(&format!("compiling {}", args.file));
    let mut compilation = workshop.compile(&args.settings).map_err(|why| Error::input(trim_name(&why)))?;
    if is_folder(&args.file) {
        // Runs have the local size of the process that left the dump.
        compilation.settings.local = Some(compilation.local.clone());
        compilation.variants = explorer::variants(&compilation);
    }
    let mut page = Page {
        args_of: compilation.kernel.clone(),
        compilation,
        global: args.global.clone().unwrap_or_default(),
        args: args.args.clone(),
        repeat: args.repeat,
        ..Page::default()
    };
    if let Some(settings) = &args.compare {
        page.other = Some(workshop.compile(settings).map_err(|why| Error::input(trim_name(&why)))?);
    }
    let Some(path) = &args.html else {
        let server = Server::bind(args.port, page).map_err(Error::input)?;
        drop(progress);
        show::say(&server.url())?;
        eprintln!("lanewise: the page is open on this computer until Ctrl-C");
        server.serve(&workshop);
        return Ok(());
    };
    if args.global.is_some() {
        progress.label(&format!("running {}", page.compilation.kernel));
        workshop.measure(&mut page).map_err(|why| Error::input(trim_name(&why)))?;
    }
    drop(progress);
    let html = explorer::html(&page, None);
    std::fs::write(path, html).map_err(|e| Error::file("write", path, &e))
}

fn is_folder(place: &Place) -> bool {
    place.path().is_some_and(Path::is_dir)
}

/// A message of this program's own, without its name.
fn trim_name(message: &str) -> String {
    message.strip_prefix("lanewise: ").unwrap_or(message).replace("\nlanewise: ", "\n")
}

/// Does what the page asks for, by starting this program again.
struct Workshop<'a> {
    args: &'a ExploreArgs,
}

impl Workshop<'_> {
    /// The words for the file and the settings, for `explore` and `run`.
    fn words(&self, command: &str, settings: &Settings) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![command.into(), "--json".into()];
        let mut option = |name: &str, value: &str| words.push(format!("{name}={value}").into());
        if let Some(kernel) = &settings.kernel {
            option("--kernel", kernel);
        }
        if let Some(local) = &settings.local {
            option("--local", &comma(local));
        }
        let options = settings.options(&self.args.options);
        if !options.is_empty() {
            option("--options", &options);
        }
        for (id, value) in &self.args.constants {
            option("--spec", &format!("{id}={value}"));
        }
        words.push("--".into());
        words.extend(self.args.file.path().map(|path| path.as_os_str().to_owned()));
        words
    }

    /// Runs the kernel of a page for its file: with its settings, and with others.
    fn measure(&self, page: &mut Page) -> std::result::Result<(), String> {
        page.roofline = Some(self.roofline()?);
        let sized = |mut settings: Settings| {
            if let Some(local) = &mut settings.local {
                local.resize(page.global.len(), 1);
            }
            settings
        };
        let request = |settings: Settings| RunRequest {
            settings: sized(settings),
            global: page.global.clone(),
            args: page.args.clone(),
            repeat: page.repeat,
            divergence: false,
        };
        let settings = page.compilation.settings.clone();
        page.run = Some(self.run(&RunRequest { divergence: true, ..request(settings) }, &|| true)?);
        if let Some(other) = &page.other {
            page.other_run = Some(self.run(&request(other.settings.clone()), &|| true)?);
        }
        for (name, other) in page.compilation.variants.clone() {
            // A setting that the kernel does not take is left out.
            if let Ok(result) = self.run(&request(other), &|| true) {
                page.what_if.push((name, result));
            }
        }
        Ok(())
    }
}

impl Work for Workshop<'_> {
    fn compile(&self, settings: &Settings) -> std::result::Result<Compilation, String> {
        let mut words = self.words("explore", settings);
        let mut more: Vec<OsString> = Vec::new();
        more.extend(settings.cpu.as_ref().map(|cpu| format!("--cpu={cpu}").into()));
        more.extend(self.args.global.as_ref().map(|global| format!("--global={}", comma(global)).into()));
        words.splice(2..2, more);
        let json = worker::run(&words, Limits::COMPILE, &|| true).map_err(|why| trim_name(&why))?;
        let mut compilation: Compilation = serde_json::from_slice(&json)
            .map_err(|e| format!("the compiler's answer is not understood: {e}"))?;
        compilation.settings = settings.clone();
        compilation.variants = explorer::variants(&compilation);
        Ok(compilation)
    }

    fn run(
        &self,
        request: &RunRequest,
        is_wanted: &dyn Fn() -> bool,
    ) -> std::result::Result<RunResult, String> {
        let mut words = self.words("run", &request.settings);
        let mut more: Vec<OsString> = vec![
            format!("--global={}", comma(&request.global)).into(),
            format!("--repeat={}", request.repeat.clamp(1, 10_000)).into(),
        ];
        if request.divergence {
            more.push("--divergence".into());
        }
        for (index, text) in request.args.iter().enumerate() {
            // Files are the user's to name, on the command line.
            if !self.args.args.contains(text) {
                refuse_path(index, text)?;
            }
            more.push(format!("--arg={text}").into());
        }
        words.splice(2..2, more);
        // Of a dump, the program is run that has the kernel, as it was before all passes.
        if is_folder(&self.args.file) {
            let folder = self.args.file.path().unwrap_or(Path::new("."));
            let first = Dump::read(folder).and_then(|dump| dump.program(request.settings.kernel.as_deref()));
            let first = first.map_err(|e| trim_name(&e.to_string()))?;
            words.pop();
            words.push(folder.join(first.file.name).into());
        }
        let json = worker::run(&words, Limits::RUN, is_wanted).map_err(|why| trim_name(&why))?;
        serde_json::from_slice(&json).map_err(|e| format!("the program's answer is not understood: {e}"))
    }

    fn roofline(&self) -> std::result::Result<Roofline, String> {
        let words = ["info", "--roofline", "--json"].map(OsString::from);
        let json = worker::run(&words, Limits::RUN, &|| true).map_err(|why| trim_name(&why))?;
        serde_json::from_slice(&json).map_err(|e| format!("the program's answer is not understood: {e}"))
    }
}

/// Refuses an argument that is in a file.
fn refuse_path(index: usize, text: &str) -> std::result::Result<(), String> {
    match ArgSpec::parse(index, text).map_err(|e| e.to_string())? {
        ArgSpec::File(_) | ArgSpec::Image(ImageSpec::File(_)) => Err(format!(
            "{text}: the page names no files. Give this argument on the command line: lanewise explore … \
            --arg {text}"
        )),
        _ => Ok(()),
    }
}

fn comma(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// What a compilation is made from.
struct Input<'a> {
    place: &'a Place,
    bytes: Vec<u8>,
    source: Source,
}

/// Compiles a kernel and says all about it.
fn compile(args: &ExploreArgs) -> Result<Compilation> {
    let bytes = args.file.read()?;
    let language = match Language::of(&args.file, &bytes) {
        Language::OpenClC => Shown::OpenCl,
        Language::Ir => return compile_ir(args, ir_text(&bytes, &args.file)?, String::new()),
        Language::SpirV | Language::SpirVText | Language::Binary => Shown::Spirv,
    };
    let source = match language {
        Shown::OpenCl => String::from_utf8_lossy(&bytes).into_owned(),
        _ => String::new(),
    };
    let source = Source { text: source, language, note: String::new() };
    let (compilation, dumps) = compile_input(args, &Input { place: &args.file, bytes, source })?;
    if !compilation.source.text.is_empty() {
        return Ok(compilation);
    }
    // SPIR-V that names no source, or one that is not there: its IR is what there is to read.
    let ir = dumps.first().map(|file| file.text.clone()).unwrap_or_default();
    let note = "the SPIR-V as LLVM IR, as it was read".to_owned();
    compile_ir(args, without_debug_info(&ir, &args.file)?, note)
}

/// IR whose debug locations name a source that is not there.
fn without_debug_info(ir: &str, place: &Place) -> Result<String> {
    let context = llvm::Context::new();
    let module = llvm::Module::parse(&context, ir.as_bytes(), "ir");
    let module = module.map_err(|e| Error::input(format!("{place}: {e}")))?;
    module.strip_debug_info();
    Ok(module.to_string())
}

fn ir_text(bytes: &[u8], place: &Place) -> Result<String> {
    let context = llvm::Context::new();
    if !bytes.starts_with(b"BC\xc0\xde") {
        return Ok(String::from_utf8_lossy(bytes).into_owned());
    }
    llvm::Module::parse_bitcode(&context, bytes)
        .map(|module| module.to_string())
        .map_err(|e| Error::input(format!("{place}: {e}")))
}

/// Compiles LLVM IR, which is its own source unless it names another one.
fn compile_ir(args: &ExploreArgs, ir: String, note: String) -> Result<Compilation> {
    let as_ir = Place::Path(Path::new(&args.file.to_string()).with_extension("ll"));
    let name = as_ir.to_string();
    let lined = explorer::with_own_lines(&ir, &name).filter(|lined| {
        let context = llvm::Context::new();
        llvm::Module::parse(&context, lined.as_bytes(), &name).is_ok_and(|module| module.verify().is_ok())
    });
    let source = match lined {
        Some(_) => Source { text: ir.clone(), language: Shown::Ir, note },
        None => Source { language: Shown::Ir, ..Source::default() },
    };
    let bytes = lined.unwrap_or_else(|| ir.clone()).into_bytes();
    let (mut compilation, _) = compile_input(args, &Input { place: &as_ir, bytes, source })?;
    if compilation.source.text.is_empty() {
        compilation.source.text = ir;
    }
    Ok(compilation)
}

/// Compiles one input, with the dumps of all passes.
fn compile_input(args: &ExploreArgs, input: &Input<'_>) -> Result<(Compilation, Vec<DumpFile>)> {
    let settings = &args.settings;
    let target = match &settings.cpu {
        Some(cpu) => {
            TargetArgs { name: "native-cpu".to_owned(), cpu: Some(cpu.clone()), ..TargetArgs::default() }
        }
        None => TargetArgs { name: "cpu".to_owned(), ..TargetArgs::default() },
    };
    let compiler =
        target.compiler().map_err(|e| Error::input(e.to_string().replace("--target: ", "--cpu: ")))?;
    let start = Instant::now();
    let options = with_remarks(&settings.options(&args.options), true);
    let (made, dumps) = passes::record(|| -> Result<_> {
        let module = build(compiler, input.place, &input.bytes, &options, &args.constants)?;
        let infos = &module.program_info().kernels;
        let info = choose_kernel(input.place, infos, settings.kernel.as_deref())?.clone();
        let preferred = || {
            let dims = args.global.as_ref().map_or(1, Vec::len);
            info.preferred_local_size(compiler.device_info())[..dims].to_vec()
        };
        let local = info.reqd_work_group_size.map(|size| size.to_vec());
        let local = settings.local.clone().or(local).unwrap_or_else(preferred);
        let wrong = |e| Error::input(format!("{}: {e}", input.place));
        let lowered = match settings.cpu {
            // Code for another machine is made ahead of time, for any range.
            Some(_) => module.lower(Some(&info.name)),
            None => {
                // A group that is asked about alone is the whole range.
                let global = args.global.as_ref().filter(|global| global.len() == local.len());
                module.lower_for(&info.name, &NdRange::new(global.unwrap_or(&local), &local))
            }
        };
        Ok((module.build_log().to_owned(), info, local, lowered.map_err(wrong)?, names(infos)))
    });
    let (log, info, local, mut lowered, kernels) = made?;
    let (stages, main) = explorer::stages(&dumps, Some(&info.name));

    let machine = compiler.backend().machine();
    let is_agnostic = lowered.module.functions().into_iter().any(ir::attributes::is_group_agnostic);
    let functions = lowered.module.functions().into_iter();
    let width = functions.map(|f| ir::attributes::work_width(f).lanes).max().unwrap_or(1);
    let remarks = std::mem::take(&mut lowered.report.remarks);
    let wrong = |e: &dyn std::fmt::Display| Error::input(format!("{}: {e}", input.place));
    // Only now may the lines reach the code generator: before, they would change what passes do.
    let lined = lowered.module.to_string().replace("emissionKind: NoDebug", "emissionKind: LineTablesOnly");
    lowered.module =
        llvm::Module::parse(&llvm::Context::new(), lined.as_bytes(), "lined").map_err(|e| wrong(&e))?;
    let assembly = lowered.generate(Output::Assembly).map_err(|e| wrong(&e))?;
    let ms = start.elapsed().as_secs_f64() * 1e3;

    let shown = machine_of(&machine, settings.cpu.is_none(), compiler.device_info().vector_register_bytes);
    let text = String::from_utf8_lossy(&assembly);
    let assembly = explorer::assembly(&text, main.as_deref(), &shown, &machine.features);
    let file = args.file.path().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let mut compilation = Compilation {
        settings: settings.clone(),
        file: file.unwrap_or_else(|| "-".to_owned()),
        kernel: info.name.clone(),
        kernels,
        params: info.args.iter().map(|arg| param(arg, args.global.as_deref())).collect(),
        machine: shown,
        width,
        local,
        source: source_of(input, main.as_deref()),
        remarks: remarks_on(&remarks, main.as_deref()),
        stages,
        assembly,
        advice: Vec::new(),
        variants: Vec::new(),
        ms,
        log,
    };
    explorer::mark_local_accesses(&mut compilation.remarks, &compilation.stages);
    compilation.advice = explorer::advice(&compilation, Facts { is_group_agnostic: is_agnostic });
    Ok((compilation, dumps))
}

fn names(infos: &[compiler::KernelInfo]) -> Vec<String> {
    infos.iter().map(|info| info.name.clone()).collect()
}

fn machine_of(machine: &compiler::Machine, here: bool, vector_bytes: usize) -> Machine {
    Machine {
        triple: machine.triple.clone(),
        cpu: machine.cpu.clone(),
        here,
        cpus: llvm::cpus(&machine.triple).unwrap_or_default(),
        vector_bits: 8 * vector_bytes,
    }
}

/// The source that lines refer to: the input, or the file that the debug locations name.
fn source_of(input: &Input<'_>, main: Option<&str>) -> Source {
    let own = input.place.to_string();
    let is_own = main.is_none_or(|main| {
        let canonical = |path: &str| std::fs::canonicalize(path).ok();
        main == own || canonical(main).is_some_and(|path| Some(path) == canonical(&own))
    });
    if is_own {
        return input.source.clone();
    }
    let main = main.unwrap_or_default();
    match jit::read_regular(Path::new(main)) {
        Ok(bytes) => Source {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            language: Shown::OpenCl,
            note: main.to_owned(),
        },
        Err(_) => input.source.clone(),
    }
}

fn remarks_on(remarks: &[Remark], main: Option<&str>) -> Vec<model::Remark> {
    let shown = |remark: &Remark| {
        let place = remark.place.as_ref().filter(|place| main.is_none_or(|main| place.file == main));
        model::Remark {
            line: place.map_or(0, |place| place.line),
            column: place.map_or(0, |place| place.column),
            kind: match remark.kind {
                RemarkKind::Width => "width",
                RemarkKind::Scalar => "scalar",
                RemarkKind::Memory => "memory",
                RemarkKind::Branch => "branch",
                RemarkKind::Loop => "loop",
                RemarkKind::LockStep => "lock-step",
                RemarkKind::Call => "call",
            }
            .to_owned(),
            text: remark.text.clone(),
            is_local: false,
        }
    };
    remarks.iter().map(shown).collect()
}

/// A parameter, with an argument that may do for a first run.
fn param(arg: &KernelArg, global: Option<&[usize]>) -> Param {
    let items: usize = global.map_or(1 << 20, |sizes| sizes.iter().product());
    let is_float = ["float", "double", "half"].iter().any(|name| arg.base_type_name.starts_with(name));
    // Integers may be indices.
    let element = arg.base_type_name.trim_end_matches('*');
    let is_index = ["int", "uint", "long", "ulong"].contains(&element);
    let example = match arg.kind {
        ArgKind::Global | ArgKind::Constant if is_index => format!("iota:{items}"),
        ArgKind::Global | ArgKind::Constant => format!("rand:{items}"),
        ArgKind::Local => "local:1024".to_owned(),
        ArgKind::Image => "image2d:1024x1024:rgba:unorm8".to_owned(),
        ArgKind::Sampler => "sampler:linear,clamp".to_owned(),
        ArgKind::Value if is_float => "1.5".to_owned(),
        ArgKind::Value => items.to_string(),
    };
    Param { name: arg.name.clone(), type_name: arg.type_name.clone(), example }
}

/// The compilation of which a folder holds the dump. With other settings than it was made with, it
/// is compiled again from its first file.
fn from_dump(args: &ExploreArgs) -> Result<Compilation> {
    let folder = args.file.path().unwrap_or(Path::new("."));
    let dump = Dump::read(folder)?;
    let Dumped { file, kernel } = dump
        .program(args.settings.kernel.as_deref())
        .map_err(|e| Error::input(format!("{}: {e}", folder.display())))?;

    let mut again = ExploreArgs { file: Place::Path(folder.join(&file.name)), ..args.clone() };
    let local = kernel.as_deref().and_then(|kernel| explorer::local_size(&dump.files, kernel));
    let is_own_local = args.settings.local.is_none() || args.settings.local == local;
    again.settings.local = again.settings.local.or(local);
    again.settings.kernel.clone_from(&kernel);
    let mut compilation = compile_ir(&again, file.text.clone(), String::new())?;
    compilation.settings = args.settings.clone();
    compilation.file = folder.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let (stages, main) = explorer::stages(&dump.files, Some(&compilation.kernel));
    if let Some(text) = dump.source_of(&file, main.as_deref()) {
        compilation.source = Source { text, language: Shown::OpenCl, note: String::new() };
    }
    if !dump.kernels.is_empty() {
        compilation.kernels = dump.kernels;
    }
    let Settings { kernel, local, .. } = args.settings.clone();
    if is_own_local && args.settings == (Settings { kernel, local, ..Settings::default() }) {
        let lines = compilation.stages.iter().any(|stage| stage.lines.iter().any(|line| *line > 0));
        let has_lines = stages.iter().any(|stage| stage.lines.iter().any(|line| *line > 0));
        // A dump without debug locations says less than the same stages, made again with them.
        if has_lines || !lines {
            compilation.stages = stages;
        }
    }
    Ok(compilation)
}
