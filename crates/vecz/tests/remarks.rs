//! What is told of a kernel that was vectorized, or was not.

use lanewise_vecz::{Mode, Query, RunVecz, VectorUnit, VectorizationChoice, VeczPassOptions};
use llvm::{Context, Module};
use passes::{PassManager, Pipeline, RemarkKind, Report, Trace};

const BUILTINS: &str = "declare i64 @__mux_get_global_id(i32) #0
declare i64 @__mux_get_local_id(i32) #0
declare void @__mux_work_group_barrier(i32, i32, i32)
@s = internal addrspace(3) global [64 x i32] undef
@r = internal addrspace(3) global [64 x i32] undef
declare i32 @someone(i32)
attributes #0 = { memory(none) nounwind willreturn }
attributes #1 = { \"mux-kernel\"=\"entry-point\" }
";

fn module(context: &Context, text: &str) -> Module {
    let text = format!("target datalayout = \"e-i64:64-n8:16:32:64\"\n{BUILTINS}{text}");
    Module::parse(context, text.as_bytes(), "k.ll").expect("parses")
}

fn run(module: &Module, query: Query) -> Report {
    let mut pipeline = Pipeline::new();
    pipeline.add(RunVecz { query, kernel: None });
    let manager = PassManager {
        builtins: &ir::DefaultBuiltinInfo::default(),
        machine: None,
        trace: Trace { verify_each: true, remarks: true, ..Trace::default() },
    };
    manager.run(&pipeline, module).expect("runs")
}

fn ways(ways: Vec<VeczPassOptions>) -> Query {
    Query::new(VectorUnit::default(), move |_, _| Some(ways.clone()))
}

fn fixed(width: u32) -> VeczPassOptions {
    VeczPassOptions::fixed(width, Mode::Always)
}

/// The remarks on a module whose instructions have lines, as text.
fn lines(body: &str) -> Vec<String> {
    let context = Context::new();
    let mut text = format!(
        "define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) #1 !dbg !5 {{\n{body}}}\n"
    );
    text += "!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: NoDebug)
!1 = !DIFile(filename: \"k.cl\", directory: \"/\")
!3 = !{i32 2, !\"Debug Info Version\", i32 3}
!4 = !DISubroutineType(types: !{null})
!5 = distinct !DISubprogram(name: \"k\", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
";
    // `!dbg !1NN` is line NN.
    for line in 1..30 {
        text += &format!("!{} = !DILocation(line: {line}, scope: !5)\n", 100 + line);
    }
    let module = module(&context, &text);
    run(&module, ways(vec![fixed(4)])).remarks.iter().map(ToString::to_string).collect()
}

#[test]
fn each_access_is_told_with_its_line() {
    let remarks = lines(
        "  %i = call i64 @__mux_get_global_id(i32 0), !dbg !102
  %u = load i32, ptr addrspace(1) %q, align 4, !dbg !103
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %i, !dbg !104
  %v = load i32, ptr addrspace(1) %a, align 4, !dbg !104
  %t = mul i64 %i, 30, !dbg !105
  %b = getelementptr i32, ptr addrspace(1) %p, i64 %t, !dbg !105
  %w = load i32, ptr addrspace(1) %b, align 4, !dbg !105
  %e = zext i32 %v to i64, !dbg !106
  %c = getelementptr i32, ptr addrspace(1) %p, i64 %e, !dbg !106
  %x = load i32, ptr addrspace(1) %c, align 4, !dbg !106
  %s = add i32 %w, %x, !dbg !107
  %r = add i32 %s, %u, !dbg !107
  store i32 %r, ptr addrspace(1) %a, align 4, !dbg !108
  store i32 %r, ptr addrspace(1) %c, align 4, !dbg !109
  %old = atomicrmw add ptr addrspace(1) %c, i32 1 monotonic, !dbg !110
  %called = call i32 @someone(i32 %old), !dbg !111
  ret void\n",
    );
    assert_eq!(
        remarks,
        [
            "k.cl:1: remark: k: vectorized, 4 work-items at once",
            "k.cl:3: remark: k: load of int: uniform, once for all lanes",
            "k.cl:4: remark: k: load of int: contiguous",
            "k.cl:5: remark: k: load of int: strided by 120 bytes",
            "k.cl:6: remark: k: load of int: gather",
            "k.cl:8: remark: k: store of int: contiguous",
            "k.cl:9: remark: k: store of int: scatter",
            "k.cl:10: remark: k: atomic operation of int: one lane after the other",
            "k.cl:11: remark: k: call of someone: one lane after the other",
        ]
    );
}

#[test]
fn what_diverges_is_told_and_what_is_uniform_is_not() {
    let remarks = lines(
        "  %i = call i64 @__mux_get_global_id(i32 0), !dbg !102
  %n = load i64, ptr addrspace(1) %q, align 8, !dbg !103
  %uniform = icmp eq i64 %n, 7, !dbg !104
  br i1 %uniform, label %a, label %b, !dbg !104
a:
  store i64 1, ptr addrspace(1) %q, align 8, !dbg !105
  br label %b, !dbg !105
b:
  %odd = trunc i64 %i to i1, !dbg !106
  br i1 %odd, label %c, label %d, !dbg !106
c:
  store i64 2, ptr addrspace(1) %q, align 8, !dbg !107
  br label %d, !dbg !107
d:
  br label %loop, !dbg !108
loop:
  %k = phi i64 [ 0, %d ], [ %next, %loop ], !dbg !108
  %next = add i64 %k, 1, !dbg !109
  %more = icmp ult i64 %next, %i, !dbg !110
  br i1 %more, label %loop, label %end, !dbg !110
end:
  ret void\n",
    );
    let about = |what: &str| remarks.iter().filter(|r| r.contains(what)).collect::<Vec<_>>();
    assert_eq!(about("divergent branch"), ["k.cl:6: remark: k: divergent branch"]);
    assert_eq!(about("divergent loop"), ["k.cl:10: remark: k: divergent loop"]);
}

#[test]
fn what_stopped_a_kernel_is_told_with_its_line_and_nothing_else_is() {
    let remarks = lines(
        "  %i = call i64 @__mux_get_global_id(i32 0), !dbg !102
  %a = getelementptr i64, ptr addrspace(1) %p, i64 %i, !dbg !103
  store i64 %i, ptr addrspace(1) %a, align 8, !dbg !103
  %v = alloca i32, i64 %i, align 4, !dbg !104
  store i32 1, ptr %v, align 4, !dbg !105
  ret void\n",
    );
    assert_eq!(
        remarks,
        ["k.cl:4: remark: k: left scalar: a private array of variable size: \
             %v = alloca i32, i64 %i, align 4"]
    );
}

const DOUBLES: &str = "define spir_kernel void @k(ptr addrspace(1) %p) #1 {
  %i = call i64 @__mux_get_global_id(i32 0)
  %a = getelementptr double, ptr addrspace(1) %p, i64 %i
  %v = load double, ptr addrspace(1) %a, align 8
  store double %v, ptr addrspace(1) %p, align 8
  ret void
}";

#[test]
fn ways_are_tried_in_turn_until_one_works() {
    let mut no_doubles = fixed(8);
    no_doubles.choices.enable(VectorizationChoice::NoDoubleSupport);
    let mut unguarded = fixed(8);
    unguarded.choices.disable(VectorizationChoice::DivisionExceptions);
    let across = VeczPassOptions { dimension: 4, ..fixed(8) };
    let scalable = VeczPassOptions { factor: lanewise_vecz::Factor::Scalable(65), ..fixed(8) };
    let context = Context::new();
    let m = module(&context, DOUBLES);
    let report = run(&m, ways(vec![no_doubles, unguarded, across, scalable, fixed(65), fixed(4), fixed(2)]));
    let texts: Vec<&str> = report.remarks.iter().map(|r| r.text.as_str()).collect();
    assert_eq!(
        texts[..6],
        [
            "not vectorized with 8 work-items at once: the target has no vectors of doubles: \
             %v = load double, ptr addrspace(1) %a, align 8",
            "not vectorized with 8 work-items at once: division-exceptions cannot be turned off",
            "not vectorized with 8 work-items at once: there is no dimension 4",
            "not vectorized with 65 * vscale work-items at once: the width 65 * vscale is not from 1 to 64 \
             times vscale",
            "not vectorized with 65 work-items at once: the width 65 is not from 2 to 64",
            "vectorized, 4 work-items at once",
        ]
    );
    assert!(report.remarks.iter().take(5).all(|r| r.kind == RemarkKind::Scalar && r.kernel == "k"));
    let k = m.function("k").unwrap();
    assert_eq!(ir::metadata::vectorization_failures(&m, k).len(), 5);
    assert!(m.function("__vecz_v4_k").is_some() && m.function("__vecz_v2_k").is_none());
}

#[test]
fn no_doubles_does_not_touch_kernels_without() {
    let mut way = fixed(4);
    way.choices.enable(VectorizationChoice::NoDoubleSupport);
    let context = Context::new();
    let m = module(&context, &DOUBLES.replace("double", "float"));
    run(&m, ways(vec![way]));
    assert!(m.function("__vecz_v4_k").is_some());
}

#[test]
fn a_target_that_does_not_want_it_is_told() {
    let context = Context::new();
    let m = module(&context, DOUBLES);
    let report = run(&m, Query::new(VectorUnit::default(), |_, _| None));
    assert_eq!(report.remarks[0].text, "left scalar: the target or the options ask for no vector version");
    assert!(m.functions().iter().all(|f| !f.name().contains("vecz")));
}

#[test]
fn nothing_is_collected_unless_it_is_wanted() {
    let context = Context::new();
    let m = module(&context, DOUBLES);
    let mut pipeline = Pipeline::new();
    pipeline.add(RunVecz { query: ways(vec![fixed(4)]), kernel: None });
    let manager =
        PassManager { builtins: &ir::DefaultBuiltinInfo::default(), machine: None, trace: Trace::default() };
    assert!(manager.run(&pipeline, &m).unwrap().remarks.is_empty());
}

#[test]
fn exchanges_of_local_memory_are_told() {
    let exchange = |store: &str, between: &str, load: &str| {
        let remarks = lines(&format!(
            "  %i = call i64 @__mux_get_local_id(i32 0), !dbg !102
  %j = xor i64 %i, 1, !dbg !102
  %t = mul i64 %i, 8, !dbg !102
  %u = or disjoint i64 %t, 3, !dbg !102
  %g = getelementptr i32, ptr addrspace(1) %p, i64 %i, !dbg !103
  %x = load i32, ptr addrspace(1) %g, align 4, !dbg !103
  %a = getelementptr i32, ptr addrspace(3) @s, i64 {store}, !dbg !104
  store i32 %x, ptr addrspace(3) %a, align 4, !dbg !104
  {between}
  %b = getelementptr i32, ptr addrspace(3) @{load}, !dbg !105
  %y = load i32, ptr addrspace(3) %b, align 4, !dbg !105
  store i32 %y, ptr addrspace(1) %g, align 4, !dbg !106
  ret void\n"
        ));
        remarks.into_iter().find(|r| r.contains("lock-step"))
    };
    let told = Some(
        "k.cl:5: remark: k: reads what line 4 stores to local memory without a barrier: sub-groups are \
         kept in lock-step"
            .to_owned(),
    );
    assert_eq!(exchange("%i", "", "s, i64 %j"), told);
    assert_eq!(exchange("%i", "", "s, i64 0"), told);
    assert_eq!(exchange("0", "", "s, i64 %i"), told);
    // The lane's own element or slot, another array, a barrier.
    assert_eq!(exchange("%i", "", "s, i64 %i"), None);
    assert_eq!(exchange("%u", "", "s, i64 %t"), None);
    assert_eq!(exchange("%i", "", "r, i64 %j"), None);
    let barrier = "call void @__mux_work_group_barrier(i32 0, i32 2, i32 264)";
    assert_eq!(exchange("%i", barrier, "s, i64 %j"), None);
}

#[test]
fn huge_switches_are_left_scalar() {
    let switch = |cases: u32| {
        let list: String = (0..cases).map(|n| format!("i32 {n}, label %c{n}\n")).collect();
        let blocks: String = (0..cases).map(|n| format!("c{n}:\n  br label %end\n")).collect();
        let values: String = (0..cases).map(|n| format!(", [ {}, %c{n} ]", n * n)).collect();
        lines(&format!(
            "entry:
  %i = call i64 @__mux_get_global_id(i32 0), !dbg !102
  %g = getelementptr i32, ptr addrspace(1) %p, i64 %i, !dbg !103
  %x = load i32, ptr addrspace(1) %g, align 4, !dbg !103
  switch i32 %x, label %end [ {list} ], !dbg !104
{blocks}end:
  %y = phi i32 [ 7, %entry ]{values}
  store i32 %y, ptr addrspace(1) %g, align 4, !dbg !106
  ret void\n"
        ))
    };
    let told = "k.cl:4: remark: k: left scalar: a switch of 300 cases; at most 256 are vectorized";
    assert_eq!(switch(300), [told]);
    assert!(switch(20).iter().any(|r| r.contains("vectorized, 4 work-items at once")));
}
