//! The short version of `make ulp`: every function for every type and width, within its bar.

use lanewise_ulp::{Plan, Type, functions, measure};

fn within_bars(ty: Type) {
    let plan = Plan { samples: 3000, full: false, vectors: 480, threads: 1, options: String::new() };
    let mut wrong = Vec::new();
    for function in functions() {
        let Some(bar) = function.bars[ty as usize] else { continue };
        match measure(&function, ty, &plan) {
            Ok(worst) if worst.error <= bar + 1e-9 => {}
            Ok(worst) => {
                wrong.push(format!("{} {}: {} ULP, {}", ty.name(), function.name, worst.error, worst.call))
            }
            Err(error) => wrong.push(format!("{} {}: {error}", ty.name(), function.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn half_functions() {
    within_bars(Type::Half);
}

#[test]
fn float_functions() {
    within_bars(Type::Float);
}

#[test]
fn double_functions() {
    within_bars(Type::Double);
}
