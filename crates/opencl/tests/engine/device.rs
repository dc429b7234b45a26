//! The device: runs a work-group as threads, in sub-groups of the size that its kernel was compiled
//! for, beside an engine that copies.

use super::backend::{MAX_WORK_GROUP_SIZE, engine_info};
use super::calls;
use compiler::Info;
use llvm::{LoadedObject, Symbol};
use runtime::{
    Buffer, Device, Executable, Failure, GroupBox, HostMemory, KernelCode, KernelMode, Launch, Limits,
    LoadedFunction, Loader, Memory, Program, Properties, lock,
};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier, Mutex, OnceLock};
use std::thread;

/// The most bytes of a binary that the device has room for.
pub const CODE_BYTES: usize = 64 << 10;

/// What the device did so far.
pub struct Counters {
    /// Work-groups that were given an engine.
    pub engines: AtomicUsize,
    /// Copies that were handed to an engine.
    pub started: AtomicUsize,
    /// Copies that engines made: when somebody waited for them.
    pub made: AtomicUsize,
}

pub static COUNTERS: Counters =
    Counters { engines: AtomicUsize::new(0), started: AtomicUsize::new(0), made: AtomicUsize::new(0) };

struct EngineDevice {
    properties: Properties,
    loader: Loader,
}

pub fn engine() -> &'static dyn Device {
    static DEVICE: OnceLock<EngineDevice> = OnceLock::new();
    DEVICE.get_or_init(|| EngineDevice {
        properties: Properties {
            name: "engine".to_owned(),
            vendor: "The tests".to_owned(),
            model: [0; 3],
            compute_units: 1,
            memory_bytes: Properties::this_machine().memory_bytes,
            local_memory_bytes: 32 << 10,
            cache_bytes: [0; 3],
            cache_line_bytes: 64,
            clock_mhz: 0,
            is_divisible: false,
            launch_threads: 1,
        },
        loader: Loader::new(engine_info, functions, make_code),
    })
}

impl Device for EngineDevice {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn compiler(&self) -> &'static dyn Info {
        engine_info()
    }

    fn memory(&self) -> &'static dyn Memory {
        HostMemory::get()
    }

    unsafe fn create_program(&self, variables: Option<&[u8]>) -> compiler::Result<Arc<dyn Program>> {
        // SAFETY: the caller vouches for the object.
        let inner = unsafe { self.loader.create_program(Limits::of(self), variables) }?;
        Ok(Arc::new(EngineProgram(inner)))
    }
}

/// The functions that binaries call.
fn functions() -> Vec<Symbol> {
    let symbol = |name, address| Symbol { name, address };
    vec![
        symbol(calls::LOCAL_ID, local_id as *const c_void),
        symbol(calls::SUB_GROUP, sub_group as *const c_void),
        symbol(calls::WORK_GROUP_BARRIER, work_group_barrier as *const c_void),
        symbol(calls::SUB_GROUP_BARRIER, sub_group_barrier as *const c_void),
        symbol(calls::EXCHANGE, exchange as *const c_void),
        symbol(calls::COPY, copy as *const c_void),
        symbol(calls::WAIT, wait as *const c_void),
    ]
}

/// Makes the code of a loaded kernel.
unsafe fn make_code(LoadedFunction { facts, address, object }: LoadedFunction<'_>) -> Box<dyn KernelCode> {
    // SAFETY: the late stage ends with functions of this type.
    let entry = unsafe { std::mem::transmute::<*const c_void, Entry>(address) };
    Box::new(EngineKernel { entry, copies: facts.extra == [1], _object: object })
}

/// A program that refuses binaries which the device has no room for.
struct EngineProgram(Arc<dyn Program>);

impl Program for EngineProgram {
    unsafe fn load(&self, binary: &[u8]) -> compiler::Result<Vec<Arc<Executable>>> {
        let bytes = binary.len();
        if bytes > CODE_BYTES {
            let why = format!("{bytes} bytes of code are more than the {CODE_BYTES} of the engine");
            return Err(compiler::Error::InvalidValue(why));
        }
        // SAFETY: the caller vouches for the binary.
        unsafe { self.0.load(binary) }
    }
}

/// `MuxWorkGroupInfo` of the specification.
#[repr(C)]
struct WorkGroupInfo {
    group_id: [u64; 3],
    num_groups: [u64; 3],
    local_size: [u64; 3],
    enqueued_local_size: [u64; 3],
    global_size: [u64; 3],
    global_offset: [u64; 3],
    /// The memory of the work-group; each work-item moves its own pointer through it.
    scratch: *mut u8,
    work_dim: u32,
}

type Entry = unsafe extern "C" fn(args: *const u8, info: *mut WorkGroupInfo);

struct EngineKernel {
    entry: Entry,
    /// Whether the compiler noted that the kernel needs an engine.
    copies: bool,
    _object: Arc<LoadedObject>,
}

impl KernelCode for EngineKernel {
    fn run(&self, launch: &Launch, next: &mut dyn FnMut() -> Option<GroupBox>) -> Result<(), Failure> {
        while let Some(groups) = next() {
            for id in groups.groups() {
                self.run_group(launch, id)?;
            }
        }
        runtime::flush_printf();
        Ok(())
    }
}

impl EngineKernel {
    fn run_group(&self, launch: &Launch, group_id: [u64; 3]) -> Result<(), Failure> {
        let (grid, range) = (launch.grid(), launch.range());
        let [enqueued_local_size, global_size, global_offset] =
            [grid.local, range.global_size, range.global_offset].map(|sizes| sizes.map(|n| n as u64));
        let left = |d: usize| global_size[d] - group_id[d] * enqueued_local_size[d];
        let local_size: [u64; 3] = std::array::from_fn(|d| enqueued_local_size[d].min(left(d)));
        let items = local_size.iter().product::<u64>() as usize;
        let memory = Buffer::new(launch.group_memory_bytes()).map_err(|_| Failure::OutOfMemory)?;
        let scratch = memory.as_ptr() as usize;
        let group = Group::new(items, launch.kernel().facts().work_width, self.copies);
        let args = launch.args().as_ptr() as usize;
        let run_item = |index: usize| {
            let [x, y, _] = local_size;
            let at = index as u64;
            let item = Item {
                group: &group,
                index,
                local_id: [at % x, at / x % y, at / x / y],
                events: Cell::new(0),
            };
            let mut info = WorkGroupInfo {
                group_id,
                num_groups: grid.groups,
                local_size,
                enqueued_local_size,
                global_size,
                global_offset,
                scratch: scratch as *mut u8,
                work_dim: range.work_dim,
            };
            let _mode = KernelMode::enter();
            CURRENT.set(std::ptr::from_ref(&item).cast());
            // SAFETY: the kernel keeps to its facts, for which the arguments and the memory were
            // made.
            unsafe { (self.entry)(args as *const u8, &mut info) };
        };
        thread::scope(|scope| {
            for index in 0..items {
                scope.spawn(move || run_item(index));
            }
        });
        Ok(())
    }
}

// ---- What the threads of a work-group share -----------------------------------------------------

struct Group {
    barrier: Barrier,
    sub_group_size: usize,
    sub_groups: Vec<SubGroup>,
    /// The copies that are under way, if the kernel makes any.
    engine: Option<Mutex<Vec<Transfer>>>,
}

struct SubGroup {
    size: usize,
    barrier: Barrier,
    values: [AtomicU64; MAX_WORK_GROUP_SIZE],
}

impl Group {
    fn new(items: usize, sub_group_size: usize, copies: bool) -> Group {
        COUNTERS.engines.fetch_add(copies.into(), Relaxed);
        let sub_group = |first: usize| {
            let size = sub_group_size.min(items - first);
            SubGroup { size, barrier: Barrier::new(size), values: [const { AtomicU64::new(0) }; _] }
        };
        Group {
            barrier: Barrier::new(items),
            sub_group_size,
            sub_groups: (0..items).step_by(sub_group_size).map(sub_group).collect(),
            engine: copies.then(Mutex::default),
        }
    }
}

/// The type of events: the number of a copy in its work-group, from 1 on. 0 is no event.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
struct Event(usize);

/// A copy that is to be made before anybody who waits for the event goes on.
struct Transfer {
    event: Event,
    to: usize,
    from: usize,
    bytes: usize,
}

/// What a thread runs.
struct Item<'a> {
    group: &'a Group,
    /// In the work-group.
    index: usize,
    local_id: [u64; 3],
    /// How many events it was given.
    events: Cell<usize>,
}

impl Item<'_> {
    fn sub_group(&self) -> &SubGroup {
        &self.group.sub_groups[self.index / self.group.sub_group_size]
    }
}

thread_local! {
    static CURRENT: Cell<*const c_void> = const { Cell::new(std::ptr::null()) };
}

/// Calls `f` with the work-item of this thread.
fn with_item<R>(f: impl FnOnce(&Item<'_>) -> R) -> R {
    // SAFETY: kernels run on threads that set `CURRENT` to an item which outlives the kernel's run.
    f(unsafe { &*CURRENT.get().cast::<Item<'_>>() })
}

// ---- What kernels call --------------------------------------------------------------------------

unsafe extern "C" fn local_id(to: *mut [u64; 3]) {
    // SAFETY: kernels hand over memory for the IDs.
    with_item(|item| unsafe { to.write(item.local_id) });
}

unsafe extern "C" fn sub_group(to: *mut [u32; 4]) {
    with_item(|item| {
        let (size, whole) = (item.sub_group().size, item.group.sub_group_size);
        let facts = [size, item.index / whole, item.index % whole, item.group.sub_groups.len()];
        // SAFETY: kernels hand over memory for them.
        unsafe { to.write(facts.map(|n| n as u32)) };
    });
}

extern "C" fn work_group_barrier() {
    with_item(|item| item.group.barrier.wait());
}

extern "C" fn sub_group_barrier() {
    with_item(|item| item.sub_group().barrier.wait());
}

extern "C" fn exchange() -> *const AtomicU64 {
    with_item(|item| item.sub_group().values.as_ptr())
}

/// All work-items come here with the same operands and get the same event; the first one starts the
/// copy.
extern "C" fn copy(to: *mut u8, from: *const u8, bytes: usize, event: Event) -> Event {
    with_item(|item| {
        let event = match event {
            Event(0) => {
                item.events.set(item.events.get() + 1);
                Event(item.events.get())
            }
            given => given,
        };
        if item.index == 0 {
            COUNTERS.started.fetch_add(1, Relaxed);
            let engine = item.group.engine.as_ref().expect("the compiler notes kernels that copy");
            lock(engine).push(Transfer { event, to: to as usize, from: from as usize, bytes });
        }
        event
    })
}

/// The first work-item makes the copies; all meet afterwards.
unsafe extern "C" fn wait(count: i32, events: *const Event) {
    with_item(|item| {
        let Some(engine) = item.group.engine.as_ref().filter(|_| item.index == 0) else { return };
        // SAFETY: the kernel has so many events there.
        let events = unsafe { std::slice::from_raw_parts(events, count as usize) };
        lock(engine).retain(|transfer| {
            let waited_for = events.contains(&transfer.event);
            if waited_for {
                COUNTERS.made.fetch_add(1, Relaxed);
                let (to, from) = (transfer.to as *mut u8, transfer.from as *const u8);
                // SAFETY: the program vouches for the memory until it has waited for the copy.
                unsafe { from.copy_to(to, transfer.bytes) };
            }
            !waited_for
        });
    });
}
