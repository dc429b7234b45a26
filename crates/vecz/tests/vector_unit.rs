//! Decisions that follow from the description of the vector unit.

use analysis::Preserved;
use ir::attributes;
use lanewise_vecz::{
    Costs, FixedRegisters, KernelRemarks, Mode, VectorUnit, VeczPassOptions, VeczPassOptionsAnalysis,
    vectorize,
};
use llvm::{Context, Module, OptLevel, TargetMachine};
use passes::{Pipeline, Registry, Remarks};
use std::sync::{Arc, Mutex};

fn parse(context: &Context, kernel: &str) -> Module {
    let text = format!(
        "target datalayout = \"e-i64:64-n8:16:32:64\"
         declare i64 @__mux_get_global_id(i32) #0
         attributes #0 = {{ memory(none) nounwind willreturn }}
         {kernel}"
    );
    Module::parse(context, text.as_bytes(), "k.ll").expect("parses")
}

/// The lanes of the vector version of the kernel `k`, or why it is left scalar.
fn lanes(kernel: &str, unit: &VectorUnit, machine: Option<&TargetMachine>) -> Result<u32, String> {
    let context = Context::new();
    let module = parse(&context, kernel);
    let k = module.function("k").expect("there is a kernel");
    let mode = if machine.is_some() { Mode::Auto } else { Mode::Always };
    let registers = FixedRegisters {
        width: None,
        unit: *unit,
        linear: false,
        whole_vectors: false,
        only_required: false,
        mode,
    };
    let way = registers.choose(&module, k).expect("several lanes fit a register");
    let way = VeczPassOptions { most_registers: 4, ..way };
    let remarks = Remarks::default();
    let made = vectorize(&module, k, &way, unit, machine, KernelRemarks::new(&remarks, &module, k));
    module.verify().expect("well-formed");
    made.map(|(_, how)| how.width.lanes).map_err(|stopped| stopped.to_string())
}

fn machine() -> TargetMachine {
    TargetMachine::new(&llvm::host_triple(), llvm::host_cpu(), llvm::host_features(), OptLevel::Aggressive)
        .expect("LLVM has the host")
}

fn add_one(ty: &str) -> String {
    format!(
        "define spir_kernel void @k(ptr addrspace(1) %p) {{
           %i = call i64 @__mux_get_global_id(i32 0)
           %a = getelementptr {ty}, ptr addrspace(1) %p, i64 %i
           %v = load {ty}, ptr addrspace(1) %a
           %w = fadd {ty} %v, 1.0
           store {ty} %w, ptr addrspace(1) %a
           ret void
         }}"
    )
}

/// A loop that sums what it loads, or 2 where that is not less than 1.
fn conditional_sum() -> &'static str {
    "define spir_kernel void @k(ptr addrspace(1) %p, i64 %n) {
     entry:
       %i = call i64 @__mux_get_global_id(i32 0)
       br label %loop
     loop:
       %j = phi i64 [ 0, %entry ], [ %next, %loop ]
       %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
       %at = add i64 %i, %j
       %a = getelementptr float, ptr addrspace(1) %p, i64 %at
       %v = load float, ptr addrspace(1) %a
       %small = fcmp olt float %v, 1.0
       %term = select i1 %small, float %v, float 2.0
       %more = fadd float %sum, %term
       %next = add i64 %j, 1
       %again = icmp ult i64 %next, %n
       br i1 %again, label %loop, label %end
     end:
       %out = getelementptr float, ptr addrspace(1) %p, i64 %i
       store float %more, ptr addrspace(1) %out
       ret void
     }"
}

#[test]
fn the_default_has_26_usable_registers_of_64_bytes() {
    let unit = VectorUnit::default();
    assert_eq!((unit.register_bytes, unit.registers, unit.mask_registers), (64, 26, true));
    assert_eq!((unit.alone_bytes, unit.cache_line_bytes, unit.pending_operations), (32, 64, 48));
}

#[test]
fn a_register_decides_how_many_lanes_there_are() {
    for (bytes, floats, doubles) in [(64, 16, 8), (32, 8, 4), (16, 4, 2)] {
        let unit = VectorUnit::generic(bytes, 12);
        assert_eq!(lanes(&add_one("float"), &unit, None), Ok(floats));
        assert_eq!(lanes(&add_one("double"), &unit, None), Ok(doubles));
    }
}

#[test]
fn a_value_takes_several_registers_while_they_last() {
    let lanes = |unit: VectorUnit| lanes(conditional_sum(), &unit, None);
    // The sum, what is loaded or its condition: three vectors, or two and a mask.
    assert_eq!(lanes(VectorUnit::generic(64, 26)), Ok(64));
    assert_eq!(lanes(VectorUnit::generic(64, 4)), Ok(32));
    assert_eq!(lanes(VectorUnit::generic(64, 3)), Ok(16));
    assert_eq!(lanes(VectorUnit::generic(16, 26)), Ok(16));
    assert_eq!(lanes(VectorUnit { mask_registers: false, ..VectorUnit::generic(64, 4) }), Ok(16));
    assert_eq!(lanes(VectorUnit { mask_registers: false, ..VectorUnit::generic(64, 6) }), Ok(32));
}

#[test]
fn straight_code_takes_two_registers_if_it_is_longer_than_what_can_wait() {
    let operations: String = (0..20).map(|n| format!("%v{} = fmul float %v{n}, %v{n}\n", n + 1)).collect();
    let kernel = format!(
        "define spir_kernel void @k(ptr addrspace(1) %p) {{
           %i = call i64 @__mux_get_global_id(i32 0)
           %a = getelementptr float, ptr addrspace(1) %p, i64 %i
           %v0 = load float, ptr addrspace(1) %a
           {operations}
           store float %v20, ptr addrspace(1) %a
           ret void
         }}"
    );
    let unit = VectorUnit::default();
    assert_eq!(lanes(&kernel, &unit, None), Ok(16));
    assert_eq!(lanes(&kernel, &VectorUnit { pending_operations: 20, ..unit }, None), Ok(32));
}

/// The sum of a row of bytes for each work-item.
const ROWS: &str = "define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n) {
     entry:
       %i = call i64 @__mux_get_global_id(i32 0)
       %row = shl i64 %i, 5
       br label %loop
     loop:
       %j = phi i64 [ 0, %entry ], [ %next, %loop ]
       %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
       %at = add i64 %row, %j
       %a = getelementptr i8, ptr addrspace(1) %p, i64 %at
       %v = load i8, ptr addrspace(1) %a
       %w = zext i8 %v to i32
       %more = add i32 %sum, %w
       %next = add i64 %j, 1
       %again = icmp ult i64 %next, %n
       br i1 %again, label %loop, label %end
     end:
       %out = getelementptr i32, ptr addrspace(1) %q, i64 %i
       store i32 %more, ptr addrspace(1) %out
       ret void
     }";

/// LLVM vectorizes such a loop for one work-item. How well decides whether lanes are better.
#[test]
fn the_width_of_vectors_for_one_work_item_is_weighed_against_lanes() {
    let machine = machine();
    let cheap = Costs { strided_lane: 0.1, gather_lane_in_rows: 0.1, ..Costs::GENERIC };
    let with = |alone_bytes: u32, costs: Costs| {
        let unit = VectorUnit { alone_bytes, costs, ..VectorUnit::default() };
        lanes(ROWS, &unit, Some(&machine))
    };
    assert!(with(1, cheap).is_ok());
    assert!(with(256, cheap).unwrap_err().contains("one work-item at a time is estimated to be faster"));
}

/// Lanes that are as far apart as half a cache line share none in a loop.
#[test]
fn cache_lines_decide_what_lanes_far_apart_cost() {
    let machine = machine();
    let costs = Costs { strided_lane: 0.1, gather_lane_in_rows: 100.0, ..Costs::GENERIC };
    let with = |cache_line_bytes: u32| {
        let unit = VectorUnit { alone_bytes: 1, cache_line_bytes, costs, ..VectorUnit::default() };
        lanes(ROWS, &unit, Some(&machine))
    };
    assert!(with(128).is_ok());
    assert!(with(64).is_err());
}

#[test]
fn options_that_describe_no_registers_are_refused() {
    let mut registry = Registry::default();
    lanewise_vecz::register(&mut registry);
    let error = |options: &str| {
        Pipeline::parse(&format!("run-vecz<{options}>"), &registry).err().map(|e| e.to_string())
    };
    let wrong = "run-vecz: '48' is not a size of registers: a power of two from 8 to 256";
    assert_eq!(error("register-bytes=48").as_deref(), Some(wrong));
    let wrong = "run-vecz: '0' is not a number of registers from 1 to 256";
    assert_eq!(error("registers=0").as_deref(), Some(wrong));
    assert_eq!(error("register-bytes=32;registers=12"), None);
}

/// Runs a pass that reads what the vectorizer was told, and then a textual pipeline.
fn run(kernel: &str, text: &str, reader: impl passes::Pass + 'static) -> String {
    let context = Context::new();
    let module = parse(&context, kernel);
    attributes::set_is_kernel_entry_point(module.function("k").expect("there is a kernel"));
    let mut registry = Registry::default();
    passes::register(&mut registry);
    lanewise_vecz::register(&mut registry);
    let mut pipeline = Pipeline::new();
    pipeline.add(reader);
    pipeline.append(Pipeline::parse(text, &registry).expect("parses"));
    let manager = passes::PassManager {
        builtins: &ir::DefaultBuiltinInfo::default(),
        machine: None,
        trace: passes::Trace::default(),
    };
    manager.run(&pipeline, &module).expect("runs");
    module.to_string()
}

/// A pass of a target that looks at the options of the vectorizer, which runs later.
struct Reader(Arc<Mutex<Vec<u32>>>);

impl passes::Pass for Reader {
    fn name(&self) -> &'static str {
        "reader"
    }

    fn run(&self, cx: &mut passes::PassContext<'_>) -> Result<Preserved, passes::PassError> {
        let mut widths = self.0.lock().expect("no thread panicked");
        if let Some(analysis) = cx.analyses.provided::<VeczPassOptionsAnalysis>() {
            let ways =
                passes::entry_points(cx.module).into_iter().filter_map(|k| analysis.options(cx.module, k));
            widths.extend(ways.flatten().map(|way| way.how().width.lanes));
        }
        Ok(Preserved::All)
    }
}

#[test]
fn the_options_are_an_analysis_for_all_passes() {
    let widths = |text: &str| {
        let seen = Arc::new(Mutex::new(Vec::new()));
        run(&add_one("float"), text, Reader(seen.clone()));
        seen.lock().expect("no thread panicked").clone()
    };
    assert_eq!(widths("run-vecz<width=8:4>"), [8, 4]);
    assert_eq!(widths("run-vecz<register-bytes=16>"), [4]);
    // Nobody has said how to vectorize.
    assert_eq!(widths("prepare-barriers"), []);
}

/// Accesses by name have the bodies that other targets have in line.
#[test]
fn internal_builtins_do_what_intrinsics_do() {
    let kernel = "define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
           %i = call i64 @__mux_get_global_id(i32 0)
           %nine = mul i64 %i, 9
           %a = getelementptr float, ptr addrspace(1) %p, i64 %nine
           %v = load float, ptr addrspace(1) %a, align 4
           %n = fptosi float %v to i64
           %b = getelementptr float, ptr addrspace(1) %q, i64 %n
           %w = load float, ptr addrspace(1) %b, align 4
           %yes = fcmp olt float %w, %v
           br i1 %yes, label %some, label %end
         some:
           %c = getelementptr float, ptr addrspace(1) %q, i64 %i
           %x = load float, ptr addrspace(1) %c, align 4
           %d = getelementptr i16, ptr addrspace(1) %p, i64 %n
           store i16 3, ptr addrspace(1) %d, align 2
           store float %x, ptr addrspace(1) %a, align 4
           br label %end
         end:
           ret void
         }";
    let code = |memory: &str| {
        let text = format!(
            "run-vecz<width=8;mode=always{memory}>,\
             llvm(always-inline,globaldce,function(instcombine,simplifycfg))"
        );
        let ir = run(kernel, &text, Reader(Arc::default()));
        let body = ir.split("define ").find(|f| f.contains("@__vecz_v8_k")).expect("it is vectorized");
        body.split("\n}").next().expect("it ends").to_owned()
    };
    let by_name = code(";memory=builtins");
    assert!(!by_name.contains("__vecz_b_") && by_name.contains("llvm.masked.scatter"), "{by_name}");
    assert_eq!(by_name, code(""));
}
