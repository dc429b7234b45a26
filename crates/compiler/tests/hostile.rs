//! IR that LLVM or the passes would crash on is refused with a message, and the compiler goes on.

mod common;

use common::{bare_info, module};

fn kernel(declarations: &str, body: &str) -> String {
    format!(
        "target datalayout = \"e-i64:64\"\ntarget triple = \"spir64-unknown-unknown\"\n{declarations}\n\
        define spir_kernel void @k(ptr addrspace(1) %out) {{\n{body}\n  ret void\n}}\n"
    )
}

fn call_of(ty: &str, name: &str, arguments: &str) -> String {
    let types: Vec<_> = arguments.split(", ").filter_map(|a| a.split(' ').next()).collect();
    let (result, store) = if ty == "void" {
        ("", String::new())
    } else {
        ("%r = ", format!("\n  store {ty} %r, ptr addrspace(1) %out"))
    };
    let call = format!("  {result}call {ty} @{name}({arguments}){store}");
    kernel(&format!("declare {ty} @{name}({})", types.join(", ")), &call)
}

#[test]
fn builtins_of_other_types_are_refused_by_name() {
    let refused = [
        // These crashed with signal 11, panicked or aborted.
        ("i32", "__mux_sub_group_reduce_fadd_i32", "i32 1", "there is no builtin"),
        ("i32", "__mux_work_group_reduce_add_i32", "i32 1", "expected is i32 (i32, i32)"),
        ("i32", "__mux_get_global_id", "i32 0", "expected is i64 (i32)"),
        ("void", "__mux_work_group_barrier", "", "expected is void (i32, i32, i32)"),
        // This added floats as integers.
        ("float", "__mux_work_group_reduce_add_f32", "i32 0, float 1.0", "there is no builtin"),
    ];
    for (ty, name, arguments, expected) in refused {
        let mut m = module();
        let error = m.load_ir("k.ll", call_of(ty, name, arguments).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(&format!("'{name}'")) && error.contains(expected), "{error}");
        assert!(m.build_log().contains(name), "{}", m.build_log());
    }
    let mut m = module();
    m.load_ir("k.ll", call_of("i64", "__mux_get_global_id", "i32 0").as_bytes()).unwrap();
    m.finalize().unwrap();
}

#[test]
fn builtins_are_checked_against_the_target_after_linking_too() {
    let narrow = "target datalayout = \"e-p:32:32\"\ndeclare i32 @__mux_get_global_id(i32)\n\
        define i32 @f() {\n  %r = call i32 @__mux_get_global_id(i32 0)\n  ret i32 %r\n}";
    let wide = call_of("i64", "__mux_get_global_id", "i32 0");
    let [mut one, mut other] = [module(), module()];
    one.load_ir("wide.ll", wide.as_bytes()).unwrap();
    let error = other.load_ir("narrow.ll", narrow.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("32-bit addresses"), "{error}");
    // IR for such a target is refused as well.
    let mut bare = bare_info().with_builtins().create_module().unwrap();
    bare.load_ir("narrow.ll", narrow.as_bytes()).unwrap();
    other.deserialize(&bare.serialize()).unwrap();
    let mut linked = module();
    let error = linked.link(&[&one, &other]).and_then(|()| linked.finalize().map(|_| ())).unwrap_err();
    assert!(error.to_string().contains("__mux_get_global_id"), "{error}");
}

#[test]
fn scalable_vectors_are_refused() {
    let body = "  %v = load <vscale x 4 x i32>, ptr addrspace(1) %out\n\
        \x20 %w = insertelement <vscale x 4 x i32> %v, i32 1, i32 0\n\
        \x20 store <vscale x 4 x i32> %w, ptr addrspace(1) %out";
    let error = module().load_ir("k.ll", kernel("", body).as_bytes()).unwrap_err().to_string();
    assert!(error.contains("'k' uses scalable vectors"), "{error}");
}

#[test]
fn a_crash_is_an_error_and_the_context_goes_on() {
    let deep = format!("@x = global {}i32{} undef", "[1 x ".repeat(200_000), "]".repeat(200_000));
    let mut m = module();
    for _ in 0..3 {
        let error = m.load_ir("deep.ll", deep.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("nests too deeply"), "{error}");
        m.clear();
        m.load_ir("k.ll", kernel("", "  store i32 1, ptr addrspace(1) %out").as_bytes()).unwrap();
        m.finalize().unwrap();
        m.clear();
    }
}

#[test]
fn a_source_that_nests_too_deeply_is_an_error() {
    let source = format!("kernel void k(global int *a) {{ *a = {}*a; }}", "~".repeat(300_000));
    let mut m = module();
    let error = m.compile_opencl_c(lanewise_compiler::Profile::Full, "deep.cl", &source, &[]).unwrap_err();
    assert!(error.to_string().contains("deep.cl: error: LLVM ran out of stack"), "{error}");
    assert_eq!(m.num_errors(), 1);
    m.clear();
    let good = "kernel void k(global int *a) { *a = 1; }";
    m.compile_opencl_c(lanewise_compiler::Profile::Full, "good.cl", good, &[]).unwrap();
    m.finalize().unwrap();
}
