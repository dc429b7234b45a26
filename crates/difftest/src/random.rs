//! Random kernels against their reference.

use crate::Result;
use crate::capture::captured;
use crate::emulation::{self, Case, Platform, Same, first_difference};
use crate::offline::FrontEnd;
use crate::pictures::{image_argument, sampler_argument};
use crate::run::{Program, buffer, contents, run, run_code};
use crate::widths::Width;
use compiler::{NdRange, SpecializationInfo};
use jit::Kernel;
use kernelgen::{Arg, Config, Features, Launch, generate, minimize};
use runtime::{ArgValue, Buffer, Command, Event, PackedArgs, Queue};
use std::fmt;
use std::sync::Arc;

/// How a random kernel is run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub config: Config,
    /// Build options beyond the language version.
    pub options: String,
    /// Whether the source is compiled to SPIR-V by others, with these flags of clang.
    pub offline: Option<(FrontEnd, &'static str)>,
    /// Runs code that was made ahead of time, for any range.
    pub ahead: bool,
    /// Local sizes beyond the program's own.
    pub locals: Vec<[usize; 3]>,
    /// Leave the program's own local size out.
    pub only_locals: bool,
    /// The kernels of a module are enqueued together, each with what another one left in its first
    /// output as its first input.
    pub queue: Option<QueueKind>,
}

/// The queue that kernels depend on each other in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueKind {
    InOrder,
    /// Two chains of kernels, each kernel after the event of the one before.
    OutOfOrder,
}

/// Local sizes that divide nothing, and some that do.
const LOCALS: [[usize; 3]; 7] =
    [[1, 1, 1], [3, 1, 1], [16, 1, 1], [17, 1, 1], [64, 1, 1], [100, 1, 1], [4, 3, 2]];

impl Plan {
    /// The share of a seed: seeds that follow each other are run at all widths, and with all local
    /// sizes at each of them.
    pub fn share(seed: u64) -> Plan {
        let widths = Width::ALL.len() as u64;
        let width = Width::ALL[(seed % widths) as usize];
        let local = (seed / widths) as usize % (LOCALS.len() + 1);
        Plan {
            options: width.options(),
            locals: LOCALS.get(local).copied().into_iter().collect(),
            only_locals: local < LOCALS.len(),
            ..Plan::default()
        }
    }

    /// The plan of a module of many small kernels, whose number says how it is compiled: modules
    /// that follow each other are compiled for all widths, and each time in another way.
    pub fn module(number: u64) -> Plan {
        let widths = Width::ALL.len() as u64;
        let width = Width::ALL[(number % widths) as usize].options();
        let way = number / widths % 64;
        // LLVM's own optimisation and code generation are most of the time of a kernel: four ways
        // have all of it, the others most of it left out. Code with checks takes six times as long
        // to make.
        let more = match way {
            0 | 32 => "",
            1 => "-cl-vec=all",
            2 => "-cl-uniform-work-group-size",
            3 | 19 | 35 => "-cl-opt-disable",
            4 => "-cl-opt-disable -cl-lanewise-check",
            // Images and texts are checked, too.
            5 | 27 | 30 => "--quick-code -cl-lanewise-check",
            21 => "--quick-code -cl-lanewise-check=arithmetic",
            6 => "--quick-code -g",
            7 | 39 => "--quick-code --early-vectorization -cl-vec=slp",
            8 | 40 if width.contains("--lanes") => "--quick-code --linear-lanes",
            9 | 41 => "--quick-code --whole-vectors",
            _ => "--quick-code",
        };
        let plan =
            Plan { options: format!("{width} {more}"), ahead: matches!(way, 12 | 44), ..Plan::default() };
        match way {
            10 | 42 => Plan { queue: Some(QueueKind::InOrder), ..plan },
            26 | 58 => Plan { queue: Some(QueueKind::OutOfOrder), ..plan },
            11 | 27 | 43 => {
                let features = Features { printf: true, ..Features::default() };
                Plan { config: Config { features, ..Config::default() }, ..plan }
            }
            13 | 45 => {
                let flags = ["-O0", "-O1", "-O2"][(number % 3) as usize];
                Plan { offline: Some((FrontEnd::DEFAULT, flags)), ..plan }
            }
            14 | 30 | 46 => Plan { config: Plan::share_of_images(0).config, ..plan },
            _ => plan,
        }
    }

    /// The same with images: code is made for their formats and for the samplers. Without
    /// sub-groups, whose size may be another one in code that knows the formats.
    pub fn share_of_images(seed: u64) -> Plan {
        let features = Features { images: true, sub_groups: false, ..Features::default() };
        Plan { config: Config { features, ..Config::default() }, ..Plan::share(seed) }
    }
}

/// What went wrong with a program.
pub struct Difference {
    pub program: kernelgen::Program,
    pub launch: Launch,
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}, {:?}: {}", self.program.seed, self.launch, self.what)
    }
}

/// Generates the program of a seed and runs it for all launches of the plan.
pub fn check(seed: u64, plan: &Plan) -> std::result::Result<(), Box<Difference>> {
    let program = generate(seed, &plan.config);
    let mut launches = if plan.only_locals { vec![] } else { vec![program.launch] };
    launches.extend(plan.locals.iter().map(|&local| program.with_local(local)));
    compare(&program, &launches, plan)
}

/// Runs the programs of seeds as kernels of one module, each with its own local size or with one
/// other.
pub fn check_module(seeds: std::ops::Range<u64>, plan: &Plan) -> std::result::Result<(), Box<Difference>> {
    let features = &plan.config.features;
    let generated = |seed| generate(seed, &Config { features: features.clone(), ..Config::for_many(seed) });
    let programs: Vec<kernelgen::Program> = seeds.map(generated).collect();
    let launch_of = |program: &kernelgen::Program| {
        let uneven = !plan.options.contains("-cl-uniform-work-group-size");
        let other = LOCALS.get(program.seed as usize / 8 % (2 * LOCALS.len()));
        other.filter(|_| uneven).map_or(program.launch, |&local| program.with_local(local))
    };
    let (source, names) = kernelgen::Program::join(&programs);
    let built = Built::new(&source, plan).map_err(|e| e.to_string());
    if let (Some(kind), Ok(built)) = (plan.queue, &built) {
        let launches = programs.iter().map(launch_of).collect::<Vec<_>>();
        return check_queue(kind, built, &programs, &names, &launches, plan);
    }
    for (program, name) in programs.iter().zip(&names) {
        let launch = launch_of(program);
        let result = match &built {
            Ok(built) => built.compare(name, program, &launch),
            Err(log) => Err((launch, log.clone())),
        };
        if let Err((launch, what)) = result {
            // The program alone is the smaller one to look at.
            compare(program, &[launch], plan)?;
            if built.is_ok() {
                let what = format!("only in a module with {} others: {what}", programs.len() - 1);
                return Err(Box::new(Difference { program: program.clone(), launch, what }));
            }
        }
    }
    match built {
        Ok(_) => Ok(()),
        Err(log) => {
            let (program, launch) = (programs[0].clone(), programs[0].launch);
            Err(Box::new(Difference { program, launch, what: format!("only with others: {log}") }))
        }
    }
}

/// Enqueues the kernels of a module without waiting in between, and compares what all of them left
/// behind.
fn check_queue(
    kind: QueueKind,
    built: &Built<'_>,
    programs: &[kernelgen::Program],
    names: &[String],
    launches: &[Launch],
    plan: &Plan,
) -> std::result::Result<(), Box<Difference>> {
    let (queue, chains) = match kind {
        QueueKind::InOrder => (Queue::in_order(), 1),
        QueueKind::OutOfOrder => (Queue::out_of_order(), 2),
    };
    struct Enqueued {
        program: kernelgen::Program,
        launch: Launch,
        /// None if the launch was refused.
        buffers: Result<Vec<Arc<Buffer>>>,
        event: Option<Event>,
        expected: Vec<Vec<u8>>,
    }
    /// The first output: its place among the buffers, and its first contents.
    fn output(program: &kernelgen::Program, launch: &Launch) -> (usize, Vec<u8>) {
        let args = program.args_for(launch);
        let mut buffers = args.into_iter().filter_map(|arg| match arg {
            Arg::Buffer { init, output, .. } => Some((output, init)),
            _ => None,
        });
        let found = buffers.by_ref().enumerate().find(|(_, (output, _))| *output);
        found.map(|(i, (_, init))| (i, init)).expect("every program has an output")
    }
    let mut enqueued: Vec<Enqueued> = Vec::new();
    for (i, program) in programs.iter().enumerate() {
        let before = i.checked_sub(chains).map(|i| &enqueued[i]);
        let mut launch = launches[i];
        let program = before.map_or_else(
            || program.clone(),
            |before| program.with_input(&before.expected[output(&before.program, &before.launch).0]),
        );
        let mut enqueue = || -> Result<_> {
            let code = built.kernel(&names[i])?.wait_for_code(&range_of(&launch))?;
            launch.sub_group = code.facts().sub_group_size(range_of(&launch).work_group_items());
            let shared = match before {
                Some(Enqueued { buffers: Ok(buffers), program, launch, .. }) => {
                    Some(buffers[output(program, launch).0].clone())
                }
                _ => None,
            };
            let next = programs.get(i + chains).map(|next| next.args_for(&launches[i + chains]));
            let (place, _) = output(&program, &launch);
            let mut buffers = Vec::new();
            let args = program.args_for(&launch).into_iter().map(|arg| {
                Ok(match arg {
                    Arg::Buffer { init, .. } => {
                        let memory = match (&shared, buffers.len()) {
                            (Some(shared), 0) => shared.clone(),
                            (_, n) if n == place => {
                                // With room for the input that this output becomes.
                                let input = next.iter().flatten().find_map(|arg| match arg {
                                    Arg::Buffer { init, .. } => Some(init),
                                    _ => None,
                                });
                                let rest = input.and_then(|input| input.get(init.len()..)).unwrap_or(&[]);
                                buffer(&[&init, rest].concat())?
                            }
                            _ => buffer(&init)?,
                        };
                        buffers.push(memory.clone());
                        ArgValue::Buffer(memory, 0)
                    }
                    Arg::Local { bytes } => ArgValue::Local(bytes),
                    Arg::Scalar { bytes, .. } => ArgValue::Bytes(bytes),
                    Arg::Image { .. } | Arg::Sampler(_) => return Err("images in a queue".into()),
                })
            });
            let args = args.collect::<Result<Vec<_>>>()?;
            let packed = PackedArgs::pack(code.facts(), &args)?;
            let command = Command::launch(runtime::Launch::new(code, range_of(&launch), packed)?);
            let wait: Vec<Event> = match kind {
                QueueKind::InOrder => vec![],
                QueueKind::OutOfOrder => before.and_then(|before| before.event.clone()).into_iter().collect(),
            };
            Ok((buffers, queue.enqueue(command, &wait)?))
        };
        let (buffers, event) = match enqueue() {
            Ok((buffers, event)) => (Ok(buffers), Some(event)),
            Err(e) => (Err(e), None),
        };
        let expected = program.reference(&launch);
        enqueued.push(Enqueued { program, launch, buffers, event, expected });
    }
    for Enqueued { program, launch, buffers, event, expected } in enqueued {
        let difference = || -> Result<Option<String>> {
            if let Some(event) = event {
                event.wait()?;
            }
            let contents_of = |(buffer, expected): (&Arc<Buffer>, &Vec<u8>)| {
                let mut bytes = contents(buffer)?;
                bytes.truncate(expected.len());
                Ok(bytes)
            };
            let actual = buffers?.iter().zip(&expected).map(contents_of).collect::<Result<Vec<_>>>()?;
            Ok(first_difference(&expected, &actual, Same::Bytes))
        };
        if let Some(what) = difference().unwrap_or_else(|e| Some(e.to_string())) {
            compare(&program, &[launch], plan)?;
            let what = format!("only in a queue ({kind:?}) with others: {what}");
            return Err(Box::new(Difference { program, launch, what }));
        }
    }
    Ok(())
}

fn compare(
    program: &kernelgen::Program,
    launches: &[Launch],
    plan: &Plan,
) -> std::result::Result<(), Box<Difference>> {
    let differ =
        |launch: Launch, what: String| Box::new(Difference { program: program.clone(), launch, what });
    let built = Built::new(&program.source, plan).map_err(|e| differ(launches[0], e.to_string()))?;
    for launch in launches {
        built.compare(&program.kernel, program, launch).map_err(|(launch, what)| differ(launch, what))?;
    }
    Ok(())
}

/// A built module of random kernels.
struct Built<'a> {
    program: Program,
    plan: &'a Plan,
    /// The kernels that were made for any range.
    ahead: Option<Vec<Arc<Kernel>>>,
}

impl<'a> Built<'a> {
    fn new(source: &str, plan: &'a Plan) -> Result<Built<'a>> {
        let options = format!("-cl-std=CL3.0 {}", plan.options);
        let none = SpecializationInfo::default();
        let spirv = plan.offline.map(|(front_end, flags)| front_end.translate(source, &[flags], &[]));
        let program = match spirv.transpose()? {
            Some(Ok(code)) => Program::from_spirv(&code, &options, &none),
            // Also what the translator refuses.
            _ => Program::build(source, &options),
        };
        let program = program.map_err(|log| format!("build failed: {log}"))?;
        let ahead = if plan.ahead { Some(program.binary()?) } else { None };
        Ok(Built { program, plan, ahead })
    }

    fn kernel(&self, name: &str) -> Result<Arc<Kernel>> {
        let kernel = match &self.ahead {
            Some(kernels) => kernels.iter().find(|kernel| kernel.name() == name).cloned(),
            None => self.program.kernel(name),
        };
        Ok(kernel.ok_or_else(|| format!("there is no kernel {name}"))?)
    }

    /// Runs a kernel; the error is the launch, with its size of sub-groups, and what is wrong.
    fn compare(
        &self,
        kernel: &str,
        program: &kernelgen::Program,
        launch: &Launch,
    ) -> std::result::Result<(), (Launch, String)> {
        let mut launch = *launch;
        match self.difference(kernel, program, &mut launch) {
            Ok(None) => Ok(()),
            Ok(Some(what)) => Err((launch, what)),
            Err(e) => Err((launch, e.to_string())),
        }
    }

    fn difference(
        &self,
        kernel: &str,
        program: &kernelgen::Program,
        launch: &mut Launch,
    ) -> Result<Option<String>> {
        let kernel = self.kernel(kernel)?;
        let range = range_of(launch);
        // How many work-items a sub-group has is the compiler's to choose. Code that knows formats
        // of images is chosen by the arguments: such programs have no sub-groups.
        let has_images = self.plan.config.features.images && self.ahead.is_none();
        let code = if has_images { None } else { Some(kernel.wait_for_code(&range)?) };
        if let Some(code) = &code {
            launch.sub_group = code.facts().sub_group_size(range.work_group_items());
        }
        let run = |range, args: &[ArgValue]| match &code {
            Some(code) => run_code(code, range, args),
            None => run_code(&kernel.choose(&range, args)?.executable, range, args),
        };
        let expected = program.reference(launch);
        let actual = match program.prints() {
            false => execute(&run, program, launch)?,
            true => {
                let (actual, text) = captured(|| execute(&run, program, launch))?;
                let mut actual = actual?;
                let mut lines: Vec<&str> = text.lines().collect();
                lines.sort();
                actual.push(lines.join("\n").into_bytes());
                actual
            }
        };
        Ok(first_difference(&expected, &actual, Same::Bytes))
    }
}

fn range_of(launch: &Launch) -> NdRange {
    NdRange {
        work_dim: launch.work_dim,
        global_size: launch.global,
        global_offset: launch.offset,
        local_size: launch.local,
    }
}

type Run<'a> = dyn Fn(NdRange, &[ArgValue]) -> Result<()> + 'a;

fn execute(run: &Run<'_>, program: &kernelgen::Program, launch: &Launch) -> Result<Vec<Vec<u8>>> {
    let (mut buffers, mut images) = (Vec::new(), Vec::new());
    let mut args = Vec::new();
    for arg in program.args_for(launch) {
        args.push(match arg {
            Arg::Buffer { init, .. } => {
                let memory = buffer(&init)?;
                buffers.push(memory.clone());
                ArgValue::Buffer(memory, 0)
            }
            Arg::Image { picture, .. } => {
                let (argument, image) = image_argument(&picture)?;
                images.push(image);
                argument
            }
            Arg::Sampler(sampler) => sampler_argument(sampler)?,
            Arg::Local { bytes } => ArgValue::Local(bytes),
            Arg::Scalar { bytes, .. } => ArgValue::Bytes(bytes),
        });
    }
    run(range_of(launch), &args)?;
    buffers.iter().chain(images.iter().map(|image| &image.buffer)).map(|b| contents(b)).collect()
}

/// Runs a kernel once over the buffers of its program.
pub(crate) fn launch_once(kernel: &Kernel, program: &kernelgen::Program, launch: &Launch) -> Result<()> {
    execute(&|range, args: &[ArgValue]| run(kernel, range, args), program, launch).map(|_| ())
}

/// Minimizes a failing program, and reports it with its launch and the difference.
pub fn report(difference: &Difference, plan: &Plan) -> String {
    let failing = difference.program.relaunched(&difference.launch);
    let small = minimize(&failing, &mut |candidate| compare(candidate, &[candidate.launch], plan).is_err());
    let again = compare(&small, &[small.launch], plan).err();
    let what = again.map_or_else(|| difference.what.clone(), |d| d.what);
    format!("{difference}\nCut down to (launch {:?}): {what}\n{}", small.launch, small.source)
}

/// What random kernels did under emulation.
#[derive(Debug, Default)]
pub struct Totals {
    pub kernels: usize,
    /// Kernels with scalable vectors.
    pub scalable: usize,
    pub launches: usize,
    pub wrong: Vec<String>,
}

/// Runs random kernels as Native CPU objects on a platform, on all of its emulated CPUs, each with
/// its own local size and one other. For `small`, see [`emulation::Batch`].
pub fn check_emulated(
    seeds: std::ops::Range<u64>,
    platform: &'static Platform,
    small: bool,
) -> Result<Totals> {
    let programs: Vec<kernelgen::Program> = seeds.map(|seed| generate(seed, &Config::default())).collect();
    let kernel = |program: &kernelgen::Program| emulation::Kernel {
        source: emulation::Source::OpenClC(program.source.clone()),
        name: program.kernel.clone(),
        options: format!(
            "-cl-std=CL3.0 {}",
            if program.seed.is_multiple_of(2) { "-cl-wfv=always" } else { "" }
        ),
        fuses: false,
    };
    let batch = emulation::Batch { kernels: programs.iter().map(kernel).collect(), small };
    let linked = batch.link(platform)?;
    let scalable = linked.widths.iter().flatten().filter(|width| width.scalable).count();
    let mut totals = Totals { kernels: programs.len(), scalable, ..Totals::default() };
    // The reference is the same at all lengths, but for the size of sub-groups.
    let mut references: Vec<(usize, Launch, Vec<Vec<u8>>)> = Vec::new();
    for on in platform.runs {
        let (mut cases, mut launches) = (Vec::new(), Vec::new());
        for (n, program) in programs.iter().enumerate() {
            let width = match linked.width(n, on) {
                Ok(width) => width,
                Err(e) => {
                    totals.wrong.push(format!("{}: seed {}: {e}", platform.name, program.seed));
                    continue;
                }
            };
            let other = LOCALS[program.seed as usize % LOCALS.len()];
            for mut launch in [program.launch, program.with_local(other)] {
                launch.sub_group = width.min(launch.local.iter().product());
                let known = references.iter().find(|(of, with, _)| *of == n && *with == launch);
                let expected = match known {
                    Some((.., expected)) => expected.clone(),
                    None => {
                        references.push((n, launch, program.reference(&launch)));
                        references[references.len() - 1].2.clone()
                    }
                };
                cases.push(Case { launch: emulated(program, n, &launch), expected });
                launches.push((n, launch));
            }
        }
        totals.launches += cases.len();
        totals.wrong.extend(linked.differences(on, &cases, Same::Bytes).into_iter().map(|(case, what)| {
            let (n, launch) = launches[case];
            let (seed, source) = (programs[n].seed, &programs[n].source);
            let on = format!("{}, {} bits ({})", platform.name, on.bits, on.cpu);
            format!("{on}: seed {seed}, {launch:?}: {what}\n{source}")
        }));
    }
    Ok(totals)
}

fn emulated(program: &kernelgen::Program, kernel: usize, launch: &Launch) -> emulation::Launch {
    let arg = |arg| match arg {
        Arg::Buffer { init, .. } => emulation::Arg::Buffer(init),
        Arg::Local { bytes } => emulation::Arg::Local(bytes),
        Arg::Scalar { bytes, .. } => emulation::Arg::Bytes(bytes),
        Arg::Image { .. } | Arg::Sampler(_) => unreachable!("the programs have no images"),
    };
    emulation::Launch {
        kernel,
        work_dim: launch.work_dim,
        global: launch.global,
        offset: launch.offset,
        local: launch.local,
        args: program.args_for(launch).into_iter().map(arg).collect(),
    }
}
