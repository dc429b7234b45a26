//! SPIR-V kernels that are run.
#![allow(dead_code)]

use compiler::{NdRange, SpecializationInfo};
use jit::Kernel;
use lanewise_difftest::Program;
use lanewise_difftest::spirv::Spirv;
use runtime::ArgValue;
use std::sync::Arc;

#[path = "../common/mod.rs"]
pub mod common;
#[allow(unused_imports)]
pub use common::{Data, Plain, bytes, launch, value};

/// The kernel `k` of a module in assembly.
pub fn assembled(text: &str) -> Arc<Kernel> {
    try_assembled(text, "", &SpecializationInfo::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub fn try_assembled(
    text: &str,
    options: &str,
    constants: &SpecializationInfo,
) -> lanewise_difftest::Result<Arc<Kernel>> {
    let code = spirv::assemble(text)?;
    let program = Program::from_spirv(&code, options, constants)?;
    program.kernel("k").ok_or_else(|| "there is no kernel k".into())
}

/// Why a module is refused.
pub fn refused(text: &str) -> String {
    match try_assembled(text, "", &SpecializationInfo::default()) {
        Ok(_) => panic!("not refused:\n{text}"),
        Err(message) => message.to_string(),
    }
}

/// Runs `k(out, …)` over as many work-items as there are results of this size; returns the bytes of
/// the results.
pub fn run_bytes(kernel: &Arc<Kernel>, items: usize, out: usize, inputs: &[Vec<u8>]) -> Vec<u8> {
    run_bytes_by(launch, kernel, NdRange::new(&[items], &[items]), out, inputs)
}

/// How a kernel is launched: at several widths, or once, where the result depends on the size of
/// sub-groups.
type Launch = fn(&Arc<Kernel>, NdRange, &[ArgValue]);

fn run_bytes_by(by: Launch, kernel: &Arc<Kernel>, range: NdRange, out: usize, inputs: &[Vec<u8>]) -> Vec<u8> {
    let items = range.work_items();
    let result = Data::<u8>::of(&vec![0xa5; items * out]);
    let inputs: Vec<_> = inputs.iter().map(|bytes| Data::<u8>::of(bytes)).collect();
    let mut args = vec![result.arg()];
    args.extend(inputs.iter().map(|i| i.arg()));
    by(kernel, range, &args);
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
pub fn run(kernel: &Arc<Kernel>, items: usize, local: usize, args: &[ArgValue]) {
    launch(kernel, NdRange::new(&[items], &[local]), args);
}

// ---- Against OpenCL C ---------------------------------------------------------------------------

/// How many work-items the comparisons run.
pub const ITEMS: usize = 64;

/// Values of a type: the special ones, then random bits, shuffled by the operand's number.
pub fn samples(name: &str, operand: usize) -> Vec<u8> {
    let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let count = ITEMS * size_of_type(name) / size_of_type(scalar);
    let mut state = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(operand as u64 + 1);
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut bytes = Vec::new();
    for i in 0..count {
        let pick = (i * (2 * operand + 1)) % 24;
        match scalar {
            "float" | "double" | "half" => {
                let special =
                    [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 100.25, f64::INFINITY, f64::NAN, -7.75, 1e-3];
                let number = match special.get(pick) {
                    Some(v) => *v,
                    // From -8 to 8, which most functions tell something about.
                    None => (random() >> 11) as f64 / 2f64.powi(49) - 8.0,
                };
                match scalar {
                    "double" => number.put(&mut bytes),
                    "float" => (number as f32).put(&mut bytes),
                    // A half with a few bits of the same number.
                    _ => half(number).put(&mut bytes),
                }
            }
            _ => {
                let special = [0, 1, u64::MAX, 1 << 63, u64::MAX >> 1, 0x8000_0000, 0x7f, 0x80, 2, 0xffff];
                let number = special.get(pick).copied().unwrap_or_else(&mut random);
                bytes.extend(&number.to_le_bytes()[..size_of_type(scalar)]);
            }
        }
    }
    bytes
}

/// The half below a number, or its like of a special one.
fn half(number: f64) -> u16 {
    let bits = (number as f32).to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    match exponent {
        128 => sign | 0x7c00 | if number.is_nan() { 0x200 } else { 0 },
        16.. => sign | 0x7c00,
        -14..=15 => sign | ((exponent + 15) as u16) << 10 | (bits >> 13 & 0x3ff) as u16,
        _ => sign,
    }
}

/// A computation of `%r` from `%a`, `%b`, `%c`, and the expression of OpenCL C that it is. Other
/// names in it begin with `%t`.
pub type Row<'a> = (&'a str, &'a str);

/// Gives the local names of a row a number of their own.
fn numbered(body: &str, row: usize) -> String {
    let lines = body.lines().map(|line| {
        let tokens = line.split_whitespace().map(|token| match token {
            "%r" => format!("%r.{row}"),
            t if t.starts_with("%t") && t != "%true" => format!("{t}.{row}"),
            t => t.to_owned(),
        });
        tokens.collect::<Vec<_>>().join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Runs all rows in one kernel of SPIR-V and in one of OpenCL C, and compares the bytes.
pub fn compare(setup: &Spirv, result: &str, operands: &[&str], rows: &[Row]) {
    let inputs: Vec<_> = operands.iter().enumerate().map(|(i, ty)| samples(ty, i)).collect();
    compare_on(setup, "", result, operands, rows, &inputs);
}

pub fn compare_on(
    setup: &Spirv,
    c_prologue: &str,
    result: &str,
    operands: &[&str],
    rows: &[Row],
    inputs: &[Vec<u8>],
) {
    // Both are the same kernel, so that other widths would tell nothing new.
    Comparison::new(setup, c_prologue, result, operands, rows).run(
        "",
        NdRange::new(&[ITEMS], &[ITEMS]),
        inputs,
    );
}

/// Rows in a kernel of SPIR-V and in one of OpenCL C.
pub struct Comparison<'a> {
    result: &'a str,
    rows: &'a [Row<'a>],
    spirv: String,
    c: String,
}

impl<'a> Comparison<'a> {
    pub fn new(
        setup: &Spirv,
        c_prologue: &str,
        result: &'a str,
        operands: &[&str],
        rows: &'a [Row<'a>],
    ) -> Self {
        let names = ["a", "b", "c"];
        let n = rows.len();
        let mut params = vec![("out".to_owned(), format!("g_{result}"))];
        let mut body = format!("%i = OpLoad %long %GlobalLinearId\n%first = OpIMul %long %i %long_{n}\n");
        let mut c_params = vec![format!("global {result} *out")];
        let mut c_body = String::from("size_t i = get_global_linear_id();\n");
        for (name, ty) in names.iter().zip(operands) {
            params.push((format!("{name}_in"), format!("g_{ty}")));
            body += &format!(
                "%{name}_at = OpInBoundsPtrAccessChain %g_{ty} %{name}_in %i\n\
                    %{name} = OpLoad %{ty} %{name}_at\n"
            );
            c_params.push(format!("global {ty} *{name}_in"));
            c_body += &format!("{ty} {name} = {name}_in[i];\n");
        }
        for (row, (text, expression)) in rows.iter().enumerate() {
            body += &numbered(text, row);
            body += &format!(
                "\n%at.{row} = OpIAdd %long %first %long_{row}\n\
             %out.{row} = OpInBoundsPtrAccessChain %g_{result} %out %at.{row}\nOpStore %out.{row} %r.{row}\n"
            );
            c_body += &format!("out[i * {n} + {row}] = {expression};\n");
        }
        let params: Vec<(&str, &str)> = params.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
        let spirv = setup.kernel(&params, &body);
        let fp16 = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable";
        let c = format!("{fp16}\n{c_prologue}\nkernel void k({}) {{\n{c_body}}}\n", c_params.join(", "));
        Comparison { result, rows, spirv, c }
    }

    /// Runs both kernels with these options over a range of [`ITEMS`] work-items, and compares the
    /// bytes.
    pub fn run(&self, options: &str, range: NdRange, inputs: &[Vec<u8>]) {
        let of_spirv = try_assembled(&self.spirv, options, &SpecializationInfo::default())
            .unwrap_or_else(|e| panic!("{e}\n{}", self.spirv));
        let of_c = common::kernel(&self.c, "k", options);
        let (n, size) = (self.rows.len(), size_of_type(self.result));
        // Sub-groups are of the width.
        let got = run_bytes_by(common::launch_once, &of_spirv, range, size * n, inputs);
        let expected = run_bytes_by(common::launch_once, &of_c, range, size * n, inputs);
        // The fourth element of a vector of three is not written.
        let used = if self.result.ends_with('3') { size / 4 * 3 } else { size };
        for item in 0..ITEMS {
            for (row, (text, expression)) in self.rows.iter().enumerate() {
                let at = (item * n + row) * size;
                let (g, e) = (&got[at..at + used], &expected[at..at + used]);
                assert!(
                    g == e,
                    "item {item}: {g:02x?} is not {e:02x?}\n{text}\n{expression}\n{options} {range:?}"
                );
            }
        }
    }
}

/// Runs a kernel whose result depends on the order of work-items, or on what ran before.
pub fn run_once(kernel: &Arc<Kernel>, items: usize, local: usize, args: &[ArgValue]) {
    common::launch_once(kernel, NdRange::new(&[items], &[local]), args);
}
