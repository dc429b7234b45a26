//! The short version of `make ulp`: every operator and function for every type and width, within
//! its bar, and every float function of relaxed builds.

use compiler::NdRange;
use difftest::{Program, buffer, contents, run};
use lanewise_ulp::{Function, Plan, Type, functions, measure, relaxed_functions};
use runtime::ArgValue;

fn within_bars(functions: &[Function], ty: Type, plan: &Plan) {
    let mut wrong = Vec::new();
    for function in functions {
        let Some(bar) = function.bars[ty as usize] else { continue };
        match measure(function, ty, plan) {
            Ok(worst) if worst.error <= bar + 1e-9 => {}
            Ok(worst) => {
                wrong.push(format!("{} {}: {}, {}", ty.name(), function.name, worst.error, worst.call))
            }
            Err(error) => wrong.push(format!("{} {}: {error}", ty.name(), function.name)),
        }
    }
    assert!(wrong.is_empty(), "{} {}", plan.options, wrong.join("\n"));
}

fn short(options: &str, vectors: usize) -> Plan {
    Plan { samples: 3000, full: false, vectors, threads: 1, options: options.to_owned() }
}

#[test]
fn half_functions() {
    within_bars(&functions(), Type::Half, &short("", 480));
}

#[test]
fn float_functions() {
    within_bars(&functions(), Type::Float, &short("", 480));
}

#[test]
fn double_functions() {
    within_bars(&functions(), Type::Double, &short("", 480));
}

#[test]
fn relaxed_float_functions() {
    for options in ["-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations"] {
        within_bars(&relaxed_functions(), Type::Float, &short(options, 0));
    }
}

/// What the table for relaxed builds does not name keeps its bar.
#[test]
fn other_float_functions_of_relaxed_builds() {
    let (mut others, relaxed) = (functions(), relaxed_functions());
    others.retain(|f| relaxed.iter().all(|g| g.name != f.name));
    within_bars(&others, Type::Float, &short("-cl-fast-relaxed-math", 0));
}

/// A function that is a little off must not pass.
#[test]
fn what_is_over_its_bar_is_found() {
    let exp = functions().into_iter().find(|f| f.name == "exp").expect("it is a function");
    let off = ["exp($x) * (half)1.004f", "exp($x) * 1.0000006f", "exp($x) * (1.0 + 0x1p-50)"];
    for (ty, expression) in Type::ALL.into_iter().zip(off) {
        let wrong = Function { expression: Some(expression), ..exp.clone() };
        let worst = measure(&wrong, ty, &short("", 0)).expect("it can be built");
        assert!(Some(worst.error) > exp.bars[ty as usize], "{} passes with {}", expression, worst.error);
    }
    let relaxed = relaxed_functions();
    for (name, expression) in
        [("sin", "sin($x) + 0x1.1p-11f"), ("log", "log($x) + 0x1.1p-21f"), ("exp", "exp($x * 1.0000005f)")]
    {
        let function = relaxed.iter().find(|f| f.name == name).expect("it is in the table").clone();
        let wrong = Function { expression: Some(expression), ..function };
        let worst =
            measure(&wrong, Type::Float, &short("-cl-fast-relaxed-math", 0)).expect("it can be built");
        assert!(
            Some(worst.error) > wrong.bars[Type::Float as usize],
            "{expression} passes with {}",
            worst.error
        );
    }
}

/// The last line of the table for relaxed builds: x * y + z is one rounding, or two.
#[test]
fn a_relaxed_multiplication_and_addition_is_fused_or_not() {
    let number = |i: u32, k: u32| {
        (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 2f32.powi(-((i * k % 40) as i32)) - 900.0
    };
    let columns: Vec<Vec<f32>> = (1..4).map(|k| (0..4096).map(|i| number(3 * i + k, k)).collect()).collect();
    let source = "kernel void k(global float *x, global float *y, global float *z, global float *r) {
        size_t i = get_global_id(0); r[i] = x[i] * y[i] + z[i]; }";
    for options in ["-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations", "-cl-mad-enable"] {
        let kernel = Program::build(source, options).expect("it builds").kernel("k").expect("it is there");
        let bytes = |column: &[f32]| column.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        let mut buffers: Vec<_> = columns.iter().map(|column| buffer(&bytes(column)).unwrap()).collect();
        buffers.push(buffer(&[0xa5; 4 * 4096]).unwrap());
        let args: Vec<_> = buffers.iter().map(|b| ArgValue::Buffer(b.clone(), 0)).collect();
        run(&kernel, NdRange::new(&[4096], &[64]), &args).unwrap();
        for (i, found) in contents(&buffers[3]).unwrap().chunks_exact(4).enumerate() {
            let found = f32::from_le_bytes(found.try_into().unwrap());
            let [x, y, z] = [0, 1, 2].map(|k| columns[k][i]);
            assert!(
                found == x.mul_add(y, z) || found == x * y + z,
                "{options}: {x} * {y} + {z} gives {found}"
            );
        }
    }
}
