//! Kernels as Native CPU objects for other CPUs, under emulation, give the bytes of the reference.

use compiler::NdRange;
use lanewise_difftest::emulation::{Arg, Batch, Case, Kernel, Launch, PLATFORMS, Platform, Same, Source};
use lanewise_difftest::{Program, buffer, check_emulated, contents, run};
use runtime::ArgValue;
use std::sync::LazyLock;

/// The first random kernels on a platform; `make emulate` runs more. Platforms that differ from
/// another one by a few instructions have fewer.
fn random(name: &str, count: u64) {
    let platform = Platform::named(name).expect("the platform is known");
    if !platform.runs_here() {
        println!("{name}: this CPU does not run it");
        return;
    }
    let totals = check_emulated(0..count, platform, false).unwrap_or_else(|e| panic!("{e}"));
    assert!(totals.wrong.is_empty(), "{} are wrong, the first: {}", totals.wrong.len(), totals.wrong[0]);
}

#[test]
fn random_kernels_with_sve() {
    random("sve", 50);
}

#[test]
fn random_kernels_with_sve2() {
    random("sve2", 10);
}

#[test]
fn random_kernels_with_neon() {
    random("neon", 50);
}

#[test]
fn random_kernels_with_risc_v_vectors() {
    random("rvv", 50);
}

#[test]
fn random_kernels_on_risc_v_without_vectors() {
    random("rv64gc", 50);
}

#[test]
fn random_kernels_with_sse() {
    random("sse4.2", 20);
}

#[test]
fn random_kernels_with_avx2() {
    random("avx2", 10);
}

#[test]
fn random_kernels_with_avx512() {
    random("avx512", 10);
}

const KERNELS: &str = include_str!("emulated_kernels.cl");

/// The number of work-items: no multiple of anything.
const ITEMS: usize = 131;

/// The bytes of the kernels' local memory.
const LOCAL: usize = 256 * 4;

/// The arguments of the kernels: numbers, among them small ones.
fn arguments() -> Vec<Arg> {
    let word = |i: u32| i.wrapping_mul(0x9e37_79b9) >> (i % 24);
    let words = |from: u32, count: usize| (from..).take(count).flat_map(|i| word(i).to_le_bytes()).collect();
    let double = |i: u32| f64::from(word(i) as i32 >> 8) / 4096.0;
    let doubles = (0..2 * ITEMS as u32).flat_map(|i| (double(i) % 50.0).to_le_bytes()).collect();
    let count = (ITEMS as u32).to_le_bytes().to_vec();
    let buffers = [words(1, 4 * ITEMS), words(1000, 8 * ITEMS), doubles].map(Arg::Buffer);
    buffers.into_iter().chain([Arg::Local(LOCAL), Arg::Bytes(count)]).collect()
}

/// The kernels as scalar code of this machine.
static HERE: LazyLock<Program> = LazyLock::new(|| {
    Program::build(KERNELS, "-cl-std=CL3.0 -cl-wfv=never").unwrap_or_else(|e| panic!("{e}"))
});

/// What scalar code of this machine leaves in the buffers.
fn here(name: &str, range: NdRange) -> Vec<Vec<u8>> {
    let kernel = HERE.kernel(name).expect("the kernel is there");
    let mut buffers = Vec::new();
    let args: Vec<ArgValue> = arguments()
        .into_iter()
        .map(|arg| match arg {
            Arg::Bytes(bytes) => ArgValue::Bytes(bytes),
            Arg::Local(bytes) => ArgValue::Local(bytes),
            Arg::Buffer(bytes) => {
                buffers.push(buffer(&bytes).unwrap());
                ArgValue::Buffer(buffers[buffers.len() - 1].clone(), 0)
            }
        })
        .collect();
    run(&kernel, range, &args).unwrap_or_else(|e| panic!("{name}: {e}"));
    buffers.iter().map(|buffer| contents(buffer).unwrap()).collect()
}

/// What `sub_groups` leaves in the buffers, for sub-groups of this many work-items.
fn sub_groups(local: usize, width: usize) -> Vec<Vec<u8>> {
    let buffers = arguments().into_iter().filter_map(|arg| match arg {
        Arg::Buffer(bytes) => Some(bytes),
        _ => None,
    });
    let mut buffers: Vec<Vec<u8>> = buffers.collect();
    let read = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("a word"));
    let a: Vec<u32> = buffers[0].chunks_exact(4).take(ITEMS).map(read).collect();
    let mut b = Vec::new();
    for group in a.chunks(local) {
        for (id, of) in group.chunks(width.min(local)).enumerate() {
            let sum = of.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
            let some = of.iter().filter(|x| *x & 4 != 0).fold(0u32, |sum, x| sum.wrapping_add(x >> 3));
            let product = of.iter().fold(1u32, |product, x| product.wrapping_mul(x | 1));
            let any = u32::from(of.iter().any(|x| x % 50 == 0));
            for (lane, x) in of.iter().enumerate() {
                let before = of[..lane].iter().copied().max().unwrap_or(0);
                let mut r = sum ^ before ^ of[0] << 1;
                if x & 4 != 0 {
                    r = r.wrapping_add(some);
                }
                r = r.wrapping_add(product).wrapping_add(of[lane / 2] ^ any);
                b.push(r.wrapping_add(of.len() as u32 * 1000).wrapping_add(id as u32));
            }
        }
    }
    let bytes: Vec<u8> = b.into_iter().flat_map(u32::to_le_bytes).collect();
    buffers[1][..bytes.len()].copy_from_slice(&bytes);
    buffers
}

/// Every construct of `emulated_kernels.cl` on a platform, at all lengths of its vectors.
fn constructs(name: &str) {
    let platform = Platform::named(name).expect("the platform is known");
    if !platform.runs_here() {
        println!("{name}: this CPU does not run it");
        return;
    }
    let names = KERNELS.lines().filter_map(|line| line.strip_prefix("kernel void ")?.split('(').next());
    let names: Vec<&str> = names.collect();
    let kernel = |name: &&str| Kernel {
        source: Source::OpenClC(KERNELS.to_owned()),
        name: (*name).to_owned(),
        options: "-cl-std=CL3.0 -cl-wfv=always".to_owned(),
        fuses: false,
    };
    let linked = Batch { kernels: names.iter().map(kernel).collect(), small: false }.link(platform).unwrap();
    for (name, width) in names.iter().zip(&linked.widths) {
        let width = width.as_ref().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(width.scalable, platform.vscale_bits > 0, "{name} has the width {width}");
    }
    for on in platform.runs {
        let mut cases = Vec::new();
        for (n, name) in names.iter().enumerate() {
            for local in [37, 64] {
                let rows = *name == "rows";
                let (global, local) =
                    if rows { ([26, 5, 1], [7, 3, 1]) } else { ([ITEMS, 1, 1], [local, 1, 1]) };
                let range = NdRange::new(&global, &local);
                let (work_dim, offset) = (range.work_dim, range.global_offset);
                let args = arguments();
                let launch = Launch { kernel: n, work_dim, global, offset, local, args };
                let width = linked.width(n, on).unwrap();
                let expected =
                    if *name == "sub_groups" { sub_groups(local[0], width) } else { here(name, range) };
                cases.push(Case { launch, expected });
            }
        }
        let wrong = linked.differences(on, &cases, Same::Bytes);
        let wrong: Vec<String> = wrong
            .into_iter()
            .map(|(case, what)| {
                let launch = &cases[case].launch;
                format!("{} {:?}: {what}", names[launch.kernel], launch.local)
            })
            .collect();
        assert!(wrong.is_empty(), "{name}, {} bits: {}", on.bits, wrong.join("\n"));
    }
}

#[test]
fn constructs_with_sve() {
    constructs("sve");
}

#[test]
fn constructs_with_sve2() {
    constructs("sve2");
}

#[test]
fn constructs_with_neon() {
    constructs("neon");
}

#[test]
fn constructs_with_risc_v_vectors() {
    constructs("rvv");
}

#[test]
fn constructs_on_risc_v_without_vectors() {
    constructs("rv64gc");
}

#[test]
fn constructs_on_x86_64() {
    ["sse4.2", "avx2", "avx512"].into_iter().for_each(constructs);
}

#[test]
fn every_platform_is_tested() {
    let tested = ["sve", "sve2", "neon", "rvv", "rv64gc", "sse4.2", "avx2", "avx512"];
    assert_eq!(PLATFORMS.iter().map(|platform| platform.name).collect::<Vec<_>>(), tested);
}
