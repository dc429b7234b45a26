//! LinkBuiltins takes from a library what the module calls, and nothing else.

use lanewise_passes::{Library, LinkBuiltins, PassError, PassManager, Pipeline, Trace};
use llvm::{Context, LinkMode, Module};

const LIBRARY: &str = r#"
target triple = "spir64-unknown-unknown"
@table = internal addrspace(2) constant [2 x i32] [i32 3, i32 5]
define spir_func i32 @outer(i32 %x) {
  %y = call spir_func i32 @inner(i32 %x)
  ret i32 %y
}
define spir_func i32 @inner(i32 %x) {
  %v = load i32, ptr addrspace(2) @table
  %y = add i32 %x, %v
  ret i32 %y
}
define spir_func i32 @unused(i32 %x) {
  ret i32 %x
}
define spir_func i32 @own(i32 %x) {
  ret i32 1
}
"#;

/// Links from [`LIBRARY`], made on the spot.
fn small_library(module: &Module) -> Result<(), llvm::Error> {
    let text = Module::parse(&Context::new(), LIBRARY.as_bytes(), "library.ll").expect("parses");
    let bitcode: &'static [u8] = Box::leak(text.to_bitcode().into_boxed_slice());
    let library = Module::open_bitcode(module.context(), bitcode)?;
    library.set_triple(&module.triple());
    library.set_data_layout(&module.data_layout());
    module.link(library, LinkMode::OnlyNeeded)
}

fn broken_library(_: &Module) -> Result<(), llvm::Error> {
    Err(llvm::Error::new("the library is unreadable"))
}

fn link(library: Library, text: &str) -> Result<String, PassError> {
    let module = Module::parse(&Context::new(), text.as_bytes(), "test.ll").expect("parses");
    let mut pipeline = Pipeline::new();
    pipeline.add(LinkBuiltins { library });
    let manager = PassManager {
        builtins: &ir::DefaultBuiltinInfo::default(),
        machine: None,
        trace: Trace { verify_each: true, ..Trace::default() },
    };
    manager.run(&pipeline, &module)?;
    Ok(module.to_string())
}

#[test]
fn what_is_called_is_linked_with_what_it_needs_and_internal() {
    let text = "define i32 @f() {\n  %x = call spir_func i32 @outer(i32 1)\n  ret i32 %x\n}\n\
                declare spir_func i32 @outer(i32)\n";
    let ir = link(small_library, text).expect("links");
    assert!(ir.contains("define internal spir_func i32 @outer("), "{ir}");
    assert!(ir.contains("define internal spir_func i32 @inner("), "{ir}");
    assert!(ir.contains("@table = internal"), "{ir}");
    assert!(!ir.contains("@unused"), "{ir}");
}

#[test]
fn a_function_of_the_module_is_not_replaced() {
    let text = "define spir_func i32 @own(i32 %x) {\n  ret i32 2\n}\n\
                define i32 @f() {\n  %x = call spir_func i32 @outer(i32 1)\n  ret i32 %x\n}\n\
                declare spir_func i32 @outer(i32)\n";
    let ir = link(small_library, text).expect("links");
    assert!(ir.contains("define spir_func i32 @own(") && ir.contains("ret i32 2"), "{ir}");
    assert!(!ir.contains("ret i32 1\n"), "{ir}");
}

#[test]
fn a_module_without_missing_functions_is_left_alone() {
    let text = "define i64 @f() {\n  %x = call i64 @__mux_get_global_id(i32 0)\n  ret i64 %x\n}\n\
                declare i64 @__mux_get_global_id(i32)\ndeclare spir_func i32 @unused(i32)\n";
    // The library is not even opened.
    let ir = link(broken_library, text).expect("nothing to link");
    assert!(ir.contains("declare spir_func i32 @unused(i32)"), "{ir}");
}

#[test]
fn the_module_keeps_its_target() {
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\ntarget datalayout = \"e-m:e-i64:64\"\n\
                define i32 @f() {\n  %x = call spir_func i32 @inner(i32 1)\n  ret i32 %x\n}\n\
                declare spir_func i32 @inner(i32)\n";
    let ir = link(small_library, text).expect("links");
    assert!(ir.contains("target triple = \"x86_64-unknown-linux-gnu\""), "{ir}");
    assert!(ir.contains("target datalayout = \"e-m:e-i64:64\""), "{ir}");
}

#[test]
fn a_broken_library_is_an_error() {
    let text = "define i32 @f() {\n  %x = call i32 @g()\n  ret i32 %x\n}\ndeclare i32 @g()\n";
    let error = link(broken_library, text).expect_err("the library is broken").to_string();
    assert_eq!(error, "link-builtins: the library is unreadable");
}
