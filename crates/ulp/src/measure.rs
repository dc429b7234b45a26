//! Compares results with the exact ones, and finds the largest error.

use crate::estimate::Estimator;
use crate::functions::Unit;
use crate::kernel::{Caller, Results, WIDTHS, outputs};
use crate::sample::{Arguments, Random};
use crate::sweep::{can_sweep, sweep};
use crate::{Form, Function, Type};
use difftest::Result;
use rug::Float;

/// The worst call that was seen.
#[derive(Clone)]
pub struct Worst {
    pub error: f64,
    /// The arguments and the result, for people.
    pub call: String,
    pub calls: u64,
}

impl Worst {
    pub const NONE: Worst = Worst { error: -1.0, call: String::new(), calls: 0 };

    pub fn merge(self, other: Worst) -> Worst {
        let calls = self.calls + other.calls;
        Worst { calls, ..if other.error > self.error { other } else { self } }
    }
}

fn integer_error(result: u64, truth: &Float) -> f64 {
    // An integer for which nothing is promised.
    if truth.is_nan() {
        return 0.0;
    }
    if f64::from(result as u32 as i32) == truth.to_f64() { 0.0 } else { f64::INFINITY }
}

fn either_zero(name: &str) -> bool {
    matches!(name, "fmax" | "fmin" | "maxmag" | "minmag")
}

fn judge(
    function: &Function,
    ty: Type,
    arguments: &Arguments,
    results: &Results,
    (from, to): (usize, usize),
    promise: Promise,
    seen: f64,
) -> Worst {
    let (to_int, second) = outputs(function.form);
    let mut worst = Worst { calls: (to - from) as u64, error: seen, ..Worst::NONE };
    let estimator = Estimator::new(function, ty);
    for i in from..to {
        // MPFR is slow: it only judges results whose error may exceed the largest one so far.
        if let Some(estimator) = &estimator {
            let argument = |k: usize| arguments.values[k].get(i).map_or(0.0, |bits| ty.to_f64(*bits));
            let integer = function.form == Form::WithInt;
            let y = if integer { f64::from(arguments.integers[i]) } else { argument(1) };
            let pointed = results.second.get(i).copied();
            if estimator.is_below(worst.error, [argument(0), y, argument(2)], results.first[i], pointed) {
                continue;
            }
        }
        let mut values: Vec<Float> =
            (0..function.form.arguments()).map(|k| ty.value(arguments.values[k][i])).collect();
        if function.form == Form::WithInt {
            values.push(Float::with_val(ty.working_precision(), arguments.integers[i]));
        }
        if !(function.domain)(&values) || !values.iter().all(|value| promise.takes(value, ty)) {
            continue;
        }
        let mut check = |result: u64, truth: &Float, int: bool, what: &str| {
            if promise.numbers_only && ty.nearest(truth) & !ty.sign_bit() >= ty.infinity() {
                return;
            }
            let is_zero = result & !ty.sign_bit() == 0;
            let zeros_are_one = promise.relaxed || either_zero(function.name);
            let error = if int {
                integer_error(result, truth)
            } else if is_zero && (truth.is_zero() && zeros_are_one || promise.flushes(truth, ty)) {
                0.0
            } else {
                match function.unit {
                    Unit::Ulp => ty.error(result, truth),
                    Unit::Ulps(allowed) => ty.error(result, truth) / allowed(values[0].to_f64()),
                    Unit::Absolute => ty.absolute_error(result, truth),
                }
            };
            if error > worst.error {
                let mut call: Vec<_> =
                    (0..function.form.arguments()).map(|k| ty.show(arguments.values[k][i])).collect();
                if function.form == Form::WithInt {
                    call.push(arguments.integers[i].to_string());
                }
                let shown = if int { (result as i32).to_string() } else { ty.show(result) };
                worst.error = error;
                worst.call = format!("{} → {what}{shown}, not {:.12e}", call.join(", "), truth.to_f64());
            }
        };
        check(results.first[i], &(function.truth)(&values, ty), to_int, "");
        if let (Some(truth), Some(int)) = (function.second, second) {
            check(results.second[i], &truth(&values, ty), int, "* ");
        }
    }
    worst
}

/// The worse of `self` and the worst of these calls.
pub fn judge_all(
    function: &Function,
    ty: Type,
    arguments: &Arguments,
    results: &Results,
    plan: &Plan,
    seen: Worst,
) -> Worst {
    let error = seen.error;
    let chunk = arguments.count().div_ceil(plan.threads.max(1)).max(1);
    let promise = plan.promise();
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..arguments.count())
            .step_by(chunk)
            .map(|from| {
                let to = (from + chunk).min(arguments.count());
                scope.spawn(move || judge(function, ty, arguments, results, (from, to), promise, error))
            })
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().expect("a judge does not panic"))
            .fold(seen, Worst::merge)
    })
}

/// Calls of one launch.
const BATCH: usize = 1 << 20;

/// How many arguments are tried.
pub struct Plan {
    pub samples: usize,
    /// All values of one-argument float functions that have a double function.
    pub full: bool,
    /// Whether vectors must give what scalars give, for this many calls.
    pub vectors: usize,
    pub threads: usize,
    pub options: String,
}

/// The guarantees that relaxed build options give up.
#[derive(Clone, Copy)]
struct Promise {
    /// Nothing for infinities and NaN.
    numbers_only: bool,
    /// Subnormal numbers may count as zero, and zeros have no sign.
    relaxed: bool,
}

impl Promise {
    fn takes(self, argument: &Float, ty: Type) -> bool {
        (argument.is_finite() || !self.numbers_only) && !(self.relaxed && is_subnormal(argument, ty))
    }

    fn flushes(self, truth: &Float, ty: Type) -> bool {
        self.relaxed && is_subnormal(truth, ty)
    }
}

fn is_subnormal(value: &Float, ty: Type) -> bool {
    value.get_exp().is_some_and(|exponent| exponent - 1 < ty.min_exponent())
}

impl Plan {
    fn promise(&self) -> Promise {
        let has = |option| self.options.contains(option);
        let relaxed = has("-cl-fast-relaxed-math") || has("-cl-unsafe-math-optimizations");
        Promise { numbers_only: relaxed || has("-cl-finite-math-only"), relaxed }
    }
}

/// The worst error of a function. The error is a build log, or says that a vector gives something
/// else than a scalar.
pub fn measure(function: &Function, ty: Type, plan: &Plan) -> Result<Worst> {
    let mut random = Random::new(0x1a9e_0001 ^ function.name.len() as u64);
    let mut caller = Caller::new(function, ty, 1, &plan.options)?;
    let mut worst = Worst::NONE;
    let full = plan.full && ty == Type::Float && can_sweep(function);
    let all_halves = ty == Type::Half && function.form.is_of_one() && plan.samples >= 1 << 16;
    let first = if all_halves { 1 << 16 } else { plan.samples.min(BATCH) };
    let mut arguments = Arguments::structured(function, ty, first, &mut random);
    loop {
        let results = caller.call(&arguments)?;
        if worst.calls == 0 && plan.vectors > 0 {
            compare_widths(function, ty, plan, &arguments, &results)?;
        }
        worst = judge_all(function, ty, &arguments, &results, plan, worst);
        let left = plan.samples.saturating_sub(worst.calls as usize);
        if left < 48 || full || all_halves {
            break;
        }
        arguments = Arguments::random(function, ty, left.min(BATCH), &mut random);
    }
    if full {
        worst = sweep(function, worst, plan)?;
    }
    Ok(worst)
}

fn compare_widths(f: &Function, ty: Type, plan: &Plan, all: &Arguments, scalar: &Results) -> Result<()> {
    let count = plan.vectors.min(all.count()) / 48 * 48;
    let cut = |column: &Vec<u64>| column.iter().copied().take(count).collect::<Vec<_>>();
    let integers = all.integers.iter().copied().take(count).collect();
    let arguments = Arguments { values: [0, 1, 2].map(|k| cut(&all.values[k])), integers };
    let is_nan = |bits: u64| bits & (ty.sign_bit() - 1) > ty.infinity();
    for width in &WIDTHS[1..] {
        let results = Caller::new(f, ty, *width, &plan.options)
            .and_then(|mut caller| caller.call(&arguments))
            .map_err(|error| format!("{}{width} {}: {error}", ty.name(), f.name))?;
        let (_, second) = outputs(f.form);
        for i in 0..count {
            let same = |a: u64, b: u64, int: bool| a == b || (!int && is_nan(a) && is_nan(b));
            let (to_int, _) = outputs(f.form);
            let equal = same(results.first[i], scalar.first[i], to_int)
                && second.is_none_or(|int| same(results.second[i], scalar.second[i], int));
            if !equal {
                return Err(format!(
                    "{}{width} {}: {:x?} gives {:x}, the scalar {:x}",
                    ty.name(),
                    f.name,
                    (0..3).map(|k| arguments.values[k][i]).collect::<Vec<_>>(),
                    results.first[i],
                    scalar.first[i]
                )
                .into());
            }
        }
    }
    Ok(())
}
