//! `lanewise run`: builds a kernel, runs it, and shows its results.

use std::sync::Arc;
use std::time::{Duration, Instant};

use compiler::NdRange;
use ir::attributes::GroupShape;
use ir::check::Checks;
use jit::{ChosenCode, Jit, Kernel};
use runtime::{Buffer, Command, Device, Image, ImageShape, Launch, PackedArgs, Queue, QueueOptions};

use crate::args::{Output, OutputFormat, RunArgs};
use crate::argspec::{self, ArgSpec, ArgValue};
use crate::digest::digest_hex;
use crate::divergence::{self, Branch};
use crate::element::{ElementType, Param};
use crate::error::{Error, Result};
use crate::image;
use crate::imagespec::{self, Pixels};
use crate::json::Json;
use crate::npy;
use crate::program::{Program, with_remarks};
use crate::progress::Progress;
use crate::show;

/// How many elements of an output are shown.
const SHOWN: usize = 8;

pub fn run(args: &RunArgs) -> Result<()> {
    let mut json_output = args.json.then(show::take_stdout).transpose()?;
    let device = match &args.device {
        Some(name) => devices::device(name).map_err(|e| Error::usage(format!("--device: {e}")))?,
        None => devices::all()[0],
    };
    let found = runtime::checks::found();
    let file = args.file.read()?;
    let progress = Progress::start(&format!("compiling {}", args.file));
    let start = Instant::now();
    // A binary has no report: it was compiled before.
    let jit = Jit::from_environment();
    let jit = if args.remarks || args.time_passes { jit.without_store() } else { jit };
    // The bytes of an explorer's run are told by lines.
    let options = with_remarks(&args.options, args.remarks || args.json);
    let options = match args.check.as_deref() {
        None => options,
        Some("") => format!("-cl-lanewise-check {options}"),
        Some(checks) => {
            let words = checks.split(',').map(|word| if word == "1" { runtime::checks::USUAL } else { word });
            let checks = words.collect::<Vec<_>>().join(",");
            if let Some(word) = checks.split(',').find(|word| Checks::from_names([*word]).is_none()) {
                let names = Checks::ALL;
                return Err(Error::usage(format!("--check: '{word}' is none of {names}")));
            }
            format!("-cl-lanewise-check={checks} {options}")
        }
    };
    let options = runtime::checks::with_environment(device, &options);
    let program = Program::new(device, jit, &args.file, &file, &options, &args.constants)?;
    let kernel = program.kernel(&args.file, args.kernel.as_deref())?;
    let build = start.elapsed();

    let range = nd_range(args, &kernel, program.must_divide(&kernel))?;
    let params: Vec<Param> =
        kernel.info().args.iter().enumerate().map(|(index, arg)| Param::of(index, arg)).collect();
    argspec::check_count(kernel.name(), &params, &args.args)?;
    progress.label("filling buffers");
    let arguments = arguments(device, &params, &args.args)?;
    check_outputs(args, &arguments)?;

    progress.label(&format!("compiling {}", kernel.name()));
    let start = Instant::now();
    let mut launch = Some(new_launch(&kernel, &range, &arguments)?);
    let ready = build + start.elapsed();
    let made = program.report(&kernel);
    if args.remarks {
        eprint!("{}", show::remarks(&made.remarks));
    }
    if args.time_passes {
        eprint!("{}", show::times(&made));
    }

    progress.label(&format!("running {}", kernel.name()));
    let queue = Queue::new(QueueOptions { memory: device.memory(), ..QueueOptions::default() });
    let counted = launch.as_ref().and_then(Launch::work);
    let by_line = launch.as_ref().map(Launch::bytes_by_line).unwrap_or_default();
    let facts = launch.as_ref().map(|launch| launch.kernel().facts());
    let (width, shape) = facts.map_or((1, GroupShape::Rows), |facts| (facts.work_width, facts.group_shape));
    let branches = match args.divergence && width > 1 && runtime::checks::found() == 0 {
        true => {
            let values: Vec<_> = arguments.iter().map(|argument| argument.value.clone()).collect();
            let subject = divergence::Subject {
                device,
                place: &args.file,
                bytes: &file,
                options: &args.options,
                constants: &args.constants,
                kernel: kernel.name(),
                range: &range,
                args: &values,
                width,
                is_column: matches!(shape, GroupShape::Columns | GroupShape::NarrowRows),
            };
            divergence::count(&subject, |kernel, values| {
                let launch = launch_with(kernel, &range, values)?;
                time(&queue, launch)
                    .map(drop)
                    .map_err(|why| Error::input(format!("{}: {why}", kernel.name())))
            })?
        }
        false => Vec::new(),
    };
    let mut times = Vec::new();
    for done in 0..args.repeat {
        if args.repeat > 1 {
            progress.set(done.into(), args.repeat.into());
        }
        let launch = match launch.take() {
            Some(launch) => launch,
            None => new_launch(&kernel, &range, &arguments)?,
        };
        times.push(time(&queue, launch).map_err(|why| Error::input(format!("{}: {why}", kernel.name())))?);
    }
    drop(progress);

    if let Some(output) = &mut json_output {
        let measured = Measured { ready, times: &times, counted, by_line, width, branches };
        let text = json(&kernel, &range, &measured, &arguments)?;
        return show::write_to(output, format!("{text}\n").as_bytes());
    }
    show::say(&summary(&kernel, &range, ready, &mut times))?;
    for argument in &arguments {
        let outputs = args.outputs.iter().filter(|output| output.argument == argument.param.index);
        report(argument, &outputs.collect::<Vec<_>>(), &args.global)?;
    }
    match runtime::checks::found() - found {
        0 => Ok(()),
        n => Err(Error::found(n)),
    }
}

/// The range to run over, with a local size that the kernel and the device take.
fn nd_range(args: &RunArgs, kernel: &Kernel, must_divide: bool) -> Result<NdRange> {
    let name = kernel.name();
    let wish = kernel.info().reqd_work_group_size;
    let most = kernel.device().compiler().device_info().max_work_group_size;
    let threads = kernel.device().properties().compute_units;
    let chosen = || kernel.choose_local_size(&args.global, threads, !must_divide);
    let local = args.local.clone().unwrap_or_else(chosen);
    let range = NdRange::new(&args.global, &local).with_offset(args.offset.as_deref().unwrap_or(&[]));
    let given = || sizes(&local);
    if let Some(required) = wish.filter(|required| *required != range.local_size) {
        return Err(Error::input(format!(
            "{name} requires work-groups of {}, but the local size is {}",
            sizes(&required),
            given()
        )));
    }
    let items = local.iter().fold(1usize, |product, &n| product.saturating_mul(n));
    if items > most {
        return Err(Error::input(format!(
            "the local size {} makes {items} work-items a group, the device's limit is {most}",
            given()
        )));
    }
    if must_divide && !range.is_uniform() {
        return Err(Error::input(format!(
            "the global size {} is not a multiple of the local size {}, as {name} requires",
            sizes(&args.global),
            given()
        )));
    }
    Ok(range)
}

/// An argument of the kernel as it is passed, again and again.
struct Argument {
    param: Param,
    value: runtime::ArgValue,
    /// The shape that it was given with.
    shape: Option<Vec<usize>>,
    /// The buffer of `value`.
    buffer: Option<(Arc<Buffer>, ElementType)>,
    /// Of an image, whose pixels are the buffer's elements.
    image: Option<ImageShape>,
}

/// Makes one argument after the other, so that only one of them is in memory twice.
fn arguments(device: &dyn Device, params: &[Param], specs: &[ArgSpec]) -> Result<Vec<Argument>> {
    let most_local = device.properties().local_memory_bytes;
    let make = |(param, spec): (&Param, &ArgSpec)| {
        let wrong = |why: &dyn std::fmt::Display| Error::input(format!("{param}: {why}"));
        let allocate = |len: usize| device.memory().allocate(len).map_err(|e| wrong(&e));
        let shape = if let ArgSpec::Shaped(_, shape) = spec { Some(shape.clone()) } else { None };
        let images = device.images();
        let buffer = match argspec::evaluate(param, spec, images)? {
            ArgValue::Image(pixels) => return image_argument(device, param, pixels),
            ArgValue::Sampler(sampler) => {
                let images = images.ok_or_else(|| wrong(&"the device has no images"))?;
                Err(runtime::ArgValue::Bytes(images.sampler(sampler).to_ne_bytes().to_vec()))
            }
            ArgValue::Scalar(bytes) => Err(runtime::ArgValue::Bytes(bytes)),
            ArgValue::Local(bytes) if bytes > most_local => {
                let most = show::size(most_local);
                return Err(wrong(&format!("{bytes} bytes of local memory, but the device has {most}")));
            }
            ArgValue::Local(bytes) => Err(runtime::ArgValue::Local(bytes)),
            ArgValue::Zeros { element, bytes } => Ok((allocate(bytes)?, element)),
            ArgValue::Buffer { element, bytes } => {
                let buffer = allocate(bytes.len())?;
                buffer.write(0, &bytes).map_err(|e| wrong(&e))?;
                Ok((buffer, element))
            }
        };
        Ok(match buffer {
            Ok((buffer, element)) => Argument {
                param: param.clone(),
                value: runtime::ArgValue::Buffer(buffer.clone(), 0),
                shape,
                buffer: Some((buffer, element)),
                image: None,
            },
            Err(value) => Argument { param: param.clone(), value, shape, buffer: None, image: None },
        })
    };
    params.iter().zip(specs).map(make).collect()
}

/// An image in the device's memory.
fn image_argument(device: &dyn Device, param: &Param, pixels: Pixels) -> Result<Argument> {
    let wrong = |why: &dyn std::fmt::Display| Error::input(format!("{param}: {why}"));
    let shape = pixels.shape;
    let bytes = shape.bytes().ok_or_else(|| wrong(&"the image is too large"))?;
    let buffer = device.memory().allocate(bytes).map_err(|e| wrong(&e))?;
    if let Some(bytes) = &pixels.bytes {
        buffer.write(0, bytes).map_err(|e| wrong(&e))?;
    }
    let image = Image { buffer: buffer.clone(), shape };
    let images = device.images().ok_or_else(|| wrong(&"the device has no images"))?;
    let descriptor = images.descriptor(&image).into();
    Ok(Argument {
        param: param.clone(),
        value: runtime::ArgValue::Image(Arc::new(image), descriptor),
        shape: Some(imagespec::rows_first(&shape)),
        buffer: Some((buffer, imagespec::element(shape.format))),
        image: Some(shape),
    })
}

/// Checks that the outputs can be written before the kernel runs, perhaps for hours.
fn check_outputs(args: &RunArgs, arguments: &[Argument]) -> Result<()> {
    for output in &args.outputs {
        let argument = &arguments[output.argument];
        let Some((buffer, element)) = &argument.buffer else {
            return Err(Error::input(format!(
                "--out {}={}: {} is a {}, no buffer",
                output.argument,
                output.path.display(),
                argument.param,
                argument.param.type_name
            )));
        };
        let folder = output.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(Err(e)) = folder.map(std::fs::metadata) {
            return Err(Error::file("write", &output.path, &e));
        }
        match &argument.image {
            _ if output.format != OutputFormat::Png => {}
            Some(shape) => drop(image::check_image(&output.path, shape)?),
            None => {
                let (width, height) = picture_size(&args.global);
                image::check(&output.path, buffer.len(), *element, width, height)?;
            }
        }
    }
    Ok(())
}

/// One pixel for each work-item; a third dimension stacks pictures.
fn picture_size(global: &[usize]) -> (usize, usize) {
    (global[0], global[1..].iter().product())
}

/// One launch, with the code that suits it best.
fn new_launch(kernel: &Arc<Kernel>, range: &NdRange, arguments: &[Argument]) -> Result<Launch> {
    let values: Vec<_> = arguments.iter().map(|argument| argument.value.clone()).collect();
    launch_with(kernel, range, &values)
}

fn launch_with(kernel: &Arc<Kernel>, range: &NdRange, values: &[runtime::ArgValue]) -> Result<Launch> {
    let choice = kernel.choose(range, values);
    let ChosenCode { executable, timing } =
        choice.map_err(|e| Error::input(format!("{}: {e}", kernel.name())))?;
    let packed = PackedArgs::pack(executable.facts(), values).map_err(|e| Error::input(e.to_string()))?;
    let launch = Launch::new(executable, *range, packed);
    let mut launch = launch.map_err(|e| Error::input(format!("cannot launch: {e}")))?;
    launch.report_to(timing);
    Ok(launch)
}

/// Runs a launch to its end: how long that took.
fn time(queue: &Queue, launch: Launch) -> std::result::Result<Duration, String> {
    let event = queue.enqueue(Command::launch(launch), &[]).map_err(|e| e.to_string())?;
    event.wait().map_err(|e| queue.take_failure().map_or_else(|| e.to_string(), |why| why.reason))?;
    let times = event.times();
    Ok(Duration::from_nanos(times.ended.saturating_sub(times.started)))
}

fn summary(kernel: &Kernel, range: &NdRange, ready: Duration, times: &mut [Duration]) -> String {
    times.sort_unstable();
    let device = kernel.device().properties();
    let dimensions = range.work_dim as usize;
    let (best, median) = (times[0], times[times.len() / 2]);
    let rate = show::rate(range.work_items() as f64, best);
    let rate = rate.trim_end();
    let s = |n: usize| if n == 1 { "" } else { "s" };
    let time = match times.len() {
        1 => format!("{}, {rate} work-items/s", show::duration(best)),
        n => format!(
            "best {}, median {} of {n}, {rate} work-items/s",
            show::duration(best),
            show::duration(median)
        ),
    };
    format!(
        "device     {}, {} thread{}\nkernel     {}, {} work-item{} in groups of {}\nready      {}\n\
            time       {time}",
        device.name,
        device.compute_units,
        s(device.compute_units),
        kernel.name(),
        sizes(&range.global_size[..dimensions]),
        s(range.work_items()),
        sizes(&range.local_size[..dimensions]),
        show::duration(ready),
    )
}

/// What a run measured.
struct Measured<'a> {
    ready: Duration,
    times: &'a [Duration],
    /// The bytes and operations of a launch.
    counted: Option<(f64, f64)>,
    /// The bytes by source lines.
    by_line: Vec<(u32, f64)>,
    width: usize,
    branches: Vec<Branch>,
}

/// `--json`: what a run measured, as the explorer reads it (`explorer::RunResult`).
fn json(kernel: &Kernel, range: &NdRange, measured: &Measured<'_>, arguments: &[Argument]) -> Result<Json> {
    let Measured { ready, times, counted, by_line, width, branches } = measured;
    let dimensions = range.work_dim as usize;
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let amount = |value: Option<f64>| value.map_or(Json::Null, Json::from);
    let branch = |branch: &Branch| {
        Json::object([
            ("line", (branch.line as usize).into()),
            ("diverging", branch.diverging.into()),
            ("groups", branch.groups.into()),
        ])
    };
    let line_bytes = |(line, bytes): (u32, f64)| Json::List(vec![(line as usize).into(), bytes.into()]);
    let mut digests = Vec::new();
    for argument in arguments.iter().filter(|argument| !argument.param.read_only) {
        if let Some((buffer, _)) = &argument.buffer {
            digests.push(digest_hex(&contents(&argument.param, buffer)?));
        }
    }
    Ok(Json::object([
        ("kernel", kernel.name().into()),
        ("device", kernel.device().properties().name.as_str().into()),
        ("threads", kernel.device().properties().compute_units.into()),
        ("global", Json::list(range.global_size[..dimensions].iter().copied())),
        ("local", Json::list(range.local_size[..dimensions].iter().copied())),
        ("width", (*width).into()),
        ("ready_ms", ms(*ready).into()),
        ("times_ms", Json::list(times.iter().copied().map(ms))),
        ("bytes", amount(counted.map(|(bytes, _)| bytes))),
        ("operations", amount(counted.map(|(_, operations)| operations))),
        ("bytes_by_line", Json::List(by_line.iter().map(|line| line_bytes(*line)).collect())),
        ("digests", Json::list(digests)),
        ("branches", Json::List(branches.iter().map(branch).collect())),
    ]))
}

/// Shows a buffer that the kernel may have written, and writes it to files.
fn report(argument: &Argument, outputs: &[&Output], global: &[usize]) -> Result<()> {
    let Some((buffer, element)) = &argument.buffer else { return Ok(()) };
    let param = &argument.param;
    if param.read_only && outputs.is_empty() {
        return Ok(());
    }
    let bytes = contents(param, buffer)?;
    for output in outputs {
        write(output, &bytes, argument, *element, global)?;
    }
    let name = if param.name.is_empty() { String::new() } else { format!(" {}", param.name) };
    let what = match &argument.image {
        Some(shape) => format!("{} {}", param.type_name, imagespec::describe(shape)),
        None => format!("{} x {}", param.element_name(), bytes.len() / param.element_size()),
    };
    let mut text = format!("arg {:<6} {what}{name}, digest {}", param.index, digest_hex(&bytes));
    for output in outputs {
        text += &format!(", written to {}", output.path.display());
    }
    if outputs.is_empty() {
        let first = match &param.layout {
            Some(layout) => show::first_structs(&bytes, layout, SHOWN),
            None => show::first_elements(&bytes, *element, SHOWN),
        };
        text += &format!("\n           {first}");
    }
    show::say(&text)
}

fn contents(param: &Param, buffer: &Buffer) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let wrong = |why: &dyn std::fmt::Display| Error::input(format!("{param}: {why}"));
    bytes.try_reserve_exact(buffer.len()).map_err(|_| wrong(&"there is not enough memory to read it"))?;
    bytes.resize(buffer.len(), 0);
    buffer.read(0, &mut bytes).map_err(|e| wrong(&e))?;
    Ok(bytes)
}

fn write(
    output: &Output,
    bytes: &[u8],
    argument: &Argument,
    element: ElementType,
    global: &[usize],
) -> Result<()> {
    let param = &argument.param;
    let path = &output.path;
    let save = |bytes: &[u8]| std::fs::write(path, bytes).map_err(|e| Error::file("write", path, &e));
    match output.format {
        OutputFormat::Bin => save(bytes),
        OutputFormat::Png => match &argument.image {
            Some(shape) => image::write_image(path, bytes, shape),
            None => {
                let (width, height) = picture_size(global);
                image::write_png(path, bytes, element, width, height)
            }
        },
        OutputFormat::Npy => {
            // The shape it was given with. Else one element for each work-item has the shape of the
            // range, with rows of x.
            let count = bytes.len() / param.element_size();
            let range: Vec<usize> = global.iter().rev().copied().collect();
            let same = range.iter().product::<usize>() == count;
            let shape = argument.shape.clone().unwrap_or(if same { range } else { vec![count] });
            save(&match &param.layout {
                Some(layout) => npy::write_layout(bytes, layout, &shape),
                None => npy::write(bytes, element, &shape),
            })
        }
    }
}

/// `640 x 480`.
fn sizes(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}
