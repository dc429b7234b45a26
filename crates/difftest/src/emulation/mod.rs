//! Native CPU objects under emulation: kernels compiled for other CPUs, linked with a small runner
//! and run by QEMU, at several lengths of vectors.
//!
//! A [`Batch`] is compiled once for a [`Platform`], linked into one program, and run once for each
//! of the platform's CPUs. The runner checks that vectors have the length that was asked for, and
//! that kernels write to nothing beside their buffers.

mod platform;
pub mod record;

pub use platform::{Emulated, PLATFORMS, Platform};

use crate::offline::Folder;
use crate::{Error, Result};
use compiler::{Info, Machine, Module, NdRange, Output, Profile, SpecializationInfo, SpirvDeviceInfo, Width};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const RUNNER: &str = include_str!("runner.c");
/// C: `vector_bits()`, the length of vectors that a program has.
pub const VECTOR_BITS: &str = include_str!("vector_bits.c");

const COUNT: &str = include_str!("count.c");

/// The source of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    OpenClC(String),
    Ir(Vec<u8>),
    Spirv(Vec<u32>, SpecializationInfo),
}

/// A kernel of a batch: its program is compiled by itself.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub source: Source,
    pub name: String,
    /// Build options, with the language version.
    pub options: String,
    /// It has `a * b + c` that CPUs with FMA round once.
    pub fuses: bool,
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    Buffer(Vec<u8>),
    Local(usize),
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug)]
pub struct Launch {
    /// The index of the kernel in its batch.
    pub kernel: usize,
    pub work_dim: u32,
    pub global: [usize; 3],
    pub offset: [usize; 3],
    pub local: [usize; 3],
    pub args: Vec<Arg>,
}

/// A launch, and what its buffers hold afterwards.
#[derive(Clone, Debug)]
pub struct Case {
    pub launch: Launch,
    pub expected: Vec<Vec<u8>>,
}

/// Kernels that are linked into one program.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub kernels: Vec<Kernel>,
    /// Objects have no code for ranges with IDs from 2^27 on, which takes as long to compile.
    pub small: bool,
}

/// A batch that was compiled and linked for a platform.
pub struct Linked {
    platform: &'static Platform,
    folder: Folder,
    /// How many work-items each kernel runs at once, or why it has no code.
    pub widths: Vec<std::result::Result<Width, String>>,
}

/// The compiler of Native CPU objects for a platform.
pub fn compiler(platform: &Platform) -> Result<&'static dyn Info> {
    let features = Some(platform.features).filter(|f| !f.is_empty());
    let machine = Machine::named(Some(platform.triple), platform.cpu, features)?;
    Ok(devices::compiler("native-cpu")?.for_machine(&machine)?)
}

fn built(platform: &Platform, kernel: &Kernel) -> Result<Module> {
    let mut module = compiler(platform)?.target(None)?.create_module()?;
    let mut build = || {
        module.set_options(&kernel.options)?;
        match &kernel.source {
            Source::OpenClC(text) => module.compile_opencl_c(Profile::Full, "test.cl", text, &[])?,
            Source::Ir(ir) => module.load_ir("test.ll", ir)?,
            Source::Spirv(words, constants) => {
                module.compile_spirv(words, &SpirvDeviceInfo::default(), Some(constants))?;
            }
        }
        module.finalize().map(|_| ())
    };
    match build() {
        Ok(()) => Ok(module),
        Err(e) => Err(format!("{e}\n{}", module.build_log()).into()),
    }
}

/// Writes the object of kernel number `n`. Its symbols are `kernel_N` and `scratch_N`, and no
/// others: kernels of several programs may have the same name.
fn write_object(platform: &Platform, kernel: &Kernel, small: bool, n: usize, to: &Path) -> Result<Width> {
    let module = built(platform, kernel)?;
    let mut lowered = match small {
        true => module.lower_for_small_ranges(Some(&kernel.name))?,
        false => module.lower(Some(&kernel.name))?,
    };
    let width = lowered.work_width(&kernel.name);
    for f in lowered.module.functions().into_iter().filter(|f| !f.is_declaration() && !f.is_internal()) {
        let scratch = f.name() == format!("{}_scratch_bytes", kernel.name);
        f.set_name(&if scratch { format!("scratch_{n}") } else { format!("kernel_{n}") });
    }
    // LLVM's assembler for RISC-V takes no calls of names in quotes.
    for f in lowered.module.functions().into_iter().filter(|f| platform.patched && f.is_internal()) {
        f.set_name(&f.name().replace('-', "_"));
    }
    for variable in lowered.module.globals().into_iter().filter(|v| v.initializer().is_some()) {
        variable.set_internal();
    }
    if !platform.patched {
        std::fs::write(to, lowered.generate(Output::Object)?)?;
        return Ok(width);
    }
    let text = String::from_utf8(lowered.generate(Output::Assembly)?)?;
    let assembly = to.with_extension("s");
    std::fs::write(&assembly, patch(&text))?;
    let target = format!("--target={}", platform.triple);
    done(Command::new("clang-19").args([&target, "-march=rv64gcv", "-c", "-o"]).args([to, &assembly]))?;
    Ok(width)
}

/// Debian's emulator (QEMU 7.2) fails an assertion on a vector conversion that rounds towards zero,
/// unless the instructions before it have set the dynamic rounding mode: a conversion to the zero
/// register does, and changes nothing. The alignment keeps both on one page.
fn patch(assembly: &str) -> String {
    let mut patched = String::with_capacity(assembly.len());
    for line in assembly.lines() {
        let is = |name: &str| line.trim_start().starts_with(name);
        if ["vfcvt.rtz.", "vfncvt.rtz.", "vfwcvt.rtz.", "vfncvt.rod."].into_iter().any(is) {
            patched += "\t.p2align 3\n\tfcvt.w.s zero, ft0, dyn\n";
        }
        patched += line;
        patched.push('\n');
    }
    patched
}

impl Launch {
    pub fn range(&self) -> NdRange {
        NdRange {
            work_dim: self.work_dim,
            global_size: self.global,
            global_offset: self.offset,
            local_size: self.local,
        }
    }
}

impl Kernel {
    /// Whether results are the same on the platform, and its compiler has all of the kernel's build
    /// options: some are this CPU's.
    pub fn is_for(&self, platform: &Platform) -> Result<bool> {
        Ok((!self.fuses || platform.has_fma()) && compiler(platform)?.parse_options(&self.options).is_ok())
    }

    /// Why the kernel has no scalable form on a platform: what the vectorizer remarks.
    pub fn why_fixed(&self, platform: &Platform) -> Result<String> {
        let remarks = built(platform, self)?.remarks(Some(&self.name), None)?;
        let why = remarks.iter().map(|remark| remark.text.as_str()).filter(|text| text.contains("not vec"));
        Ok(why.collect::<Vec<_>>().join("; "))
    }
}

impl Batch {
    /// Compiles the kernels on all cores, and links them. A kernel that cannot be compiled is left
    /// out.
    pub fn link(&self, platform: &'static Platform) -> Result<Linked> {
        let folder = Folder::new()?;
        let next = AtomicUsize::new(0);
        let widths = Mutex::new(vec![Err("not compiled".to_owned()); self.kernels.len()]);
        let compile = || -> Result<()> {
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let Some(kernel) = self.kernels.get(n) else { return Ok(()) };
                let path = folder.0.join(format!("{n}.o"));
                let made = write_object(platform, kernel, self.small, n, &path).map_err(|e| e.to_string());
                widths.lock().expect("no thread panics")[n] = made;
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..std::thread::available_parallelism().map_or(1, usize::from))
                .map(|_| scope.spawn(compile))
                .collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
        })?;
        let widths = widths.into_inner().expect("no thread panics");
        let linked = Linked { platform, folder, widths };
        linked.link_runner()?;
        Ok(linked)
    }
}

fn done(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output =
        command.output().map_err(|e| format!("{program}: {e}; `make setup` installs it for tests"))?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(format!("{program}: {}: {log}", output.status).into()) }
}

impl Linked {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }

    fn link_runner(&self) -> Result<()> {
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../native_cpu/include");
        let mut table = "#include <lanewise_native_cpu.h>\n".to_owned();
        let mut entries = String::new();
        let mut objects = Vec::new();
        for (n, width) in self.widths.iter().enumerate() {
            if width.is_err() {
                entries += "  {0, 0},\n";
                continue;
            }
            table += &format!("void kernel_{n}(void *const *, lanewise_native_cpu_state *);\n");
            table += &format!("size_t scratch_{n}(size_t);\n");
            entries += &format!("  {{kernel_{n}, scratch_{n}}},\n");
            objects.push(self.path(&format!("{n}.o")));
        }
        table +=
            "const struct { lanewise_native_cpu_kernel run; size_t (*scratch)(size_t); } kernels[] = {\n";
        table += &(entries + "  {0, 0}};\n");
        std::fs::write(self.path("kernels.c"), table)?;
        std::fs::write(self.path("runner.c"), format!("{VECTOR_BITS}{RUNNER}"))?;
        let mut command = Command::new(self.platform.cc[0]);
        command.args(&self.platform.cc[1..]).args(["-std=c11", "-O1", "-static", "-I"]).arg(include);
        command.args([self.path("runner.c"), self.path("kernels.c")]).args(objects);
        // Without debug information: Debian's linker for RISC-V crashes on a relocation of LLVM's.
        done(command.args(["-Wl,-S", "-lm", "-o"]).arg(self.path("runner")))
    }

    /// How many kernels are of each width, for those who run many of them.
    pub fn summary(&self) -> String {
        let mut widths: Vec<String> = self
            .widths
            .iter()
            .map(|width| width.as_ref().map_or("none".to_owned(), |width| width.to_string()))
            .collect();
        widths.sort();
        let counts =
            widths.chunk_by(|a, b| a == b).map(|same| format!("{} of width {}", same.len(), same[0]));
        counts.collect::<Vec<_>>().join(", ")
    }

    /// The number of work-items that a kernel runs at once on an emulated CPU.
    pub fn width(&self, kernel: usize, on: &Emulated) -> Result<usize> {
        let width = self.widths[kernel].as_ref().map_err(String::as_str)?;
        let vscale = on.bits.checked_div(self.platform.vscale_bits).unwrap_or(1);
        Ok((width.lanes * if width.scalable { vscale } else { 1 }) as usize)
    }

    /// The command that runs the launches of the file `input`, with options of the emulator.
    fn command(&self, on: &Emulated, options: &[&str]) -> Command {
        let mut command = match self.platform.emulator {
            None => Command::new(self.path("runner")),
            Some(emulator) => {
                let mut command = Command::new("timeout");
                command.args(["600", emulator, "-cpu", on.cpu]).args(options).arg(self.path("runner"));
                command
            }
        };
        command.args([self.path("input"), self.path("output")]).arg(on.bits.to_string());
        command
    }

    /// The number of instructions that a program executes to run a launch, from its start to
    /// its end.
    pub fn count_instructions(&self, on: &Emulated, launch: &Launch) -> Result<u64> {
        std::fs::write(self.path("input"), encode(&[launch]))?;
        let (plugin, counted) = (self.path("count.so"), self.path("count"));
        if !plugin.exists() {
            std::fs::write(self.path("count.c"), COUNT)?;
            let options = ["-std=c11", "-O2", "-shared", "-fPIC", "-o"];
            done(Command::new("cc").args(options).args([&plugin, &self.path("count.c")]))?;
        }
        let plugin = format!("{},FILE={}", plugin.display(), counted.display());
        done(&mut self.command(on, &["-plugin", &plugin]))?;
        Ok(std::fs::read_to_string(counted)?.trim().parse()?)
    }

    /// Runs cases, and says of each that fails what is wrong. A kernel that ends the program is
    /// left out of what follows.
    pub fn differences(&self, on: &Emulated, cases: &[Case], same: Same) -> Vec<(usize, String)> {
        let mut wrong: Vec<(usize, String)> = Vec::new();
        let mut left: Vec<usize> = (0..cases.len()).collect();
        while !left.is_empty() {
            let launches: Vec<&Launch> = left.iter().map(|n| &cases[*n].launch).collect();
            let (results, died) = self.run(on, &launches);
            for (n, actual) in left.iter().zip(&results) {
                let expected = &cases[*n].expected;
                wrong.extend(first_difference(expected, actual, same).map(|what| (*n, what)));
            }
            let Some(e) = died else { break };
            let (at, kernel) = (left[results.len()], launches[results.len()].kernel);
            wrong.push((at, e.to_string()));
            left.drain(..results.len());
            left.retain(|n| cases[*n].launch.kernel != kernel);
        }
        wrong
    }

    /// Runs launches in their order. Gives what the buffers of each hold afterwards, and why the
    /// launch after these has no result.
    fn run(&self, on: &Emulated, launches: &[&Launch]) -> (Vec<Vec<Vec<u8>>>, Option<Error>) {
        let mut results = Vec::new();
        let why = self.try_run(on, launches, &mut results).err();
        (results, why)
    }

    fn try_run(&self, on: &Emulated, launches: &[&Launch], results: &mut Vec<Vec<Vec<u8>>>) -> Result<()> {
        std::fs::write(self.path("input"), encode(launches))?;
        let mut ended = done(&mut self.command(on, &[]));
        let output = std::fs::read(self.path("output")).unwrap_or_default();
        let mut rest = &output[..];
        for launch in launches {
            let Some((good, after)) = rest.split_first_chunk() else {
                std::mem::replace(&mut ended, Ok(()))?;
                return Err("it gave no result".into());
            };
            if u64::from_le_bytes(*good) != 1 {
                return Err("it wrote to memory beside its buffers".into());
            }
            rest = after;
            let mut buffers = Vec::new();
            for arg in &launch.args {
                if let Arg::Buffer(init) = arg {
                    let (bytes, after) =
                        rest.split_at_checked(init.len()).ok_or("its results are cut off")?;
                    buffers.push(bytes.to_vec());
                    rest = after;
                }
            }
            results.push(buffers);
        }
        Ok(())
    }
}

/// Which buffers are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// All bytes are.
    Bytes,
    /// All bytes are, but for those of NaNs: CPUs differ in their signs and payloads.
    NaNs,
}

/// Where buffers differ first from what they should hold.
pub(crate) fn first_difference(expected: &[Vec<u8>], actual: &[Vec<u8>], same: Same) -> Option<String> {
    for (i, (e, a)) in expected.iter().zip(actual).enumerate() {
        let differs = |at: &usize| e[*at] != a[*at] && (same == Same::Bytes || !are_nans(e, a, *at));
        if let Some(at) = (0..e.len().min(a.len())).find(differs) {
            return Some(format!(
                "buffer {i} differs at byte {at}: expected {:02x}, got {:02x}",
                e[at], a[at]
            ));
        }
    }
    None
}

/// Whether a byte belongs to a NaN in both buffers, of any size.
fn are_nans(e: &[u8], a: &[u8], at: usize) -> bool {
    // The bits of an infinity without its sign.
    [(2, 0x7c00), (4, 0x7f80_0000), (8, 0x7ff0_0000_0000_0000u64)].into_iter().any(|(size, infinity)| {
        let start = at / size * size;
        let is_nan = |bytes: &[u8]| {
            let number = bytes.get(start..start + size).unwrap_or_default();
            let bits = number.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
            bits & (u64::MAX >> (65 - 8 * size)) > infinity
        };
        is_nan(e) && is_nan(a)
    })
}

/// The runner's input: see `runner.c`.
fn encode(launches: &[&Launch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let number = |bytes: &mut Vec<u8>, n: usize| bytes.extend((n as u64).to_le_bytes());
    number(&mut bytes, launches.len());
    for launch in launches {
        number(&mut bytes, launch.kernel);
        number(&mut bytes, launch.work_dim as usize);
        for n in launch.global.into_iter().chain(launch.offset).chain(launch.local) {
            number(&mut bytes, n);
        }
        number(&mut bytes, launch.args.len());
        for arg in &launch.args {
            let (kind, size, content): (_, _, &[u8]) = match arg {
                Arg::Buffer(init) => (0, init.len(), init),
                Arg::Local(size) => (1, *size, &[]),
                Arg::Bytes(value) => (2, value.len(), value),
            };
            number(&mut bytes, kind);
            number(&mut bytes, size);
            bytes.extend(content);
        }
    }
    bytes
}
