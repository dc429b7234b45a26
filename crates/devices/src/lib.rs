//! The devices and compilers of this build. This is the one place that names them.
#![forbid(unsafe_code)]

use compiler::{AddCompiler, Error, Info, Result};
use runtime::Device;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The devices that other crates registered with [`add`].
static ADDED: Mutex<Vec<&'static dyn Device>> = Mutex::new(Vec::new());

/// The devices that programs see, fixed by the first query.
static CHOSEN: OnceLock<Vec<&'static dyn Device>> = OnceLock::new();

fn wrong(message: String) -> Error {
    Error::InvalidValue(message)
}

fn added() -> Vec<&'static dyn Device> {
    ADDED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// All devices of this build and those of [`add`], the default first.
pub fn known() -> Vec<&'static dyn Device> {
    let mut all = vec![host::device(), threads::device()];
    all.extend(added());
    all
}

/// Registers a device of another crate, which programs see after the CPU. Fails once [`all`] has
/// been called.
pub fn add(device: &'static dyn Device) -> Result<()> {
    if CHOSEN.get().is_some() {
        let id = device.id();
        return Err(wrong(format!("the device '{id}' is added too late: devices::all() was called before")));
    }
    if known().iter().any(|other| other.id() == device.id()) {
        return Err(wrong(format!("there is a device '{}' already", device.id())));
    }
    ADDED.lock().unwrap_or_else(PoisonError::into_inner).push(device);
    Ok(())
}

/// Calls `add` for every compiler: those of the devices, and those whose objects other drivers run.
pub fn compilers(add: AddCompiler<'_>) {
    host::compilers(add);
    native_cpu::compilers(add);
    threads::compilers(add);
    added().iter().for_each(|device| add(device.compiler()));
}

/// The compiler of this name, or an error that lists the known ones. `host` is the CPU's older
/// name.
pub fn compiler(name: &str) -> Result<&'static dyn Info> {
    let name = if name == "host" { host::device().id() } else { name };
    let mut all: Vec<&'static dyn Info> = Vec::new();
    compilers(&mut |info| all.push(info));
    let found = all.iter().find(|info| info.name() == name).copied();
    found.ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|info| info.name()).collect();
        wrong(format!("there is no target '{name}'; there are {}", names.join(", ")))
    })
}

/// The device of this name, or an error that lists the known ones.
pub fn device(name: &str) -> Result<&'static dyn Device> {
    let found = known().into_iter().find(|device| device.id() == name);
    found.ok_or_else(|| {
        let names: Vec<_> = known().iter().map(|device| device.id()).collect();
        wrong(format!("there is no device '{name}'; there are {}", names.join(", ")))
    })
}

/// The devices that programs see: those of `LANEWISE_DEVICES`, a list of names with commas between
/// them; without it the CPU and those of [`add`].
pub fn all() -> &'static [&'static dyn Device] {
    CHOSEN.get_or_init(|| {
        let usual = || std::iter::once(host::device()).chain(added()).collect();
        let Some(text) = std::env::var_os("LANEWISE_DEVICES") else { return usual() };
        choose(&text.to_string_lossy()).unwrap_or_else(|why| {
            eprintln!("lanewise: LANEWISE_DEVICES={text:?} is ignored: {why}");
            usual()
        })
    })
}

fn choose(text: &str) -> Result<Vec<&'static dyn Device>> {
    let mut chosen: Vec<&'static dyn Device> = Vec::new();
    for name in text.split(',') {
        let device = device(name.trim())?;
        if !chosen.iter().any(|d| d.id() == device.id()) {
            chosen.push(device);
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_chosen_by_name() {
        let ids = |text: &str| choose(text).map(|list| list.iter().map(|d| d.id()).collect::<Vec<_>>());
        assert_eq!(ids("cpu,threads").unwrap(), ["cpu", "threads"]);
        assert_eq!(ids(" threads , cpu,threads").unwrap(), ["threads", "cpu"]);
        let error = ids("cpu,gpu").unwrap_err();
        assert_eq!(error.message(), "there is no device 'gpu'; there are cpu, threads");
        assert!(ids("").is_err());
    }

    #[test]
    fn a_device_is_added_once_and_in_time() {
        let error = add(threads::device()).unwrap_err();
        assert_eq!(error.message(), "there is a device 'threads' already");
        all();
        let error = add(threads::device()).unwrap_err();
        assert_eq!(
            error.message(),
            "the device 'threads' is added too late: devices::all() was called before"
        );
    }

    #[test]
    fn compilers_are_found_by_name() {
        for name in ["cpu", "threads", "native-cpu"] {
            assert_eq!(compiler(name).unwrap().name(), name);
        }
        let error = compiler("gpu").map(|_| ()).unwrap_err();
        assert_eq!(error.message(), "there is no target 'gpu'; there are cpu, native-cpu, threads");
    }
}
