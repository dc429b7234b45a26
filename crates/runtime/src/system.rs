//! The properties of the computer this process runs on.

use crate::device::Properties;
use std::fs;
use std::sync::OnceLock;

impl Properties {
    /// A device of all cores of the computer this process runs on. The device sets its local
    /// memory.
    pub fn this_machine() -> &'static Properties {
        static SYSTEM: OnceLock<Properties> = OnceLock::new();
        SYSTEM.get_or_init(probe)
    }
}

/// The bytes of a page of memory: 4, 16 or 64 KiB on AArch64.
pub(crate) fn page_size() -> usize {
    // SAFETY: it reads a constant of the system.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).expect("the system has pages")
}

fn probe() -> Properties {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let (cache_bytes, line) = caches();
    let compute_units = compute_units();
    Properties {
        // The CPU's brand string.
        name: field(&cpuinfo, "model name").unwrap_or(std::env::consts::ARCH).to_owned(),
        vendor: field(&cpuinfo, "vendor_id").unwrap_or("unknown").to_owned(),
        model: model(&cpuinfo),
        compute_units,
        memory_bytes: memory_bytes(),
        local_memory_bytes: 0,
        cache_bytes,
        cache_line_bytes: line.unwrap_or(64),
        clock_mhz: max_clock_mhz()
            .or_else(|| field(&cpuinfo, "cpu MHz")?.parse().ok().map(|mhz: f64| mhz as u32))
            .unwrap_or(0),
        is_divisible: true,
        launch_threads: compute_units,
    }
}

/// The value of the first line `key : value`.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// Family, model and stepping of an x86 CPU; part, variant and revision of an Arm one.
fn model(cpuinfo: &str) -> [u32; 3] {
    let number = |key: &str| {
        let text = field(cpuinfo, key)?;
        match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        }
    };
    let either = |x86: &str, arm: &str| number(x86).or_else(|| number(arm)).unwrap_or(0);
    [either("cpu family", "CPU part"), either("model", "CPU variant"), either("stepping", "CPU revision")]
}

fn compute_units() -> usize {
    // Respects the affinity mask and the quota of a control group.
    let default = std::thread::available_parallelism().map_or(1, |n| n.get());
    let Some(text) = std::env::var_os("LANEWISE_THREADS") else { return default };
    parse_threads(&text.to_string_lossy()).unwrap_or_else(|| {
        eprintln!("lanewise: LANEWISE_THREADS={text:?} is ignored: expected a number from 1 to 1024");
        default
    })
}

fn parse_threads(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|n| (1..=1024).contains(n))
}

fn memory_bytes() -> u64 {
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = field(&meminfo, "MemTotal")
        .and_then(|v| v.trim_end_matches("kB").trim().parse::<u64>().ok())
        .map_or(1 << 30, |kib| kib << 10);
    let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|v| v.trim().parse().ok());
    total.min(limit.unwrap_or(u64::MAX))
}

fn caches() -> ([u64; 3], Option<u64>) {
    let mut sizes = [0; 3];
    let mut line = None;
    for index in 0..8 {
        let read = |file: &str| {
            fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}"))
                .map(|text| text.trim().to_owned())
        };
        let (Ok(kind), Ok(level), Ok(size)) = (read("type"), read("level"), read("size")) else { continue };
        if kind == "Instruction" {
            continue;
        }
        if let (Ok(level @ 1..=3), Some(bytes)) = (level.parse::<usize>(), parse_size(&size)) {
            sizes[level - 1] = bytes;
        }
        line = line.or_else(|| read("coherency_line_size").ok()?.parse().ok());
    }
    (sizes, line)
}

/// `32K`, `16M` or plain bytes.
fn parse_size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let shift = match text.as_bytes().last()? {
        b'K' => 10,
        b'M' => 20,
        b'G' => 30,
        _ => 0,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

fn max_clock_mhz() -> Option<u32> {
    let khz = fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").ok()?;
    Some(khz.trim().parse::<u32>().ok()? / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts() {
        assert_eq!(parse_threads(" 12 "), Some(12));
        assert_eq!(parse_threads("1024"), Some(1024));
        for bad in ["", "0", "1025", "-1", "four", "3.5"] {
            assert_eq!(parse_threads(bad), None, "{bad}");
        }
    }

    #[test]
    fn models() {
        assert_eq!(model("cpu family\t: 26\nmodel\t\t: 2\nmodel name\t: A\nstepping\t: 1\n"), [26, 2, 1]);
        assert_eq!(model("CPU variant\t: 0x3\nCPU part\t: 0xd40\nCPU revision\t: 1\n"), [0xd40, 3, 1]);
        assert_eq!(model("model\t: unknown\n"), [0; 3]);
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("32K"), Some(32 << 10));
        assert_eq!(parse_size("8M"), Some(8 << 20));
        assert_eq!(parse_size("77"), Some(77));
        assert_eq!(parse_size(""), None);
        assert_eq!(parse_size("K"), None);
    }

    #[test]
    fn this_computer() {
        let system = Properties::this_machine();
        assert!(!system.name.is_empty() && system.compute_units >= 1 && system.memory_bytes > 1 << 20);
        assert!(system.cache_line_bytes.is_power_of_two());
    }
}
