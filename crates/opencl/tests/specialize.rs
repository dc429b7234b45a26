//! Code for values that steer loops: made while launches go on, the same results, kept on disk, and
//! no harm at the end of a process or in a forked one. In processes of their own, since a process
//! asks the environment once.

#[path = "../../runtime/tests/common/child.rs"]
mod child;
mod common;

use child::in_child;
use common::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SOURCE: &str =
    "kernel void gemm(int N, global const float *A, global const float *B, global float *C) {
    int c = get_global_id(0), r = get_global_id(1); float s = 0;
    for (int k = 0; k < N; k++) s += A[r * N + k] * B[k * N + c];
    C[r * N + c] = s / N;
}";
const N: usize = 256;

/// A kernel with its arguments.
struct Gemm {
    cl: Cl,
    kernel: Handle,
    result: Handle,
}

impl Gemm {
    fn new() -> Gemm {
        let cl = Cl::new();
        let kernel = cl.kernel(SOURCE, "gemm", "");
        let values: Vec<f32> = (0..N * N).map(|i| (i * 31 % 1009) as f32 / 64.0 - 7.0).collect();
        let others: Vec<f32> = values.iter().rev().map(|x| x * 1.5).collect();
        let inputs = [cl.buffer_of(&values), cl.buffer_of(&others)];
        let result = cl.buffer(0, 4 * N * N);
        for (i, mem) in [inputs[0], inputs[1], result].into_iter().enumerate() {
            assert_eq!(set_arg(kernel, i as u32 + 1, mem), CL_SUCCESS);
        }
        Gemm { cl, kernel, result }
    }

    /// The bits of the product of the first so many rows.
    fn run(&self, n: usize) -> Vec<u32> {
        assert_eq!(set_arg(self.kernel, 0, n as i32), CL_SUCCESS);
        assert_eq!(self.cl.run(self.kernel, &[n, n], Some(&[16, 4])), CL_SUCCESS);
        self.cl.read::<u32>(self.result, n * n)
    }
}

/// Runs one test again as a process of its own, with these variables.
fn in_a_process(test: &str, variables: &[(&str, &str)]) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("LANEWISE_TEST_CHILD", "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test} {variables:?}: {}\n{text}", output.status);
}

fn is_child() -> bool {
    std::env::var_os("LANEWISE_TEST_CHILD").is_some()
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).map_or(vec![], |d| d.map(|e| e.unwrap().path()).collect());
    entries.into_iter().filter(|p| !p.to_string_lossy().contains("new-")).collect()
}

/// Launches with the same values until there is code for them, then with others too. What code
/// there is shows in the cache.
fn launch_until_specialised() {
    let dir = PathBuf::from(std::env::var_os("LANEWISE_CACHE_DIR").unwrap());
    let wanted = std::env::var("LANEWISE_SPECIALIZE").is_ok_and(|v| v == "1");
    let gemm = Gemm::new();
    let (small, large) = (gemm.run(64), gemm.run(N));
    assert_eq!(files(&dir).len(), 2, "the program and its general code");
    let start = Instant::now();
    let patience = Duration::from_secs(if wanted { 120 } else { 2 });
    while files(&dir).len() < 3 && start.elapsed() < patience {
        assert!(gemm.run(N) == large);
        // The thread that compiles has a low priority.
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(files(&dir).len(), if wanted { 3 } else { 2 });
    for _ in 0..40 {
        assert!(gemm.run(N) == large && gemm.run(64) == small);
    }
}

/// `jit::Kernel::choose` finds out.
#[test]
fn launches_with_the_same_values_get_code_of_their_own() {
    if is_child() {
        return launch_until_specialised();
    }
    let dir = std::env::temp_dir().join(format!("lanewise-specialize-test-{}", std::process::id()));
    let test = "launches_with_the_same_values_get_code_of_their_own";
    for on in ["1", "0"] {
        let _ = std::fs::remove_dir_all(&dir);
        let cache = [("LANEWISE_CACHE", "1"), ("LANEWISE_CACHE_DIR", dir.to_str().unwrap())];
        in_a_process(test, &[&cache[..], &[("LANEWISE_SPECIALIZE", on)]].concat());
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

/// Launches for so long.
fn launch_for(gemm: &Gemm, time: Duration) {
    let (want, start) = (gemm.run(N), Instant::now());
    while start.elapsed() < time {
        assert!(gemm.run(N) == want);
    }
}

/// A process may end, and its objects may go, before, while and after code is made.
#[test]
fn the_process_may_end_at_any_time() {
    let test = "the_process_may_end_at_any_time";
    if is_child() {
        let time = std::env::var("LANEWISE_TEST_MILLISECONDS").unwrap().parse().unwrap();
        let gemm = Gemm::new();
        launch_for(&gemm, Duration::from_millis(time));
        release_kernel(gemm.kernel);
        return;
    }
    for time in (40..400).step_by(40) {
        in_a_process(test, &[("LANEWISE_CACHE", "0"), ("LANEWISE_TEST_MILLISECONDS", &time.to_string())]);
    }
}

/// A forked child launches on, without the thread that makes code.
#[test]
fn a_forked_child_launches_on() {
    if !is_child() {
        return in_a_process("a_forked_child_launches_on", &[("LANEWISE_CACHE", "0")]);
    }
    let gemm = Gemm::new();
    let want = gemm.run(N);
    for _ in 0..15 {
        launch_for(&gemm, Duration::from_millis(20));
        in_child(|| (0..5).all(|_| gemm.run(N) == want));
    }
}

/// After a range that its local size does not divide there is code for any local size; other local
/// sizes run it at once, and later their own.
#[test]
fn local_sizes_run_what_there_is_until_they_have_their_own() {
    let cl = Cl::new();
    let source = "kernel void k(global int *out) {
        local int all[64];
        all[get_local_id(0)] = get_global_id(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = all[get_local_size(0) - 1 - get_local_id(0)];
    }";
    let kernel = cl.kernel(source, "k", "-cl-std=CL3.0");
    let out = cl.buffer(0, 4 * 192);
    assert_eq!(set_arg(kernel, 0, out), CL_SUCCESS);
    let check = |items: usize, local: usize| {
        assert_eq!(cl.run(kernel, &[items], Some(&[local])), CL_SUCCESS);
        let mut want: Vec<i32> = (0..items as i32).collect();
        want.chunks_mut(local).for_each(<[i32]>::reverse);
        assert_eq!(cl.read::<i32>(out, items), want, "{items} by {local}");
    };
    check(190, 64);
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(300) {
        [64, 16, 48, 3, 1].into_iter().for_each(|local| check(192, local));
    }
}
