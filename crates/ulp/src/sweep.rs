//! All 2^32 arguments of a float function of one argument.
//!
//! One kernel calls the function, built with the options asked for. Another one compares with the
//! library's own double function, and keeps the worst call of each set of arguments. What is worse
//! than anything before goes to MPFR, and so does, argument by argument, a set in which there was
//! anything but two numbers close to each other. What the double functions are worth is measured by
//! MPFR, too: they are far better than a float can show.

use crate::kernel::{Results, outputs};
use crate::measure::{Plan, Worst, judge_all};
use crate::sample::Arguments;
use crate::{Function, Type};
use compiler::NdRange;
use difftest::Result;
use difftest::{Program, buffer, contents, run};
use runtime::{ArgValue, Buffer};

/// Arguments of one launch, and sets among them: a set is every SETS-th argument.
const BATCH: u64 = 1 << 24;
const SETS: u64 = 1 << 14;

/// More than any error that the judge finds between numbers.
const DOUBT: f32 = 1e30;

/// Whether [`sweep`] can do it: there is one argument, and a double function that is the truth.
pub fn can_sweep(function: &Function) -> bool {
    function.form.is_of_one() && function.expression.is_none()
}

/// What the library's double functions make of `x`, and of what is written to `t`.
fn truth(function: &Function) -> String {
    let name = function.name;
    let name = name.strip_prefix("half_").or(name.strip_prefix("native_")).unwrap_or(name);
    match name {
        "recip" => "1.0 / x".to_owned(),
        // The largest below one is that of float.
        "fract" => "fmin(fract(x, &t), 0x1.fffffep-1)".to_owned(),
        _ if function.second.is_some() => format!("{name}(x, &t)"),
        _ => format!("{name}(x)"),
    }
}

/// The function's domain in OpenCL C.
fn domain(name: &str) -> &'static str {
    match name {
        "half_cos" | "half_sin" | "half_tan" | "native_cos" => "fabs(x) <= 65536.0",
        "native_sin" | "native_tan" => "(fabs(x) <= 65536.0) & (x != 0.0)",
        "native_exp" | "native_exp2" | "native_exp10" => "fabs(x) < 37.0",
        "native_log" | "native_log2" | "native_log10" => "(x >= 0x1p-125) & (x < INFINITY)",
        _ => "1",
    }
}

fn calls(function: &Function) -> String {
    let name = function.name;
    let (declare, pointer, write) = match outputs(function.form).1 {
        None => ("", "", ""),
        Some(true) => ("int t;", ", &t", "s[i] = as_uint(t);"),
        Some(false) => ("float t;", ", &t", "s[i] = as_uint(t);"),
    };
    format!(
        "kernel void calls(uint first, global uint *r, global uint *s) {{
           size_t i = get_global_id(0);
           {declare}
           r[i] = as_uint({name}(as_float(first + (uint)i){pointer}));
           {write}
         }}"
    )
}

/// The unit in the last place is that of the truth, of which 2^-149 is the least.
fn judge(function: &Function) -> String {
    let (to_int, second) = outputs(function.form);
    let of = |int: bool| if int { "off_by_int" } else { "off_by" };
    let (declare, other) = match second {
        None => ("", String::new()),
        Some(int) => (
            if int { "int t;" } else { "double t;" },
            format!("error = fmax(error, {}(s[k + set], t));", of(int)),
        ),
    };
    let (truth, domain, first) = (truth(function), domain(function.name), of(to_int));
    format!(
        "float off_by(uint bits, double truth) {{
           float result = as_float(bits);
           ulong magnitude = as_ulong(truth) & 0x7ff0000000000000ul;
           ulong exponent = max(magnitude, 897ul << 52);
           double per_ulp = as_double((2069ul << 52) - exponent);
           float error = (float)(fabs((double)result - truth) * per_ulp);
           int numbers = (magnitude < 0x47f0000000000000ul) & (truth != 0.0) & isfinite(result);
           int zero = (truth == 0.0) & (bits == as_uint((float)truth));
           int infinite = (magnitude >= 0x47f0000000000000ul) & (bits == as_uint((float)truth));
           int nan = isnan(truth) & isnan(result);
           error = (zero | infinite | nan) ? 0.0f : error;
           return (numbers | zero | infinite | nan) ? error : {DOUBT:e}f;
         }}
         float off_by_int(uint bits, int truth) {{ return as_int(bits) == truth ? 0.0f : {DOUBT:e}f; }}
         kernel void judge(uint first, global const uint *r, global const uint *s, global float *errors,
             global uint *places) {{
           size_t set = get_global_id(0);
           float worst = -1.0f;
           uint place = 0;
           for (uint k = 0; k < {BATCH}u; k += {SETS}u) {{
             uint bits = first + k + (uint)set;
             double x = as_float(bits);
             {declare}
             float error = {first}(r[k + set], {truth});
             {other}
             error = {domain} ? error : 0.0f;
             place = error > worst ? bits : place;
             worst = fmax(error, worst);
           }}
           errors[set] = worst;
           places[set] = place;
         }}"
    )
}

/// The worst error of all arguments, or what was seen before if that is worse.
pub fn sweep(function: &Function, mut worst: Worst, plan: &Plan) -> Result<Worst> {
    let program = Program::build(&calls(function), &format!("-cl-std=CL3.0 {}", plan.options))?;
    let judging = Program::build(&judge(function), "-cl-std=CL3.0")?;
    let (Some(calls), Some(judge)) = (program.kernel("calls"), judging.kernel("judge")) else {
        return Err("the kernel is gone".to_owned().into());
    };
    let results = buffer(&vec![0; 4 * BATCH as usize])?;
    let has_second = function.second.is_some();
    let seconds = buffer(&vec![0; if has_second { 4 * BATCH as usize } else { 4 }])?;
    let (errors, places) = (buffer(&vec![0; 4 * SETS as usize])?, buffer(&vec![0; 4 * SETS as usize])?);
    let decide = |bits: Vec<u64>, worst: Worst| -> Result<Worst> {
        let read = |from: &Buffer| -> Result<Vec<u64>> {
            let at = |argument: &u64| {
                let mut result = [0; 4];
                from.read(4 * (argument % BATCH) as usize, &mut result)?;
                Ok(u64::from(u32::from_le_bytes(result)))
            };
            bits.iter().map(at).collect()
        };
        let second = if has_second { read(&seconds)? } else { Vec::new() };
        let results = Results { first: read(&results)?, second };
        let arguments = Arguments { values: [bits, Vec::new(), Vec::new()], integers: Vec::new() };
        Ok(judge_all(function, Type::Float, &arguments, &results, plan, worst))
    };
    for first in (0..1u64 << 32).step_by(BATCH as usize) {
        let start = ArgValue::Bytes((first as u32).to_le_bytes().to_vec());
        let buffers = [&results, &seconds, &errors, &places];
        let [result, second, error, place] = buffers.map(|buffer| ArgValue::Buffer(buffer.clone(), 0));
        let called = [start.clone(), result.clone(), second.clone()];
        run(&calls, NdRange::new(&[BATCH as usize], &[256]), &called)?;
        run(&judge, NdRange::new(&[SETS as usize], &[256]), &[start, result, second, error, place])?;
        let (errors, places) = (contents(&errors)?, contents(&places)?);
        let mut close = Vec::new();
        for set in 0..SETS as usize {
            let error = f32::from_bits(Type::Float.read(&errors, set) as u32);
            if error >= DOUBT {
                let members = (first + set as u64..first + BATCH).step_by(SETS as usize).collect();
                worst = decide(members, worst)?;
            } else if f64::from(error) > worst.error - 1e-5 {
                close.push((error, Type::Float.read(&places, set)));
            }
        }
        // The worst first: then few of the others can be as bad.
        close.sort_by(|a, b| b.0.total_cmp(&a.0));
        for few in close.chunks(64) {
            if f64::from(few[0].0) <= worst.error - 1e-5 {
                break;
            }
            worst = decide(few.iter().map(|(_, bits)| *bits).collect(), worst)?;
        }
    }
    worst.calls = 1 << 32;
    Ok(worst)
}
