//! Where a work-group runs on one thread, orderings within it need no fence; wider ones still do.

use lanewise_passes::{DefineMuxBuiltins, PassManager, Pipeline, Trace};
use llvm::{Context, Module};

#[test]
fn only_wide_scopes_are_fenced() {
    let barrier = |scope| format!("  call void @__mux_mem_barrier(i32 {scope}, i32 264)\n");
    let calls: String = (0..=4).map(barrier).collect();
    let text =
        format!("define void @f() {{\n{calls}  ret void\n}}\ndeclare void @__mux_mem_barrier(i32, i32)\n");
    let module = Module::parse(&Context::new(), text.as_bytes(), "test.ll").expect("parses");
    let mut pipeline = Pipeline::new();
    pipeline.add(DefineMuxBuiltins).llvm("always-inline,function(sccp,simplifycfg)");
    let manager = PassManager {
        builtins: &ir::DefaultBuiltinInfo { work_group_is_a_thread: true, ..Default::default() },
        machine: None,
        trace: Trace { verify_each: true, ..Trace::default() },
    };
    manager.run(&pipeline, &module).expect("the passes run");
    // Cross-device and device; not work-group, sub-group and work-item.
    let f = module.function("f").expect("it is there");
    let fences = f.instructions().iter().filter(|i| i.is_atomic()).count();
    assert_eq!(fences, 2, "{module}");
}
