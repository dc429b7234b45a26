//! Every instruction of `OpenCL.std` gives the bytes that the function of OpenCL C gives.

mod spirv_common;
use lanewise_difftest::spirv::Spirv;
use spirv_common::*;

/// Rows of `%r = OpExtInst %result %ocl name …` and `function(…)`.
fn check(result: &str, operands: &[&str], functions: &[(&str, &str)]) {
    let names = ["a", "b", "c"];
    let rows: Vec<(String, String)> = functions
        .iter()
        .map(|(name, expression)| {
            let args: String = names[..operands.len()].iter().map(|n| format!(" %{n}")).collect();
            (format!("%r = OpExtInst %{result} %ocl {name}{args}"), (*expression).to_owned())
        })
        .collect();
    for batch in rows.chunks(12) {
        let batch: Vec<Row> = batch.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        compare(&Spirv::default(), result, operands, &batch);
    }
}

/// Functions of the same name on both sides.
fn same(result: &str, operands: &[&str], names: &str) {
    let args = ["a", "b", "c"][..operands.len()].join(", ");
    let expressions: Vec<(String, String)> =
        names.split_whitespace().map(|n| (n.to_owned(), format!("{n}({args})"))).collect();
    let list: Vec<(&str, &str)> = expressions.iter().map(|(n, e)| (n.as_str(), e.as_str())).collect();
    check(result, operands, &list);
}

const UNARY: &str = "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc \
    erf exp \
    exp2 exp10 expm1 fabs floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt \
    tan tanh tanpi \
    tgamma trunc";
const COMMON: &str = "degrees radians sign";
const BINARY: &str =
    "atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder step";
const TERNARY: &str = "fma mad mix smoothstep";
const FAST: &str = "cos exp exp2 exp10 log log2 log10 recip rsqrt sin sqrt tan";

#[test]
fn functions_of_floats() {
    for ty in ["float", "float3"] {
        same(ty, &[ty], UNARY);
        same(ty, &[ty], COMMON);
        same(ty, &[ty, ty], BINARY);
        same(ty, &[ty, ty, ty], TERNARY);
        check(ty, &[ty, ty], &[("fmax_common", "max(a, b)"), ("fmin_common", "min(a, b)")]);
        check(ty, &[ty, ty, ty], &[("fclamp", "clamp(a, b, c)"), ("bitselect", "bitselect(a, b, c)")]);
    }
}

#[test]
fn functions_of_doubles() {
    same("double", &["double"], UNARY);
    same("double", &["double"], COMMON);
    same("double", &["double", "double"], BINARY);
    same("double2", &["double2", "double2", "double2"], TERNARY);
    check("double", &["double", "double"], &[("fmax_common", "max(a, b)"), ("fmin_common", "min(a, b)")]);
    check("double", &["double", "double", "double"], &[("fclamp", "clamp(a, b, c)")]);
}

#[test]
fn functions_of_halves() {
    same("half", &["half"], UNARY);
    same("half", &["half", "half"], BINARY);
    same("half", &["half", "half", "half"], TERNARY);
}

#[test]
fn fast_functions() {
    for prefix in ["half", "native"] {
        let names: Vec<String> = FAST.split_whitespace().map(|n| format!("{prefix}_{n}")).collect();
        same("float", &["float"], &names.join(" "));
        same("float2", &["float2", "float2"], &format!("{prefix}_divide {prefix}_powr"));
    }
}

#[test]
fn functions_with_integers() {
    for (float, int, uint) in [
        ("float", "int", "uint"),
        ("float4", "int4", "uint4"),
        ("double", "int", "ulong"),
        ("half", "int", "ushort"),
    ] {
        same(float, &[float, int], "ldexp pown rootn");
        same(int, &[float], "ilogb");
        let nan = uint.trim_start_matches('u');
        check(float, &[nan], &[("nan", &format!("nan(as_{uint}(a))"))]);
    }
}

#[test]
fn functions_that_also_store() {
    // Each with a variable of the work-item, as a private and as a generic pointer.
    for (float, int) in [("float", "int"), ("float4", "int4"), ("double", "int")] {
        let with = |name: &str, pointee: &str, operands: &str| {
            let body = format!(
                "%v = OpVariable %p_{pointee} Function\n%x = OpExtInst %{float} %ocl {name} {operands} %v\n\
                 %y = OpLoad %{pointee} %v\n"
            );
            let convert = if pointee.starts_with("int") { "ConvertSToF" } else { "CopyObject" };
            let convert = format!("%z = Op{convert} %{float} %y\n");
            format!("{body}{convert}%r = OpFAdd %{float} %x %z")
        };
        let c = |name: &str, pointee: &str, args: &str| {
            format!(
                "{float} f({float} a, {float} b) {{ {pointee} v; {float} x = {name}({args}, &v); return \
                    x + convert_{float}(v); }}"
            )
        };
        for (name, pointee, operands, args) in [
            ("fract", float, "%a", "a"),
            ("modf", float, "%a", "a"),
            ("sincos", float, "%a", "a"),
            ("frexp", int, "%a", "a"),
            ("lgamma_r", int, "%a", "a"),
            ("remquo", int, "%a %b", "a, b"),
        ] {
            let setup = Spirv { modes: "OpExecutionMode %k ContractionOff".to_owned(), ..Default::default() };
            let body = with(name, pointee, operands);
            // Numbers for which all results are defined.
            let numbers: Vec<f64> =
                (0..2 * ITEMS * 4).map(|i| (i as f64) * 0.37 - 20.0 + 1.0 / 64.0).collect();
            let lanes = float.trim_start_matches(char::is_alphabetic).parse().unwrap_or(1);
            let input = |from: usize| -> Vec<u8> {
                let part = &numbers[from..from + ITEMS * lanes];
                if float == "double" {
                    bytes(part)
                } else {
                    bytes(&part.iter().map(|v| *v as f32).collect::<Vec<_>>())
                }
            };
            let rows = [(body.as_str(), "f(a, b)")];
            let inputs = [input(0), input(7)];
            compare_on(&setup, &c(name, pointee, args), float, &[float, float], &rows, &inputs);
        }
    }
}

#[test]
fn geometry() {
    for ty in ["float4", "float3", "double4"] {
        let scalar = ty.trim_end_matches(char::is_numeric);
        same(ty, &[ty, ty], "cross");
        same(scalar, &[ty, ty], "distance");
        same(scalar, &[ty], "length");
        same(ty, &[ty], "normalize");
    }
    same("float", &["float2", "float2"], "fast_distance");
    same("float", &["float4"], "fast_length");
    same("float3", &["float3"], "fast_normalize");
}

#[test]
fn functions_of_integers() {
    for ty in ["char", "short4", "int", "int3", "long", "long2"] {
        let u = |v: &str| format!("as_u{ty}({v})");
        let (a, b, c) = (u("a"), u("b"), u("c"));
        let back = |e: String| format!("as_{ty}({e})");
        check(
            ty,
            &[ty],
            &[
                ("s_abs", &back("abs(a)".to_owned())),
                ("u_abs", &back(format!("abs({a})"))),
                ("clz", "clz(a)"),
                ("ctz", "ctz(a)"),
                ("popcount", "popcount(a)"),
            ],
        );
        let mut two: Vec<(String, String)> = vec![
            ("s_abs_diff".into(), back("abs_diff(a, b)".to_owned())),
            ("u_abs_diff".into(), back(format!("abs_diff({a}, {b})"))),
            ("rotate".into(), "rotate(a, b)".into()),
        ];
        for name in ["add_sat", "hadd", "rhadd", "max", "min", "mul_hi", "sub_sat"] {
            two.push((format!("s_{name}"), format!("{name}(a, b)")));
            two.push((format!("u_{name}"), back(format!("{name}({a}, {b})"))));
        }
        check(ty, &[ty, ty], &two.iter().map(|(n, e)| (n.as_str(), e.as_str())).collect::<Vec<_>>());
        let mut three: Vec<(String, String)> = vec![
            ("bitselect".into(), "bitselect(a, b, c)".into()),
            ("select".into(), "select(a, b, c)".into()),
        ];
        for name in ["mad_hi", "mad_sat"] {
            three.push((format!("s_{name}"), format!("{name}(a, b, c)")));
            three.push((format!("u_{name}"), back(format!("{name}({a}, {b}, {c})"))));
        }
        check(ty, &[ty, ty, ty], &three.iter().map(|(n, e)| (n.as_str(), e.as_str())).collect::<Vec<_>>());
        // With the lower bound below the upper one.
        let row = |name: &str| {
            format!(
                "%t0 = OpExtInst %{ty} %ocl {name}_min %b %c\n%t1 = OpExtInst %{ty} %ocl {name}_max %b %c\n\
                 %r = OpExtInst %{ty} %ocl {name}_clamp %a %t0 %t1"
            )
        };
        let (signed, unsigned) = (row("s"), row("u"));
        let of_unsigned = back(format!("clamp({a}, min({b}, {c}), max({b}, {c}))"));
        let rows =
            [(signed.as_str(), "clamp(a, min(b, c), max(b, c))"), (unsigned.as_str(), of_unsigned.as_str())];
        compare(&Spirv::default(), ty, &[ty, ty, ty], &rows);
    }
    // 24 bits of each.
    let t = "%t0 = OpBitwiseAnd %int %a %int_4194303\n%t1 = OpBitwiseAnd %int %b %int_4194303\n";
    let rows: Vec<(String, String)> = [
        ("s_mul24 %t0 %t1", "mul24(x, y)"),
        ("u_mul24 %t0 %t1", "(int)mul24((uint)x, (uint)y)"),
        ("s_mad24 %t0 %t1 %c", "mad24(x, y, c)"),
        ("u_mad24 %t0 %t1 %c", "(int)mad24((uint)x, (uint)y, (uint)c)"),
    ]
    .iter()
    .map(|(i, e)| {
        let e = e.replace('x', "(a & 4194303)").replace('y', "(b & 4194303)");
        (format!("{t}%r = OpExtInst %int %ocl {i}"), e)
    })
    .collect();
    let rows: Vec<Row> = rows.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    compare(&Spirv::default(), "int", &["int", "int", "int"], &rows);
}

#[test]
fn upsampling() {
    for (wide, narrow) in [("short", "char"), ("int", "short"), ("long4", "int4")] {
        check(
            wide,
            &[narrow, narrow],
            &[
                ("s_upsample", &format!("upsample(a, as_u{narrow}(b))")),
                ("u_upsample", &format!("as_{wide}(upsample(as_u{narrow}(a), as_u{narrow}(b)))")),
            ],
        );
    }
}

#[test]
fn selection_by_integers() {
    check("float", &["float", "float", "int"], &[("select", "select(a, b, c)")]);
    check("double2", &["double2", "double2", "long2"], &[("select", "select(a, b, c)")]);
}

#[test]
fn shuffles() {
    check("float4", &["float4", "int4"], &[("shuffle", "shuffle(a, as_uint4(b))")]);
    check("short8", &["short4", "short8"], &[("shuffle", "shuffle(a, as_ushort8(b))")]);
    check("int4", &["int2", "int2", "int4"], &[("shuffle2", "shuffle2(a, b, as_uint4(c))")]);
}

/// A kernel `k(out, in)` of one work-item per element of `n` on both sides.
fn loads_and_stores(body: &str, out: (&str, usize), input: &str, source: &str) {
    let text =
        Spirv::default().kernel(&[("out", &format!("g_{}", out.0)), ("in", &format!("g_{input}"))], body);
    let inputs = [samples(input, 3)];
    let got = run_bytes(&assembled(&text), 4, out.1, &inputs);
    let fp16 = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
    let source = format!(
        "{fp16}kernel void k(global {} *out, global {input} *in) {{ size_t i = get_global_id(0); {source} }}",
        out.0
    );
    let expected = run_bytes(&common::kernel(&source, "k", ""), 4, out.1, &inputs);
    assert!(got == expected, "{got:02x?} is not {expected:02x?}\n{body}\n{source}");
}

const INDEX: &str = "%ids = OpLoad %long3 %GlobalInvocationId\n%i = OpCompositeExtract %long %ids 0\n";

#[test]
fn vectors_in_memory() {
    for (scalar, size) in
        [("char", 1), ("short", 2), ("int", 4), ("long", 8), ("float", 4), ("double", 8), ("half", 2)]
    {
        for n in [2, 3, 4, 8, 16] {
            if n > 4 && scalar != "float" {
                continue;
            }
            loads_and_stores(
                &format!(
                    "{INDEX}%v = OpExtInst %{scalar}{n} %ocl vloadn %i %in {n}\n\
                     %s = OpExtInst %void %ocl vstoren %v %i %out"
                ),
                (scalar, size * n),
                scalar,
                &format!("vstore{n}(vload{n}(i, in), i, out);"),
            );
        }
    }
}

#[test]
fn halves_in_memory() {
    loads_and_stores(
        &format!(
            "{INDEX}%v = OpExtInst %float %ocl vload_half %i %in\n\
             %at = OpInBoundsPtrAccessChain %g_float %out %i\nOpStore %at %v"
        ),
        ("float", 4),
        "half",
        "out[i] = vload_half(i, in);",
    );
    for (load, n) in [("vload_halfn", 3), ("vload_halfn", 4), ("vloada_halfn", 3), ("vloada_halfn", 8)] {
        let name = load.trim_end_matches('n');
        loads_and_stores(
            &format!(
                "{INDEX}%v = OpExtInst %float{n} %ocl {load} %i %in {n}\n\
                 %s = OpExtInst %void %ocl vstoren %v %i %out"
            ),
            ("float", 4 * n),
            "half",
            &format!("vstore{n}({name}{n}(i, in), i, out);"),
        );
    }
    for float in ["float", "double"] {
        loads_and_stores(
            &format!(
                "{INDEX}%at = OpInBoundsPtrAccessChain %g_{float} %in %i\n%v = OpLoad %{float} %at\n\
                 %s = OpExtInst %void %ocl vstore_half %v %i %out"
            ),
            ("half", 2),
            float,
            "vstore_half(in[i], i, out);",
        );
        for (mode, number) in [("rte", 0), ("rtz", 1), ("rtp", 2), ("rtn", 3)] {
            loads_and_stores(
                &format!(
                    "{INDEX}%at = OpInBoundsPtrAccessChain %g_{float} %in %i\n%v = OpLoad %{float} %at\n\
                     %s = OpExtInst %void %ocl vstore_half_r %v %i %out {number}"
                ),
                ("half", 2),
                float,
                &format!("vstore_half_{mode}(in[i], i, out);"),
            );
            for (store, c) in [("vstore_halfn_r", "vstore_half"), ("vstorea_halfn_r", "vstorea_half")] {
                loads_and_stores(
                    &format!(
                        "{INDEX}%v = OpExtInst %{float}4 %ocl vloadn %i %in 4\n\
                         %s = OpExtInst %void %ocl {store} %v %i %out {number}"
                    ),
                    ("half", 8),
                    float,
                    &format!("{c}4_{mode}(vload4(i, in), i, out);"),
                );
            }
        }
        for (store, c) in [("vstore_halfn", "vstore_half"), ("vstorea_halfn", "vstorea_half")] {
            loads_and_stores(
                &format!(
                    "{INDEX}%v = OpExtInst %{float}2 %ocl vloadn %i %in 2\n\
                     %s = OpExtInst %void %ocl {store} %v %i %out"
                ),
                ("half", 4),
                float,
                &format!("{c}2(vload2(i, in), i, out);"),
            );
        }
    }
}

#[test]
fn prefetching_changes_nothing() {
    let body = "%s = OpExtInst %void %ocl prefetch %a_in %long_4\n%r = OpCopyObject %int %a";
    let r: Vec<u32> = map1(("int", "int"), body, &[1u32, 2, 3, 4]);
    assert_eq!(r, [1, 2, 3, 4]);
}
