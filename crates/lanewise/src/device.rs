//! The devices that kernels run on.

use crate::{Error, Result};
use std::fmt;

/// A device that runs kernels on this machine: `cpu`, with all its cores and vector lanes; or
/// `threads`, where every work-item is a thread, which is slow but good for comparing results. Both
/// work on the memory of the process.
///
/// ```
/// # fn main() -> Result<(), lanewise::Error> {
/// let cpu = lanewise::Device::named("cpu")?;
/// println!("{} with {} compute units", cpu.name(), cpu.compute_units());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Device {
    pub(crate) runtime: &'static dyn runtime::Device,
}

/// The devices of this process, the default first: the CPU, or those that the environment variable
/// `LANEWISE_DEVICES` names (`cpu,threads`).
///
/// ```
/// for device in lanewise::devices() {
///     println!("{}: {}", device.id(), device.name());
/// }
/// ```
pub fn devices() -> Vec<Device> {
    devices::all().iter().map(|&runtime| Device { runtime }).collect()
}

impl Device {
    /// The device that [`Device::id`] calls so, whether [`devices()`] lists it or not.
    pub fn named(name: &str) -> Result<Device> {
        let found = devices::known().into_iter().find(|device| device.id() == name);
        found.map(|runtime| Device { runtime }).ok_or_else(|| Error::UnknownDevice {
            name: name.to_owned(),
            known: devices::known().iter().map(|device| device.id().to_owned()).collect(),
        })
    }

    /// The short name by which the device is chosen: `cpu`.
    pub fn id(self) -> &'static str {
        self.runtime.id()
    }

    /// The name to show to people, such as the processor's.
    pub fn name(self) -> &'static str {
        &self.runtime.properties().name
    }

    /// How many work-groups run at the same time: the number of CPUs, or `LANEWISE_THREADS`.
    pub fn compute_units(self) -> usize {
        self.runtime.properties().compute_units
    }

    /// The most work-items of a work-group.
    pub fn max_work_group_size(self) -> usize {
        self.runtime.compiler().device_info().max_work_group_size
    }

    /// The most local memory of a work-group.
    pub fn local_memory_bytes(self) -> usize {
        self.runtime.properties().local_memory_bytes
    }
}

/// The first of [`devices()`].
impl Default for Device {
    fn default() -> Self {
        Device { runtime: devices::all()[0] }
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("id", &self.id()).field("name", &self.name()).finish_non_exhaustive()
    }
}
