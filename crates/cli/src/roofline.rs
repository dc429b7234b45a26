//! The machine's roofline, measured with kernels of our own: what all cores compute in a second,
//! and what they read and write at each level of the memory hierarchy.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use compiler::NdRange;
use explorer::{Bandwidth, Roofline};
use jit::{ChosenCode, Jit, Kernel};
use runtime::{ArgValue, Command, Device, Launch, PackedArgs, Queue, QueueOptions};

use crate::args::Place;
use crate::error::{Error, Result};
use crate::program::Program;

/// `peak`: eight chains of multiply-adds a work-item, in registers. `sweep`: a group goes over its
/// own part of two arrays again and again; the barriers make it go over all of the part each time.
/// `stream`: once over arrays that fit no cache. What is written was read before: the CPU reads a
/// line that is only written all the same, and nobody counts that.
const SOURCE: &str = "
#define PEAK(NAME, T) \\
kernel void NAME(global T *out, T a, T b, uint n) { \\
  T x0 = a, x1 = a + 1, x2 = a + 2, x3 = a + 3, x4 = a + 4, x5 = a + 5, x6 = a + 6, x7 = a + 7; \\
  for (uint i = 0; i < n; i++) { \\
    x0 = fma(x0, a, b); x1 = fma(x1, a, b); x2 = fma(x2, a, b); x3 = fma(x3, a, b); \\
    x4 = fma(x4, a, b); x5 = fma(x5, a, b); x6 = fma(x6, a, b); x7 = fma(x7, a, b); \\
  } \\
  out[get_global_id(0)] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7; \\
}
PEAK(peak, float)
PEAK(peak_double, double)
kernel void sweep(global const float *a, global float *b, float s, uint parts, uint n) {
  size_t start = get_group_id(0) * get_local_size(0) * parts + get_local_id(0);
  for (uint i = 0; i < n; i++)
    for (uint part = 0; part < parts; part++) {
      size_t at = start + part * get_local_size(0);
      b[at] = a[at] * s + b[at];
      barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
kernel void stream(global const float *a, global float *b, float s) {
  size_t i = get_global_id(0);
  b[i] = a[i] * s + b[i];
}
";

/// How long each figure is measured.
const ENOUGH: Duration = Duration::from_millis(400);

/// The roofline of this machine: from the cache on disk, or measured now and kept there.
pub fn roofline() -> Result<Roofline> {
    let device = devices::all()[0];
    let jit = Jit::from_environment();
    let properties = device.properties();
    let key = format!(
        "roofline 2 {} {} {} {:?}",
        properties.name,
        properties.compute_units,
        llvm::host_cpu(),
        properties.cache_bytes
    );
    let kept = jit.store().and_then(|store| store.read(key.as_bytes()));
    if let Some(roofline) = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
        return Ok(roofline);
    }
    let measured = measure(device)?;
    // What others left of the machine is not what it can do: it is measured again next time.
    if let (false, Some(store), Ok(bytes)) = (measured.is_busy, jit.store(), serde_json::to_vec(&measured)) {
        store.write(key.as_bytes(), &bytes);
    }
    Ok(measured)
}

fn measure(device: &'static dyn Device) -> Result<Roofline> {
    let place = Place::Path("roofline.cl".into());
    // Code for values of arguments would be made in the middle of it.
    let program = Program::new(device, Jit::new(), &place, SOURCE.as_bytes(), "", &[])?;
    let properties = device.properties();
    let threads = properties.compute_units;
    let queue = Queue::new(QueueOptions { memory: device.memory(), ..Default::default() });
    let bench = Bench { device, queue, time: Cell::default() };
    let kernel = |name: &str| program.kernel(&place, Some(name));

    let peak = |name: &str, bytes: [Vec<u8>; 2], size: usize| -> Result<f64> {
        let (groups, trips) = (16 * threads, 4000u32);
        let items = groups * 256;
        let out = bench.buffer(items * size)?;
        let [a, b] = bytes.map(ArgValue::Bytes);
        let args = [out, a, b, ArgValue::Bytes(trips.to_ne_bytes().to_vec())];
        let time = bench.best(&kernel(name)?, &NdRange::new(&[items], &[256]), &args)?;
        Ok(items as f64 * f64::from(trips) * 16.0 / time.as_secs_f64() / 1e9)
    };
    let single = [0.999f32, 0.001].map(|x| x.to_ne_bytes().to_vec());
    let double = [0.999f64, 0.001].map(|x| x.to_ne_bytes().to_vec());
    let gflops = peak("peak", single, 4)?;
    let gflops_double = peak("peak_double", double, 8)?;

    let mut bandwidths = Vec::new();
    let caches = properties.cache_bytes.map(|bytes| bytes as usize);
    let scale = ArgValue::Bytes(0.5f32.to_ne_bytes().to_vec());
    for (level, bytes) in (1..).zip(caches) {
        // What one group goes over: half of its core's cache, or of its share of the last one.
        let part = if level == 3 { bytes / threads } else { bytes } / 2;
        let inner = if level == 1 { 0 } else { caches[level - 2] };
        if bytes == 0 || part < 2 * inner {
            continue;
        }
        let elements = part / 8;
        let local = elements.min(if level == 1 { 1024 } else { 4096 }) & !63;
        let parts = (elements / local).max(1);
        let moved = 12 * local * parts;
        // Some 100 MB for each thread, so that waking it does not count.
        let trips = (100_000_000 / moved).max(1);
        let groups = threads;
        let arrays = [0; 2].map(|_| bench.buffer(4 * local * parts * groups));
        let [a, b] = arrays;
        let number = |n: usize| ArgValue::Bytes((n as u32).to_ne_bytes().to_vec());
        let args = [a?, b?, scale.clone(), number(parts), number(trips)];
        let time = bench.best(&kernel("sweep")?, &NdRange::new(&[groups * local], &[local]), &args)?;
        let gbytes = (moved * trips * groups) as f64 / time.as_secs_f64() / 1e9;
        bandwidths.push(Bandwidth { level: format!("L{level}"), gbytes });
    }
    let last = caches.into_iter().max().unwrap_or(0);
    let all = (4 * last).clamp(96 << 20, (properties.memory_bytes / 8).max(96 << 20) as usize);
    let items = all / 8 / 4096 * 4096;
    let [a, b] = [0; 2].map(|_| bench.buffer(4 * items));
    let time = bench.best(&kernel("stream")?, &NdRange::new(&[items], &[256]), &[a?, b?, scale])?;
    let gbytes = 12.0 * items as f64 / time.as_secs_f64() / 1e9;
    bandwidths.push(Bandwidth { level: "memory".to_owned(), gbytes });
    let (ran, worked) = bench.time.get();
    let is_busy = worked.as_secs_f64() < ENOUGH_SHARE * threads as f64 * ran.as_secs_f64();
    Ok(Roofline { cpu: properties.name.clone(), threads, gflops, gflops_double, is_busy, bandwidths })
}

/// Launches with less than this part of the cores' time shared them with others.
const ENOUGH_SHARE: f64 = 0.75;

/// The time that all threads of this process have had.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

struct Bench {
    device: &'static dyn Device,
    queue: Queue,
    /// How long launches ran, and what time of cores they had.
    time: Cell<(Duration, Duration)>,
}

impl Bench {
    fn buffer(&self, bytes: usize) -> Result<ArgValue> {
        let wrong = |e: &dyn std::fmt::Display| Error::input(format!("the roofline: {e}"));
        let buffer = self.device.memory().allocate(bytes).map_err(|e| wrong(&e))?;
        // Memory that nobody has written is one page of zeros, which is always in the cache.
        buffer.write(0, &vec![1; bytes]).map_err(|e| wrong(&e))?;
        Ok(ArgValue::Buffer(buffer, 0))
    }

    /// The best time of many launches: others may use the machine meanwhile.
    fn best(&self, kernel: &Arc<Kernel>, range: &NdRange, args: &[ArgValue]) -> Result<Duration> {
        let wrong = |e: &dyn std::fmt::Display| Error::input(format!("the roofline: {e}"));
        let mut best = Duration::MAX;
        let start = Instant::now();
        // From the second launch on: the first one compiles. The system adds up a running thread's
        // time now and then, too seldom for a single launch.
        let mut since = (start, Duration::ZERO);
        for n in 0..200 {
            if n >= 10 && start.elapsed() > ENOUGH {
                break;
            }
            let ChosenCode { executable, .. } = kernel.choose(range, args).map_err(|e| wrong(&e))?;
            let packed = PackedArgs::pack(executable.facts(), args).map_err(|e| wrong(&e))?;
            let launch = Launch::new(executable, *range, packed).map_err(|e| wrong(&e))?;
            let event = self.queue.enqueue(Command::launch(launch), &[]).map_err(|e| wrong(&e))?;
            event.wait().map_err(|e| wrong(&e))?;
            let times = event.times();
            let took = Duration::from_nanos(times.ended.saturating_sub(times.started).max(1));
            best = best.min(took);
            if n == 0 {
                since = (Instant::now(), cpu_time());
            }
        }
        let (ran, worked) = self.time.get();
        self.time.set((ran + since.0.elapsed(), worked + cpu_time().saturating_sub(since.1)));
        Ok(best)
    }
}
