//! SPIR-V that is run: arithmetic, logic and conversions give what OpenCL C's operators give.

mod spirv_common;
use lanewise_difftest::spirv::Spirv;
use spirv_common::*;

fn rows<'a>(rows: &'a [(String, String)]) -> Vec<Row<'a>> {
    rows.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect()
}

/// One instruction of two operands.
fn binary(op: &str, ty: &str, expression: &str) -> (String, String) {
    (format!("%r = Op{op} %{ty} %a %b"), expression.to_owned())
}

const INTS: [&str; 4] = ["char", "short", "int", "long"];
const FLOATS: [&str; 3] = ["half", "float", "double"];

#[test]
fn integers() {
    for scalar in INTS {
        for lanes in ["", if scalar == "int" { "16" } else { "3" }] {
            let ty = format!("{scalar}{lanes}");
            let uty = format!("u{ty}");
            // A divisor from 1 to 63.
            let divisor = if lanes.is_empty() {
                format!("%t0 = OpBitwiseAnd %{ty} %b %{scalar}_63\n%t = OpBitwiseOr %{ty} %t0 %{scalar}_1\n")
            } else {
                format!("%t0 = OpBitwiseAnd %{ty} %b %c63\n%t = OpBitwiseOr %{ty} %t0 %c1\n")
            };
            let n: usize = lanes.parse().unwrap_or(1);
            let composite = |name: &str, v: &str| {
                format!("%{name} = OpConstantComposite %{ty}{}\n", format!(" %{scalar}_{v}").repeat(n))
            };
            let globals =
                if lanes.is_empty() { String::new() } else { composite("c63", "63") + &composite("c1", "1") };
            let bits = 8 * size_of_type(scalar);
            let t = format!("(({ty})((b & ({scalar})63) | ({scalar})1))");
            let with_divisor = |op: &str, e: String| (format!("{divisor}%r = Op{op} %{ty} %a %t"), e);
            let unary = |op: &str, e: &str| (format!("%r = Op{op} %{ty} %a"), e.to_owned());
            let shift = format!("(b & ({scalar}){})", bits - 1);
            let shift_by = if lanes.is_empty() {
                format!("%t = OpBitwiseAnd %{ty} %b %{scalar}_{}\n", bits - 1)
            } else {
                format!("%t = OpBitwiseAnd %{ty} %b %cs\n")
            };
            let globals =
                if lanes.is_empty() { globals } else { globals + &composite("cs", &(bits - 1).to_string()) };
            let all = [
                binary("IAdd", &ty, "a + b"),
                binary("ISub", &ty, "a - b"),
                binary("IMul", &ty, "a * b"),
                binary("BitwiseOr", &ty, "a | b"),
                binary("BitwiseXor", &ty, "a ^ b"),
                binary("BitwiseAnd", &ty, "a & b"),
                unary("SNegate", "-a"),
                unary("Not", "~a"),
                with_divisor("UDiv", format!("as_{ty}(({uty})(as_{uty}(a) / as_{uty}({t})))")),
                with_divisor("SDiv", format!("a / {t}")),
                with_divisor("UMod", format!("as_{ty}(({uty})(as_{uty}(a) % as_{uty}({t})))")),
                with_divisor("SRem", format!("a % {t}")),
                // With a positive divisor the result is not negative.
                with_divisor("SMod", format!("((a % {t}) + {t}) % {t}")),
                (format!("{shift_by}%r = OpShiftLeftLogical %{ty} %a %t"), format!("a << {shift}")),
                (format!("{shift_by}%r = OpShiftRightArithmetic %{ty} %a %t"), format!("a >> {shift}")),
                (
                    format!("{shift_by}%r = OpShiftRightLogical %{ty} %a %t"),
                    format!("as_{ty}(({uty})(as_{uty}(a) >> as_{uty}(({ty}){shift})))"),
                ),
                unary("BitCount", "popcount(a)"),
                unary("CopyObject", "a"),
            ];
            compare(&Spirv { globals, ..Default::default() }, &ty, &[&ty, &ty], &rows(&all));
        }
    }
}

#[test]
fn remainders_take_the_sign_of_the_divisor() {
    let (a, b) = ([7i32, -7, 7, -7, 6, -6, 0], [3i32, 3, -3, -3, 3, -3, -3]);
    let r: Vec<i32> = map2(("int", "int", "int"), "%r = OpSMod %int %a %b", &a, &b);
    assert_eq!(r, [1, 2, -2, -1, 0, 0, 0]);
    let (a, b) = ([7.5f32, -7.5, 7.5, -7.5, 6.0, -6.0], [2.0f32, 2.0, -2.0, -2.0, 3.0, 3.0]);
    let r: Vec<f32> = map2(("float", "float", "float"), "%r = OpFMod %float %a %b", &a, &b);
    assert_eq!(r, [1.5, 0.5, -0.5, -1.5, 0.0, 0.0]);
    let r: Vec<f32> = map2(("float", "float", "float"), "%r = OpFRem %float %a %b", &a, &b);
    assert_eq!(r, [1.5, -1.5, 1.5, -1.5, 0.0, 0.0]);
}

#[test]
fn shifts_may_be_of_another_width() {
    let r: Vec<u64> =
        map2(("long", "long", "char"), "%r = OpShiftLeftLogical %long %a %b", &[1u64, 3], &[40u8, 63]);
    assert_eq!(r, [1 << 40, 1 << 63]);
    let r: Vec<u8> =
        map2(("char", "char", "int"), "%r = OpShiftRightArithmetic %char %a %b", &[0x80u8, 0x40], &[3u32, 6]);
    assert_eq!(r, [0xf0, 1]);
}

#[test]
fn bit_instructions() {
    let setup = Spirv {
        requirements: "OpCapability BitInstructions\nOpExtension \"SPV_KHR_bit_instructions\"".to_owned(),
        ..Default::default()
    };
    let one = |result: &str, operand: &str, body: &str, a: &[u32]| -> Vec<u32> {
        map(&setup, result, &[operand], body, a.len(), &[bytes(a)])
    };
    assert_eq!(one("int", "int", "%r = OpBitReverse %int %a", &[1, 0xf000_0000]), [0x8000_0000, 0xf]);
    let insert = "%r = OpBitFieldInsert %int %a %int_-1 %int_4 %int_8";
    assert_eq!(one("int", "int", insert, &[0, 0xffff_0000]), [0xff0, 0xffff_0ff0]);
    let none = "%r = OpBitFieldInsert %int %a %int_-1 %int_4 %int_0";
    assert_eq!(one("int", "int", none, &[5]), [5]);
    let all = "%r = OpBitFieldInsert %int %a %int_-2 %int_0 %int_32";
    assert_eq!(one("int", "int", all, &[5]), [-2i32 as u32]);
    let extract = "%r = OpBitFieldUExtract %int %a %int_4 %int_8";
    assert_eq!(one("int", "int", extract, &[0x1234_5678, 0xf80]), [0x67, 0xf8]);
    let signed = "%r = OpBitFieldSExtract %int %a %int_4 %int_8";
    assert_eq!(one("int", "int", signed, &[0x1234_5678, 0xf80]), [0x67, 0xffff_fff8]);
    let signed = "%r = OpBitFieldSExtract %int %a %int_0 %int_0";
    assert_eq!(one("int", "int", signed, &[77]), [0]);
}

#[test]
fn results_of_two_halves() {
    let globals = "%pair = OpTypeStruct %int %int".to_owned();
    let setup = Spirv { globals, ..Default::default() };
    let (a, b) = ([0xffff_ffffu32, 5, 0x8000_0000], [2u32, 7, 0x8000_0000]);
    let run = |op: &str| -> Vec<u32> {
        let body = format!(
            "%t = Op{op} %pair %a %b\n%t0 = OpCompositeExtract %int %t 0\n\
                %t1 = OpCompositeExtract %int %t 1\n\
             %r = OpCompositeConstruct %int2 %t0 %t1"
        );
        map(&setup, "int2", &["int", "int"], &body, 3, &[bytes(&a), bytes(&b)])
    };
    assert_eq!(run("IAddCarry"), [1, 1, 12, 0, 0, 1]);
    assert_eq!(run("ISubBorrow"), [0xffff_fffd, 0, 0xffff_fffe, 1, 0, 0]);
    assert_eq!(run("UMulExtended"), [0xffff_fffe, 1, 35, 0, 0, 0x4000_0000]);
    assert_eq!(run("SMulExtended"), [0xffff_fffe, 0xffff_ffff, 35, 0, 0, 0x4000_0000]);
}

#[test]
fn floats() {
    for scalar in FLOATS {
        for lanes in ["", "3", "8"] {
            let ty = format!("{scalar}{lanes}");
            let mut all = vec![
                binary("FAdd", &ty, "a + b"),
                binary("FSub", &ty, "a - b"),
                binary("FMul", &ty, "a * b"),
                binary("FDiv", &ty, "a / b"),
                (format!("%r = OpFNegate %{ty} %a"), "-a".to_owned()),
                binary("FRem", &ty, "fmod(a, b)"),
            ];
            if !lanes.is_empty() {
                all.push((
                    format!("%t = OpCompositeExtract %{scalar} %b 1\n%r = OpVectorTimesScalar %{ty} %a %t"),
                    "a * b.y".to_owned(),
                ));
            }
            let modes = "OpExecutionMode %k ContractionOff".to_owned();
            compare(&Spirv { modes, ..Default::default() }, &ty, &[&ty, &ty], &rows(&all));
        }
    }
}

#[test]
fn dot_products_of_floats() {
    for scalar in ["float", "double"] {
        for lanes in [2, 3, 4] {
            let ty = format!("{scalar}{lanes}");
            let row = (format!("%r = OpDot %{scalar} %a %b"), "dot(a, b)".to_owned());
            compare(&Spirv::default(), scalar, &[&ty, &ty], &rows(&[row]));
        }
    }
    let (a, b): (Vec<f32>, Vec<f32>) = ((0..16).map(|i| i as f32).collect(), vec![2.0; 16]);
    let r: Vec<f32> = map(
        &Spirv::default(),
        "float",
        &["float16", "float16"],
        "%r = OpDot %float %a %b",
        1,
        &[bytes(&a), bytes(&b)],
    );
    assert_eq!(r, [240.0]);
}

#[test]
fn comparisons() {
    let rows_of = |ops: &[(&str, &str)], ty: &str, result: &str, lanes: &str, unsigned: bool| {
        let (zero, one) = if lanes.is_empty() {
            (format!("%{result}_0"), format!("%{result}_1"))
        } else {
            ("%zeros".to_owned(), "%ones".to_owned())
        };
        let cast = |v: &str| if unsigned { format!("as_u{ty}({v})") } else { v.to_owned() };
        ops.iter()
            .map(|(op, c)| {
                let c =
                    c.replace('a', &cast("A")).replace('b', &cast("B")).replace('A', "a").replace('B', "b");
                let c = if lanes.is_empty() { format!("({result})({c})") } else { format!("-({c})") };
                (format!("%t = Op{op} %bool{lanes} %a %b\n%r = OpSelect %{result}{lanes} %t {one} {zero}"), c)
            })
            .collect::<Vec<_>>()
    };
    let globals = |scalar: &str, lanes: usize| {
        if lanes == 1 {
            return String::new();
        }
        let parts = |v: u32| format!(" %{scalar}_{v}").repeat(lanes);
        format!(
            "%zeros = OpConstantComposite %{scalar}{lanes}{}\n\
                %ones = OpConstantComposite %{scalar}{lanes}{}\n",
            parts(0),
            parts(1)
        )
    };
    let setup = |scalar: &str, lanes: usize| Spirv { globals: globals(scalar, lanes), ..Default::default() };
    let signed = [
        ("IEqual", "a == b"),
        ("INotEqual", "a != b"),
        ("SGreaterThan", "a > b"),
        ("SGreaterThanEqual", "a >= b"),
        ("SLessThan", "a < b"),
        ("SLessThanEqual", "a <= b"),
    ];
    let unsigned = [
        ("UGreaterThan", "a > b"),
        ("UGreaterThanEqual", "a >= b"),
        ("ULessThan", "a < b"),
        ("ULessThanEqual", "a <= b"),
    ];
    for scalar in INTS {
        for lanes in ["", "4"] {
            let ty = format!("{scalar}{lanes}");
            let mut all = rows_of(&signed, &ty, scalar, lanes, false);
            all.extend(rows_of(&unsigned, &ty, scalar, lanes, true));
            compare(&setup(scalar, lanes.parse().unwrap_or(1)), &ty, &[&ty, &ty], &rows(&all));
        }
    }
    let real = [
        ("FOrdEqual", "a == b"),
        ("FUnordNotEqual", "a != b"),
        ("FOrdLessThan", "a < b"),
        ("FOrdGreaterThan", "a > b"),
        ("FOrdLessThanEqual", "a <= b"),
        ("FOrdGreaterThanEqual", "a >= b"),
        ("FUnordEqual", "!(isless(a, b) || isgreater(a, b))"),
        ("FOrdNotEqual", "islessgreater(a, b)"),
        ("LessOrGreater", "islessgreater(a, b)"),
        ("FUnordLessThan", "!(a >= b)"),
        ("FUnordGreaterThan", "!(a <= b)"),
        ("FUnordLessThanEqual", "!(a > b)"),
        ("FUnordGreaterThanEqual", "!(a < b)"),
        ("Ordered", "isordered(a, b)"),
        ("Unordered", "isunordered(a, b)"),
    ];
    for (scalar, int) in [("half", "short"), ("float", "int"), ("double", "long")] {
        let all: Vec<(String, String)> = real
            .iter()
            .map(|(op, c)| {
                (
                    format!("%t = Op{op} %bool %a %b\n%r = OpSelect %{int} %t %{int}_1 %{int}_0"),
                    format!("({int})({c})"),
                )
            })
            .collect();
        compare(&Spirv::default(), int, &[scalar, scalar], &rows(&all));
        let all: Vec<(String, String)> = ["IsNan", "IsInf", "IsFinite", "IsNormal", "SignBitSet"]
            .iter()
            .map(|op| {
                let c = op.to_lowercase().replace("signbitset", "signbit");
                (
                    format!("%t = Op{op} %bool %a\n%r = OpSelect %{int} %t %{int}_1 %{int}_0"),
                    format!("({int})({c}(a))"),
                )
            })
            .collect();
        compare(&Spirv::default(), int, &[scalar], &rows(&all));
        let ty = format!("{scalar}4");
        let of_vectors: Vec<(String, String)> = ["IsNan", "IsInf", "IsFinite", "IsNormal", "SignBitSet"]
            .iter()
            .map(|op| {
                let c = op.to_lowercase().replace("signbitset", "signbit");
                (format!("%t = Op{op} %bool4 %a\n%r = OpSelect %{int}4 %t %ones %zeros"), format!("-{c}(a)"))
            })
            .collect();
        compare(&setup(int, 4), &format!("{int}4"), &[&ty], &rows(&of_vectors));
    }
}

#[test]
fn logic() {
    let to_bool = "%ta = OpINotEqual %bool %a %int_0\n%tb = OpINotEqual %bool %b %int_0\n";
    let select = "\n%r = OpSelect %int %t %int_1 %int_0";
    let all: Vec<(String, String)> = [
        ("OpLogicalEqual %bool %ta %tb", "!a == !b"),
        ("OpLogicalNotEqual %bool %ta %tb", "!a != !b"),
        ("OpLogicalOr %bool %ta %tb", "a || b"),
        ("OpLogicalAnd %bool %ta %tb", "a && b"),
        ("OpLogicalNot %bool %ta", "!a"),
    ]
    .iter()
    .map(|(body, c)| (format!("{to_bool}%t = {body}{select}"), (*c).to_owned()))
    .collect();
    let (a, b): (Vec<u32>, Vec<u32>) =
        ((0..64).map(|i| i % 2).collect(), (0..64).map(|i| i / 2 % 2).collect());
    compare_on(&Spirv::default(), "", "int", &["int", "int"], &rows(&all), &[bytes(&a), bytes(&b)]);
    let vectors = "%t0 = OpSLessThan %bool4 %a %b\n";
    let all = [
        (format!("{vectors}%t = OpAny %bool %t0{select}"), "any(a < b)".to_owned()),
        (format!("{vectors}%t = OpAll %bool %t0{select}"), "all(a < b)".to_owned()),
    ];
    compare(&Spirv::default(), "int", &["int4", "int4"], &rows(&all));
}

#[test]
fn conversions() {
    // (instruction, from, to, expression); values that a type does not hold are left out by
    // clamping.
    for from in INTS {
        for to in FLOATS {
            let all = [
                (format!("%r = OpConvertSToF %{to} %a"), format!("({to})a")),
                (format!("%r = OpConvertUToF %{to} %a"), format!("({to})as_u{from}(a)")),
            ];
            compare(&Spirv::default(), to, &[from], &rows(&all));
        }
        for to in INTS {
            let all = [
                (format!("%r = OpSConvert %{to} %a"), format!("({to})a")),
                (format!("%r = OpUConvert %{to} %a"), format!("({to})as_u{from}(a)")),
                (format!("%r = OpSatConvertSToU %{to} %a"), format!("as_{to}(convert_u{to}_sat(a))")),
                (format!("%r = OpSatConvertUToS %{to} %a"), format!("convert_{to}_sat(as_u{from}(a))")),
            ];
            compare(&Spirv::default(), to, &[from], &rows(&all));
        }
    }
    for from in FLOATS {
        for to in FLOATS {
            let all = [(format!("%r = OpFConvert %{to} %a"), format!("({to})a"))];
            compare(&Spirv::default(), to, &[from], &rows(&all));
        }
        for to in INTS {
            // Numbers from 0 to 100.
            let small = format!("%t = OpExtInst %{from} %ocl fclamp %a %{from}_0 %{from}_100\n");
            let c = format!("clamp(a, ({from})0, ({from})100)");
            let all = [
                (format!("{small}%r = OpConvertFToS %{to} %t"), format!("({to}){c}")),
                (format!("{small}%r = OpConvertFToU %{to} %t"), format!("as_{to}((u{to}){c})")),
            ];
            let inputs: Vec<u8> = samples(from, 0);
            compare_on(&Spirv::default(), "", to, &[from], &rows(&all), &[inputs]);
        }
    }
}

#[test]
fn conversions_that_round_and_saturate() {
    let modes = ["RTE", "RTZ", "RTP", "RTN"];
    let run = |to: &str, from: &str, op: &str, unsigned: [bool; 2], saturates: bool| {
        let mut annotations = String::new();
        let mut all = Vec::new();
        for (row, mode) in modes.iter().enumerate() {
            annotations += &format!("OpDecorate %r.{row} FPRoundingMode {mode}\n");
            if saturates {
                annotations += &format!("OpDecorate %r.{row} SaturatedConversion\n");
            }
            let sat = if saturates { "_sat" } else { "" };
            let u = if unsigned[1] { "u" } else { "" };
            let a = if unsigned[0] { format!("as_u{from}(a)") } else { "a".to_owned() };
            let c = format!("convert_{u}{to}{sat}_{}({a})", mode.to_lowercase());
            let c = if unsigned[1] { format!("as_{to}({c})") } else { c };
            all.push((format!("%r = Op{op} %{to} %a"), c));
        }
        compare(&Spirv { annotations, ..Default::default() }, to, &[from], &rows(&all));
    };
    for to in ["char", "int4", "long"] {
        for from in ["float", "double", "half"] {
            let lanes = to.trim_start_matches(char::is_alphabetic);
            let from = format!("{from}{lanes}");
            run(to, &from, "ConvertFToS", [false, false], true);
            run(to, &from, "ConvertFToU", [false, true], true);
        }
    }
    for from in ["int", "long2"] {
        for to in ["float", "half", "double"] {
            let lanes = from.trim_start_matches(char::is_alphabetic);
            let to = format!("{to}{lanes}");
            run(&to, from, "ConvertSToF", [false, false], false);
            run(&to, from, "ConvertUToF", [true, false], false);
        }
    }
    run("float", "double", "FConvert", [false, false], false);
    run("half", "float", "FConvert", [false, false], false);
    run("half4", "double4", "FConvert", [false, false], false);
}

#[test]
fn bitcasts() {
    let cases = [
        ("int", "float"),
        ("float", "int"),
        ("long", "int2"),
        ("int2", "long"),
        ("char16", "float4"),
        ("double2", "short8"),
    ];
    for (to, from) in cases {
        let row = (format!("%r = OpBitcast %{to} %a"), format!("as_{to}(a)"));
        compare(&Spirv::default(), to, &[from], &rows(&[row]));
    }
}

#[test]
fn brain_floats() {
    let setup = Spirv {
        requirements: "OpCapability BFloat16ConversionINTEL\nOpExtension \"SPV_INTEL_bfloat16_conversion\""
            .to_owned(),
        ..Default::default()
    };
    let a = [1.0f32, -2.5, f32::from_bits(0x3f80_8000), f32::from_bits(0x3f81_8000), f32::INFINITY, 3.4e38];
    let r: Vec<u16> =
        map(&setup, "short", &["float"], "%r = OpConvertFToBF16INTEL %short %a", a.len(), &[bytes(&a)]);
    assert_eq!(r, [0x3f80, 0xc020, 0x3f80, 0x3f82, 0x7f80, 0x7f80]);
    let nan: Vec<u16> = map(
        &setup,
        "short",
        &["float"],
        "%r = OpConvertFToBF16INTEL %short %a",
        1,
        &[bytes(&[f32::from_bits(0x7f80_0001)])],
    );
    assert_eq!(nan, [0x7fc0]);
    let back: Vec<f32> = map(
        &setup,
        "float",
        &["short"],
        "%r = OpConvertBF16ToFINTEL %float %a",
        2,
        &[bytes(&[0x3f80u16, 0xc020])],
    );
    assert_eq!(back, [1.0, -2.5]);
}

/// Numbers of `SPV_KHR_bfloat16`: constants, memory, conversions from and to all other types, and
/// dot products.
#[test]
fn numbers_of_bfloat16() {
    let setup = Spirv {
        requirements: "OpCapability BFloat16TypeKHR\nOpCapability BFloat16DotProductKHR\n\
                       OpExtension \"SPV_KHR_bfloat16\""
            .to_owned(),
        globals: "%bf = OpTypeFloat 16 BFloat16KHR\n%bf2 = OpTypeVector %bf 2\n\
                       %bf8 = OpTypeVector %bf 8\n%half_of_three = OpConstant %bf 1.5"
            .to_owned(),
        ..Default::default()
    };
    let bits = [0x3f80u16, 0xc020, 0x0001, 0x7f80, 0x4049];
    let values: [f32; 5] = bits.map(|b| f32::from_bits(u32::from(b) << 16));
    let from = |ty: &str, op: &str| format!("%x = OpBitcast %bf %a\n%r = {op} %{ty} %x");
    let wide: Vec<f32> = map(&setup, "float", &["short"], &from("float", "OpFConvert"), 5, &[bytes(&bits)]);
    assert_eq!(wide, values);
    let wide: Vec<f64> = map(&setup, "double", &["short"], &from("double", "OpFConvert"), 5, &[bytes(&bits)]);
    assert_eq!(wide, values.map(f64::from));
    let whole: Vec<i32> =
        map(&setup, "int", &["short"], &from("int", "OpConvertFToS"), 2, &[bytes(&bits[..2])]);
    assert_eq!(whole, [1, -2]);
    let to = |op: &str| format!("%x = {op} %bf %a\n%r = OpBitcast %short %x");
    // By way of a float, as is written: rounded twice.
    let doubles = [1.0f64, 1.0 + 2f64.powi(-8), 1.0 + 2f64.powi(-8) + 2f64.powi(-40), 1e300];
    let narrow: Vec<u16> = map(&setup, "short", &["double"], &to("OpFConvert"), 4, &[bytes(&doubles)]);
    assert_eq!(narrow, [0x3f80, 0x3f80, 0x3f80, 0x7f80]);
    let ints = [1i32, -3, 257, 259, i32::MAX];
    let narrow: Vec<u16> = map(&setup, "short", &["int"], &to("OpConvertSToF"), 5, &[bytes(&ints)]);
    assert_eq!(narrow, [0x3f80, 0xc040, 0x4380, 0x4382, 0x4f00]);
    let constant = "%r = OpFConvert %float %half_of_three";
    assert_eq!(map::<f32>(&setup, "float", &["float"], constant, 1, &[bytes(&[0f32])]), [1.5]);
    let dot = "%x = OpBitcast %bf2 %a\n%y = OpBitcast %bf2 %b\n%d = OpDot %bf %x %y\n\
               %r = OpFConvert %float %d";
    // 1 × 3 + (-2.5) × 2 and 3 × 257, whose last bit is lost.
    let pair = |x: f32, y: f32| (x.to_bits() >> 16) | (y.to_bits() & 0xffff_0000);
    let (a, b) = ([pair(1.0, -2.5), pair(3.0, 0.0)], [pair(3.0, 2.0), pair(86.0, 1.0)]);
    let products: Vec<f32> = map(&setup, "float", &["int", "int"], dot, 2, &[bytes(&a), bytes(&b)]);
    assert_eq!(products, [-2.0, 258.0]);
}

#[test]
fn dot_products_of_integers() {
    let setup = Spirv {
        requirements: "OpCapability DotProduct\nOpCapability DotProductInputAll\n\
                       OpCapability DotProductInput4x8BitPacked\nOpExtension \"SPV_KHR_integer_dot_product\""
            .to_owned(),
        ..Default::default()
    };
    let (a, b) = ([0xff02_0304u32, 0x8080_8080], [0x0102_0304u32, 0x8080_8080]);
    let packed = |op: &str, extra: &str| -> Vec<u32> {
        let body = format!("%r = Op{op} %int %a %b {extra}PackedVectorFormat4x8Bit");
        map(&setup, "int", &["int", "int"], &body, 2, &[bytes(&a), bytes(&b)])
    };
    let dot = |f: fn(u8) -> i32, g: fn(u8) -> i32| -> Vec<u32> {
        a.iter()
            .zip(b)
            .map(|(x, y)| {
                x.to_le_bytes().iter().zip(y.to_le_bytes()).map(|(x, y)| f(*x) * g(y)).sum::<i32>() as u32
            })
            .collect()
    };
    let signed = |v: u8| i32::from(v as i8);
    let unsigned = |v: u8| i32::from(v);
    assert_eq!(packed("SDot", ""), dot(signed, signed));
    assert_eq!(packed("UDot", ""), dot(unsigned, unsigned));
    assert_eq!(packed("SUDot", ""), dot(signed, unsigned));
    assert_eq!(packed("UDotAccSat", "%int_-1 "), [u32::MAX; 2]);
    assert_eq!(packed("SDotAccSat", "%int_2147483647 ")[1], i32::MAX as u32);
    assert_eq!(packed("SUDotAccSat", "%int_-2147483648 ")[1], i32::MIN as u32);
    let vectors: Vec<u64> = map(
        &setup,
        "long",
        &["short2", "short2"],
        "%r = OpSDot %long %a %b",
        2,
        &[bytes(&[100u16, 200, 0xffff, 1]), bytes(&[7u16, 8, 9, 10])],
    );
    assert_eq!(vectors, [2300, 1]);
}

#[test]
fn clocks() {
    let setup = Spirv {
        requirements: "OpCapability ShaderClockKHR\nOpExtension \"SPV_KHR_shader_clock\"".to_owned(),
        ..Default::default()
    };
    for scope in [1, 2, 3] {
        // A later reading minus an earlier one is no negative number, and not much.
        let body = format!(
            "%first = OpReadClockKHR %int2 %int_{scope}\n%low = OpBitcast %long %first\n\
             %second = OpReadClockKHR %long %int_{scope}\n%passed = OpISub %long %second %low\n\
             %r = OpShiftRightLogical %long %passed %int_40"
        );
        let r: Vec<u64> = map(&setup, "long", &["int"], &body, 3, &[bytes(&[1u32, 2, 3])]);
        assert_eq!(r, [0; 3], "scope {scope}");
    }
}

#[test]
fn expectations_and_assumptions() {
    let setup = Spirv {
        requirements: "OpCapability ExpectAssumeKHR\nOpExtension \"SPV_KHR_expect_assume\"".to_owned(),
        ..Default::default()
    };
    let body = "%t = OpIEqual %bool %a %a\nOpAssumeTrueKHR %t\n%r = OpExpectKHR %int %a %int_1";
    let r: Vec<u32> = map(&setup, "int", &["int"], body, 3, &[bytes(&[1u32, 2, 3])]);
    assert_eq!(r, [1, 2, 3]);
}
