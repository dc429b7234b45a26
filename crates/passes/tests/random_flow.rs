//! Kernels of random control flow with barriers anywhere go through the whole chain and stay
//! well-formed.
//!
//! The blocks read and write a few variables and branch at random: loops in loops, loops with two
//! entries, barriers in a row, blocks without a way out. LLVM's `mem2reg` turns the variables into
//! values and PHIs, or is left away, so that they are private memory. What the code computes is
//! tested elsewhere; here every pass must accept it and the verifier too.

use kernelgen::Rng;
use lanewise_passes::{PassManager, Pipeline, Registry, Trace, register};
use llvm::{Context, Module};
use std::fmt::Write;

const CHAIN: &str = "transfer-kernel-metadata,prepare-barriers,work-item-loops,\
    replace-local-module-scope-variables,add-scheduling-parameters,add-kernel-wrapper,\
    define-mux-builtins,llvm(always-inline,globaldce,default<O1>)";

fn random_kernel(random: &mut Rng) -> String {
    let blocks = 2 + random.below(10);
    let variables = 1 + random.below(4);
    let mut text = "define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {\nentry:\n".to_owned();
    let mut line = |indented: String| {
        let _ = writeln!(text, "  {indented}");
    };
    line("%id = call i64 @__mux_get_local_id(i32 0)".to_owned());
    line("%narrow = trunc i64 %id to i32".to_owned());
    line("%at = getelementptr i32, ptr addrspace(1) %p, i64 %id".to_owned());
    for v in 0..variables {
        line(format!("%v{v} = alloca i32"));
        line(format!("store i32 {}, ptr %v{v}", ["0", "%n", "%narrow"][random.below(3)]));
    }
    line("br label %b0".to_owned());
    for b in 0..blocks {
        let _ = writeln!(text, "b{b}:");
        let mut line = |indented: String| {
            let _ = writeln!(text, "  {indented}");
        };
        for s in 0..random.below(4) {
            let (from, to) = (random.below(variables), random.below(variables));
            let name = format!("x{b}.{s}");
            match random.below(5) {
                0 | 1 => line("call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)".to_owned()),
                2 => {
                    line(format!("%{name} = load i32, ptr %v{from}"));
                    line(format!("%{name}.y = add i32 %{name}, 1"));
                    line(format!("store i32 %{name}.y, ptr %v{to}"));
                }
                3 => {
                    line(format!("%{name} = load i32, ptr addrspace(1) %{}", ["p", "at"][random.below(2)]));
                    line(format!("store i32 %{name}, ptr %v{to}"));
                }
                _ => {
                    line(format!("%{name} = load i32, ptr %v{from}"));
                    line(format!("store i32 %{name}, ptr addrspace(1) %at"));
                }
            }
        }
        line(format!("%t{b} = load i32, ptr %v{}", random.below(variables)));
        line(format!("%c{b} = icmp ult i32 %t{b}, %n"));
        let mut target = || random.below(blocks);
        let (s, t, u) = (target(), target(), target());
        line(match random.below(8) {
            0 | 1 => "ret void".to_owned(),
            2 => format!("br label %b{s}"),
            3 => format!(
                "switch i32 %t{b}, label %b{s} [ i32 0, label %b{t}\n \
                 i32 1, label %b{u}\n i32 2, label %b{t} ]"
            ),
            _ => format!("br i1 %c{b}, label %b{s}, label %b{t}"),
        });
    }
    text + "}\ndeclare i64 @__mux_get_local_id(i32) memory(none)\n\
            declare void @__mux_work_group_barrier(i32, i32, i32) convergent noduplicate\n"
}

#[test]
fn random_control_flow_stays_well_formed() {
    let mut registry = Registry::default();
    register(&mut registry);
    let manager = PassManager {
        builtins: &ir::DefaultBuiltinInfo::default(),
        machine: None,
        trace: Trace { verify_each: true, ..Trace::default() },
    };
    for seed in 1..=300u64 {
        let text = random_kernel(&mut Rng::new(seed));
        for before in ["", "llvm(mem2reg),", "llvm(mem2reg,function(instcombine,simplifycfg,gvn)),"] {
            let pipeline = Pipeline::parse(&format!("{before}{CHAIN}"), &registry).expect("it is a pipeline");
            let module = Module::parse(&Context::new(), text.as_bytes(), "random.ll").expect("parses");
            if let Err(e) = manager.run(&pipeline, &module) {
                panic!("seed {seed}, after '{before}': {e}\n{text}");
            }
        }
    }
}
