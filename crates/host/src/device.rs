//! This machine's CPU as a device: its loader, and how its threads run work-groups.

use crate::abi::{EntryHook, Slice, WorkGroupInfo};
use crate::{host_info, scratch};
use compiler::KernelFacts;
use runtime::{
    Device, Executable, Failure, GroupBox, KernelCode, KernelMode, Launch, Limits, LoadedFunction, Loader,
    LoadingDevice, Properties,
};
use std::any::Any;
use std::ffi::c_void;
use std::sync::OnceLock;

/// The most local memory of one work-group. Local memory is ordinary memory here, so the limit is
/// free to choose: about as much as stays in a core's L2 cache.
const LOCAL_MEMORY_BYTES: usize = 512 << 10;

/// The CPU of this machine, with all its cores.
pub fn device() -> &'static dyn Device {
    static CPU: OnceLock<LoadingDevice> = OnceLock::new();
    CPU.get_or_init(|| {
        let properties =
            Properties { local_memory_bytes: LOCAL_MEMORY_BYTES, ..Properties::this_machine().clone() };
        LoadingDevice::new(properties, Loader::new(host_info, Vec::new, make_code))
    })
}

/// Wraps a loaded entry hook as the runtime's kernel code.
unsafe fn make_code(function: LoadedFunction<'_>) -> Box<dyn KernelCode> {
    // SAFETY: the binary's notes say that this symbol is an entry hook of this ABI's version.
    let entry = unsafe { std::mem::transmute::<*const c_void, EntryHook>(function.address) };
    Box::new(Hook { entry, _code: Box::new(function.object) })
}

/// Makes an entry hook an executable that can be launched on the CPU.
///
/// # Safety
/// `entry` must be a function that keeps to [`crate::abi`] and `facts`, callable from any thread
/// for as long as `code` lives.
pub unsafe fn entry_hook(
    entry: EntryHook,
    facts: KernelFacts,
    limits: Limits,
    code: Box<dyn Any + Send + Sync>,
) -> Executable {
    // SAFETY: the caller vouches that the hook keeps to the ABI and the facts.
    unsafe { Executable::new(facts, limits, Box::new(Hook { entry, _code: code })) }
}

struct Hook {
    entry: EntryHook,
    /// Owns the memory `entry` points into.
    _code: Box<dyn Any + Send + Sync>,
}

impl KernelCode for Hook {
    fn run(&self, launch: &Launch, next: &mut dyn FnMut() -> Option<GroupBox>) -> Result<(), Failure> {
        let args = launch.args().as_ptr();
        let one_by_one = launch.grid().free;
        let ran = scratch::with(launch.group_memory_bytes(), |scratch| {
            let _mode = KernelMode::enter();
            let mut slice = whole_slice(launch, scratch);
            let mut run = |begin: [u64; 3], end: [u64; 3]| {
                (slice.begin, slice.end, slice.info.group_id) = (begin, end, begin);
                // SAFETY: the hook keeps to the ABI and to the facts by which arguments, local size
                // and scratch were made; the launch keeps the buffers of its arguments alive.
                unsafe { (self.entry)(args, &slice) };
            };
            while let Some(groups) = next() {
                if one_by_one {
                    groups.groups().for_each(|group| run(group, group.map(|id| id + 1)));
                } else {
                    run(groups.begin, groups.end);
                }
            }
        });
        runtime::flush_printf();
        ran.ok_or(Failure::OutOfMemory)
    }
}

/// The slice of all work-groups; the caller narrows `begin` and `end`.
fn whole_slice(launch: &Launch, scratch: *mut u8) -> Slice {
    let wide = |sizes: [usize; 3]| sizes.map(|n| n as u64);
    let (grid, range) = (launch.grid(), launch.range());
    let local_size = wide(grid.local);
    Slice {
        info: WorkGroupInfo {
            group_id: [0; 3],
            num_groups: grid.groups,
            local_size,
            enqueued_local_size: local_size,
            global_size: wide(range.global_size),
            global_offset: wide(range.global_offset),
            scratch,
            work_dim: range.work_dim,
        },
        begin: [0; 3],
        end: grid.groups,
    }
}
