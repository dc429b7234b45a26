//! Large kernels begin with a first version, and go on with their best code.

mod common;

use common::*;
use compiler::{NdRange, Profile};
use jit::{Jit, Kernel};
use lanewise_difftest::{Program, module, run_code};
use runtime::{Executable, Succession};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const ITEMS: usize = 1000;

fn specializing(source: &str, options: &str) -> Arc<Kernel> {
    let mut module = module().unwrap();
    module.set_options(options).unwrap();
    module.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    Program::of(module, Jit::specializing()).kernel("k").unwrap()
}

/// A kernel of many lines: the body for each of them from a number.
fn large(lines: usize, line: impl Fn(usize) -> String) -> String {
    let body: String = (0..lines).map(line).collect();
    format!(
        "kernel void k(global const float *in, global float *out, int n) {{
            int i = get_global_id(0), y = i * 7; float x = in[i]; double d = x; long l = i;
            {body}
            out[i] = x + (float)d + y + l;
        }}"
    )
}

/// Code that a launch which waits for nothing else gets.
fn launched(k: &Arc<Kernel>, range: &NdRange) -> Arc<Executable> {
    k.choose(range, &[]).unwrap().executable
}

fn output(code: &Arc<Executable>, range: NdRange) -> Vec<u32> {
    let input: Vec<f32> = (0..ITEMS).map(|i| i as f32 * 0.001 - 0.2).collect();
    let (input, out) = (Data::of(&input), Data::<f32>::zeros(ITEMS));
    run_code(code, range, &[input.arg(), out.arg(), value(17i32)]).unwrap();
    out.get().into_iter().map(f32::to_bits).collect()
}

fn sources() -> Vec<String> {
    let functions = ["sin", "exp", "log2", "atan", "cbrt", "tanh", "erf", "sqrt"];
    vec![
        large(16, |i| format!("x = 0.5f * {}(fabs(x) + 0.{i}f) + x * 0.3f;\n", functions[i % 8])),
        large(24, |i| format!("d = d * 0.7 + {}((double)x + {i}) / 3;\n", functions[i % 2])),
        large(200, |i| {
            format!("x = x * 0.7f + y * 1e-9f; y = (y ^ as_int(x)) + {i}; if (y & {i}) x -= {i};\n")
        }),
        large(120, |i| {
            format!("l = l * {i} + y % ({i} + 3); y = rotate(y, {i}) + (int)(l >> 7); x += y > l;\n")
        }),
        large(60, |i| {
            format!(
                "{{ short4 s = (short4)(y, i, {i}, 3); uchar c = s.x * s.y; y += c; \
                 x = mix(x, (float)c, 0.1f); }}\n"
            )
        }),
        large(1, |_| {
            let cases: String =
                (0..100).map(|i| format!("case {i}: x = x * {i}.5f + in[(i + {i}) % n];\n")).collect();
            format!("switch (i % 100) {{ {cases} }}\n")
        }),
        large(20, |i| {
            format!("{{ int a[8]; for (int j = 0; j < 8; ++j) a[j] = y * j + {i}; y += a[(i + n) & 7]; }}\n")
        }),
    ]
}

#[test]
fn both_tiers_give_the_same_bytes() {
    let (divided, not_divided) = (NdRange::new(&[ITEMS], &[8]), NdRange::new(&[ITEMS - 3], &[16]));
    for (i, source) in sources().iter().enumerate() {
        for range in [divided, not_divided] {
            let k = specializing(source, "-cl-std=CL3.0");
            let first = launched(&k, &range);
            assert!(first.succession().is_some() && first.facts().work_width == 1, "kernel {i}");
            let before = output(&first, range);
            let best = k.wait_for_code(&range).unwrap();
            assert!(best.succession().is_none(), "kernel {i}");
            assert_eq!(output(&best, range), before, "kernel {i}");
            // Launches that find the best code run it, also those that chose before.
            assert!(Arc::ptr_eq(&launched(&k, &range), &best), "kernel {i}");
            assert_eq!(output(&first, range), before, "kernel {i}");
        }
    }
}

/// What can be observed, or may take any time, has one tier.
#[test]
fn other_kernels_have_one_tier() {
    let line = |i: usize| format!("x = x * 0.7f + y * 1e-9f; y = y ^ as_int(x) + {i};\n");
    let range = NdRange::new(&[ITEMS], &[8]);
    let has_two = |source: &str, options: &str| {
        launched(&specializing(source, &format!("-cl-std=CL3.0 {options}")), &range).succession().is_some()
    };
    let plain = large(200, line);
    assert!(has_two(&plain, ""));
    assert!(!has_two(&large(10, line), ""), "small");
    for options in
        ["-cl-fast-relaxed-math", "-cl-opt-disable", "-g", "-cl-lanewise-remarks", "-cl-wfv=always"]
    {
        assert!(!has_two(&plain, options), "{options}");
    }
    let with = |extra: &str| plain.replacen("double d = x;", &format!("double d = x; {extra}"), 1);
    for extra in [
        "for (int j = 0; j < n; ++j) x += in[j];",
        "y += sub_group_reduce_add(y);",
        "local int s[64]; s[i & 63] = y; barrier(CLK_LOCAL_MEM_FENCE); y += s[n & 63];",
        "if (i == n) printf(\"%d\", y);",
    ] {
        assert!(!has_two(&with(extra), ""), "{extra}");
    }
    let without = Program::build(&plain, "-cl-std=CL3.0").unwrap().kernel("k").unwrap();
    assert!(launched(&without, &range).succession().is_none(), "nothing is made in the background");
}

/// Gives the best code from a certain box of work-groups on.
struct After {
    boxes: usize,
    asked: AtomicUsize,
    best: Arc<Executable>,
}

impl Succession for After {
    fn successor(&self) -> Option<Arc<Executable>> {
        (self.asked.fetch_add(1, Relaxed) >= self.boxes).then(|| self.best.clone())
    }

    fn ran(&self, _: u64) {}
}

/// Every work-group runs once, in one code or the other, wherever a launch is succeeded.
#[test]
fn a_launch_goes_on_with_better_code() {
    let add = |n: u32| {
        format!("kernel void k(global uint *out) {{ atomic_add(out + get_global_linear_id(), {n}u); }}")
    };
    let code = |n: u32, range: &NdRange| specializing(&add(n), "-cl-std=CL3.0").wait_for_code(range).unwrap();
    let mut mixed = 0;
    for range in [NdRange::new(&[5000], &[5]), NdRange::new(&[40, 50], &[8, 5]), NdRange::new(&[3], &[1])] {
        for boxes in [0, 1, 2, 7, 20, 1 << 20] {
            let (first, best) = (code(1, &range), code(0x10000, &range));
            first.succeed_by(Arc::new(After { boxes, asked: AtomicUsize::new(0), best }));
            let out = Data::<u32>::zeros(range.work_items());
            run_code(&first, range, &[out.arg()]).unwrap();
            let got = out.get();
            assert!(got.iter().all(|n| [1, 0x10000].contains(n)), "{range:?} {boxes}");
            let by_first = got.iter().filter(|n| **n == 1).count();
            assert!(boxes > 0 || by_first == 0, "{range:?}: {by_first}");
            assert!(boxes < 1 << 20 || by_first == got.len(), "{range:?}: {by_first}");
            mixed += usize::from((1..got.len()).contains(&by_first));
        }
    }
    assert!(mixed > 0);
}

/// The best code is made once launches took as long as the first version did to make.
#[test]
fn the_best_code_is_made_where_a_kernel_runs_long() {
    let k = specializing(&sources()[2], "-cl-std=CL3.0");
    let range = NdRange::new(&[ITEMS], &[8]);
    let first = launched(&k, &range);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while first.succession().unwrap().successor().is_none() {
        output(&first, range);
        assert!(std::time::Instant::now() < until, "the best code is never made");
    }
    assert!(launched(&k, &range).facts().work_width > 1);
}

/// Branches inside of 300 others, as programs write them that are written by programs.
#[test]
fn deep_branches_compile() {
    let opening: String =
        (0..300).map(|i| format!("if (in[(i + {i}) % n] < 2.0f) {{ x += {i}.5f;\n")).collect();
    let closing: String = (0..300).map(|i| format!("}} else x -= {i}.25f;\n")).collect();
    let k = specializing(&large(1, |_| format!("{opening}{closing}")), "-cl-std=CL3.0");
    let range = NdRange::new(&[ITEMS], &[8]);
    let first = launched(&k, &range);
    let before = output(&first, range);
    assert!(first.succession().is_some() && before.windows(2).any(|two| two[0] != two[1]));
}
