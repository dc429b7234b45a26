//! Failed calls say why: on standard error with `LANEWISE_LOG=1`, and to the callback of their
//! context.

mod common;

use common::*;
use std::ffi::{CStr, c_char, c_void};
use std::process::Command;
use std::sync::Mutex;

const SOURCE: &str = "kernel void f(global int *a, int b, local int *c) { a[0] = b + c[0]; }";

unsafe extern "C" fn told(message: *const c_char, _: *const c_void, _: usize, data: *mut c_void) {
    // SAFETY: the driver gives a text, and the data that the context was made with.
    let (text, all) = unsafe { (CStr::from_ptr(message), &*data.cast_const().cast::<Mutex<Vec<String>>>()) };
    all.lock().unwrap().push(text.to_str().unwrap().to_owned());
}

/// Calls that fail, with what is said of each.
fn fail(cl: &Cl) -> Vec<(&'static str, &'static str)> {
    let create = |size| made(|code| buffer::clCreateBuffer(cl.context, 0, size, Memory::NULL, code));
    assert_eq!(create(0), Err(CL_INVALID_BUFFER_SIZE));
    assert_eq!(cl.build("kernel void f() { nothing; }", "").unwrap_err().0, CL_BUILD_PROGRAM_FAILURE);
    assert_eq!(cl.build(SOURCE, "-foo").unwrap_err().0, CL_INVALID_BUILD_OPTIONS);
    let (devices, sizes, binaries) = ([cl.device], [8], [memory(b"nonsense")]);
    let from_binary = |code| {
        let (devices, sizes, binaries) = (list(&devices), list(&sizes), list(&binaries));
        program::clCreateProgramWithBinary(cl.context, 1, devices, sizes, binaries, Out::NULL, code)
    };
    assert_eq!(made(from_binary), Err(CL_INVALID_BINARY));
    let program = cl.build(SOURCE, "").unwrap();
    assert_eq!(kernel_of(program, "g"), Err(CL_INVALID_KERNEL_NAME));
    let f = kernel_of(program, "f").unwrap();
    assert_eq!(set_arg(f, 1, 1u64), CL_INVALID_ARG_SIZE);
    assert_eq!(set_arg(f, 7, 1u32), CL_INVALID_ARG_INDEX);
    assert_eq!(set_arg(f, 1, 1u32), CL_SUCCESS);
    assert_eq!(cl.run(f, &[8], None), CL_INVALID_KERNEL_ARGS);
    let mem = cl.buffer(0, 4);
    assert_eq!(set_arg(f, 0, mem), CL_SUCCESS);
    assert_eq!(kernel::clSetKernelArg(f, 2, 64, Memory::NULL), CL_SUCCESS);
    assert_eq!(cl.run(f, &[8], Some(&[3])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(kernel::clSetKernelArg(f, 2, 1 << 40, Memory::NULL), CL_SUCCESS);
    assert_eq!(cl.run(f, &[8], None), CL_OUT_OF_RESOURCES);
    assert_eq!(set_arg(f, 0, f), CL_INVALID_MEM_OBJECT);
    release_kernel(f);
    release_program(program);
    release_mem(mem);
    vec![
        ("clCreateBuffer: CL_INVALID_BUFFER_SIZE (-61)", "0 bytes"),
        ("clBuildProgram: CL_BUILD_PROGRAM_FAILURE (-11)", "use of undeclared identifier 'nothing'"),
        ("clBuildProgram: CL_INVALID_BUILD_OPTIONS (-43)", "'-foo'"),
        ("clCreateProgramWithBinary: CL_INVALID_BINARY (-42)", "not a program binary of Lanewise"),
        ("clCreateKernel: CL_INVALID_KERNEL_NAME (-46)", "no kernel 'g'; there are: f"),
        ("clSetKernelArg: CL_INVALID_ARG_SIZE (-51)", "argument 1 (int b) of kernel 'f' has 4 bytes, and 8"),
        ("clSetKernelArg: CL_INVALID_ARG_INDEX (-49)", "3 arguments"),
        ("clEnqueueNDRangeKernel: CL_INVALID_KERNEL_ARGS (-52)", "argument 0, 2"),
        (
            "clEnqueueNDRangeKernel: CL_INVALID_WORK_GROUP_SIZE (-54)",
            "[3] does not divide the global size [8]",
        ),
        ("clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES (-5)", "1099511627776 bytes of local memory"),
        ("clSetKernelArg: CL_INVALID_MEM_OBJECT (-38)", "something else than a mem"),
    ]
}

fn check(said: &[String], expected: &[(&str, &str)]) {
    // The tests' queries try with too little room first.
    let (tries, said): (Vec<_>, Vec<_>) = said.iter().partition(|message| message.contains("Info: "));
    assert!(tries.iter().all(|message| message.contains("there is room for")), "{tries:?}");
    assert_eq!(said.len(), expected.len(), "{said:#?}");
    for (message, (call, reason)) in said.iter().zip(expected) {
        assert!(message.starts_with(call) && message.contains(reason), "{message}, not {call}: {reason}");
    }
}

#[test]
fn the_callback_of_the_context_is_told() {
    let all: &'static Mutex<Vec<String>> = Box::leak(Box::default());
    let data = pointer(std::ptr::from_ref(all).cast_mut().cast());
    let (device, devices) = (the_device(), [the_device()]);
    let context =
        made(|code| context::clCreateContext(In::NULL, 1, list(&devices), Some(told), data, code)).unwrap();
    let queue = made(|code| queue::clCreateCommandQueue(context, device, 0, code)).unwrap();
    let cl = Cl { device, context, queue };
    let expected = fail(&cl);
    check(&all.lock().unwrap(), &expected);
}

#[test]
fn standard_error_is_told_if_asked_for() {
    let test = "standard_error_is_told_if_asked_for";
    if std::env::var_os("LANEWISE_TEST_CHILD").is_some() {
        fail(&Cl::new());
        assert_eq!(queue::clFinish(NULL), CL_INVALID_COMMAND_QUEUE);
        return;
    }
    let said = |log: Option<&str>| -> Vec<String> {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--nocapture"]).env("LANEWISE_TEST_CHILD", "1");
        match log {
            Some(log) => command.env("LANEWISE_LOG", log),
            None => command.env_remove("LANEWISE_LOG"),
        };
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        // A build log has several lines.
        text.split("lanewise: ").skip(1).map(str::to_owned).collect()
    };
    let mut all = said(Some("1"));
    assert!(all.pop().unwrap().starts_with("clFinish: CL_INVALID_COMMAND_QUEUE (-36): the queue is NULL"));
    let expected = fail(&Cl::new());
    check(&all, &expected);
    assert_eq!(said(None), [""; 0]);
    assert_eq!(said(Some("0")), [""; 0]);
    let wrong = said(Some("loud"));
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].contains("LANEWISE_LOG=\"loud\" is ignored"), "{wrong:?}");
}
