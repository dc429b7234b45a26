//! Work-groups up to the device's limit with much to keep across barriers, from a thread with a
//! small stack.

mod common;

use common::{Data, kernel, launch};
use compiler::NdRange;
use runtime::ArgValue;

/// Runs `f` on a thread with a stack of 128 KiB.
fn with_a_small_stack(f: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(128 << 10).spawn(f).unwrap().join().unwrap();
}

/// Each work-item keeps 2 KiB across a barrier.
const SOURCE: &str = "kernel void k(global uint *out) {
        local uint s[4096];
        uint own[512], l = get_local_id(0), n = get_local_size(0);
        for (uint i = 0; i < 512; i++) own[i] = l * 3 + i;
        s[l] = own[l % 512];
        barrier(CLK_LOCAL_MEM_FENCE);
        uint from = s[n - 1 - l];
        own[from % 512] += 1000000;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint r = 0;
        for (uint i = 0; i < 512; i++) r = r * 31 + own[i];
        out[get_global_id(0)] = r;
    }";

fn value(l: u32, n: u32) -> u32 {
    let mut own: Vec<u32> = (0..512).map(|i| l * 3 + i).collect();
    let other = n - 1 - l;
    own[((other * 3 + other % 512) % 512) as usize] += 1_000_000;
    own.iter().fold(0u32, |r, v| r.wrapping_mul(31).wrapping_add(*v))
}

#[test]
fn two_kilobytes_a_work_item() {
    for build in common::BUILDS {
        with_a_small_stack(move || {
            let k = kernel(SOURCE, "k", build);
            for (global, local) in [(4096, 4096), (8192, 4096), (5000, 4096), (3000, 1000), (2048, 1024)] {
                let out = Data::<u32>::zeros(global);
                launch(&k, NdRange::new(&[global], &[local]), &[out.arg()]);
                let expected = (0..global).map(|i| {
                    let size = local.min(global - i / local * local);
                    value((i % local) as u32, size as u32)
                });
                assert_eq!(out.get(), expected.collect::<Vec<_>>(), "'{build}', {global} {local}");
            }
        });
    }
}

#[test]
fn large_groups_of_three_dimensions() {
    with_a_small_stack(|| {
        let source = "kernel void k(global uint *out, local ulong8 *s) {
                uint l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1) * get_local_size(2);
                ulong16 wide = (ulong16)(l) * (ulong16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                double16 more = convert_double16(wide) * 0.5;
                s[l] = wide.hi;
                barrier(CLK_LOCAL_MEM_FENCE);
                ulong8 other = s[(l + 1) % n];
                barrier(CLK_LOCAL_MEM_FENCE);
                out[get_global_linear_id()] = (uint)(other.s3 + wide.sf + wide.s1 + (ulong)more.s8);
            }";
        let k = kernel(source, "k", "");
        for local in [[16, 16, 16], [4096, 1, 1], [1, 1, 4096], [64, 8, 8]] {
            let out = Data::<u32>::zeros(4096);
            launch(&k, NdRange::new(&local, &local), &[out.arg(), ArgValue::Local(4096 * 64)]);
            let expected: Vec<u32> = (0..4096u32).map(|l| (l + 1) % 4096 * 11 + l * 15 + l + l * 4).collect();
            assert_eq!(out.get(), expected, "{local:?}");
        }
    });
}

#[test]
fn private_arrays_without_barriers_stay_small() {
    // 4096 work-items of 2 KiB each would not fit the stack either: they must share it.
    with_a_small_stack(|| {
        let source = "kernel void k(global uint *out, uint n) {
                uint own[512];
                for (uint i = 0; i < 512; i++) own[i] = get_local_id(0) ^ i;
                for (uint i = 0; i < n; i++) own[own[i] % 512] += i;
                out[get_global_id(0)] = own[get_local_id(0) % 512];
            }";
        for build in common::BUILDS {
            let k = kernel(source, "k", build);
            let out = Data::<u32>::zeros(8192);
            launch(&k, NdRange::new(&[8192], &[4096]), &[out.arg(), common::value(100u32)]);
            let expected = (0..8192u32).map(|g| {
                let l = g % 4096;
                let mut own: Vec<u32> = (0..512).map(|i| l ^ i).collect();
                (0..100u32).for_each(|i| {
                    let at = own[i as usize] as usize % 512;
                    own[at] += i;
                });
                own[l as usize % 512]
            });
            assert_eq!(out.get(), expected.collect::<Vec<_>>(), "'{build}'");
        }
    });
}

#[test]
fn large_private_arrays_are_not_on_the_stack() {
    // Half a megabyte a work-item, times the lanes; in the kernel, and in a function that it calls.
    let source = "__attribute__((noinline)) uint sum(uint a, uint n) {
            uint own[131072];
            for (uint i = 0; i < 131072; i++) own[i] = a ^ i;
            for (uint i = 0; i < n; i++) own[own[i] % 131072] += i;
            return own[a] + own[131071];
        }
        kernel void called(global uint *out, uint n) { out[get_global_id(0)] = sum(get_global_id(0), n); }
        kernel void inside(global uint *out, uint n) {
            uint own[131072], a = get_global_id(0);
            for (uint i = 0; i < 131072; i++) own[i] = a ^ i;
            for (uint i = 0; i < n; i++) own[own[i] % 131072] += i;
            out[a] = own[a] + own[131071];
        }
        kernel void first(global uint *out, uint n) {
            local uint s[64];
            uint own[131072], a = get_global_id(0), l = get_local_id(0);
            for (uint i = 0; i < 131072; i++) own[i] = a ^ i;
            for (uint i = 0; i < n; i++) own[own[i] % 131072] += i;
            s[l] = own[a] + own[131071];
            barrier(CLK_LOCAL_MEM_FENCE);
            out[a] = s[get_local_size(0) - 1 - l];
        }";
    let value = |a: u32| {
        let mut own: Vec<u32> = (0..131072).map(|i| a ^ i).collect();
        (0..100u32).for_each(|i| {
            let at = own[i as usize] as usize % 131072;
            own[at] += i;
        });
        own[a as usize] + own[131071]
    };
    for build in common::BUILDS {
        with_a_small_stack(move || {
            for name in ["called", "inside", "first"] {
                let k = kernel(source, name, build);
                let out = Data::<u32>::zeros(40);
                launch(&k, NdRange::new(&[40], &[20]), &[out.arg(), common::value(100u32)]);
                let at = |i: u32| if name == "first" { i / 20 * 20 + 19 - i % 20 } else { i };
                let expected: Vec<u32> = (0..40).map(|i| value(at(i))).collect();
                assert_eq!(out.get(), expected, "'{build}' {name}");
            }
        });
    }
}
