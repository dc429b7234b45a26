//! Options of a build that change what numbers come out.

use compiler::NdRange;
use lanewise_difftest::{Program, buffer, contents, run};
use runtime::ArgValue;

/// The results of a kernel that computes `expression` of each float `x`.
fn results(expression: &str, options: &str, x: &[f32]) -> Vec<f32> {
    let source = format!(
        "kernel void k(global const float *in, global float *out) {{
           size_t i = get_global_id(0); float x = in[i]; out[i] = {expression}; }}"
    );
    let program = Program::build(&source, options).unwrap_or_else(|log| panic!("{options}: {log}"));
    let kernel = program.kernel("k").unwrap();
    let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_le_bytes()).collect();
    let (input, output) = (buffer(&bytes).unwrap(), buffer(&vec![0xff; bytes.len()]).unwrap());
    let args = [&input, &output].map(|b| ArgValue::Buffer(b.clone(), 0));
    run(&kernel, NdRange::new(&[x.len()], &[64]), &args).unwrap();
    let bytes = contents(&output).unwrap();
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// More than a vector of them, with some left over.
const COUNT: usize = 83;

#[test]
fn subnormal_numbers_are_zeros_if_asked_for() {
    let x: Vec<f32> = (0..COUNT).map(|i| f32::MIN_POSITIVE * (1.0 + i as f32)).collect();
    for options in ["", "-cl-fast-relaxed-math", "-cl-mad-enable -cl-no-signed-zeros"] {
        assert!(results("x * 0x1p-20f", options, &x).iter().all(|r| *r > 0.0), "{options}");
    }
    let flushed = results("x * 0x1p-20f", "-cl-denorms-are-zero", &x);
    assert_eq!(flushed, vec![0.0; COUNT]);
    let small: Vec<f32> = (0..COUNT).map(|i| f32::from_bits(1 + i as u32)).collect();
    assert_eq!(results("x * 0x1p60f", "-cl-denorms-are-zero", &small), vec![0.0; COUNT]);
    assert!(results("x * 0x1p60f", "", &small).iter().all(|r| *r > 0.0));
    // Flushing to zero ends with the kernel: the mode of the thread is unchanged.
    assert!(f32::MIN_POSITIVE * std::hint::black_box(0.5) > 0.0);
}

/// What the table for unsafe mathematics allows, and that the cheaper versions are there at all.
#[test]
fn relaxed_mathematics_is_close_and_cheaper() {
    let x: Vec<f32> = (0..4096).map(|i| 0.001 + i as f32 * 0.0007).collect();
    type Case = (&'static str, fn(f64) -> f64, fn(f64) -> f64);
    let ulp = |value: f64| f64::from(f32::EPSILON) * 2f64.powi(value.abs().log2().floor() as i32);
    let cases: [Case; 8] = [
        ("sin(x)", f64::sin, |_| 2f64.powi(-11)),
        ("cos(x)", f64::cos, |_| 2f64.powi(-11)),
        ("tan(x * 0.5f)", |x| f64::from(x as f32 * 0.5).tan(), |_| 0.0),
        ("exp(x)", f64::exp, |_| 0.0),
        ("exp10(x)", |x| 10f64.powf(x), |_| 0.0),
        ("log(x)", f64::ln, |_| 2f64.powi(-21)),
        ("log2(x)", f64::log2, |_| 2f64.powi(-21)),
        ("pow(x, 1.7f)", |x| x.powf(f64::from(1.7f32)), |truth| truth.abs() * 2f64.powi(-19)),
    ];
    for options in ["-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations"] {
        for (expression, truth, absolute) in cases {
            let precise = results(expression, "", &x);
            let relaxed = results(expression, options, &x);
            let mut differ = 0;
            for ((x, precise), relaxed) in x.iter().zip(precise).zip(relaxed) {
                let truth = truth(f64::from(*x));
                let error = (f64::from(relaxed) - truth).abs();
                let allowed = absolute(truth).max((3.0 + (2.0 * f64::from(*x)).floor()) * ulp(truth));
                assert!(error <= allowed, "{options} {expression} of {x}: {relaxed}, not {truth}");
                differ += usize::from(precise != relaxed);
            }
            assert!(differ > 0, "{options}: {expression} is that of full precision");
        }
    }
}
