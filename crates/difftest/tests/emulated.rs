//! Kernels as Native CPU objects for other CPUs, under emulation, give the bytes of the reference.

use lanewise_difftest::check_emulated;
use lanewise_difftest::emulation::{PLATFORMS, Platform};

/// A platform's random kernels: as many as `LANEWISE_EMULATED` says (`make emulate` runs 1,000), or
/// a few. Platforms that differ from another one by a few instructions have fewer.
fn random(name: &str, few: u64) {
    let count = std::env::var("LANEWISE_EMULATED").ok().and_then(|text| text.parse().ok()).unwrap_or(few);
    let platform = Platform::named(name).expect("the platform is known");
    if !platform.runs_here() {
        println!("{name}: this CPU does not run it");
        return;
    }
    // One program has so many kernels, so that a difference is found soon.
    const CHUNK: u64 = 50;
    for first in (0..count).step_by(CHUNK as usize) {
        check_emulated(first..(first + CHUNK).min(count), platform).unwrap_or_else(|e| panic!("{e}"));
    }
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

#[test]
fn every_platform_is_tested() {
    let tested = ["sve", "sve2", "neon", "rvv", "rv64gc", "sse4.2", "avx2", "avx512"];
    assert_eq!(PLATFORMS.iter().map(|platform| platform.name).collect::<Vec<_>>(), tested);
}
