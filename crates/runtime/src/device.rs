//! Devices: the interface between the runtime and the machines that kernels run on.
//!
//! A [`Device`] says what it can do, which compiler makes code for it and which [`Memory`] its
//! kernels work on. It brings binaries of that compiler into a [`Program`]; these are
//! [`Executable`]s then, which a [`crate::Queue`] runs: the driver cuts the range of a launch into
//! boxes of work-groups, and the device's [`KernelCode`] runs them, on the threads it is called on
//! or elsewhere.

use crate::driver::Launch;
use crate::grid::GroupBox;
use crate::image::Images;
use crate::memory::{HostMemory, Memory};
use crate::node::Failure;
use crate::succession::Succession;
use compiler::{Info, KernelFacts};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// The properties of a device that programs can query, beside those of its compiler
/// ([`compiler::DeviceInfo`]).
#[derive(Clone, Debug)]
pub struct Properties {
    pub name: String,
    pub vendor: String,
    /// Family, model and stepping by its maker's count; zeros where unknown.
    pub model: [u32; 3],
    /// How many parts of it run kernels at the same time.
    pub compute_units: usize,
    pub memory_bytes: u64,
    /// The most local memory of one work-group.
    pub local_memory_bytes: usize,
    /// The data caches from the first level on; 0 where unknown.
    pub cache_bytes: [u64; 3],
    pub cache_line_bytes: u64,
    pub clock_mhz: u32,
    /// Whether some of its compute units can be used alone.
    pub is_divisible: bool,
    /// How many threads of the pool run a launch: all compute units, or one that waits for a device
    /// which distributes work itself.
    pub launch_threads: usize,
}

/// Something that runs kernels. Each lives as long as the process.
pub trait Device: Send + Sync {
    fn properties(&self) -> &Properties;

    /// The compiler that makes binaries for it.
    fn compiler(&self) -> &'static dyn Info;

    /// The memory its kernels work on. Devices with the same one share buffers.
    fn memory(&self) -> &'static dyn Memory;

    /// Its images, if it has some.
    fn images(&self) -> Option<&'static dyn Images> {
        None
    }

    /// Begins a program, with the object of its variables if it has some
    /// ([`compiler::SplitProgram::variables`]).
    ///
    /// # Safety
    /// The object must come from this device's compiler, whole: it is linked with code.
    unsafe fn create_program(&self, variables: Option<&[u8]>) -> compiler::Result<Arc<dyn Program>>;
}

impl dyn Device + '_ {
    /// The short name by which users choose it, which is its compiler's: `cpu`.
    pub fn id(&self) -> &'static str {
        self.compiler().name()
    }

    /// Whether both devices reach the same buffers.
    pub fn shares_memory_with(&self, other: &dyn Device) -> bool {
        is_same(self.memory(), other.memory())
    }

    /// Whether its kernels work on the memory of this process, so that any address of it can be
    /// given to them.
    pub fn uses_process_memory(&self) -> bool {
        is_same(self.memory(), HostMemory::get())
    }
}

fn is_same(one: &dyn Memory, other: &dyn Memory) -> bool {
    std::ptr::addr_eq(one, other)
}

/// A program on a device: its variables, and the loader of code that uses them.
pub trait Program: Send + Sync {
    /// Loads a sealed binary without compiling anything; refuses binaries of other versions and for
    /// other machines.
    ///
    /// # Safety
    /// The binary must come from the device's compiler and must not have been changed since: it
    /// becomes code. The seal finds damage, not malice.
    unsafe fn load(&self, binary: &[u8]) -> compiler::Result<Vec<Arc<Executable>>>;
}

/// The code of one kernel on a device.
pub trait KernelCode: Send + Sync {
    /// Runs the work-groups in the boxes that `next` gives until it gives none. Several threads may
    /// do so at the same time for the same launch, each with boxes of its own.
    fn run(&self, launch: &Launch, next: &mut dyn FnMut() -> Option<GroupBox>) -> Result<(), Failure>;
}

/// The limits of a device for its launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub max_work_group_size: usize,
    pub local_memory_bytes: usize,
    /// [`Properties::launch_threads`].
    pub threads: usize,
}

impl Limits {
    pub fn of(device: &dyn Device) -> Limits {
        let properties = device.properties();
        Limits {
            max_work_group_size: device.compiler().device_info().max_work_group_size,
            local_memory_bytes: properties.local_memory_bytes,
            threads: properties.launch_threads,
        }
    }
}

/// A kernel in a device's memory, ready to be launched.
pub struct Executable {
    facts: KernelFacts,
    limits: Limits,
    code: Box<dyn KernelCode>,
    cost: Cost,
    succession: OnceLock<Arc<dyn Succession>>,
}

impl Executable {
    /// # Safety
    /// `code` must keep to `facts`: it reads the packed arguments as these describe them, and needs
    /// no more memory.
    pub unsafe fn new(facts: KernelFacts, limits: Limits, code: Box<dyn KernelCode>) -> Executable {
        Executable { facts, limits, code, cost: Cost::default(), succession: OnceLock::new() }
    }

    /// Lets other code of the same kernel, for the same ranges, succeed this one. Only the first
    /// call has an effect.
    pub fn succeed_by(&self, succession: Arc<dyn Succession>) {
        let _ = self.succession.set(succession);
    }

    pub fn succession(&self) -> Option<&dyn Succession> {
        self.succession.get().map(|succession| &**succession)
    }

    pub fn facts(&self) -> &KernelFacts {
        &self.facts
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn code(&self) -> &dyn KernelCode {
        &*self.code
    }

    pub(crate) fn cost(&self) -> &Cost {
        &self.cost
    }
}

impl fmt::Debug for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executable").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// The measured cost of a kernel's work-items: decides whether a launch is worth waking other
/// threads for. It depends on the arguments: a wrong guess costs time, never a result.
#[derive(Debug, Default)]
pub(crate) struct Cost {
    /// Nanoseconds for 1024 work-items, and one; 0 if the kernel did not run yet.
    nanoseconds: AtomicU64,
}

impl Cost {
    /// The nanoseconds `items` work-items should take on one thread, if the kernel ran before.
    pub fn expect(&self, items: usize) -> Option<u64> {
        let cost = self.nanoseconds.load(Relaxed).checked_sub(1)?;
        Some(cost.saturating_mul(items as u64) / 1024)
    }

    /// Notes that `items` work-items took `nanoseconds` of one thread's time. A costly launch
    /// counts at once and is forgotten slowly: to underestimate is worse.
    pub fn note(&self, items: usize, nanoseconds: u64) {
        let cost = (nanoseconds.saturating_mul(1024) / items.max(1) as u64).min(u32::MAX.into());
        let entry = self.nanoseconds.load(Relaxed);
        let old = entry.saturating_sub(1);
        let new = if cost >= old { cost } else { old - (old - cost).div_ceil(4) };
        if new != old || entry == 0 {
            self.nanoseconds.store(new + 1, Relaxed);
        }
    }
}
