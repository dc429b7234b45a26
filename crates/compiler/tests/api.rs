//! The compiler API, method by method.

mod common;

use common::{TestInfo, compiled, finalized, info, module};
use lanewise_compiler as compiler;

use compiler::*;
use std::sync::Arc;

const TWO: &str = "kernel void first(global int *a) { a[get_global_id(0)] = 1; }
kernel void second(global int *a) { a[get_global_id(0)] = 2; }";

// ---- Info and options ---------------------------------------------------------------------------

#[test]
fn capabilities_follow_the_device() {
    let capabilities = info().builtin_capabilities();
    assert_eq!(capabilities, BuiltinCapabilities { address_bits_32: false, fp64: true, fp16: false });
    let device =
        DeviceInfo { address_bits: 32, supports_double: false, supports_half: true, ..common::device() };
    let capabilities = TestInfo::new(device, true).builtin_capabilities();
    assert_eq!(capabilities, BuiltinCapabilities { address_bits_32: true, fp64: false, fp16: true });
}

#[test]
fn options_of_the_target_are_understood() {
    let mut m = module();
    m.set_options("--test-level 3 --test-flag -cl-mad-enable").unwrap();
    let given: Vec<_> = m.options().device.iter().map(|d| (d.name.as_str(), d.value.as_deref())).collect();
    assert_eq!(given, [("--test-level", Some("3")), ("--test-flag", None)]);
    assert!(m.options().mad_enable);
    // The next options replace them.
    m.set_options("-g").unwrap();
    assert!(m.options().device.is_empty() && m.options().debug && !m.options().mad_enable);
}

#[test]
fn wrong_options_are_refused_and_counted() {
    for wrong in ["--test-level", "--test-flag=1", "--unknown", "-cl-std=CL9.9", "-D", "-x"] {
        let mut m = module();
        let error = m.set_options(wrong).unwrap_err();
        assert!(matches!(&error, Error::InvalidBuildOptions(_)), "{wrong}: {error:?}");
        assert_eq!(m.num_errors(), 1);
        assert!(m.build_log().contains(error.message()), "{}", m.build_log());
    }
}

#[test]
fn the_target_checks_values_of_its_options() {
    let mut m = module();
    let error = m.set_options("-g --test-level banana").unwrap_err();
    assert_eq!(error, Error::InvalidBuildOptions("--test-level takes a number, not 'banana'".to_owned()));
    assert!(m.build_log().contains("--test-level takes a number, not 'banana'"), "{}", m.build_log());
    // The earlier options stay.
    assert!(m.num_errors() == 1 && !m.options().debug);
}

// ---- Target -------------------------------------------------------------------------------------

#[test]
fn a_target_is_made_by_its_info() {
    let info: &'static dyn Info = info();
    let target = info.create_target(Arc::new(Context::new()), None).unwrap();
    assert_eq!(target.compiler_info().device_info().name, "test");
    assert!(matches!(target.create_module(), Err(Error::InvalidValue(_))));
    target.init_with_builtins(BUILTIN_LIBRARY).unwrap();
    assert!(matches!(target.init_with_builtins(BUILTIN_LIBRARY), Err(Error::InvalidValue(_))));
    let mut m = target.create_module().unwrap();
    m.compile_opencl_c(Profile::Full, "t.cl", TWO, &[]).unwrap();
}

#[test]
fn a_thread_that_holds_the_context_compiles_and_others_wait() {
    let info: &'static dyn Info = info();
    let context = Arc::new(Context::new());
    let target = info.create_target(context.clone(), None).unwrap();
    target.init_with_builtins(BUILTIN_LIBRARY).unwrap();
    let mut m = target.create_module().unwrap();
    let guard = context.lock();
    m.compile_opencl_c(Profile::Full, "t.cl", TWO, &[]).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            assert!(context.try_lock().is_none());
            let mut m = target.create_module().unwrap();
            m.compile_opencl_c(Profile::Full, "t.cl", TWO, &[]).unwrap();
            assert!(done.load(std::sync::atomic::Ordering::SeqCst), "it did not wait");
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        done.store(true, std::sync::atomic::Ordering::SeqCst);
        drop(guard);
        other.join().unwrap();
    });
    assert!(context.try_lock().is_some());
}

// ---- Compilation --------------------------------------------------------------------------------

#[test]
fn a_module_goes_through_its_states() {
    let mut m = module();
    assert_eq!((m.state(), m.num_errors(), m.build_log()), (State::Empty, 0, ""));
    assert!(matches!(m.finalize(), Err(Error::InvalidValue(_))));
    assert!(matches!(m.create_binary(), Err(Error::InvalidValue(_))));
    assert!(m.get_kernel("first").is_none());
    m.compile_opencl_c(Profile::Full, "t.cl", TWO, &[]).unwrap();
    assert_eq!(m.state(), State::Compiled);
    assert!(m.get_kernel("first").is_none());
    assert!(matches!(m.create_binary(), Err(Error::InvalidValue(_))));
    m.finalize().unwrap();
    assert_eq!(m.state(), State::Finalized);
    assert!(m.get_kernel("first").is_some());
    assert!(matches!(m.finalize(), Err(Error::InvalidValue(_))));
    m.clear();
    assert_eq!((m.state(), m.num_errors(), m.build_log()), (State::Empty, 0, ""));
    assert!(m.get_kernel("first").is_none() && m.program_info().kernels.is_empty());
}

#[test]
fn compiling_again_forgets_the_kernels() {
    let mut m = finalized(TWO, "");
    let first = m.get_kernel("first").unwrap();
    m.compile_opencl_c(Profile::Full, "t.cl", "kernel void third() {}", &[]).unwrap();
    assert!(m.get_kernel("first").is_none());
    assert!(m.program_info().kernels.is_empty());
    m.finalize().unwrap();
    assert!(m.get_kernel("first").is_none() && m.get_kernel("third").is_some());
    assert_eq!(first.name(), "first");
}

#[test]
fn errors_of_the_source_are_logged_and_counted() {
    let mut m = module();
    let source = "kernel void k() {\n  int a = nothing;\n  also_nothing;\n}";
    let error = m.compile_opencl_c(Profile::Full, "wrong.cl", source, &[]).unwrap_err();
    assert!(matches!(&error, Error::CompileProgramFailure(_)), "{error:?}");
    assert_eq!((m.num_errors(), m.state()), (2, State::Empty));
    let log = m.build_log();
    assert!(log.contains("wrong.cl:2:11: error: use of undeclared identifier 'nothing'"), "{log}");
    assert!(log.contains("also_nothing") && log.contains('^'), "{log}");
}

#[test]
fn a_failed_compilation_leaves_nothing_to_finalize() {
    let mut m = compiled(TWO, "");
    m.compile_opencl_c(Profile::Full, "t.cl", "kernel int k() {}", &[]).unwrap_err();
    assert!(m.num_errors() > 0);
    // Either the old program or none, but no mixture.
    if m.finalize().is_ok() {
        assert!(m.get_kernel("first").is_some());
    }
}

#[test]
fn warnings_are_logged_and_not_counted() {
    let source = "kernel void k(global int *a) { int unused; a[0] = 1 == 1 == 1; }";
    let mut m = module();
    m.compile_opencl_c(Profile::Full, "t.cl", "#warning look here\nkernel void k() {}", &[]).unwrap();
    assert!(m.build_log().contains("warning: look here") && m.num_errors() == 0);
    let mut strict = module();
    strict.set_options("-Werror").unwrap();
    let result =
        strict.compile_opencl_c(Profile::Full, "t.cl", "#warning look here\nkernel void k() {}", &[]);
    assert!(matches!(result, Err(Error::CompileProgramFailure(_))) && strict.num_errors() == 1);
    assert_eq!(compiled(source, "-w").build_log(), "");
}

#[test]
fn headers_and_profiles_reach_the_source() {
    let source = "#include \"sizes.h\"\n#include <inner/more.h>\n
        #ifdef __EMBEDDED_PROFILE__\nkernel void embedded() {}\n#else\nkernel void full(global int *a) { \
        a[SIZE] = MORE; }\n#endif";
    let headers = [
        Header { name: "sizes.h", text: b"#define SIZE 3" },
        Header { name: "inner/more.h", text: b"#include \"sizes.h\"\n#define MORE (SIZE + 1)" },
    ];
    for (profile, kernel) in [(Profile::Full, "full"), (Profile::Embedded, "embedded")] {
        let mut m = module();
        m.compile_opencl_c(profile, "t.cl", source, &headers).unwrap_or_else(|e| panic!("{e}"));
        let program = m.finalize().unwrap().program;
        assert_eq!(program.kernels.iter().map(|k| k.name.as_str()).collect::<Vec<_>>(), [kernel]);
    }
    let mut m = module();
    let error = m.compile_opencl_c(Profile::Full, "t.cl", source, &headers[..1]).unwrap_err();
    assert!(error.message().contains("inner/more.h"), "{error}");
}

#[test]
fn diagnostics_of_a_target_are_part_of_the_log() {
    let mut m = module();
    m.add_diagnostic("note: hello");
    m.add_build_error("no good");
    assert_eq!((m.build_log(), m.num_errors()), ("note: hello\nerror: no good\n", 1));
}

#[test]
fn ir_of_other_tools_is_taken_or_refused() {
    let mut m = module();
    m.load_ir("t.ll", b"define spir_kernel void @k() {\n  ret void\n}").unwrap();
    m.finalize().unwrap();
    assert!(m.get_kernel("k").is_some());
    for (wrong, say) in [
        ("nonsense", "t.ll"),
        ("define void @f() {\n  ret i32 0\n}", "ret"),
        ("define void @f() {\n  %a = add i32 %b, 1\n  %b = add i32 %a, 1\n  ret void\n}", "dominate"),
    ] {
        let mut m = module();
        let error = m.load_ir("t.ll", wrong.as_bytes()).unwrap_err();
        assert!(matches!(&error, Error::CompileProgramFailure(e) if e.contains(say)), "{error:?}");
        assert_eq!((m.num_errors(), m.state()), (1, State::Empty));
    }
}

#[test]
fn spirv_is_checked() {
    let mut m = module();
    let device = SpirvDeviceInfo::default();
    let error = m.compile_spirv(&[1, 2, 3, 4, 5], &device, None).unwrap_err();
    assert!(matches!(error, Error::CompileProgramFailure(_)) && m.num_errors() == 1);
    let empty = [0x0723_0203, 0x0001_0000, 0, 1, 0];
    let error = m.compile_spirv(&empty, &device, Some(&SpecializationInfo::default())).unwrap_err();
    assert!(error.message().contains("OpMemoryModel"), "{error}");
    let context = Context::new();
    assert!(context.is_valid_spirv(&empty) && !context.is_valid_spirv(&empty[1..]));
    assert!(context.get_specializable_constants(&empty).unwrap().is_empty());
    assert!(context.get_specializable_constants(&[]).is_err());
}

/// What a module of SPIR-V says of itself comes back from compiling it.
#[test]
fn spirv_tells_what_it_is() {
    let text =
        "OpCapability Addresses\nOpCapability Kernel\nOpExtension \"SPV_KHR_no_integer_wrap_decoration\"
        OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\nOpEntryPoint Kernel %j \"j\"
        OpExecutionMode %k LocalSize 8 2 1\nOpSource OpenCL_C 200000
        %void = OpTypeVoid\n%type = OpTypeFunction %void
        %k = OpFunction %void None %type\n%entry = OpLabel\nOpReturn\nOpFunctionEnd
        %j = OpFunction %void None %type\n%start = OpLabel\nOpReturn\nOpFunctionEnd";
    let code = spirv::assemble(text).unwrap();
    let mut m = module();
    let info: SpirvModuleInfo = m.compile_spirv(&code, &SpirvDeviceInfo::default(), None).unwrap();
    assert_eq!(info.version, (code[1] >> 16, code[1] >> 8 & 0xff));
    assert_eq!((info.source, info.address_bits), (Some(("OpenCL_C".to_owned(), 200_000)), 64));
    assert_eq!(info.capabilities, ["Addresses", "Kernel"]);
    assert_eq!(info.extensions, ["SPV_KHR_no_integer_wrap_decoration"]);
    let entry_points: Vec<_> =
        info.entry_points.iter().map(|entry| (entry.name.as_str(), entry.workgroup_size)).collect();
    assert_eq!(entry_points, [("k", Some([8, 2, 1])), ("j", None)]);
}

// ---- Linking ------------------------------------------------------------------------------------

const PING: &str = "int pong(int n); int pang(int n) { return n * 5; }
int ping(int n) { return n <= 0 ? 1 : pong(n - 1) * 2; }
kernel void k(global int *a) { a[0] = ping(a[1]); }";
const PONG: &str = "int pang(int n); int pong(int n) { return pang(n - 1) + 3; }";

#[test]
fn two_sources_call_each_other() {
    let (ping, pong) = (compiled(PING, ""), compiled(PONG, ""));
    let mut linked = module();
    linked.link(&[&ping, &pong]).unwrap();
    assert_eq!(linked.state(), State::Linked);
    let program = linked.finalize().unwrap().program;
    assert_eq!(program.kernels.len(), 1);
    // Into a module that has something already.
    let mut first = compiled(PING, "");
    first.link(&[&pong]).unwrap();
    first.finalize().unwrap();
    assert!(first.get_kernel("k").is_some());
    // A linked module is linked again.
    let mut half = module();
    half.link(&[&ping]).unwrap();
    let mut whole = module();
    whole.link(&[&half, &pong]).unwrap();
    whole.finalize().unwrap();
    // The inputs are as they were.
    assert_eq!((ping.state(), half.state()), (State::Compiled, State::Linked));
}

#[test]
fn kernels_of_all_sources_are_there_after_linking() {
    let mut linked = module();
    linked.link(&[&compiled(TWO, ""), &compiled("kernel void third() {}", "")]).unwrap();
    let program = linked.finalize().unwrap().program;
    let names: Vec<_> = program.kernels.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(names, ["first", "second", "third"]);
}

#[test]
fn linking_fails_with_a_reason() {
    let (one, other) = (compiled("int f() { return 1; }", ""), compiled("int f() { return 2; }", ""));
    let mut linked = module();
    let error = linked.link(&[&one, &other]).unwrap_err();
    assert!(matches!(&error, Error::LinkProgramFailure(e) if e.contains("'f'")), "{error:?}");
    assert_eq!((linked.num_errors(), linked.state()), (1, State::Empty));
    assert!(linked.build_log().contains("'f'"), "{}", linked.build_log());
}

#[test]
fn what_is_undefined_is_named_with_its_caller_and_line() {
    let mut m = module();
    m.link(&[&compiled(PING, "-g")]).unwrap();
    let error = m.finalize().unwrap_err();
    let Error::FinalizeProgramFailure(text) = &error else { panic!("{error:?}") };
    assert!(text.contains("'pong'") && text.contains("called by '") && text.contains("line 2"), "{text}");
    assert!(m.build_log().contains("pong") && m.num_errors() == 1);
    assert_eq!(m.state(), State::Linked);
}

#[test]
fn undefined_variables_are_named() {
    let user = "extern constant int table[4]; kernel void k(global int *a) { a[0] = table[a[1]]; }";
    let mut m = compiled(user, "");
    let error = m.finalize().unwrap_err();
    assert!(matches!(&error, Error::FinalizeProgramFailure(e) if e.contains("'table'")), "{error:?}");
    let mut linked = module();
    linked.link(&[&compiled(user, ""), &compiled("constant int table[4] = {1, 2, 3, 4};", "")]).unwrap();
    linked.finalize().unwrap();
    // Unused declarations do no harm.
    finalized("extern constant int table[4]; kernel void k() {}", "");
}

#[test]
fn only_compiled_modules_are_linked() {
    let (empty, done, good) = (module(), finalized(TWO, ""), compiled(TWO, ""));
    let mut m = module();
    for inputs in [&[][..], &[&empty], &[&good, &done], &[&done], &[&good, &empty]] {
        assert!(matches!(m.link(inputs), Err(Error::InvalidValue(_))));
    }
    let mut done = done;
    assert!(matches!(done.link(&[&good]), Err(Error::InvalidValue(_))));
    assert_eq!(m.state(), State::Empty);
}

// ---- Kernels ------------------------------------------------------------------------------------

#[test]
fn kernels_are_made_once() {
    let info = info();
    let mut m = info.with_builtins().create_module().unwrap();
    m.compile_opencl_c(Profile::Full, "t.cl", TWO, &[]).unwrap();
    m.finalize().unwrap();
    info.backend.calls();
    let (a, b) = (m.get_kernel("first").unwrap(), m.get_kernel("first").unwrap());
    assert!(Arc::ptr_eq(&a, &b));
    assert!(m.get_kernel("third").is_none() && m.get_kernel("").is_none());
    let other = m.get_kernel("second").unwrap();
    assert_eq!((a.name(), other.name()), ("first", "second"));
    // Nothing is compiled before something is asked of them.
    assert_eq!(info.backend.calls(), [""; 0]);
    assert!(a.report().times.is_empty());
}

#[test]
fn a_compiler_that_does_not_defer_has_no_kernels_but_a_binary() {
    let info = TestInfo::new(common::device(), false);
    let mut m = info.with_builtins().create_module().unwrap();
    m.compile_opencl_c(Profile::Full, "t.cl", TWO, &[]).unwrap();
    m.finalize().unwrap();
    assert!(m.get_kernel("first").is_none());
    let binary = m.create_binary().unwrap();
    let kernels = describe(&binary, info).unwrap();
    let mut names: Vec<_> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["first", "second"]);
}

#[test]
fn code_is_made_once_for_what_is_known() {
    let info = info();
    let mut m = info.with_builtins().create_module().unwrap();
    m.compile_opencl_c(Profile::Full, "t.cl", TWO, &[]).unwrap();
    m.finalize().unwrap();
    let kernel = m.get_kernel("first").unwrap();
    info.backend.calls();
    let making = || info.backend.calls().iter().filter(|call| **call == "late_passes").count();
    let binary = kernel.create_specialized_kernel(&(&NdRange::new(&[8], &[4])).into()).unwrap();
    assert_eq!(making(), 1);
    let again = kernel.create_specialized_kernel(&(&NdRange::new(&[12], &[4])).into()).unwrap();
    assert!(again == binary);
    assert_eq!((making(), kernel.get_dynamic_work_width([4, 1, 1])), (0, Ok(1)));
    let notes = Notes::read(open_seal(&binary, "test").unwrap(), &Machine::this()).unwrap();
    let [noted] = &notes.kernels[..] else { panic!("{notes:?}") };
    assert_eq!((noted.facts.name.as_str(), noted.facts.local_size), ("first", Some([4, 1, 1])));
    kernel.create_specialized_kernel(&(&NdRange::new(&[8], &[2])).into()).unwrap();
    assert_eq!(making(), 1);
    for zero in [[0, 1, 1], [1, 0, 1], [1, 1, 0]] {
        assert!(matches!(kernel.get_dynamic_work_width(zero), Err(Error::InvalidValue(_))));
    }
    assert_eq!(making(), 0);
}

// ---- The hooks of a backend ---------------------------------------------------------------------

#[test]
fn a_targets_own_passes_and_analyses_run() {
    let info = info();
    let backend = &info.backend;
    let mut m = info.with_builtins().create_module().unwrap();
    assert_eq!(backend.calls(), [""; 0]);
    let source = "kernel void k(global int *a) { if (a[0]) a[get_global_id(0)] = 1; else a[1] = 2; }";
    m.compile_opencl_c(Profile::Full, "t.cl", source, &[]).unwrap();
    let front_end =
        ["frontend_passes", "register_passes", "builtins", "initialize_pass_machinery_for_frontend"];
    assert_eq!(backend.calls(), front_end);
    let at_first = backend.seen();
    assert!(matches!(&at_first[..], [one] if one.starts_with("front-end: k has ")), "{at_first:?}");
    m.finalize().unwrap();
    let finalize =
        ["register_passes", "builtins", "initialize_pass_machinery_for_finalize", "finalize_passes"];
    assert_eq!(backend.calls(), finalize);
    let late =
        ["stage", "register_passes", "builtins", "initialize_pass_machinery_for_finalize", "late_passes"];
    let computed = common::COMPUTED.get();
    let text = m.lower(None).unwrap().module.to_string();
    assert_eq!(backend.calls(), late);
    // The pass ran twice and changed nothing: the analysis of the first run was kept for the
    // second.
    let seen = backend.seen();
    assert!(seen.len() == 2 && seen[0] == seen[1] && seen[0].starts_with("late: k has "), "{seen:?}");
    assert_eq!(common::COMPUTED.get(), computed + 1);
    assert!(text.contains("@k.mux-kernel-wrapper"), "{text}");
    // A binary goes the same way, and says what is in it.
    let binary = m.create_binary().unwrap();
    assert_eq!((backend.calls(), backend.seen()), (late.to_vec(), seen));
    assert!(open_seal(&binary, "test").unwrap().starts_with(b"\x7fELF"));
    let kernels = describe(&binary, info).unwrap();
    assert_eq!(kernels, m.program_info().kernels);
    // So does the code of a kernel.
    let kernel = m.get_kernel("k").unwrap();
    kernel.create_specialized_kernel(&(&NdRange::new(&[8], &[4])).into()).unwrap();
    assert_eq!(backend.calls(), late);
}

#[test]
fn a_target_without_sub_groups_says_so() {
    let mut m = finalized(TWO, "");
    let kernel = m.get_kernel("first").unwrap();
    let unsupported = |e: Error| assert!(matches!(e, Error::FeatureUnsupported(_)), "{e:?}");
    unsupported(kernel.get_sub_group_size().unwrap_err());
    unsupported(kernel.query_sub_group_size_for_local_size([4, 1, 1]).unwrap_err());
    unsupported(kernel.query_local_size_for_sub_group_count(1).unwrap_err());
    unsupported(kernel.query_max_sub_group_count().unwrap_err());
    let zero = kernel.query_sub_group_size_for_local_size([4, 0, 1]).unwrap_err();
    assert!(matches!(zero, Error::InvalidValue(_)), "{zero:?}");
}
