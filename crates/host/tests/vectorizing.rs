//! The code of kernels after the late stage: which vectorizers ran, and which atomics are left.

use compiler::pipeline::{FixedRegisters, LateStage, Mode, RangeSize, RunVecz, VectorUnit};
use compiler::{Module, Profile};
use lanewise_host as host;

/// A loop that only one work-item in a group runs, and that LLVM's loop vectorizer likes.
const LOOP: &str = "kernel __attribute__((reqd_work_group_size(1, 1, 1)))
    void k(global float *restrict out, global const float *restrict in, int n) {
      for (int i = 0; i < n; ++i) out[i] = in[i] * 2 + 1;
    }";

/// Four neighbours at once, for the vectorizer of straight code.
const STRAIGHT: &str = "kernel __attribute__((reqd_work_group_size(1, 1, 1)))
    void k(global float *restrict out, global const float *restrict in, int n) {
      out[n] = in[n] * 2 + 1; out[n + 1] = in[n + 1] * 2 + 1;
      out[n + 2] = in[n + 2] * 2 + 1; out[n + 3] = in[n + 3] * 2 + 1;
    }";

/// One work-item a lane.
const WIDE: &str = "kernel void k(global float *out, global const float *in, int n) {
      size_t i = get_global_id(0);
      if (in[i] > 3) out[i] = in[i] * 2 + n;
    }";

fn finalized(source: &str, options: &str) -> Module {
    let mut module = host::host_info().target(None).unwrap().create_module().unwrap();
    module.set_options(options).unwrap();
    module.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    module
}

/// The code for a launch, as optimised IR.
fn optimised(source: &str, options: &str) -> String {
    let module = finalized(source, options);
    let stage = LateStage {
        kernel: Some("k"),
        work_dim: Some(1),
        ranges: RangeSize::Small,
        ..host::host_info().backend().stage(module.options())
    };
    let lowered = compiler::lower(host::host_info(), &module.bitcode(), module.options(), &stage).unwrap();
    lowered.module.to_string()
}

/// Whether there is arithmetic on vectors in the code for a launch.
fn has_vectors(source: &str, options: &str) -> bool {
    optimised(source, options).lines().any(|line| line.contains("fmul <") || line.contains("llvm.fmuladd.v"))
}

#[test]
fn cl_vec_sets_llvms_vectorizers() {
    for (vec, loops, straight) in
        [("none", false, false), ("loop", true, false), ("slp", false, true), ("all", true, true)]
    {
        let options = format!("-cl-wfv=never -cl-vec={vec}");
        assert_eq!(has_vectors(LOOP, &options), loops, "{options}");
        assert_eq!(has_vectors(STRAIGHT, &options), straight, "{options}");
    }
}

/// The kernel before the whole-function vectorizer, and the names of the passes up to it and after.
fn early(source: &str, options: &str) -> (String, Vec<String>) {
    let module = finalized(source, options);
    let (info, options) = (host::host_info(), module.options());
    let stage = LateStage { kernel: Some("k"), ranges: RangeSize::Small, ..info.backend().stage(options) };
    let machinery = compiler::PassMachinery::new(info, options).unwrap();
    let context = llvm::Context::new();
    let ir = llvm::Module::parse_bitcode(&context, &module.bitcode()).unwrap();
    let pipeline = info.backend().late_passes(&stage).up_to("run-vecz");
    machinery.manager().run(&pipeline, &ir).unwrap();
    let names = info.backend().late_passes(&stage).names().into_iter().map(str::to_owned).collect();
    (ir.to_string(), names)
}

/// Neighbours that are loaded and stored, for the vectorizer of loads and stores.
const NEIGHBOURS: &str = "kernel void k(global int *restrict out, global const int *restrict in, int n) {
      size_t i = get_global_id(0);
      for (int j = 0; j < n; ++j) { out[4 * i + 2] = in[2 * i]; out[4 * i + 3] = in[2 * i + 1]; }
    }";

/// The specification's place for them is before the whole-function vectorizer; the host's own is
/// after the work-item loops.
#[test]
fn llvms_vectorizers_have_two_places() {
    for (vec, loops, straight) in
        [("none", false, false), ("loop", true, false), ("slp", false, true), ("all", true, true)]
    {
        let first = format!("-cl-vec={vec} --early-vectorization");
        let vectors = |source: &str, what: &str| early(source, &first).0.contains(what);
        assert_eq!(vectors(LOOP, "fmul <") || vectors(LOOP, "llvm.fmuladd.v"), loops, "{vec}");
        assert_eq!(vectors(STRAIGHT, "llvm.fmuladd.v") || vectors(STRAIGHT, "fmul <"), straight, "{vec}");
        assert_eq!(vectors(NEIGHBOURS, "load <2 x i32>"), loops || straight, "{vec}");
        let last = early(LOOP, &format!("-cl-vec={vec}"));
        assert!(!last.0.contains("fmul <") && !last.0.contains("llvm.fmuladd.v"), "{vec}");
        assert!(!last.1.iter().any(|name| name == "early-vectorization"), "{:?}", last.1);
    }
    let names = early(LOOP, "--early-vectorization").1;
    let place = |name: &str| names.iter().position(|n| n == name).unwrap();
    assert!(place("early-vectorization") < place("run-vecz"), "{names:?}");
    assert!(place("work-item-loops") < place("optimize-kernels"), "{names:?}");
}

#[test]
fn cl_wfv_sets_the_whole_function_vectorizer() {
    assert!(!has_vectors(WIDE, "-cl-wfv=never -cl-vec=none"));
    assert!(has_vectors(WIDE, "-cl-wfv=always -cl-vec=none"));
    assert!(has_vectors(WIDE, "-cl-wfv=auto -cl-vec=none"));
    assert!(has_vectors(WIDE, "-cl-vec=none"));
    assert!(!has_vectors(WIDE, "-cl-opt-disable"));
}

#[test]
fn the_hosts_answer_follows_the_options() {
    let context = llvm::Context::new();
    let ask = |options: &str| {
        let module = finalized(WIDE, options);
        let ir = llvm::Module::parse_bitcode(&context, &module.bitcode()).unwrap();
        let query = host::host_info().backend().vecz_pass_options(module.options())?;
        let ways = query.ask(&ir, ir.function("k").unwrap())?;
        let way = ways.first().unwrap();
        Some((way.how().width.lanes, way.mode))
    };
    assert_eq!(ask("-cl-wfv=never"), None);
    let own = ask("").unwrap();
    assert_eq!(own.1, Mode::Auto);
    assert_eq!(ask("-cl-wfv=auto"), Some(own));
    assert_eq!(ask("-cl-wfv=always").unwrap().1, Mode::Always);
    assert_eq!(ask("-cl-wfv=always --lanes 3"), Some((3, Mode::Always)));
}

#[test]
fn remarks_tell_of_all_kernels_or_one() {
    let source = format!("{WIDE}\n{}", WIDE.replace("void k", "void j"));
    let module = finalized(&source, "-cl-lanewise-remarks");
    let all = module.remarks(None, None).unwrap();
    let of = |name: &str| all.iter().filter(|r| r.kernel == name).count();
    assert!(of("k") > 3 && of("k") == of("j"), "{all:?}");
    assert!(all.iter().all(|r| r.place.as_ref().is_some_and(|p| p.file == "t.cl")), "{all:?}");
    let one = module.remarks(Some("j"), Some([4, 1, 1])).unwrap();
    assert!(one.iter().all(|r| r.kernel == "j") && !one.is_empty());
    let never = finalized(&source, "-cl-lanewise-remarks -cl-wfv=never");
    let never = never.remarks(None, None).unwrap();
    assert_eq!(never.len(), 2, "{never:?}");
    assert!(never.iter().all(|r| r.to_string().contains("ask for no vector version")), "{never:?}");
}

/// A scan up and down a tree, with one work-item's part between them, and stores for all at its
/// end.
const SCAN: &str = "kernel void k(global int *out, local int *t) {
      int l = get_local_id(0), n = get_local_size(0), o = 1;
      t[l] = out[l];
      for (int d = n / 2; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) t[(2 * l + 2) * o - 1] += t[(2 * l + 1) * o - 1];
        o *= 2;
      }
      if (l == 0) t[2 * n - 1] = 0;
      for (int d = 1; d < 2 * n; d *= 2) {
        o /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) t[(2 * l + 2) * o] += t[(2 * l + 1) * o];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      out[l] = t[l];
    }";

/// In scalar and in vector code, the conditions on IDs bound the work-item loops, and uniform
/// values are found to be uniform.
#[test]
fn conditions_on_ids_become_bounds() {
    for options in ["-cl-lanewise-remarks -cl-wfv=never", "-cl-lanewise-remarks -cl-wfv=always"] {
        let module = finalized(SCAN, options);
        let remarks = module.remarks(None, Some([64, 1, 1])).unwrap();
        let lines = |what: &str| {
            let about = remarks.iter().filter(|r| r.text.contains(what));
            about.filter_map(|r| r.place.as_ref().map(|p| p.line)).collect::<Vec<_>>()
        };
        let mut bounds = lines("bounds the loop");
        bounds.sort_unstable();
        assert_eq!(bounds, [6, 9, 13], "{options}: {remarks:?}");
        assert_eq!(lines("divergent loop"), [], "{options}: {remarks:?}");
    }
}

/// A loop in which a sub-group may wait for another is told of, since it costs something.
#[test]
fn turns_of_sub_groups_are_remarked() {
    let source = "kernel void k(global int *out, global atomic_int *flag) {
      if (get_sub_group_id() == 0)
        while (atomic_load(flag) == 0) {}
      else
        atomic_store(flag, 1);
      for (int i = 0; i < 10; i++) atomic_fetch_add(flag + 1, sub_group_reduce_add(i));
    }";
    for options in ["-cl-wfv=never", "-cl-wfv=always"] {
        let module = finalized(source, &format!("-cl-std=CL3.0 -cl-lanewise-remarks {options}"));
        let remarks = module.remarks(None, Some([64, 1, 1])).unwrap();
        let about = remarks.iter().filter(|r| r.text.contains("take turns"));
        let lines: Vec<_> = about.filter_map(|r| r.place.as_ref().map(|p| p.line)).collect();
        assert_eq!(lines, [3], "{options}: {remarks:?}");
    }
}

/// `t[l + 1]`, where LLVM has put the extension of the sum and its scale into shifts, is a wide
/// access.
#[test]
fn shifted_indices_are_contiguous() {
    let source = "kernel void k(global int *out, local int *t) {
      int l = get_local_id(0); t[l] = l; t[l + 1] = l; out[l - 1] = l;
    }";
    let module = finalized(source, "-cl-lanewise-remarks -cl-wfv=always");
    let remarks = module.remarks(None, Some([64, 1, 1])).unwrap();
    let stores: Vec<&str> =
        remarks.iter().filter(|r| r.text.contains("store")).map(|r| r.text.as_str()).collect();
    assert_eq!(stores, ["store of int: contiguous"; 3], "{remarks:?}");
}

#[test]
fn remarks_change_no_code() {
    let code = |options: &str| {
        let mut module = finalized(WIDE, options);
        let range = compiler::NdRange::new(&[64], &[16]);
        module.get_kernel("k").unwrap().create_specialized_kernel(&(&range).into()).unwrap()
    };
    assert_eq!(code("-cl-lanewise-remarks"), code(""));
}

/// One thread runs a work-group: only atomics on global memory need to be some.
#[test]
fn atomics_on_local_memory_are_plain() {
    let source = "kernel void k(global int *out, global const uchar *in) {
      local int h[256]; int l = get_local_id(0); h[l] = 0; barrier(CLK_LOCAL_MEM_FENCE);
      atomic_inc(&h[in[get_global_id(0)]]); atomic_cmpxchg(&h[l], 3, 4); barrier(CLK_LOCAL_MEM_FENCE);
      atomic_add(&out[l], h[l]);
    }";
    for options in ["-cl-wfv=never", "-cl-wfv=always"] {
        let ir = optimised(source, options);
        assert!(ir.contains("atomicrmw") && !ir.contains("cmpxchg"), "{ir}");
        let local = |line: &&str| line.contains("atomicrmw") && line.contains("i32 1 ");
        assert_eq!(ir.lines().find(local), None);
    }
}

/// The exponential function and the logarithm take the CPU's instructions, if it has them, for
/// vectors and for single work-items.
#[test]
fn mathematics_takes_the_cpus_instructions() {
    let features = llvm::host_features();
    if !["+avx512f", "+avx512vl"].iter().all(|wanted| features.split(',').any(|f| f == *wanted)) {
        return;
    }
    let source = "kernel void k(global float *out, global const float *in) {
        size_t i = get_global_id(0); out[i] = exp(in[i]) + log(in[i]) + rsqrt(in[i]); }";
    let wide = optimised(source, "");
    for name in ["mask.scalef.ps.512", "mask.getexp.ps.512", "mask.getmant.ps.512", "rsqrt14.ps.512"] {
        assert!(wide.contains(&format!("call <16 x float> @llvm.x86.avx512.{name}(")), "no {name} in {wide}");
    }
    let single = optimised(source, "-cl-wfv=never");
    assert!(single.contains("@llvm.x86.avx512.mask.scalef.ps.128("), "{single}");
}

/// The reduction of an angle, which has a branch for large ones, is done once for its sine and its
/// cosine.
#[test]
fn sine_and_cosine_of_an_angle_share_their_reduction() {
    let branches = |value: &str| {
        let source = format!(
            "kernel void k(global float *out, global const float *in) {{
                 size_t i = get_global_id(0); float x = in[i]; out[i] = {value}; }}"
        );
        optimised(&source, "--lanes=8").lines().filter(|line| line.contains("br i1")).count()
    };
    assert_eq!(branches("sin(x) + cos(x)"), branches("sin(x)"));
    assert!(branches("sin(x) + cos(x + 1)") > branches("sin(x)"));
}

/// Straight code with much arithmetic has two registers for each value, with little only one.
#[test]
fn long_arithmetic_takes_two_registers() {
    let lanes = host::host_info().device_info().vector_register_bytes / 4;
    let has_width = |value: &str, width| {
        let source = format!(
            "kernel void k(global float *out, global const float *in) {{
                 size_t i = get_global_id(0); float x = in[i]; out[i] = {value}; }}"
        );
        optimised(&source, "").contains(&format!("<{width} x float>"))
    };
    assert!(has_width("exp(exp(exp(exp(x)))) + exp(exp(exp(exp(-x))))", 2 * lanes));
    assert!(!has_width("exp(x)", 2 * lanes) && has_width("exp(x)", lanes));
}

/// Code for this CPU with the registers of an older one.
#[test]
fn code_is_made_for_the_vector_unit_that_is_described() {
    let module = finalized(WIDE, "-cl-vec=none");
    let widest = |unit: VectorUnit| {
        let registers = FixedRegisters {
            width: None,
            unit,
            linear: false,
            whole_vectors: false,
            only_required: false,
            mode: Mode::Auto,
        };
        let stage = LateStage {
            vectorize: Some(RunVecz { query: registers.query(), kernel: None }),
            ..host::host_info().backend().stage(module.options())
        };
        let (info, options) = (host::host_info(), module.options());
        let mut lowered = compiler::lower(info, &module.bitcode(), options, &stage).unwrap();
        assert!(!lowered.generate(compiler::Output::Object).unwrap().is_empty());
        let text = lowered.module.to_string();
        [16, 8, 4].into_iter().find(|width| text.contains(&format!("<{width} x float>")))
    };
    assert_eq!(widest(host::cpu::AVX512), Some(16));
    assert_eq!(widest(host::cpu::AVX), Some(8));
    assert_eq!(widest(host::cpu::SSE), Some(4));
    let own = host::cpu::vector_unit().register_bytes;
    assert_eq!(widest(host::cpu::vector_unit()), Some(own / 4));
}
