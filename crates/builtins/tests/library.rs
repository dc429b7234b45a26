//! The library as a module, and linked into kernels.

use clc::{Options, Profile};
use llvm::{Context, Function, LinkMode, Module};

fn open(context: &Context) -> Module {
    Module::open_bitcode(context, lanewise_builtins::bitcode()).unwrap()
}

/// Compiles a program, links what it needs and gives the names that are still only declared.
fn unresolved(source: &str, options: &str) -> (Module, Vec<String>) {
    let context = Context::new();
    let options = Options::parse(options, &[]).unwrap();
    let output =
        clc::compile(&context, source, "kernel.cl", Profile::Full, &clc::Device::FULL, &options, &[]);
    let module = output.module.unwrap_or_else(|| panic!("{}", output.log));
    lanewise_builtins::link(&module).unwrap();
    module.verify().unwrap();
    let names = module
        .functions()
        .into_iter()
        .filter(|f| f.is_declaration() && f.name().starts_with("_Z"))
        .map(|f| f.name())
        .collect();
    (module, names)
}

#[track_caller]
fn resolves(source: &str, options: &str) -> Module {
    let (module, mut names) = unresolved(source, options);
    names.retain(|name| !name.starts_with("_Z13get_global_id") && !name.starts_with("_Z7barrier"));
    assert!(names.is_empty(), "not in the library: {names:#?}");
    module
}

#[test]
fn the_module_is_sound() {
    let context = Context::new();
    let module = Module::parse_bitcode(&context, lanewise_builtins::bitcode()).unwrap();
    module.verify().unwrap();
    assert_eq!(module.triple(), "spir64-unknown-unknown");
    for function in module.functions() {
        let name = function.name();
        let by_a_pass = name.starts_with("llvm.")
            || name.starts_with("__mux_")
            || ["7barrier", "get_", "sub_group_", "__mux_opaque_value"]
                .iter()
                .any(|part| name.contains(part));
        assert!(!function.is_declaration() || by_a_pass, "{name} has no definition");
        let for_a_group = name.contains("async_work_group") || name.contains("wait_group_events");
        let of_a_sub_group = name.contains("sub_group");
        let right = of_a_sub_group || function.has_flag("convergent") == for_a_group;
        assert!(function.is_declaration() || right, "{name}");
    }
    let text = module.to_string();
    assert!(!text.contains("!llvm.") && !text.contains("!opencl."), "it says something of the program");
    let shared =
        |f: &Function| f.name().starts_with("__lanewise_shared_") || f.name().contains("__lanewise_image_");
    let apart = module.functions().into_iter().filter(|f| f.has_flag("noinline"));
    assert!(
        !apart.into_iter().any(|f| !shared(&f)),
        "only what functions share, and what images are read with, is kept apart"
    );
    for word in ["optnone", "target-features", "target-cpu", "syncscope", "seq_cst", "__atomic"] {
        assert!(!text.contains(word), "{word} in the library");
    }
}

#[test]
fn names_are_those_clang_calls() {
    let module = open(&Context::new());
    let names = [
        "_Z3maxii",
        "_Z3maxDv4_iS_",
        "_Z3minDv16_hh",
        "_Z5clampfff",
        "_Z3absc",
        "_Z7add_satDv3_sS_",
        "_Z6mul_hill",
        "_Z7mad_satmmm",
        "_Z8upsampleij",
        "_Z3clzi",
        "_Z8popcountDv8_t",
        "_Z7isequalDv2_dS_",
        "_Z5isnanf",
        "_Z6selectDv4_fS_Dv4_j",
        "_Z3fmafff",
        "_Z4sqrtDv16_d",
        "_Z3dotDv3_fS_",
        "_Z6vload4mPU3AS1Ki",
        "_Z6vload4mPU3AS2Kf",
        "_Z6vload3mPKf",
        "_Z7vstore4Dv4_fmPU3AS1f",
        "_Z7vstore4Dv4_imPU3AS4i",
        "_Z10vload_halfmPU3AS1KDh",
        "_Z10atomic_addPU3AS1Vii",
        "_Z10atomic_addPU3AS4Vii",
        "_Z14atomic_cmpxchgPU3AS3Vjjj",
        "_Z8atom_maxPU3AS1Vmm",
        "_Z11atomic_xchgPU3AS1Vff",
        "_Z16atomic_fetch_addPU3AS4VU7_Atomicii",
        "_Z25atomic_fetch_add_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope",
        "_Z30atomic_compare_exchange_strongPU3AS4VU7_AtomiciPU3AS4ii",
        "_Z7shuffleDv4_iDv4_j",
        "_Z8shuffle2Dv2_fS_Dv8_j",
        "_Z14convert_float8Dv8_i",
        "_Z19convert_int_sat_rtef",
        "_Z17convert_uchar_sati",
    ];
    let absent: Vec<_> = names.iter().filter(|name| module.function(name).is_none()).collect();
    assert!(absent.is_empty(), "{absent:#?}");
}

/// A kernel for all types of a list and all widths, from a body that says TYPE and WIDTH.
fn for_types(types: &[&str], widths: &[&str], body: &str) -> String {
    let mut source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n".to_owned();
    for ty in types {
        for width in widths {
            let body =
                body.replace("VEC", &format!("{ty}{width}")).replace("TYPE", ty).replace("WIDTH", width);
            source += &format!(
                "kernel void k_{ty}{width}(global {ty}{width} *p) {{ size_t i = get_global_id(0); {body} }}\n"
            );
        }
    }
    source
}

const INTEGERS: [&str; 8] = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"];
const FLOATS: [&str; 3] = ["half", "float", "double"];
const ALL: [&str; 6] = ["", "2", "3", "4", "8", "16"];
const VECTORS: [&str; 5] = ["2", "3", "4", "8", "16"];

#[test]
fn integers() {
    let body = "VEC a = p[0], b = p[1], c = p[2];
        p[3] = add_sat(a, b) + sub_sat(a, b) + hadd(a, b) + rhadd(a, b) + clz(a) + ctz(b) + popcount(c);
        p[4] = min(a, b) + max(b, c) + clamp(a, b, c) + mad_hi(a, b, c) + mul_hi(a, b) + mad_sat(a, b, c);
        p[5] = rotate(a, b) + bitselect(a, b, c);";
    resolves(&for_types(&INTEGERS, &ALL, body), "-cl-std=CL3.0");
    let scalar = "p[0] = min(p[1], p[1].s0) + max(p[1], p[2].s1) + clamp(p[1], p[2].s0, p[2].s1);";
    resolves(&for_types(&INTEGERS, &VECTORS, scalar), "");
    resolves(&for_types(&["int", "uint"], &ALL, "p[0] = mad24(p[0], p[1], p[2]) + mul24(p[3], p[4]);"), "");
    let others = "global uint *u = (global uint *)p;
        global ushort *s = (global ushort *)p;
        u[0] = abs(p[0]) + abs_diff(p[1], p[2]) + upsample(s[0], s[1]) + any(p[1]) + all(p[2]);";
    resolves(&for_types(&["int"], &[""], others), "");
}

#[test]
fn floats() {
    let body = "VEC a = p[0], b = p[1], c = p[2];
        p[3] = fabs(a) + floor(a) + ceil(a) + trunc(a) + rint(a) + round(a) + sqrt(a)
            + fma(a, b, c) + mad(a, b, c);
        p[4] = fmin(a, b) + fmax(a, b) + copysign(a, b) + sign(a) + step(a, b)
            + mix(a, b, c) + clamp(a, b, c);
        p[5] = degrees(a) + radians(b) + min(a, b) + max(a, b) + smoothstep(a, b, c) + rsqrt(a) + fdim(a, b);
        p[6] = bitselect(a, b, c) + maxmag(a, b) + minmag(a, b);";
    resolves(&for_types(&FLOATS, &ALL, body), "-cl-std=CL3.0");
    let native = "p[0] = native_sqrt(p[1]) + half_sqrt(p[2]) + native_recip(p[3]) + half_divide(p[4], p[5]);";
    resolves(&for_types(&["float"], &ALL, native), "");
    let geometry = "p[0] = dot(p[1], p[2]) + length(p[3]) + distance(p[1], p[2]); p[5] = normalize(p[4]);";
    resolves(&for_types(&FLOATS, &["", "2", "3", "4"], geometry), "");
    resolves(&for_types(&FLOATS, &["3", "4"], "p[0] = cross(p[1], p[2]);"), "");
}

#[test]
fn relations() {
    for (ty, integer) in [("half", "short"), ("float", "int"), ("double", "long")] {
        let body = "global MASK *q = (global MASK *)p;
            VEC a = p[0], b = p[1];
            q[0] = isequal(a, b) + isnotequal(a, b) + isless(a, b) + islessequal(a, b) + isgreater(a, b);
            q[1] = isgreaterequal(a, b) + islessgreater(a, b) + isordered(a, b) + isunordered(a, b);
            q[2] = isnan(a) + isinf(a) + isfinite(a) + isnormal(a) + signbit(a);
            p[3] = select(a, b, q[4]);";
        let body = body.replace("MASK", &format!("{integer}WIDTH"));
        resolves(&for_types(&[ty], &VECTORS, &body), "");
    }
    resolves(
        "kernel void k(global float *p, global int *q) { q[0] = isnan(p[0]) + isless(p[1], p[2]); }",
        "",
    );
}

#[test]
fn memory() {
    for standard in ["CL1.2", "CL3.0"] {
        for n in VECTORS {
            let body = "constant TYPE *c = (constant TYPE *)0;
                local TYPE l[64]; TYPE q[64]; global TYPE *g = (global TYPE *)p;
                vstoreN(vloadN(i, g), i, l); vstoreN(vloadN(i, l), i, q); vstoreN(vloadN(i, q), i, g);
                vstoreN(vloadN(i, c), i + 1, g);";
            let types: Vec<_> = INTEGERS.into_iter().chain(FLOATS).collect();
            let body = body.replace("vstoreN", &format!("vstore{n}")).replace("vloadN", &format!("vload{n}"));
            resolves(&for_types(&types, &[""], &body), &format!("-cl-std={standard}"));
        }
    }
    let halves = "global half *h = (global half *)p;
        vstore_half(vload_half(0, h), 1, h); vstore_half4(vload_half4(0, h), 1, h);
        vstorea_half3(vloada_half3(0, h), 1, h); vstore_half2_rte(vloada_half2(0, h), 1, h);";
    resolves(&for_types(&["float"], &[""], halves), "");
    let types: Vec<_> = INTEGERS.into_iter().chain(FLOATS).collect();
    for (ty, mask) in types.iter().zip([
        "uchar", "uchar", "ushort", "ushort", "uint", "uint", "ulong", "ulong", "ushort", "uint", "ulong",
    ]) {
        let body = format!(
            "p[0] = shuffle(p[1].s0123, ((global {mask}8 *)p)[1]);
            p[1] = shuffle2(p[1], p[2], ((global {mask}8 *)p)[1]);"
        );
        resolves(&for_types(&[ty], &["8"], &body), "");
    }
}

#[test]
fn atomics() {
    let body = "local TYPE l[1]; volatile local TYPE *q = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        p[1] = F_add(p, 1) + F_sub(p, 1) + F_inc(p) + F_dec(p) + F_xchg(p, 2) + F_cmpxchg(p, 1, 2)
            + F_min(p, 1);
        p[2] = F_max(p, 1) + F_and(p, 1) + F_or(p, 1) + F_xor(p, 1);
        p[3] = F_add(q, 1) + F_cmpxchg(q, 1, 2) + F_max(q, 1) + F_inc(q);";
    for standard in ["CL1.2", "CL2.0", "CL3.0"] {
        let options = format!("-cl-std={standard}");
        resolves(&for_types(&["int", "uint"], &[""], &body.replace("F_", "atomic_")), &options);
        resolves(
            &for_types(&["int", "uint", "long", "ulong"], &[""], &body.replace("F_", "atom_")),
            &options,
        );
    }
    let body = "volatile global atomic_TYPE *a = (volatile global atomic_TYPE *)p; TYPE want = 1;
        local atomic_TYPE l;
        atomic_init(&l, 1); atomic_store(a, 1); atomic_store_explicit(a, 2, memory_order_release);
        p[1] = atomic_load(a) + atomic_load_explicit(&l, memory_order_acquire, memory_scope_work_group);
        p[2] = atomic_exchange(a, 3) + atomic_exchange_explicit(a, 3, memory_order_acq_rel);
        p[3] = atomic_compare_exchange_strong(a, &want, 5);
        p[4] = atomic_compare_exchange_weak_explicit(
            a, &want, 5, memory_order_relaxed, memory_order_relaxed);";
    let fetch = "p[5] = atomic_fetch_add(a, (TYPE)1) + atomic_fetch_sub(a, (TYPE)1) 
        + atomic_fetch_min(a, 1) + atomic_fetch_max(a, 1);
        p[6] = atomic_fetch_or(a, 1) + atomic_fetch_xor(a, 1) + atomic_fetch_and(a, 1);
        p[7] = atomic_fetch_add_explicit(a, (TYPE)1, memory_order_relaxed, memory_scope_device);";
    for standard in ["CL2.0", "CL3.0"] {
        let options = format!("-cl-std={standard}");
        resolves(&for_types(&["int", "uint", "long", "ulong"], &[""], &format!("{body}{fetch}")), &options);
        resolves(&for_types(&["float", "double"], &[""], body), &options);
        resolves(
            "kernel void k(global atomic_flag *f, global int *p) {
                *p = atomic_flag_test_and_set(f); atomic_flag_clear(f); }",
            &options,
        );
    }
}

#[test]
fn a_constant_order_leaves_its_fences_only() {
    let source = "kernel void k(global atomic_int *a) {
        atomic_fetch_add_explicit(a, 1, ORDER, memory_scope_device); }";
    let ir = |order: &str| {
        let module = resolves(source, &format!("-cl-std=CL3.0 -DORDER={order}"));
        module.run_passes("default<O2>", None).unwrap();
        module.to_string()
    };
    let relaxed = ir("memory_order_relaxed");
    assert!(relaxed.contains("atomicrmw add ptr") && relaxed.contains("monotonic"), "{relaxed}");
    assert!(!relaxed.contains("fence ") && !relaxed.contains("br "), "{relaxed}");
    assert_eq!(ir("memory_order_acquire").matches("fence acquire").count(), 1);
    assert_eq!(ir("memory_order_seq_cst").matches("fence acq_rel").count(), 2);
}

#[test]
fn conversions() {
    for from in INTEGERS.into_iter().chain(FLOATS) {
        for n in ALL {
            let mut body = String::new();
            for to in INTEGERS.into_iter().chain(FLOATS) {
                body += &format!("((global {to}{n} *)p)[1] = convert_{to}{n}(p[0]);\n");
                if INTEGERS.contains(&to) && from != "half" {
                    body += &format!("((global {to}{n} *)p)[1] = convert_{to}{n}_sat(p[0]);\n");
                }
                if INTEGERS.contains(&to) && ["float", "double"].contains(&from) {
                    body += &format!("((global {to}{n} *)p)[1] = convert_{to}{n}_sat_rte(p[0]);\n");
                    body += &format!("((global {to}{n} *)p)[1] = convert_{to}{n}_rtn(p[0]);\n");
                }
            }
            resolves(&for_types(&[from], &[n], &body), "");
        }
    }
}

#[test]
fn functions_inline_into_kernels_of_any_mode() {
    let source = "kernel void k(global float *p) { p[0] = clamp(mix(p[1], p[2], p[3]), 0.0f, 1.0f); }";
    for options in ["", "-cl-denorms-are-zero", "-cl-fast-relaxed-math"] {
        let module = resolves(source, options);
        module.run_passes("default<O2>", None).unwrap();
        let text = module.to_string();
        assert!(!text.contains("call spir_func"), "{options}: {text}");
    }
}

#[test]
fn the_whole_library_gives_the_same() {
    let source = "kernel void k(global int16 *p) { p[0] = mad_sat(p[1], p[2], popcount(p[3])); }";
    let context = Context::new();
    let output = clc::compile(
        &context,
        source,
        "kernel.cl",
        Profile::Full,
        &clc::Device::FULL,
        &Options::default(),
        &[],
    );
    let module = output.module.unwrap();
    module.link(open(&context), LinkMode::OnlyNeeded).unwrap();
    module.run_passes("default<O2>", None).unwrap();
    let parts = resolves(source, "");
    parts.run_passes("default<O2>", None).unwrap();
    let body = |module: &Module| {
        let text = module.to_string();
        text[text.find("define").unwrap()..text.find("\n}").unwrap()].to_owned()
    };
    assert_eq!(body(&module), body(&parts));
    assert!(lanewise_builtins::contains("_Z3maxii") && !lanewise_builtins::contains("_Z13get_global_idj"));
}

/// Functions with loops, or with a path for few arguments.
const SLOW_PATHS: [&str; 7] = ["fmod", "remainder", "remquo", "sin", "cos", "tan", "sincos"];

/// Functions with a branch that should be a select.
const TO_BE_MENDED: [&str; 4] = ["lgamma", "lgamma_r", "fract", "nextafter"];

#[test]
fn only_an_unknown_order_branches() {
    let context = Context::new();
    let module = Module::parse_bitcode(&context, lanewise_builtins::bitcode()).unwrap();
    // Which version is wanted is known before a kernel is vectorized.
    for question in ["__mux_usefast", "__mux_isftz"] {
        let asked = module.function(question);
        for call in asked.map(|f| f.uses().calls).into_iter().flatten() {
            call.replace_all_uses_with(context.i1().const_int(0));
            call.erase();
        }
    }
    module.run_passes("function(simplifycfg)", None).unwrap();
    let mut branches = Vec::new();
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        let name = function.name();
        let is_loop = name.contains("atomic_fetch_") && ["Dh", "f", "d"].iter().any(|ty| name.ends_with(ty));
        let is = |f: &str| name.starts_with(&format!("_Z{}{f}", f.len()));
        let rare = SLOW_PATHS.iter().chain(&TO_BE_MENDED).any(|f| is(f) || is(&format!("half_{f}")));
        // Over the lanes of a sub-group.
        let is_loop = is_loop || name.contains("sub_group_");
        // The angle of a sine and a cosine, which may be huge.
        let rare = rare || name.contains("_shared_angle");
        // By the format and the sampler, which are the same for all lanes.
        let rare = rare || name.contains("__lanewise_image_");
        let may_branch = name.contains("12memory_order") || is_loop || rare;
        if !may_branch && function.blocks().len() > 1 {
            branches.push(name);
        }
    }
    assert!(branches.is_empty(), "these branch: {branches:?}");
}
