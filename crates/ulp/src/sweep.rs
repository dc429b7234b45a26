//! All 2^32 arguments of a float function of one argument.
//!
//! One kernel calls the function, built with the options asked for. Another one compares with the library's own
//! double function, and keeps the worst call of each set of arguments. What is worse than anything before goes to MPFR,
//! and so does, argument by argument, a set in which there was anything but two numbers close to each other. What the
//! double functions are worth is measured by MPFR, too: they are far better than a float can show.

use crate::measure::{Plan, Worst, judge_all};
use crate::sample::Arguments;
use crate::{Form, Function, Type, kernel::Results};
use compiler::NdRange;
use difftest::{Program, buffer, contents, run};
use runtime::ArgValue;

/// Arguments of one launch, and sets among them: a set is every SETS-th argument.
const BATCH: u64 = 1 << 24;
const SETS: u64 = 1 << 14;

/// More than any error that the judge finds between numbers.
const DOUBT: f32 = 1e30;

/// Whether [`sweep`] can do it: there is a double function of the same name, and no argument is left out.
pub fn can_sweep(function: &Function) -> bool {
    function.form == Form::One && function.bars[Type::Double as usize].is_some()
}

fn calls(name: &str) -> String {
    format!(
        "kernel void calls(uint first, global float *r) {{
           size_t i = get_global_id(0);
           r[i] = {name}(as_float(first + (uint)i));
         }}"
    )
}

/// The unit in the last place is that of the truth, of which 2^-149 is the least.
fn judge(name: &str) -> String {
    format!(
        "kernel void judge(uint first, global const float *r, global float *errors, global uint *places) {{
           size_t set = get_global_id(0);
           float worst = -1.0f;
           uint place = 0;
           for (uint k = 0; k < {BATCH}u; k += {SETS}u) {{
             uint bits = first + k + (uint)set;
             float result = r[k + set];
             double truth = {name}((double)as_float(bits));
             ulong magnitude = as_ulong(truth) & 0x7ff0000000000000ul;
             ulong exponent = max(magnitude, 897ul << 52);
             double per_ulp = as_double((2069ul << 52) - exponent);
             float error = (float)(fabs((double)result - truth) * per_ulp);
             int numbers = (magnitude < 0x47f0000000000000ul) & (truth != 0.0) & isfinite(result);
             int zero = (truth == 0.0) & (as_uint(result) == as_uint((float)truth));
             int infinite = (magnitude >= 0x47f0000000000000ul) & (as_uint(result) == as_uint((float)truth));
             int nan = isnan(truth) & isnan(result);
             error = (zero | infinite | nan) ? 0.0f : error;
             error = (numbers | zero | infinite | nan) ? error : {DOUBT:e}f;
             place = error > worst ? bits : place;
             worst = fmax(error, worst);
           }}
           errors[set] = worst;
           places[set] = place;
         }}"
    )
}

/// The worst error of all arguments, or what was seen before if that is worse.
pub fn sweep(function: &Function, mut worst: Worst, plan: &Plan) -> Result<Worst, String> {
    let mut program = Program::build(&calls(function.name), &format!("-cl-std=CL3.0 {}", plan.options))?;
    let mut judging = Program::build(&judge(function.name), "-cl-std=CL3.0")?;
    let (Some(calls), Some(judge)) = (program.kernel("calls"), judging.kernel("judge")) else {
        return Err("the kernel is gone".to_owned());
    };
    let results = buffer(&vec![0; 4 * BATCH as usize])?;
    let (errors, places) = (buffer(&vec![0; 4 * SETS as usize])?, buffer(&vec![0; 4 * SETS as usize])?);
    let decide = |bits: Vec<u64>, worst: Worst| -> Result<Worst, String> {
        let mut found = Vec::with_capacity(bits.len());
        for argument in &bits {
            let mut result = [0; 4];
            results.read(4 * (argument % BATCH) as usize, &mut result).map_err(|e| e.to_string())?;
            found.push(u64::from(u32::from_le_bytes(result)));
        }
        let arguments = Arguments { values: [bits, Vec::new(), Vec::new()], integers: Vec::new() };
        let results = Results { first: found, second: Vec::new() };
        Ok(judge_all(function, Type::Float, &arguments, &results, plan, worst))
    };
    for first in (0..1u64 << 32).step_by(BATCH as usize) {
        let start = ArgValue::Bytes((first as u32).to_le_bytes().to_vec());
        let result = ArgValue::Buffer(results.clone(), 0);
        run(&*calls, NdRange::new(&[BATCH as usize], &[256]), &[start.clone(), result.clone()])?;
        let outputs = [&errors, &places].map(|buffer| ArgValue::Buffer(buffer.clone(), 0));
        let [error, place] = outputs;
        run(&*judge, NdRange::new(&[SETS as usize], &[256]), &[start, result, error, place])?;
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
