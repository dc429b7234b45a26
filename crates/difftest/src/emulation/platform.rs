//! The CPUs that objects are tested on, and how they are emulated here.

/// A CPU that objects are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    pub name: &'static str,
    pub triple: &'static str,
    pub cpu: Option<&'static str>,
    pub features: &'static str,
    /// The C compiler, and its options for the program that runs the kernels.
    pub cc: &'static [&'static str],
    /// The emulator; none if this machine runs the code.
    pub emulator: Option<&'static str>,
    pub runs: &'static [Emulated],
    /// The bits of a vector register when `vscale` is 1; 0 if registers have one size.
    pub vscale_bits: u32,
    /// The emulator needs changed code (`patch`).
    pub patched: bool,
}

/// An emulated CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulated {
    /// The emulator's name of the CPU.
    pub cpu: &'static str,
    /// The bits of its vector registers, which the runner checks; 0 if it has none to ask for.
    pub bits: u32,
}

const ARM: &[&str] = &["aarch64-linux-gnu-gcc"];
const ARM_SVE: &[&str] = &["aarch64-linux-gnu-gcc", "-march=armv8-a+sve", "-DVECTOR_SVE"];
const RISCV: &[&str] = &["riscv64-linux-gnu-gcc"];
const RISCV_V: &[&str] = &["riscv64-linux-gnu-gcc", "-march=rv64gcv", "-DVECTOR_RVV"];

/// With `sve2048=on`, Debian's emulator has 512 bits; the default length in bytes is what counts.
const SVE: &[Emulated] = &[
    Emulated { cpu: "max,sve-default-vector-length=16", bits: 128 },
    Emulated { cpu: "max,sve-default-vector-length=32", bits: 256 },
    Emulated { cpu: "max,sve-default-vector-length=64", bits: 512 },
    Emulated { cpu: "max,sve-default-vector-length=256", bits: 2048 },
];

const RVV: &[Emulated] = &[
    Emulated { cpu: "rv64,v=true,vext_spec=v1.0,vlen=128", bits: 128 },
    Emulated { cpu: "rv64,v=true,vext_spec=v1.0,vlen=256", bits: 256 },
    Emulated { cpu: "rv64,v=true,vext_spec=v1.0,vlen=1024", bits: 1024 },
];

const HERE: &[Emulated] = &[Emulated { cpu: "", bits: 0 }];

pub const PLATFORMS: &[Platform] = &[
    Platform {
        name: "sve",
        triple: "aarch64-linux-gnu",
        cpu: None,
        features: "+sve",
        cc: ARM_SVE,
        emulator: Some("qemu-aarch64"),
        runs: SVE,
        vscale_bits: 128,
        patched: false,
    },
    Platform {
        name: "sve2",
        triple: "aarch64-linux-gnu",
        cpu: Some("neoverse-v2"),
        features: "",
        cc: ARM_SVE,
        emulator: Some("qemu-aarch64"),
        runs: &[SVE[0]],
        vscale_bits: 128,
        patched: false,
    },
    Platform {
        name: "neon",
        triple: "aarch64-linux-gnu",
        cpu: None,
        features: "",
        cc: ARM,
        emulator: Some("qemu-aarch64"),
        runs: &[Emulated { cpu: "cortex-a72", bits: 0 }],
        vscale_bits: 0,
        patched: false,
    },
    Platform {
        name: "rvv",
        triple: "riscv64-linux-gnu",
        cpu: None,
        features: "+m,+a,+f,+d,+c,+v",
        cc: RISCV_V,
        emulator: Some("qemu-riscv64"),
        runs: RVV,
        vscale_bits: 64,
        patched: true,
    },
    Platform {
        name: "rv64gc",
        triple: "riscv64-linux-gnu",
        cpu: None,
        features: "+m,+a,+f,+d,+c",
        cc: RISCV,
        emulator: Some("qemu-riscv64"),
        runs: &[Emulated { cpu: "rv64,v=false", bits: 0 }],
        vscale_bits: 0,
        patched: false,
    },
    Platform {
        name: "sse4.2",
        triple: "x86_64-linux-gnu",
        cpu: Some("nehalem"),
        features: "",
        cc: &["cc"],
        emulator: None,
        runs: HERE,
        vscale_bits: 0,
        patched: false,
    },
    Platform {
        name: "avx2",
        triple: "x86_64-linux-gnu",
        cpu: Some("haswell"),
        features: "",
        cc: &["cc"],
        emulator: None,
        runs: HERE,
        vscale_bits: 0,
        patched: false,
    },
    Platform {
        name: "avx512",
        triple: "x86_64-linux-gnu",
        cpu: Some("skylake-avx512"),
        features: "",
        cc: &["cc"],
        emulator: None,
        runs: HERE,
        vscale_bits: 0,
        patched: false,
    },
];

impl Platform {
    pub fn named(name: &str) -> Option<&'static Platform> {
        PLATFORMS.iter().find(|platform| platform.name == name)
    }

    /// Whether `a * b + c` is rounded once.
    pub fn has_fma(&self) -> bool {
        self.name != "sse4.2"
    }

    /// Whether this machine can run the code: by an emulator, or because its own CPU can.
    pub fn runs_here(&self) -> bool {
        match self.name {
            _ if self.emulator.is_some() => true,
            "sse4.2" => has("sse4.2"),
            "avx2" => has("avx2"),
            _ => has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq"),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has(feature: &str) -> bool {
    match feature {
        "sse4.2" => is_x86_feature_detected!("sse4.2"),
        "avx2" => is_x86_feature_detected!("avx2"),
        "avx512f" => is_x86_feature_detected!("avx512f"),
        "avx512vl" => is_x86_feature_detected!("avx512vl"),
        "avx512bw" => is_x86_feature_detected!("avx512bw"),
        "avx512dq" => is_x86_feature_detected!("avx512dq"),
        _ => false,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has(_: &str) -> bool {
    false
}
