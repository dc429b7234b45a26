//! What other compilers make of OpenCL C as SPIR-V gives the same bytes as the source: clang 15 and
//! Khronos' translator, and with `LANEWISE_FRONT_ENDS=all` other versions and LLVM's own SPIR-V.

mod spirv_common;
use compiler::{NdRange, SpecializationInfo};
use jit::Kernel;
use lanewise_difftest::offline::FrontEnd;
use lanewise_difftest::{Plan, Program, check, report};
use runtime::ArgValue;
use spirv_common::*;

/// The arguments of a kernel: buffers by their contents, others as they are.
enum Arg {
    Buffer(Vec<u8>),
    Other(ArgValue),
}

/// Runs a kernel of the source and of SPIR-V made with several flags, and compares all buffers.
fn same(source: &str, name: &str, range: NdRange, args: &[Arg]) {
    let outcome = |kernel: &std::sync::Arc<Kernel>| {
        let buffers: Vec<Option<Data<u8>>> = args
            .iter()
            .map(|a| match a {
                Arg::Buffer(bytes) => Some(Data::<u8>::of(bytes)),
                Arg::Other(_) => None,
            })
            .collect();
        let values: Vec<ArgValue> = args
            .iter()
            .zip(&buffers)
            .map(|(a, b)| match (a, b) {
                (Arg::Other(value), _) => value.clone(),
                (_, Some(buffer)) => buffer.arg(),
                _ => unreachable!("a buffer has its contents"),
            })
            .collect();
        launch(kernel, range, &values);
        buffers.iter().flatten().map(|b| b.get()).collect::<Vec<_>>()
    };
    let expected = outcome(&common::kernel(source, name, ""));
    let strings = "--spirv-debug-info-version=ocl-100";
    for front_end in FrontEnd::wanted() {
        for (flags, translator) in
            [(&["-O0"][..], &[][..]), (&["-O2"], &[]), (&["-O1", "-g"], &[strings]), (&["-O0", "-g"], &[])]
        {
            let translator = if front_end.has_debug_versions() { translator } else { &[] };
            let code = front_end.compile(source, flags, translator).unwrap_or_else(|e| panic!("{e}"));
            let program = Program::from_spirv(&code, "", &SpecializationInfo::default())
                .unwrap_or_else(|e| panic!("{front_end:?} {flags:?}: {e}"));
            let actual = outcome(&program.kernel(name).expect("the kernel is there"));
            assert!(actual == expected, "{name} by {front_end:?} with {flags:?} differs");
        }
    }
}

fn floats(n: usize) -> Arg {
    Arg::Buffer(bytes(&(0..n).map(|i| (i as f32 * 0.37).sin() * 10.0).collect::<Vec<_>>()))
}

fn zeros(n: usize) -> Arg {
    Arg::Buffer(vec![0; n])
}

fn number<T: Plain>(v: T) -> Arg {
    Arg::Other(value(v))
}

#[test]
fn the_kernels_of_the_benchmarks() {
    let example = |name: &str| {
        let path = format!("{}/../../examples/{name}.cl", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    let n = 1000;
    same(&example("saxpy"), "saxpy", NdRange::new(&[n], &[64]), &[number(2.5f32), floats(n), floats(n)]);
    same(
        &example("mandelbrot"),
        "mandelbrot",
        NdRange::new(&[64, 48], &[16, 16]),
        &[zeros(4 * 64 * 48), number(200u32), number(-0.65f32), number(0f32), number(3.2f32)],
    );
    same(
        &example("reduce"),
        "reduce",
        NdRange::new(&[1024], &[256]),
        &[floats(1024), zeros(16), Arg::Other(ArgValue::Local(1024)), number(1024u32)],
    );
    same(
        &example("transpose"),
        "transpose",
        NdRange::new(&[64, 64], &[16, 16]),
        &[floats(64 * 64), zeros(4 * 64 * 64), number(64u32), number(64u32)],
    );
}

/// A little of everything that front ends emit.
const MIXED: &str = "
typedef struct { int a; float b[3]; char c; double d; } S;
constant int table[5] = {3, 1, 4, 1, 5};
global int counter = 3;
int helper(S *s, int n) { s->a += n; return s->a * 2; }
float4 blend(float4 a, float4 b, float t) { return mix(a, b, t) + fma(a, b, a); }
kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void mixed(global float4 *out, global int *ints, constant float *weights, local int *tile, S s, float4 \
    v, ulong big) {
  size_t g = get_global_id(0), l = get_local_id(0);
  tile[l] = (int)g * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int i = 0; i < 8; i++) {
    if ((tile[i] ^ (int)g) & 1) continue;
    sum += tile[i] * table[i % 5];
    if (sum > 150) break;
  }
  switch (sum % 4) {
    case 0: sum += helper(&s, 7); break;
    case 1: sum -= helper(&s, 9);
    case 2: sum ^= (int)(big >> 33); break;
    default: sum = min(max(sum, -20), 1 << 20);
  }
  atomic_add(&ints[0], sum);
  atomic_max(&ints[1], (int)g);
  float whole; float f = fract(weights[g % 4] + s.b[1], &whole);
  ints[2 + g] = sum + convert_int_sat_rte(v.y * f * 1e9f) + popcount((uint)sum) + any(v.xy > v.zw) + \
  (int)whole
    + as_int(f) % 17 + rotate(sum, 3) + (int)mul_hi((uint)sum, 0x89abcdefu) + convert_uchar_sat(sum) + s.c;
  float4 w = blend(v, (float4)(f, whole, (float)s.d, weights[0]), 0.25f);
  w.s02 = w.s31 * 2.0f;
  out[g] = select(w, -w, (int4)(sum < 0) == 0) / sqrt(fabs(w) + 1.0f);
  vstore3(w.xyz, g, (global float *)(out + get_global_size(0)));
  if (g == 0) ints[40] = counter;
}
";

#[test]
fn a_little_of_everything() {
    let mut s = Vec::new();
    s.extend(5i32.to_le_bytes());
    s.extend([1.5f32, 2.75, -3.0].iter().flat_map(|v| v.to_le_bytes()));
    s.extend([9, 0, 0, 0, 0, 0, 0, 0]);
    s.extend(6.25f64.to_le_bytes());
    assert_eq!(s.len(), 32);
    let args = [
        zeros(16 * 32 + 12 * 32),
        zeros(4 * 64),
        floats(8),
        Arg::Other(ArgValue::Local(32)),
        Arg::Other(ArgValue::Bytes(s)),
        Arg::Other(ArgValue::Bytes(bytes(&[1.25f32, -2.0, 3.5, 0.75]))),
        number(0x1234_5678_9abc_def0u64),
    ];
    same(MIXED, "mixed", NdRange::new(&[32], &[8]), &args);
}

#[test]
fn random_kernels() {
    // clang's own code generator makes wrong modules of some: it forgets conversions of sizes.
    for front_end in FrontEnd::wanted().into_iter().filter(|f| f.is_translator()) {
        for (first, flags) in [(5000, "-O0"), (5030, "-O2"), (5060, "-Os")] {
            let plan = Plan { offline: Some((front_end, flags)), ..Plan::default() };
            let mut compiled = 0;
            for seed in first..first + 8 {
                // The translators do not take all that clang makes.
                let source = kernelgen::generate(seed, &plan.config).source;
                if front_end.compile(&source, &[flags], &[]).is_err() {
                    continue;
                }
                compiled += 1;
                if let Err(difference) = check(seed, &plan) {
                    panic!("{front_end:?} {flags}: {}", report(&difference, &plan));
                }
            }
            assert!(compiled >= 4, "{front_end:?} {flags}: {compiled}");
        }
    }
}

#[test]
fn debug_information_reaches_the_kernel() {
    for translator in [&["--spirv-debug-info-version=ocl-100"][..], &[]] {
        let code = FrontEnd::DEFAULT.compile(MIXED, &["-O0", "-g"], translator).unwrap();
        let context = llvm::Context::new();
        let module = spirv::translate(&context, &code, &Default::default(), &Default::default()).unwrap();
        let ir = module.to_string();
        for part in [
            "!DISubprogram(name: \"mixed\"",
            "!DILocalVariable(name: \"sum\"",
            "!DILocation(line: 17",
            "k.cl",
        ] {
            assert!(ir.contains(part), "no {part} with {translator:?}");
        }
    }
}
