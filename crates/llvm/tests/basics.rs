//! The handles do what their names say.

use lanewise_llvm::*;

fn parse(text: &str) -> Module {
    Module::parse(&Context::new(), text.as_bytes(), "test.ll").expect("parses")
}

#[test]
fn a_parse_error_names_the_line() {
    let error = Module::parse(&Context::new(), b"define void @f() {\n  nonsense\n}\n", "bad.ll").unwrap_err();
    assert!(error.to_string().contains("bad.ll:2:3"), "{error}");
}

#[test]
fn clang_compiles_and_reports() {
    let args: Vec<String> =
        ["-triple", "spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-O2", "-disable-llvm-passes"]
            .map(String::from)
            .to_vec();
    let context = Context::new();
    let good = SourceFile { path: "k.cl", text: b"kernel void k(global int *a) { a[0] = 1; }" };
    let output = clang_compile(&context, &args, &[good]);
    assert_eq!((output.errors, output.log.as_str()), (0, ""));
    let module = output.module.unwrap();
    assert_eq!(module.function("k").unwrap().call_conv(), CallConv::SpirKernel);
    let bad = SourceFile { path: "k.cl", text: b"kernel void k(global int *a) {\n  a[0] = b; }" };
    let output = clang_compile(&context, &args, &[bad]);
    assert!(output.module.is_none() && output.errors == 1);
    assert!(output.log.contains("k.cl:2:10: error: use of undeclared identifier 'b'"), "{}", output.log);
    assert!(output.log.contains("^"), "{}", output.log);
}

#[test]
fn clone_into_maps_old_to_new() {
    let module =
        parse("define i32 @f(i32 %x) {\na:\n  %y = add i32 %x, 1\n  br label %b\nb:\n  ret i32 %y\n}");
    let f = module.function("f").unwrap();
    let g = module.add_function("g", f.function_type());
    let map = f.clone_into(g, &g.params());
    let y = f.entry().first().unwrap();
    assert_eq!(map[&y].block().unwrap().function(), g);
    assert_eq!(map[&y].operand(0), g.param(0));
    module.verify().unwrap();
}

#[test]
fn linking_takes_only_what_is_needed() {
    let context = Context::new();
    let main = "declare i32 @a()\ndefine i32 @m() {\n  %r = call i32 @a()\n  ret i32 %r\n}";
    let library = "define i32 @a() {\n  ret i32 1\n}\ndefine i32 @b() {\n  ret i32 2\n}";
    let main = Module::parse(&context, main.as_bytes(), "main").unwrap();
    main.link(Module::parse(&context, library.as_bytes(), "library").unwrap(), LinkMode::OnlyNeeded).unwrap();
    assert!(main.function("a").unwrap().is_internal());
    assert!(main.function("b").is_none());
}

#[test]
fn a_link_clash_is_an_error() {
    let context = Context::new();
    let text = "define i32 @a() {\n  ret i32 1\n}";
    let one = Module::parse(&context, text.as_bytes(), "one").unwrap();
    let error =
        one.link(Module::parse(&context, text.as_bytes(), "two").unwrap(), LinkMode::All).unwrap_err();
    assert!(error.to_string().contains("'a'"), "{error}");
}

#[test]
fn code_is_generated_loaded_and_run() {
    let module = parse(
        "declare i32 @helper()\ndefine i32 @f(i32 %x) {\n  %h = call i32 @helper()\n  \
         %y = add i32 %x, %h\n  ret i32 %y\n}",
    );
    let machine = TargetMachine::new(&host_triple(), host_cpu(), host_features(), OptLevel::Default).unwrap();
    module.set_triple(&host_triple());
    module.set_data_layout(&machine.data_layout());
    module.run_passes("default<O2>", Some(&machine)).unwrap();
    let object = machine.object(&module).unwrap();
    extern "C" fn helper() -> i32 {
        41
    }
    let jit =
        Jit::new(&[Symbol { name: "helper", address: helper as *const std::ffi::c_void }], false).unwrap();
    let loaded = jit.load(&object, None, &["f"]).unwrap();
    // SAFETY: `f` has this type.
    let f: extern "C" fn(i32) -> i32 = unsafe { std::mem::transmute(loaded.address(0)) };
    assert_eq!(f(1), 42);
    assert!(jit.load(&object, None, &["nothing"]).is_err());
}

#[test]
fn several_threads_compile_at_once() {
    std::thread::scope(|scope| {
        for t in 0..4 {
            scope.spawn(move || {
                for i in 0..8 {
                    let text = format!("define i32 @f() {{\n  ret i32 {}\n}}", t * 100 + i);
                    let module = parse(&text);
                    module.run_passes("default<O1>", None).unwrap();
                    assert!(module.to_string().contains(&format!("ret i32 {}", t * 100 + i)));
                }
            });
        }
    });
}
