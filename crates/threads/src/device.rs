//! The device: a team of threads, one for each work-item of a work-group, runs one work-group after
//! the other.

use crate::{BARRIER, threads_info};
use llvm::{LoadedObject, Symbol};
use runtime::{
    Buffer, Device, Failure, GroupBox, KernelCode, KernelMode, Launch, LoadedFunction, Loader, LoadingDevice,
    Properties, lock,
};
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread;

/// The most local memory of one work-group.
const LOCAL_MEMORY_BYTES: usize = 64 << 10;

/// The device whose work-items are threads.
pub fn device() -> &'static dyn Device {
    static THREADS: OnceLock<LoadingDevice> = OnceLock::new();
    THREADS.get_or_init(|| {
        let machine_properties = Properties::this_machine().clone();
        let properties = Properties {
            name: format!("threads on {}", machine_properties.name),
            compute_units: 1,
            local_memory_bytes: LOCAL_MEMORY_BYTES,
            is_divisible: false,
            launch_threads: 1,
            ..machine_properties
        };
        LoadingDevice::new(properties, Loader::new(threads_info, functions, make_code))
    })
}

/// The function that binaries call.
fn functions() -> Vec<Symbol> {
    vec![Symbol { name: BARRIER, address: wait_at_barrier as *const c_void }]
}

/// Makes the code of a loaded kernel.
unsafe fn make_code(LoadedFunction { facts, address, object }: LoadedFunction<'_>) -> Box<dyn KernelCode> {
    // SAFETY: the binary's notes name functions of this type.
    let entry = unsafe { std::mem::transmute::<*const c_void, Entry>(address) };
    Box::new(ThreadsKernel { entry, waits: facts.extra != [0], _object: object })
}

/// The description of a thread's work-item: `ThreadInfo` of `builtins.rs`.
#[repr(C)]
#[derive(Clone, Copy)]
struct ThreadInfo {
    local_id: [u64; 3],
    group_id: [u64; 3],
    num_groups: [u64; 3],
    local_size: [u64; 3],
    enqueued_local_size: [u64; 3],
    global_size: [u64; 3],
    global_offset: [u64; 3],
    memory: *mut u8,
    exchange: *mut u64,
    barrier: *const Meeting,
    work_dim: u32,
}

// SAFETY: the pointers are to memory that all threads of a work-group share for the time of a
// launch.
unsafe impl Send for ThreadInfo {}
// SAFETY: as above.
unsafe impl Sync for ThreadInfo {}

type Entry = unsafe extern "C" fn(args: *const u8, info: *mut ThreadInfo);

/// A barrier for threads.
#[derive(Default)]
struct Barrier {
    /// The number of threads that wait, and the number of rounds that are complete.
    state: Mutex<(usize, u64)>,
    all_there: Condvar,
}

impl Barrier {
    /// Waits until `count` threads are here.
    fn wait(&self, count: usize) {
        let mut state = lock(&self.state);
        state.0 += 1;
        if state.0 == count {
            *state = (0, state.1 + 1);
            self.all_there.notify_all();
            return;
        }
        let round = state.1;
        while state.1 == round {
            state = self.all_there.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The barrier of a work-group with the number of its work-items.
struct Meeting {
    barrier: *const Barrier,
    count: usize,
}

/// The body of [`BARRIER`].
unsafe extern "C" fn wait_at_barrier(meeting: *const Meeting) {
    // SAFETY: kernels hand back what `ThreadInfo::barrier` holds, which lives for as long as they
    // run.
    let (barrier, count) = unsafe { (&*(*meeting).barrier, (*meeting).count) };
    barrier.wait(count);
}

struct ThreadsKernel {
    entry: Entry,
    /// Whether work-items wait for each other.
    waits: bool,
    /// Owns the memory `entry` points into.
    _object: Arc<LoadedObject>,
}

impl KernelCode for ThreadsKernel {
    fn run(&self, launch: &Launch, next: &mut dyn FnMut() -> Option<GroupBox>) -> Result<(), Failure> {
        let boxes: Vec<GroupBox> = std::iter::from_fn(next).collect();
        let team = Team::new(self, launch)?;
        let ran = team.run(&boxes);
        runtime::flush_printf();
        ran
    }
}

/// The threads that run a launch, and what they share.
struct Team<'a> {
    kernel: &'a ThreadsKernel,
    launch: &'a Launch,
    /// The fields that are the same for all work-items.
    info: ThreadInfo,
    barrier: Barrier,
    /// The barrier of the whole team after each work-group, if work-groups share memory.
    between_groups: Barrier,
    /// Whether one work-group must have ended before the next one begins: they use the same memory.
    one_by_one: bool,
    _memory: Arc<Buffer>,
    _exchange: Arc<Buffer>,
}

impl Team<'_> {
    fn new<'a>(kernel: &'a ThreadsKernel, launch: &'a Launch) -> Result<Team<'a>, Failure> {
        let (grid, range) = (launch.grid(), launch.range());
        let wide = |sizes: [usize; 3]| sizes.map(|n| n as u64);
        let allocate = |bytes| Buffer::new(bytes).map_err(|_| Failure::OutOfMemory);
        let facts = launch.kernel().facts();
        let memory = allocate(launch.group_memory_bytes())?;
        let exchange = allocate(8 * grid.local.iter().product::<usize>())?;
        let info = ThreadInfo {
            local_id: [0; 3],
            group_id: [0; 3],
            num_groups: grid.groups,
            local_size: [0; 3],
            enqueued_local_size: wide(grid.local),
            global_size: wide(range.global_size),
            global_offset: wide(range.global_offset),
            memory: memory.as_ptr(),
            exchange: exchange.as_ptr().cast(),
            barrier: std::ptr::null(),
            work_dim: range.work_dim,
        };
        Ok(Team {
            kernel,
            launch,
            info,
            barrier: Barrier::default(),
            between_groups: Barrier::default(),
            one_by_one: kernel.waits || facts.scratch_fixed > 0 || launch.args().local_bytes() > 0,
            _memory: memory,
            _exchange: exchange,
        })
    }

    fn items(&self) -> usize {
        self.launch.grid().local.iter().product()
    }

    fn run(&self, boxes: &[GroupBox]) -> Result<(), Failure> {
        // No thread begins before all have started: if one cannot be started, the others would wait
        // at barriers for ever.
        let gate = Gate::default();
        let gate = &gate;
        thread::scope(|scope| {
            let start = |item: usize| {
                let work = move || {
                    if gate.wait() {
                        self.run_item(item, boxes);
                    }
                };
                thread::Builder::new().name("lanewise-item".to_owned()).spawn_scoped(scope, work).is_ok()
            };
            let complete = (0..self.items()).all(start);
            gate.open(complete);
            if complete { Ok(()) } else { Err(Failure::OutOfMemory) }
        })
    }

    /// Runs one work-item of each work-group.
    fn run_item(&self, item: usize, boxes: &[GroupBox]) {
        let _mode = KernelMode::enter();
        for group in boxes.iter().flat_map(|groups| groups.groups()) {
            let all = &self.info;
            let left = |d: usize| all.global_size[d] - group[d] * all.enqueued_local_size[d];
            let local_size: [u64; 3] = std::array::from_fn(|d| all.enqueued_local_size[d].min(left(d)));
            let count = local_size.iter().product::<u64>() as usize;
            if self.one_by_one {
                // Local variables may be initialized with zeros.
                if item == 0 {
                    // SAFETY: so much was allocated, and no other thread uses it: all wait below.
                    unsafe { all.memory.write_bytes(0, self.launch.group_memory_bytes()) };
                }
                self.between_groups.wait(self.items());
            }
            if item < count {
                let (item, [x, y, _]) = (item as u64, local_size);
                let meeting = Meeting { barrier: &self.barrier, count };
                let local_id = [item % x, item / x % y, item / x / y];
                let mut info =
                    ThreadInfo { local_id, group_id: group, local_size, barrier: &meeting, ..self.info };
                // SAFETY: the kernel keeps to its facts, for which the arguments and the memory
                // were made.
                unsafe { (self.kernel.entry)(self.launch.args().as_ptr(), &mut info) };
            }
            if self.one_by_one {
                self.between_groups.wait(self.items());
            }
        }
    }
}

/// Holds the threads of a team until all have started, or one could not be.
#[derive(Default)]
struct Gate {
    begin: Mutex<Option<bool>>,
    opened: Condvar,
}

impl Gate {
    fn open(&self, begin: bool) {
        *lock(&self.begin) = Some(begin);
        self.opened.notify_all();
    }

    /// Waits until the gate is opened: whether the thread is to begin.
    fn wait(&self) -> bool {
        let mut begin = lock(&self.begin);
        loop {
            if let Some(begin) = *begin {
                return begin;
            }
            begin = self.opened.wait(begin).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
