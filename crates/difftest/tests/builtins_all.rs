//! A program that calls every function of OpenCL C in every overload compiles, links and runs.

#[path = "../../builtins/tests/support/declarations.rs"]
mod declarations;

use compiler::NdRange;
use declarations::{Declaration, declarations};
use lanewise_difftest::{buffer, run_code};
use runtime::ArgValue;

/// The bytes of each memory that pointers point to.
const MEMORY: usize = 4096;

/// Something to pass for a parameter of this type.
fn argument(ty: &str) -> String {
    if let Some(pointee) = ty.strip_suffix('*') {
        let memory = match () {
            () if ty.contains("__global") => "g",
            () if ty.contains("__local") => "l",
            () if ty.contains("__constant") => "c",
            () if pointee.trim() == "event_t" || ty.contains("event_t") => return "&event".to_owned(),
            () if ty.contains("__private") => "m",
            () => "g",
        };
        return format!("({ty}){memory}");
    }
    match ty {
        "memory_order" => "memory_order_relaxed".to_owned(),
        "memory_scope" => "memory_scope_device".to_owned(),
        "event_t" => "event".to_owned(),
        "cl_mem_fence_flags" => "CLK_LOCAL_MEM_FENCE".to_owned(),
        // An offset, a stride or a number of elements.
        "size_t" => "(size_t)1".to_owned(),
        _ => format!("*(const volatile global {ty} *)g"),
    }
}

fn statement(Declaration { result, name, params }: &Declaration) -> String {
    let args: Vec<_> = params.iter().map(|ty| argument(ty.trim())).collect();
    let call = format!("{name}({})", args.join(", "));
    match result.as_str() {
        "void" => format!("{call};\n"),
        "event_t" => format!("event = {call};\n"),
        "bool" => format!("*(volatile global int *)q = {call};\n"),
        _ => format!("*(volatile global {result} *)q = {call};\n"),
    }
}

fn run_all(standard: &str) {
    let all = declarations(standard, &clc::Device::FULL);
    // Format strings of printf are tested in `builtins_printf.rs`.
    let all: Vec<_> = all.iter().filter(|d| d.name != "printf").collect();
    for chunk in all.chunks(100) {
        let body: String = chunk.iter().map(|d| statement(d)).collect();
        let source = format!(
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
             constant ulong c[{n}] = {{ 1 }};
             kernel void k(global ulong *g, global ulong *q) {{
                 local ulong l[{n}]; ulong m[{n}]; event_t event = 0; l[0] = m[0] = 1;
                 {body}
                 wait_group_events(1, &event);
             }}",
            n = MEMORY / 8
        );
        let options = format!("-cl-std={standard} -w");
        let program = lanewise_difftest::Program::build(&source, &options)
            .unwrap_or_else(|log| panic!("{log}\n{source}"));
        // Not by `run`, which records launches for other CPUs: the work-items race.
        let (kernel, range) = (program.kernel("k").unwrap(), NdRange::new(&[2], &[2]));
        let args = [[1; MEMORY], [0; MEMORY]].map(|bytes| ArgValue::Buffer(buffer(&bytes).unwrap(), 0));
        run_code(&kernel.wait_for_code(&range).unwrap(), range, &args).unwrap();
    }
    println!("{standard}: {} overloads", all.len());
}

#[test]
fn every_overload_of_1_2_runs() {
    run_all("CL1.2");
}

#[test]
fn every_overload_of_2_0_runs() {
    run_all("CL2.0");
}

#[test]
fn every_overload_of_3_0_runs() {
    run_all("CL3.0");
}
