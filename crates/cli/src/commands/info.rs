//! `lanewise info`: the devices, and the versions of Lanewise, LLVM and OpenCL.

use compiler::{Standard, opencl_version};
use runtime::Device;

use crate::error::{Error, Result};
use crate::json::Json;
use crate::progress::Progress;
use crate::show;

/// Lines of the features' list are at most this long.
const WIDTH: usize = 100;

/// The rows about a device.
fn rows_of(device: &dyn Device) -> Vec<(&'static str, String)> {
    let (properties, compiler) = (device.properties(), device.compiler().device_info());
    let mut rows = vec![
        ("device", format!("{}: {}", device.id(), properties.name)),
        ("CPU", format!("{}, as LLVM calls it", device.compiler().backend().machine().cpu)),
        ("threads", properties.compute_units.to_string()),
    ];
    if device.compiler().vectorizable() {
        rows.push(("vectors", format!("{} bits", 8 * compiler.vector_register_bytes)));
    }
    rows.push(("memory", show::size(usize::try_from(properties.memory_bytes).unwrap_or(usize::MAX))));
    let caches: Vec<String> = (1..)
        .zip(properties.cache_bytes)
        .filter(|(_, bytes)| *bytes > 0)
        .map(|(level, bytes)| format!("L{level} {}", show::size(bytes as usize)))
        .collect();
    if !caches.is_empty() {
        rows.push(("caches", format!("{}, lines of {} B", caches.join(", "), properties.cache_line_bytes)));
    }
    if properties.clock_mhz > 0 {
        rows.push(("clock", format!("{:.2} GHz", f64::from(properties.clock_mhz) / 1000.0)));
    }
    rows.extend([
        ("groups", format!("up to {} work-items", compiler.max_work_group_size)),
        ("local", format!("{} of local memory", show::size(properties.local_memory_bytes))),
    ]);
    rows
}

/// The versions of OpenCL C: `1.2`.
fn versions() -> Vec<String> {
    let text = |standard: Standard| {
        let (major, minor) = standard.version();
        format!("{major}.{minor}")
    };
    Standard::complete(opencl_version()).map(text).collect()
}

/// The CPU's features, as LLVM names them.
fn features() -> Vec<String> {
    let features = llvm::host_features();
    features.split(',').filter_map(|feature| feature.strip_prefix('+')).map(str::to_owned).collect()
}

/// The properties of a device, for programs.
fn json_of(device: &dyn Device) -> Json {
    let (properties, compiler) = (device.properties(), device.compiler().device_info());
    let vector_bits = device.compiler().vectorizable().then_some(8 * compiler.vector_register_bytes);
    Json::object([
        ("id", device.id().into()),
        ("name", properties.name.as_str().into()),
        ("vendor", properties.vendor.as_str().into()),
        ("cpu", device.compiler().backend().machine().cpu.as_str().into()),
        ("compute_units", properties.compute_units.into()),
        ("vector_bits", vector_bits.map_or(Json::Null, Json::from)),
        ("address_bits", (compiler.address_bits as usize).into()),
        ("half", compiler.supports_half.into()),
        ("double", compiler.supports_double.into()),
        ("int64_atomics", compiler.supports_int64_atomics.into()),
        ("memory_bytes", usize::try_from(properties.memory_bytes).unwrap_or(usize::MAX).into()),
        ("local_memory_bytes", properties.local_memory_bytes.into()),
        ("cache_bytes", Json::list(properties.cache_bytes.map(|bytes| bytes as usize))),
        ("cache_line_bytes", (properties.cache_line_bytes as usize).into()),
        ("clock_mhz", (properties.clock_mhz as usize).into()),
        ("max_work_group_size", compiler.max_work_group_size.into()),
        ("max_sub_group_count", compiler.max_sub_group_count.into()),
    ])
}

/// `lanewise info --json`.
pub fn info_json() -> Result<()> {
    let text = Json::object([
        ("lanewise", env!("CARGO_PKG_VERSION").into()),
        ("llvm", llvm::VERSION.into()),
        ("opencl_c", Json::list(versions())),
        ("cpu_features", Json::list(features())),
        ("devices", Json::List(devices::all().iter().map(|device| json_of(*device)).collect())),
    ]);
    show::say(&text.to_string())
}

pub fn info() -> Result<()> {
    let mut rows = Vec::new();
    for device in devices::all() {
        rows.extend(rows_of(*device));
    }
    rows.extend([
        ("lanewise", env!("CARGO_PKG_VERSION").to_owned()),
        ("LLVM", llvm::VERSION.to_owned()),
        ("OpenCL C", versions().join(", ")),
    ]);
    let features = features();
    let has = features.iter().map(String::as_str);
    let mut text = String::new();
    for (name, value) in &rows {
        text += &format!("{name:9}  {value}\n");
    }
    for (line, name) in
        wrap(has, WIDTH - 11).iter().zip(["features"].into_iter().chain(std::iter::repeat("")))
    {
        text += &format!("{name:9}  {line}\n");
    }
    show::say(text.trim_end())
}

/// `lanewise info --roofline`: what all cores compute and move in a second.
pub fn info_roofline(json: bool) -> Result<()> {
    let progress = Progress::start("measuring the machine");
    let roofline = crate::roofline::roofline()?;
    drop(progress);
    if json {
        return show::say(&serde_json::to_string(&roofline).map_err(|e| Error::input(e.to_string()))?);
    }
    let mut text = format!("{}, {} threads\n", roofline.cpu, roofline.threads);
    for (name, gflops) in [("float", roofline.gflops), ("double", roofline.gflops_double)] {
        text += &format!("{name:9}  {}FLOP/s\n", show::scaled(gflops * 1e9));
    }
    for bandwidth in &roofline.bandwidths {
        text += &format!("{:9}  {}B/s\n", bandwidth.level, show::scaled(bandwidth.gbytes * 1e9));
    }
    if roofline.is_busy {
        text += "others used the machine meanwhile: it can do more, and this is measured again next time";
    }
    show::say(text.trim_end())
}

/// Words with blanks between them, in lines of at most `width`.
fn wrap<'a>(words: impl Iterator<Item = &'a str>, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_full_but_not_longer() {
        assert_eq!(wrap(["avx", "avx2", "f", "sse4.1"].into_iter(), 10), ["avx avx2 f", "sse4.1"]);
        assert_eq!(wrap(["longer-than-that"].into_iter(), 4), ["longer-than-that"]);
        assert!(wrap(std::iter::empty(), 4).is_empty());
    }
}
