//! The command line, parsed into one struct for each command.

mod grammar;
mod pages;
mod tables;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::argspec::ArgSpec;
use crate::error::{Error, Result};
use explorer::model::Settings;
pub use grammar::closest;
use grammar::{CommandSpec, Matches, scan};
pub use pages::Page;
use tables::COMMANDS;

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Run(RunArgs),
    Compile(CompileArgs),
    /// `lanewise compile --help-target NAME`
    HelpTarget(String),
    /// `lanewise compile --list-cpus [--triple T]`
    ListCpus(Option<String>),
    Opt(OptArgs),
    /// `lanewise opt --test FILE…`
    FileTests(FileTestArgs),
    Vecz(VeczArgs),
    /// `lanewise opt --list`
    ListPasses(String),
    Explore(ExploreArgs),
    Info {
        json: bool,
        roofline: bool,
    },
    /// The help of one command, or of the program as a whole.
    Help(Option<&'static str>),
    /// `lanewise help --man`, `lanewise help --completions SHELL`
    Page(Page),
    Version,
}

/// `lanewise run FILE.cl -k KERNEL -g SIZE …`
#[derive(Clone, Debug, PartialEq)]
pub struct RunArgs {
    pub file: Place,
    /// The name of a device; the first one if it is not given.
    pub device: Option<String>,
    /// Needed only if the file has more than one kernel.
    pub kernel: Option<String>,
    /// One to three sizes, none of them zero.
    pub global: Vec<usize>,
    /// As many as in `global`, none of them zero.
    pub local: Option<Vec<usize>>,
    /// As many as in `global`.
    pub offset: Option<Vec<usize>>,
    pub args: Vec<ArgSpec>,
    /// At least 1.
    pub repeat: u32,
    pub outputs: Vec<Output>,
    /// The build options, as OpenCL spells them.
    pub options: String,
    /// Values of specialization constants, by their IDs.
    pub constants: Vec<(u32, String)>,
    pub remarks: bool,
    /// Run in checked mode: with these checks, or the usual ones if it is empty.
    pub check: Option<String>,
    pub time_passes: bool,
    /// Print the result as JSON.
    pub json: bool,
    /// Count in how many groups of neighbouring work-items branches diverge.
    pub divergence: bool,
}

/// `lanewise explore FILE …`
#[derive(Clone, Debug, PartialEq)]
pub struct ExploreArgs {
    /// A file, or the folder of a dump.
    pub file: Place,
    pub settings: Settings,
    /// The build options that the settings do not have.
    pub options: String,
    /// Other settings, to be seen beside these.
    pub compare: Option<Settings>,
    /// Values of specialization constants, by their IDs.
    pub constants: Vec<(u32, String)>,
    /// The size and the arguments of runs.
    pub global: Option<Vec<usize>>,
    pub args: Vec<String>,
    /// At least 1.
    pub repeat: u32,
    /// Write the page to this file, and end.
    pub html: Option<PathBuf>,
    /// Print what the page shows, and end.
    pub json: bool,
    /// 0 for any that is free.
    pub port: u16,
}

/// `--out I=FILE`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Which argument, counted from 0; less than the number of arguments.
    pub argument: usize,
    pub path: PathBuf,
    pub format: OutputFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    Npy,
    Png,
    Bin,
}

/// `lanewise compile FILE -o OUT …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileArgs {
    pub file: Place,
    pub output: Place,
    pub emit: Emit,
    /// The IR before the late stage.
    pub canonical: bool,
    pub target: TargetArgs,
    /// Values of specialization constants, by their IDs.
    pub constants: Vec<(u32, String)>,
    pub kernel: Option<String>,
    pub options: String,
    pub remarks: bool,
    pub time_passes: bool,
}

/// `--target NAME [--triple T] [--cpu C] [--features F]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetArgs {
    /// The name of a compiler.
    pub name: String,
    pub triple: Option<String>,
    pub cpu: Option<String>,
    pub features: Option<String>,
}

impl TargetArgs {
    /// The compiler for the named machine.
    pub fn compiler(&self) -> Result<&'static dyn compiler::Info> {
        let wrong = |e| Error::usage(format!("--target: {e}"));
        let compiler = devices::compiler(&self.name).map_err(wrong)?;
        if self.triple.is_none() && self.cpu.is_none() && self.features.is_none() {
            return Ok(compiler);
        }
        let [triple, cpu, features] = [&self.triple, &self.cpu, &self.features].map(|name| name.as_deref());
        let machine = compiler::Machine::named(triple, cpu, features).map_err(wrong)?;
        compiler.for_machine(&machine).map_err(wrong)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// LLVM IR as text.
    Ll,
    /// LLVM bitcode.
    Bc,
    /// Assembly.
    Asm,
    /// An ELF object.
    Obj,
    /// A program binary, which a later run loads without compiling.
    Bin,
}

/// `lanewise opt --passes PIPELINE FILE.ll …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptArgs {
    pub file: Place,
    pub output: Place,
    pub passes: String,
    /// The target whose passes, builtins and machine are used.
    pub target: TargetArgs,
    /// Build options: `-cl-fast-relaxed-math` and the like decide how builtins are defined.
    pub options: String,
    pub print_after_all: bool,
    pub print_after: Vec<String>,
    pub time_passes: bool,
    pub verify_each: bool,
}

/// `lanewise opt --test FILE… [--bless]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTestArgs {
    /// Files, and folders of files; at least one.
    pub paths: Vec<PathBuf>,
    /// The target whose passes are registered.
    pub target: String,
    /// Rewrite the expectations that do not hold.
    pub bless: bool,
}

/// `lanewise vecz FILE.ll -k KERNEL -w WIDTH …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VeczArgs {
    pub file: Place,
    pub output: Place,
    /// Needed only if the file has more than one kernel.
    pub kernel: Option<String>,
    /// From 2 to 64, or so many times `vscale`; chosen for the kernel and this CPU if it is not
    /// given.
    pub width: Option<compiler::Width>,
    pub remarks: bool,
}

/// A file, or `-` for standard input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Standard,
    Path(PathBuf),
}

impl Place {
    fn new(word: OsString) -> Self {
        if word == "-" { Self::Standard } else { Self::Path(word.into()) }
    }

    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard => None,
            Self::Path(path) => Some(path),
        }
    }

    /// The whole file, or standard input to its end.
    pub fn read(&self) -> Result<Vec<u8>> {
        match self {
            Self::Path(path) => std::fs::read(path).map_err(|e| Error::file("read", path, &e)),
            Self::Standard => {
                let mut bytes = Vec::new();
                std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
                    .map_err(|e| Error::input(format!("cannot read standard input: {e}")))?;
                Ok(bytes)
            }
        }
    }

    /// Replaces the file, or writes to standard output.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Path(path) => std::fs::write(path, bytes).map_err(|e| Error::file("write", path, &e)),
            Self::Standard => crate::show::write_stdout(bytes),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => f.write_str("-"),
            Self::Path(path) => path.display().fmt(f),
        }
    }
}

/// Parses the program's arguments, without its name.
pub fn parse(words: Vec<OsString>) -> Result<Command> {
    let mut words = words.into_iter();
    let Some(first) = words.next() else {
        return Err(Error::usage("which command? `lanewise help` lists them"));
    };
    let first = first.to_string_lossy();
    match &*first {
        "help" | "--help" | "-h" => {
            return match words.next() {
                None => Ok(Command::Help(None)),
                Some(topic) if topic == "--man" => Ok(Command::Page(Page::Man)),
                Some(topic) if topic == "--completions" => {
                    let shell = words.next().unwrap_or_default();
                    let page = Page::for_shell(&shell.to_string_lossy());
                    page.map(Command::Page).ok_or_else(|| Error::usage("for which shell? bash, zsh or fish"))
                }
                Some(topic) => Ok(Command::Help(Some(command_named(&topic.to_string_lossy())?.name))),
            };
        }
        "version" | "--version" | "-V" => return Ok(Command::Version),
        _ => {}
    }
    let spec = command_named(&first)?;
    let matches = scan(spec, words)?;
    if matches.help {
        return Ok(Command::Help(Some(spec.name)));
    }
    match spec.name {
        "run" => run(&matches).map(Command::Run),
        "compile" if matches.has("--help-target") => {
            Ok(Command::HelpTarget(matches.one("--help-target")?.unwrap_or_default().to_owned()))
        }
        "compile" if matches.has("--list-cpus") => {
            Ok(Command::ListCpus(matches.one("--triple")?.map(str::to_owned)))
        }
        "compile" => compile(&matches).map(Command::Compile),
        "opt" if matches.has("--list") => target_of(&matches).map(Command::ListPasses),
        "opt" if matches.has("--test") => file_tests(&matches).map(Command::FileTests),
        "opt" => opt(&matches).map(Command::Opt),
        "vecz" => vecz(&matches).map(Command::Vecz),
        "explore" => explore(&matches).map(Command::Explore),
        _ => Ok(Command::Info { json: matches.has("--json"), roofline: matches.has("--roofline") }),
    }
}

/// The text of the help, for one command or for the program.
pub fn help(topic: Option<&str>) -> String {
    if let Some(spec) = COMMANDS.iter().find(|spec| Some(spec.name) == topic) {
        return grammar::help_of(spec);
    }
    let mut text = String::from(
        "lanewise compiles OpenCL kernels for this CPU and runs them on all of its cores\n\n\
         usage: lanewise COMMAND …\n\n",
    );
    for spec in COMMANDS {
        text += &format!("  {:8}  {}\n", spec.name, spec.summary);
    }
    text += "  help      This text, that of a command (lanewise help run), the manual page \
        (--man),\n            \
             or completions for a shell (--completions bash, zsh or fish)\n\nexample:\n  ";
    text += COMMANDS[0].example.lines().next().unwrap_or_default();
    text += "\n\nenvironment:\n  \
        LANEWISE_DEVICES=LIST  the devices to use: cpu, threads or both, with a comma between them\n  \
        LANEWISE_THREADS=N    run on N threads instead of one for each CPU\n  \
        LANEWISE_DUMP=DIR     write the IR before and after every pass of any compilation into DIR,\n  \
        \x20                     with the command that makes each file from the one before\n\n\
        exit codes:\n  \
        0  it is done\n  \
        1  what the command names is wrong: a file, a kernel, a value; or a launch failed\n  \
        2  the command line itself is wrong";
    text
}

fn command_named(name: &str) -> Result<&'static CommandSpec> {
    if let Some(spec) = COMMANDS.iter().find(|spec| spec.name == name) {
        return Ok(spec);
    }
    let known = COMMANDS.iter().map(|spec| spec.name).chain(["help", "--help", "--version"]);
    Err(Error::usage(match closest(name, known) {
        Some(other) => format!("there is no command {name}: did you mean {other}?"),
        None => format!("there is no command {name}: `lanewise help` lists those there are"),
    }))
}

fn run(matches: &Matches) -> Result<RunArgs> {
    let file = operand(matches, "a source file: lanewise run FILE.cl -g SIZE …")?;
    let Some(global) = matches.one("--global")? else {
        return Err(Error::usage("how many work-items? Give the global size: -g 1024 or -g 640,480"));
    };
    let global = sizes("--global", global)?;
    refuse_zero("--global", &global)?;
    let local = matches.one("--local")?.map(|text| sizes("--local", text)).transpose()?;
    let offset = matches.one("--offset")?.map(|text| sizes("--offset", text)).transpose()?;
    for (name, sizes) in [("--local", &local), ("--offset", &offset)] {
        let count = sizes.as_ref().map_or(global.len(), Vec::len);
        if count != global.len() {
            let [these, those] = [count, global.len()].map(dimensions);
            return Err(Error::usage(format!("{name} has {these}, but --global has {those}")));
        }
    }
    if let Some(local) = &local {
        refuse_zero("--local", local)?;
    }
    if matches.has("--divergence") && !matches.has("--json") {
        return Err(Error::usage("--divergence is a part of what --json prints: give both"));
    }
    let args = matches.all("--arg")?.into_iter().enumerate();
    let args = args.map(|(i, text)| ArgSpec::parse(i, text)).collect::<Result<Vec<_>>>()?;
    let outputs = matches.all("--out")?.into_iter().map(|text| output(text, args.len()));
    let outputs = outputs.collect::<Result<Vec<_>>>()?;
    Ok(RunArgs {
        file,
        device: matches.one("--device")?.map(str::to_owned),
        kernel: matches.one("--kernel")?.map(str::to_owned),
        global,
        local,
        offset,
        args,
        repeat: repeat(matches, 1)?,
        outputs,
        options: matches.one("--options")?.unwrap_or_default().to_owned(),
        constants: constants(matches)?,
        remarks: matches.has("--remarks"),
        check: matches.one("--check")?.map(str::to_owned),
        time_passes: matches.has("--time-passes"),
        json: matches.has("--json"),
        divergence: matches.has("--divergence"),
    })
}

fn repeat(matches: &Matches, usual: u32) -> Result<u32> {
    match matches.one("--repeat")? {
        None => Ok(usual),
        Some(text) => text.parse().ok().filter(|&n| n > 0).ok_or_else(|| {
            Error::usage(format!("--repeat {text}: this should be a number from 1 to {}", u32::MAX))
        }),
    }
}

fn explore(matches: &Matches) -> Result<ExploreArgs> {
    let file = operand(matches, "a file or a dump: lanewise explore FILE.cl")?;
    let mut lists = ["--global", "--local"].map(|name| {
        let list = matches.one(name)?.map(|text| sizes(name, text)).transpose()?;
        list.as_ref().map_or(Ok(()), |list| refuse_zero(name, list))?;
        Ok(list)
    });
    let [global, local] = lists.each_mut().map(|list| std::mem::replace(list, Ok(None)));
    let args: Vec<String> = matches.all("--arg")?.into_iter().map(str::to_owned).collect();
    for (i, text) in args.iter().enumerate() {
        ArgSpec::parse(i, text)?;
    }
    let mut settings = Settings {
        kernel: matches.one("--kernel")?.map(str::to_owned),
        local: local?,
        cpu: matches.one("--cpu")?.map(str::to_owned),
        ..Settings::default()
    };
    let options = settings.take_options(matches.one("--options")?.unwrap_or_default());
    let compare = matches.one("--compare")?.map(|text| {
        let mut other = settings.clone();
        match other.take_options(text).as_str() {
            "" => Ok(other),
            rest => Err(Error::usage(format!(
                "--compare {rest}: there are --lanes N, -cl-wfv=… and -cl-fast-relaxed-math to compare with"
            ))),
        }
    });
    let port = matches.one("--port")?.unwrap_or("0");
    Ok(ExploreArgs {
        file,
        settings,
        options,
        compare: compare.transpose()?,
        constants: constants(matches)?,
        global: global?,
        args,
        repeat: repeat(matches, 20)?,
        html: matches.path("--html").map(PathBuf::from),
        json: matches.has("--json"),
        port: port
            .parse()
            .map_err(|_| Error::usage(format!("--port {port}: this should be a number up to 65535")))?,
    })
}

fn compile(matches: &Matches) -> Result<CompileArgs> {
    let file = operand(matches, "a file: lanewise compile FILE -o OUT")?;
    let Some(output) = matches.path("--output").map(Place::new) else {
        return Err(Error::usage("where to? Give -o OUT, or -o - for standard output"));
    };
    let emit = match matches.one("--emit")? {
        None => Emit::from_path(output.path()),
        Some(text) => Emit::from_name(text).ok_or_else(|| {
            Error::usage(format!("--emit {text}: this should be one of ll, bc, asm, obj, bin"))
        })?,
    };
    let target = target_args(matches)?;
    if target.name == "native-cpu" && emit == Emit::Bin {
        return Err(Error::usage("--target native-cpu makes objects: give -o OUT.o, or --emit obj"));
    }
    let canonical = match matches.one("--stage")? {
        None | Some("late") => false,
        Some("canonical") if matches!(emit, Emit::Ll | Emit::Bc) => true,
        Some("canonical") => return Err(Error::usage("--stage canonical is for --emit ll and bc")),
        Some(text) => return Err(Error::usage(format!("--stage {text}: this should be canonical or late"))),
    };
    Ok(CompileArgs {
        file,
        output,
        emit,
        canonical,
        target,
        constants: constants(matches)?,
        kernel: matches.one("--kernel")?.map(str::to_owned),
        options: matches.one("--options")?.unwrap_or_default().to_owned(),
        remarks: matches.has("--remarks"),
        time_passes: matches.has("--time-passes"),
    })
}

fn vecz(matches: &Matches) -> Result<VeczArgs> {
    let file = operand(matches, "a file of LLVM IR: lanewise vecz FILE.ll -k KERNEL -w WIDTH")?;
    let width = match matches.one("--width")? {
        None => None,
        Some(text) => match compiler::Width::parse(text) {
            Some(width) if width.lanes <= 64 && (width.scalable || width.lanes > 1) => Some(width),
            _ => {
                let why = "this should be a number from 2 to 64, or nxv1 to nxv64";
                return Err(Error::usage(format!("--width {text}: {why}")));
            }
        },
    };
    Ok(VeczArgs {
        file,
        output: matches.path("--output").map_or(Place::Standard, Place::new),
        kernel: matches.one("--kernel")?.map(str::to_owned),
        width,
        remarks: matches.has("--remarks"),
    })
}

/// The name of the target, which must exist.
fn target_of(matches: &Matches) -> Result<String> {
    let name = matches.one("--target")?.unwrap_or("cpu");
    devices::compiler(name).map_err(|e| Error::usage(format!("--target: {e}")))?;
    Ok(name.to_owned())
}

fn target_args(matches: &Matches) -> Result<TargetArgs> {
    let own = |name: &str| Ok(matches.one(name)?.map(str::to_owned));
    Ok(TargetArgs {
        name: target_of(matches)?,
        triple: own("--triple")?,
        cpu: own("--cpu")?,
        features: own("--features")?,
    })
}

/// The values of specialization constants.
fn constants(matches: &Matches) -> Result<Vec<(u32, String)>> {
    matches.all("--spec")?.into_iter().map(constant).collect()
}

/// `ID=VALUE` of a specialization constant.
fn constant(text: &str) -> Result<(u32, String)> {
    let parts = text.split_once('=').and_then(|(id, value)| Some((id.parse().ok()?, value.to_owned())));
    parts.filter(|(_, value)| !value.is_empty()).ok_or_else(|| {
        Error::usage(format!(
            "--spec {text}: this should be the ID of a constant and its value, such as 3=64"
        ))
    })
}

fn opt(matches: &Matches) -> Result<OptArgs> {
    if matches.has("--bless") {
        return Err(Error::usage("--bless goes with --test"));
    }
    let file = operand(matches, "a file of LLVM IR: lanewise opt --passes PIPELINE FILE.ll")?;
    let Some(passes) = matches.one("--passes")? else {
        return Err(Error::usage("which passes? Give --passes PIPELINE, such as --passes prepare-barriers"));
    };
    Ok(OptArgs {
        file,
        output: matches.path("--output").map_or(Place::Standard, Place::new),
        passes: passes.to_owned(),
        target: target_args(matches)?,
        options: matches.one("--options")?.unwrap_or_default().to_owned(),
        print_after_all: matches.has("--print-after-all"),
        print_after: matches.all("--print-after")?.into_iter().map(str::to_owned).collect(),
        time_passes: matches.has("--time-passes"),
        verify_each: matches.has("--verify-each"),
    })
}

fn file_tests(matches: &Matches) -> Result<FileTestArgs> {
    operand(matches, "filetests, or folders of them: lanewise opt --test FILE.ll …")?;
    if matches.has("--passes") {
        return Err(Error::usage("--test and --passes: a filetest has its pipeline in its `; run:` line"));
    }
    Ok(FileTestArgs {
        paths: matches.operands.iter().map(PathBuf::from).collect(),
        target: target_of(matches)?,
        bless: matches.has("--bless"),
    })
}

impl Emit {
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "ll" => Self::Ll,
            "bc" => Self::Bc,
            "asm" => Self::Asm,
            "obj" => Self::Obj,
            "bin" => Self::Bin,
            _ => return None,
        })
    }

    /// The kind of output for a file of this name: a binary, unless the extension says otherwise.
    fn from_path(path: Option<&Path>) -> Self {
        match path.and_then(Path::extension).and_then(|extension| extension.to_str()) {
            Some("ll") => Self::Ll,
            Some("bc") => Self::Bc,
            Some("s" | "S" | "asm") => Self::Asm,
            Some("o" | "obj") => Self::Obj,
            _ => Self::Bin,
        }
    }
}

fn operand(matches: &Matches, wanted: &str) -> Result<Place> {
    match matches.operands.first() {
        Some(word) => Ok(Place::new(word.clone())),
        None => Err(Error::usage(format!("what to work on? Give {wanted}"))),
    }
}

/// One to three numbers with commas between them.
fn sizes(option: &str, text: &str) -> Result<Vec<usize>> {
    let numbers = text.split(',').map(|word| word.trim().parse().ok()).collect::<Option<Vec<usize>>>();
    match numbers {
        Some(numbers) if numbers.len() > 3 => {
            Err(Error::usage(format!("{option} {text}: there are three dimensions at most")))
        }
        Some(numbers) if numbers.iter().try_fold(1usize, |all, &n| all.checked_mul(n.max(1))).is_none() => {
            Err(Error::usage(format!("{option} {text}: the product does not fit in 64 bits")))
        }
        Some(numbers) => Ok(numbers),
        None => Err(Error::usage(format!(
            "{option} {text}: this should be one to three numbers with commas, such as 640,480"
        ))),
    }
}

fn refuse_zero(option: &str, sizes: &[usize]) -> Result<()> {
    match sizes.iter().position(|&size| size == 0) {
        Some(dimension) => Err(Error::usage(format!("{option}: the size in dimension {dimension} is zero"))),
        None => Ok(()),
    }
}

fn dimensions(n: usize) -> String {
    if n == 1 { "1 dimension".to_owned() } else { format!("{n} dimensions") }
}

fn output(text: &str, arguments: usize) -> Result<Output> {
    let parts = text.split_once('=').and_then(|(index, path)| Some((index.parse::<usize>().ok()?, path)));
    let Some((argument, path)) = parts.filter(|(_, path)| !path.is_empty()) else {
        return Err(Error::usage(format!(
            "--out {text}: this should be an argument's number and a file, such as 0=result.npy"
        )));
    };
    if argument >= arguments {
        return Err(Error::usage(format!(
            "--out {text}: there is no argument {argument} (they are counted from 0, and there are \
                {arguments})"
        )));
    }
    let path = PathBuf::from(path);
    let format = match path.extension().and_then(|extension| extension.to_str()) {
        Some("npy") => OutputFormat::Npy,
        Some("png") => OutputFormat::Png,
        Some("bin") => OutputFormat::Bin,
        _ => {
            return Err(Error::usage(format!(
                "--out {text}: the file's name should end in .npy, .png or .bin"
            )));
        }
    };
    Ok(Output { argument, path, format })
}
