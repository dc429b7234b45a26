//! What is measured.

use crate::measure::{Times, repeat};
use compiler::{NdRange, Profile};
use jit::{Jit, Program};
use runtime::{ArgValue, Buffer, Command, Executable, Launch, PackedArgs, Queue};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Release};

pub struct Case {
    pub name: &'static str,
    /// What the figure should stay under, if it has been said.
    pub bar: &'static str,
    pub run: fn() -> Times,
}

pub fn all() -> Vec<Case> {
    let case = |name, bar, run| Case { name, bar, run };
    vec![
        case("launch: 64 empty items and wait", "under 5 µs", launch_and_wait),
        case("launch: 100 queued and wait", "under 250 µs", launch_queued),
        case("threads: a line to and fro, 100 x", "", cache_line),
        case("threads: wake one and hear of it", "", wake),
        case("ready: saxpy", "under 25 ms", || ready(SAXPY, "saxpy", NdRange::new(&[1024], &[64]))),
        case("ready: mandelbrot", "", || ready(MANDELBROT, "mandelbrot", NdRange::new(&[64, 64], &[16, 16]))),
        case("ready: tree reduction", "", || ready(REDUCE, "reduce", NdRange::new(&[1024], &[256]))),
        case("ready: transpose", "", || ready(TRANSPOSE, "transpose", NdRange::new(&[64, 64], &[16, 16]))),
        case("ready: mathematics", "under 60 ms", || {
            ready(MATHEMATICS, "curve", NdRange::new(&[1024], &[64]))
        }),
        case("translate: 1 MB of SPIR-V", "under 150 ms", translate),
        case("run: saxpy, 16 Mi items", "", saxpy),
        case("run: saxpy, local size 1", "", saxpy_tiny_groups),
        case("run: mandelbrot, 1024 x 768", "", mandelbrot),
        case("run: tree reduction, 4 Mi items", "", reduce),
        case("run: transpose, 2048 x 2048", "", transpose),
        case("run: mathematics, 1 Mi items", "", || mathematics(MATHEMATICS, 4)),
        case("run: mathematics in double, 1 Mi", "", || mathematics(MATHEMATICS_DOUBLE, 8)),
    ]
}

const SAXPY: &str = include_str!("../../../examples/saxpy.cl");
const MANDELBROT: &str = include_str!("../../../examples/mandelbrot.cl");
const REDUCE: &str = include_str!("../../../examples/reduce.cl");
const TRANSPOSE: &str = include_str!("../../../examples/transpose.cl");

/// Some of everything: angles, exponentials and logarithms, powers and roots.
const MATHEMATICS: &str = "kernel void curve(global const float *x, global float *y) {
    size_t i = get_global_id(0);
    float v = x[i], w = fabs(v) + 0.5f;
    y[i] = cos(v) * exp(-w) + sin(3.0f * v) / w + log2(w) - pow(w, 0.3f) + atan(v) * tanh(w)
        + erf(v) + cbrt(v) + tan(0.2f * v) + hypot(v, w) + acos(1.0f / (1.0f + w));
}";
const MATHEMATICS_DOUBLE: &str = "kernel void curve(global const double *x, global double *y) {
    size_t i = get_global_id(0);
    double v = x[i], w = fabs(v) + 0.5;
    y[i] = cos(v) * exp(-w) + log2(w) - pow(w, 0.3) + atan(v) + cbrt(v);
}";

/// How often a line goes there and back in one measurement.
const TURNS: u64 = 100;

/// What the model of sharing work in docs/scaling.md rests on.
fn cache_line() -> Times {
    let line = AtomicU64::new(0);
    let turns = |first: u64| {
        for turn in 0..TURNS {
            while line.load(Acquire) != 2 * turn + first {
                std::hint::spin_loop();
            }
            line.store(2 * turn + first + 1, Release);
        }
    };
    repeat(50, 5, || {
        line.store(0, Release);
        std::thread::scope(|scope| {
            scope.spawn(|| turns(1));
            turns(0);
        });
    })
}

/// The calling thread spins meanwhile, as one that waits for a launch.
fn wake() -> Times {
    let asked = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let answer = || {
            loop {
                std::thread::park();
                match asked.load(Acquire) {
                    u64::MAX => return,
                    n => asked.store(n | 1, Release),
                }
            }
        };
        let other = scope.spawn(answer);
        let mut n = 0;
        let times = repeat(500, 5, || {
            n += 2;
            asked.store(n, Release);
            other.thread().unpark();
            while asked.load(Acquire) != n + 1 {
                std::hint::spin_loop();
            }
        });
        asked.store(u64::MAX, Release);
        other.thread().unpark();
        times
    })
}

fn build(source: &str) -> Arc<Program> {
    let device = devices::all()[0];
    let target = device.compiler().target(None).expect("a target");
    let mut module = target.create_module().expect("a module");
    module
        .set_options(&format!("-cl-std=CL3.0 {}", std::env::var("OPTS").unwrap_or_default()))
        .expect("options");
    module.compile_opencl_c(Profile::Full, "bench.cl", source, &[]).expect("the kernel compiles");
    module.finalize().expect("the kernel is finalized");
    Program::new(Arc::new(Jit::new()), device, module)
}

fn code(program: &Arc<Program>, kernel: &str, range: &NdRange) -> Arc<Executable> {
    program.kernel(kernel).expect("the kernel exists").wait_for_code(range).expect("machine code")
}

fn launch(code: &Arc<Executable>, range: NdRange, args: &[ArgValue]) -> Command {
    let args = PackedArgs::pack(code.facts(), args).expect("the arguments fit");
    Command::launch(Launch::new(code.clone(), range, args).expect("a launch"))
}

fn empty() -> (Arc<Executable>, NdRange) {
    let range = NdRange::new(&[64], &[64]);
    (code(&build("kernel void empty() {}"), "empty", &range), range)
}

fn launch_and_wait() -> Times {
    let (code, range) = empty();
    let queue = Queue::in_order();
    repeat(20_000, 1000, || {
        let event = queue.enqueue(launch(&code, range, &[]), &[]).expect("enqueued");
        event.wait().expect("it runs");
    })
}

fn launch_queued() -> Times {
    let (code, range) = empty();
    let queue = Queue::in_order();
    repeat(1000, 100, || {
        for _ in 0..100 {
            queue.enqueue(launch(&code, range, &[]), &[]).expect("enqueued");
        }
        queue.finish();
    })
}

/// What a user waits for before a kernel runs: build, machine code, first launch.
fn ready(source: &str, name: &str, range: NdRange) -> Times {
    repeat(20, 3, || {
        code(&build(source), name, &range);
    })
}

/// A module of SPIR-V of a megabyte: functions with loops, arithmetic, memory and calls of the
/// library, as front ends write them.
fn megabyte() -> Vec<u32> {
    let mut text = String::from(
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\nOpCapability Int64\n\
         %ocl = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel Physical64 OpenCL\n\
         OpEntryPoint Kernel %f0 \"k\"\n%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n\
         %float = OpTypeFloat 32\n%float4 = OpTypeVector %float 4\n%g = OpTypePointer CrossWorkgroup %float\n\
         %p = OpTypePointer Function %int\n%zero = OpConstant %int 0\n%one = OpConstant %int 1\n\
         %many = OpConstant %int 100\n%type = OpTypeFunction %void %g\n",
    );
    for f in 0..300 {
        text += &format!(
            "%f{f} = OpFunction %void None %type\n%p{f} = OpFunctionParameter %g\n%e{f} = OpLabel\n\
             %v{f} = OpVariable %p Function\nOpBranch %h{f}\n%h{f} = OpLabel\n\
             %i{f} = OpPhi %int %zero %e{f} %n{f} %b{f}\n%c{f} = OpULessThan %bool %i{f} %many\n\
             OpLoopMerge %x{f} %b{f} None\nOpBranchConditional %c{f} %b{f} %x{f}\n%b{f} = OpLabel\n"
        );
        for n in 0..20 {
            let id = format!("{f}_{n}");
            text += &format!(
                "%at{id} = OpInBoundsPtrAccessChain %g %p{f} %i{f}\n\
                 %a{id} = OpLoad %float %at{id} Aligned 4\n\
                 %b{id} = OpFMul %float %a{id} %a{id}\n%c{id} = OpFAdd %float %b{id} %a{id}\n\
                 %d{id} = OpExtInst %float %ocl fmax %c{id} %a{id}\n\
                 %q{id} = OpCompositeConstruct %float4 %a{id} %b{id} %c{id} %d{id}\n\
                 %r{id} = OpCompositeExtract %float %q{id} 2\n%w{id} = OpLoad %int %v{f}\n\
                 %y{id} = OpIAdd %int %w{id} %i{f}\nOpStore %v{f} %y{id}\nOpStore %at{id} %r{id} Aligned 4\n"
            );
        }
        text += &format!(
            "%n{f} = OpIAdd %int %i{f} %one\nOpBranch %h{f}\n%x{f} = OpLabel\nOpReturn\nOpFunctionEnd\n"
        );
    }
    let words = spirv::assemble(&text).expect("the module is assembled");
    assert!(words.len() * 4 > 1_000_000, "{} bytes", words.len() * 4);
    words
}

/// SPIR-V to LLVM IR that the verifier has accepted.
fn translate() -> Times {
    let words = megabyte();
    repeat(20, 3, || {
        let context = llvm::Context::new();
        let given = spirv::SpecializationInfo::default();
        spirv::translate(&context, &words, &spirv::DeviceInfo::default(), &given).expect("it is translated");
    })
}

/// Memory that has been written to: fresh pages are all one.
fn buffer(bytes: usize) -> ArgValue {
    let buffer = Buffer::new(bytes).expect("memory");
    buffer.fill(0, bytes, &[1]).expect("inside");
    ArgValue::Buffer(buffer, 0)
}

fn value<const N: usize>(bytes: [u8; N]) -> ArgValue {
    ArgValue::Bytes(bytes.to_vec())
}

fn throughput(source: &str, name: &str, range: NdRange, args: &[ArgValue]) -> Times {
    let code = code(&build(source), name, &range);
    let queue = Queue::in_order();
    repeat(20, 3, || {
        queue.enqueue(launch(&code, range, args), &[]).expect("enqueued").wait().expect("it runs");
    })
}

fn saxpy_with(local: usize) -> Times {
    let n = 16 << 20;
    let args = [value(2.5f32.to_le_bytes()), buffer(4 * n), buffer(4 * n)];
    throughput(SAXPY, "saxpy", NdRange::new(&[n], &[local]), &args)
}

fn saxpy() -> Times {
    saxpy_with(64)
}

fn saxpy_tiny_groups() -> Times {
    saxpy_with(1)
}

fn mandelbrot() -> Times {
    let (width, height) = (1024, 768);
    let args = [
        buffer(4 * width * height),
        value(256u32.to_le_bytes()),
        value((-0.65f32).to_le_bytes()),
        value(0f32.to_le_bytes()),
        value(3.2f32.to_le_bytes()),
    ];
    throughput(MANDELBROT, "mandelbrot", NdRange::new(&[width, height], &[16, 16]), &args)
}

fn reduce() -> Times {
    let (n, local) = (4usize << 20, 256);
    let args =
        [buffer(4 * n), buffer(4 * n / local), ArgValue::Local(4 * local), value((n as u32).to_le_bytes())];
    throughput(REDUCE, "reduce", NdRange::new(&[n], &[local]), &args)
}

fn transpose() -> Times {
    let n = 2048usize;
    let size = value((n as u32).to_le_bytes());
    let args = [buffer(4 * n * n), buffer(4 * n * n), size.clone(), size];
    throughput(TRANSPOSE, "transpose", NdRange::new(&[n, n], &[16, 16]), &args)
}

fn mathematics(source: &str, size: usize) -> Times {
    let n = 1usize << 20;
    let angles = Buffer::new(size * n).expect("memory");
    let mut bytes = Vec::with_capacity(size * n);
    for i in 0..n {
        let x = (i % 4096) as f64 * 0.0025 - 5.0;
        if size == 4 { bytes.extend((x as f32).to_le_bytes()) } else { bytes.extend(x.to_le_bytes()) }
    }
    angles.write(0, &bytes).expect("inside");
    let args = [ArgValue::Buffer(angles, 0), buffer(size * n)];
    throughput(source, "curve", NdRange::new(&[n], &[256]), &args)
}
