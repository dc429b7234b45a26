//! The double mathematics, run: each function over the table that `scripts/double_reference.py`
//! wrote.

use compiler::NdRange;
use lanewise_difftest::{Program, buffer, contents, run};
use runtime::ArgValue;

/// The arguments, and what is right for them: rounded correctly, and how many ulps the exact value
/// is above that.
struct Case {
    x: f64,
    y: f64,
    result: f64,
    rest: f64,
}

struct Section {
    name: &'static str,
    /// The error that we hold, in ulps. It is not above the one that the standard allows.
    held: f64,
    cases: Vec<Case>,
}

fn sections() -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in include_str!("data/math_double.txt").lines() {
        let words: Vec<_> = line.split(' ').collect();
        if words[0] == "#" {
            let (bar, held) = (words[2].parse().unwrap_or(f64::INFINITY), words[3].parse().unwrap());
            // Where the exact result is not a double, one that is rounded correctly is off by up to
            // half an ulp.
            assert!(held <= bar || (bar == 0.0 && held == 0.5), "{line}");
            sections.push(Section { name: words[1], held, cases: Vec::new() });
            continue;
        }
        let bits = |i: usize| f64::from_bits(u64::from_str_radix(words[i], 16).unwrap());
        let last = words.len() - 1;
        sections.last_mut().expect("a section comes first").cases.push(Case {
            x: bits(0),
            y: if last == 3 { bits(1) } else { 0.0 },
            result: bits(last - 1),
            rest: words[last].parse::<f64>().unwrap() / 128.0,
        });
    }
    sections
}

/// The expressions that a section is for, of `x` and `y`.
fn expressions(name: &str) -> Vec<String> {
    let texts: &[&str] = match name {
        "sin" => &["sin(x)", "sincos(x, &d)"],
        "cos" => &["cos(x)", "(sincos(x, &d), d)"],
        "lgamma" => &["lgamma(x)", "lgamma_r(x, &i)"],
        "lgamma_r_sign" => &["(lgamma_r(x, &i), TO_DOUBLE(i))"],
        "remainder" => &["remainder(x, y)", "remquo(x, y, &i)"],
        "remquo_quotient" => &["(remquo(x, y, &i), TO_DOUBLE(i))"],
        "frexp" => &["frexp(x, &i)"],
        "frexp_exponent" => &["(frexp(x, &i), TO_DOUBLE(i))"],
        "modf" => &["modf(x, &d)"],
        "modf_whole" => &["(modf(x, &d), d)"],
        "fract" => &["fract(x, &d)"],
        "fract_whole" => &["(fract(x, &d), d)"],
        "nan" => &["nan(AS_ULONG(x))"],
        "ilogb" => &["TO_DOUBLE(ilogb(x))"],
        "pown" => &["pown(x, TO_INT(y))"],
        "rootn" => &["rootn(x, TO_INT(y))"],
        "ldexp" => &["ldexp(x, TO_INT(y))"],
        "fma" => &["fma(x, y, (DOUBLE)-1.0)"],
        _ => &[],
    };
    let binary = [
        "pow",
        "powr",
        "atan2",
        "atan2pi",
        "fmod",
        "hypot",
        "nextafter",
        "copysign",
        "fdim",
        "fmax",
        "fmin",
        "maxmag",
        "minmag",
    ];
    match texts {
        [] if binary.contains(&name) => vec![format!("{name}(x, y)")],
        [] => vec![format!("{name}(x)")],
        texts => texts.iter().map(|text| (*text).to_owned()).collect(),
    }
}

/// A program with a kernel `k` that computes an expression of vectors of a width, 1 for scalars.
fn program(expression: &str, width: usize, options: &str) -> Program {
    let n = if width == 1 { String::new() } else { width.to_string() };
    let (load, store) = match width {
        1 => ("x_in[g]".to_owned(), "out[g] = r".to_owned()),
        _ => (format!("vload{n}(g, x_in)"), format!("vstore{n}(r, g, out)")),
    };
    let source = format!(
        "#define DOUBLE double{n}
        #define TO_INT(v) convert_int{n}(v)
        #define TO_DOUBLE(v) convert_double{n}(v)
        #define AS_ULONG(v) as_ulong{n}(v)
        kernel void k(global const double *x_in, global const double *y_in, global double *out) {{
            size_t g = get_global_id(0);
            DOUBLE x = {load}, y = {}, d;
            int{n} i;
            DOUBLE r = {expression};
            {store};
        }}",
        load.replace("x_in", "y_in"),
    );
    Program::build(&source, &format!("-cl-std=CL3.0 {options}"))
        .unwrap_or_else(|log| panic!("{expression}: {log}"))
}

/// The distance of a value from the exact one, in ulps of the exact one.
fn error(value: f64, case: &Case) -> f64 {
    let right = case.result;
    if right.is_nan() || value.is_nan() {
        return if right.is_nan() && value.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if right == 0.0 && case.rest == 0.0 {
        let same = value == 0.0 && value.is_sign_negative() == right.is_sign_negative();
        return if same { 0.0 } else { f64::INFINITY };
    }
    if value == right && case.rest == 0.0 {
        return 0.0;
    }
    // Infinity is what follows the largest number; a quarter keeps it in the range.
    let (quarter, unit) = (2f64.powi(1022), 2f64.powi(971 - 2));
    let finite = |v: f64| if v.is_infinite() { quarter.copysign(v) } else { v / 4.0 };
    if value.is_infinite() || right.is_infinite() {
        return (finite(value) - finite(right)).abs() / unit;
    }
    let exponent = ((right.to_bits() >> 52) & 0x7ff) as i32;
    let ulp_exponent = exponent.max(1) - 1075;
    // In two steps: the unit itself can be below what a power gives exactly.
    let difference =
        (value - right) * 2f64.powi(-ulp_exponent / 2) * 2f64.powi(-ulp_exponent + ulp_exponent / 2);
    (difference - case.rest).abs()
}

fn bytes(values: impl Iterator<Item = f64>) -> Vec<u8> {
    values.flat_map(f64::to_le_bytes).collect()
}

/// What an expression gives for the cases, whose number is a multiple of the width. The work-groups
/// are large enough to be vectorized, and full: zeros follow the cases.
fn results(expression: &str, width: usize, options: &str, cases: &[Case]) -> Vec<f64> {
    const GROUP: usize = 16;
    let items = (cases.len() / width).next_multiple_of(GROUP);
    let kernel = program(expression, width, options).kernel("k").expect("it is in the program");
    let zeros = std::iter::repeat_n(0.0, items * width - cases.len());
    let x = buffer(&bytes(cases.iter().map(|c| c.x).chain(zeros.clone()))).unwrap();
    let y = buffer(&bytes(cases.iter().map(|c| c.y).chain(zeros))).unwrap();
    let out = buffer(&vec![0xaa; items * width * 8]).unwrap();
    let args = [&x, &y, &out].map(|b| ArgValue::Buffer(b.clone(), 0));
    run(&kernel, NdRange::new(&[items], &[GROUP]), &args).unwrap();
    let results = contents(&out).unwrap();
    results.chunks_exact(8).take(cases.len()).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
}

/// The sections in as many parts as there are tests, which run beside each other.
fn part(index: usize) -> Vec<Section> {
    sections().into_iter().enumerate().filter(|(i, _)| i % 4 == index).map(|(_, s)| s).collect()
}

fn hold(sections: Vec<Section>, options: &str) {
    let mut wrong = Vec::new();
    for section in sections {
        for expression in expressions(section.name) {
            let results = results(&expression, 1, options, &section.cases);
            let mut worst = (0.0, 0);
            for (i, (value, case)) in results.iter().zip(&section.cases).enumerate() {
                let error = error(*value, case);
                worst = if error > worst.0 { (error, i) } else { worst };
            }
            let (error, Case { x, y, result, .. }) = (worst.0, &section.cases[worst.1]);
            println!("{expression:32} {error:8.3} ulp of {:5}, at {x:e}, {y:e}", section.held);
            // The table has 1/128 ulp.
            if error > section.held + 1.0 / 128.0 {
                let value = results[worst.1];
                wrong
                    .push(format!("{expression}: {error:.3} ulp at {x:e}, {y:e}: {value:e}, not {result:e}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn errors_0() {
    hold(part(0), "");
}

#[test]
fn errors_1() {
    hold(part(1), "");
}

#[test]
fn errors_2() {
    hold(part(2), "");
}

#[test]
fn errors_3() {
    hold(part(3), "");
}

/// Fast-math options of a program do not apply to the library's code: its double-double sums stay
/// exact.
#[test]
fn options_do_no_harm() {
    let names =
        ["exp", "log", "pow", "rootn", "sin", "tan", "sinh", "atan2", "cbrt", "acosh", "erfc", "tgamma"];
    for options in ["-cl-fast-relaxed-math", "-cl-mad-enable -cl-no-signed-zeros", "-cl-denorms-are-zero"] {
        let mut sections = sections();
        sections.retain(|s| names.contains(&s.name));
        for section in &mut sections {
            let usual = |v: f64| v == 0.0 || v.is_normal();
            section.cases.retain(|c| usual(c.x) && usual(c.y) && c.result.is_normal());
        }
        hold(sections, options);
    }
}

#[test]
fn an_error_is_a_distance_in_ulps() {
    let of = |value: f64, result: f64, rest: f64| error(value, &Case { x: 0.0, y: 0.0, result, rest });
    let tiny = f64::from_bits(1);
    assert_eq!(of(1.0 + f64::EPSILON, 1.0, 0.0), 1.0);
    assert_eq!(of(1.0 - f64::EPSILON, 1.0, -0.5), 0.5);
    assert_eq!(of(3.0 * tiny, tiny, 0.25), 1.75);
    assert_eq!(of(0.0, tiny, -0.25), 0.75);
    assert_eq!(of(f64::MAX, f64::INFINITY, 0.0), 1.0);
    assert_eq!(of(f64::INFINITY, f64::MAX, 0.0), 1.0);
    assert_eq!(of(f64::NAN, f64::NAN, 0.0), 0.0);
    for (value, result) in [(0.0, -0.0), (f64::NAN, 1.0), (1.0, f64::NAN)] {
        assert_eq!(of(value, result, 0.0), f64::INFINITY);
    }
    assert!(of(f64::INFINITY, f64::NEG_INFINITY, 0.0) > 1e9 && of(f64::INFINITY, 1.0, 0.0) > 1e9);
}

/// Vectors give what their elements do, for each function at one width.
#[test]
fn vectors() {
    let widths = [2, 3, 4, 8, 16].into_iter().cycle();
    for (mut section, width) in sections().into_iter().zip(widths) {
        section.cases.truncate(48);
        let rest = section.cases.len() % width;
        section.cases.truncate(section.cases.len() - rest);
        if section.cases.is_empty() {
            continue;
        }
        for expression in expressions(section.name) {
            let (scalars, vectors) = (
                results(&expression, 1, "", &section.cases),
                results(&expression, width, "", &section.cases),
            );
            for ((scalar, vector), Case { x, y, .. }) in scalars.iter().zip(&vectors).zip(&section.cases) {
                let same = scalar.to_bits() == vector.to_bits() || (scalar.is_nan() && vector.is_nan());
                assert!(same, "{expression} at {x:e}, {y:e}: {scalar:e}, but {vector:e} in double{width}");
            }
        }
    }
}
