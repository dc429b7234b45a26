//! SPIR-V kernels that are run.
#![allow(dead_code)]

use compiler::{Kernel, NdRange, SpecializationInfo};
use lanewise_difftest::Program;
use lanewise_difftest::spirv::Spirv;
use runtime::ArgValue;
use std::sync::Arc;

#[path = "../common/mod.rs"]
pub mod common;
#[allow(unused_imports)]
pub use common::{Data, Plain, bytes, launch, value};

/// The kernel `k` of a module in assembly.
pub fn assembled(text: &str) -> Arc<dyn Kernel> {
    try_assembled(text, "", &SpecializationInfo::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub fn try_assembled(
    text: &str,
    options: &str,
    constants: &SpecializationInfo,
) -> Result<Arc<dyn Kernel>, String> {
    let code = spirv::assemble(text)?;
    let mut program = Program::from_spirv(&code, options, constants)?;
    program.kernel("k").ok_or_else(|| "there is no kernel k".to_owned())
}

/// Why a module is refused.
pub fn refused(text: &str) -> String {
    match try_assembled(text, "", &SpecializationInfo::default()) {
        Ok(_) => panic!("not refused:\n{text}"),
        Err(message) => message,
    }
}

/// Runs `k(out, …)` over as many work-items as there are results of this size; returns the bytes of the results.
pub fn run_bytes(kernel: &Arc<dyn Kernel>, items: usize, out: usize, inputs: &[Vec<u8>]) -> Vec<u8> {
    let result = Data::<u8>::of(&vec![0xa5; items * out]);
    let inputs: Vec<_> = inputs.iter().map(|bytes| Data::<u8>::of(bytes)).collect();
    let mut args = vec![result.arg()];
    args.extend(inputs.iter().map(|i| i.arg()));
    launch(kernel, NdRange::new(&[items], &[items]), &args);
    result.get()
}

/// The results of a map of one scalar type to another (see [`Spirv::map`]).
pub fn map1<A: Plain, R: Plain>(types: (&str, &str), body: &str, a: &[A]) -> Vec<R> {
    map(&Spirv::default(), types.0, &[types.1], body, a.len(), &[common::bytes(a)])
}

pub fn map2<A: Plain, B: Plain, R: Plain>(types: (&str, &str, &str), body: &str, a: &[A], b: &[B]) -> Vec<R> {
    let inputs = [common::bytes(a), common::bytes(b)];
    map(&Spirv::default(), types.0, &[types.1, types.2], body, a.len(), &inputs)
}

/// The results of a map over `items` work-items.
pub fn map<R: Plain>(
    spirv: &Spirv,
    result: &str,
    operands: &[&str],
    body: &str,
    items: usize,
    inputs: &[Vec<u8>],
) -> Vec<R> {
    let k = assembled(&spirv.map(result, operands, body));
    let size = size_of_type(result);
    let bytes = run_bytes(&k, items, size, inputs);
    bytes.chunks_exact(size_of::<R>()).map(R::get).collect()
}

/// The size in memory of a type by its name.
pub fn size_of_type(name: &str) -> usize {
    let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = name[scalar.len()..].parse().unwrap_or(1usize);
    let size = match scalar {
        "char" | "bool" => 1,
        "short" | "half" => 2,
        "int" | "float" => 4,
        _ => 8,
    };
    size * lanes.next_power_of_two()
}

/// Runs a kernel with arguments.
pub fn run(kernel: &Arc<dyn Kernel>, items: usize, local: usize, args: &[ArgValue]) {
    launch(kernel, NdRange::new(&[items], &[local]), args);
}
