//! The devices and compilers of this build. This is the one place that names them.
#![forbid(unsafe_code)]

use compiler::{AddCompiler, Info};
use runtime::Device;
use std::sync::OnceLock;

/// All devices there are, the default first.
pub fn known() -> [&'static dyn Device; 2] {
    [host::device(), threads::device()]
}

/// Calls `add` for every compiler: those of the devices, and those whose objects others run.
pub fn compilers(add: AddCompiler<'_>) {
    host::compilers(add);
    native_cpu::compilers(add);
    threads::compilers(add);
}

/// The compiler of this name, or an error that lists those there are. `host` is the CPU's older name.
pub fn compiler(name: &str) -> Result<&'static dyn Info, String> {
    let name = if name == "host" { host::device().id() } else { name };
    let mut all: Vec<&'static dyn Info> = Vec::new();
    compilers(&mut |info| all.push(info));
    let found = all.iter().find(|info| info.name() == name).copied();
    found.ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|info| info.name()).collect();
        format!("there is no target '{name}'; there are {}", names.join(", "))
    })
}

/// The device of this name, or an error that lists those there are.
pub fn device(name: &str) -> Result<&'static dyn Device, String> {
    let found = known().into_iter().find(|device| device.id() == name);
    found.ok_or_else(|| {
        let names: Vec<_> = known().iter().map(|device| device.id()).collect();
        format!("there is no device '{name}'; there are {}", names.join(", "))
    })
}

/// The devices that programs see: those of `LANEWISE_DEVICES`, a list of names with commas between them, or the CPU.
pub fn all() -> &'static [&'static dyn Device] {
    static CHOSEN: OnceLock<Vec<&'static dyn Device>> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let Some(text) = std::env::var_os("LANEWISE_DEVICES") else { return vec![known()[0]] };
        choose(&text.to_string_lossy()).unwrap_or_else(|why| {
            eprintln!("lanewise: LANEWISE_DEVICES={text:?} is ignored: {why}");
            vec![known()[0]]
        })
    })
}

fn choose(text: &str) -> Result<Vec<&'static dyn Device>, String> {
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
        assert_eq!(error, "there is no device 'gpu'; there are cpu, threads");
        assert!(ids("").is_err());
    }

    #[test]
    fn compilers_are_found_by_name() {
        for name in ["cpu", "threads", "native-cpu"] {
            assert_eq!(compiler(name).unwrap().name(), name);
        }
        let error = compiler("gpu").map(|_| ()).unwrap_err();
        assert_eq!(error, "there is no target 'gpu'; there are cpu, native-cpu, threads");
    }
}
