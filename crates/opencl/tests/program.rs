//! Programs: source, building, compiling and linking, binaries.

mod common;

use common::*;
use std::ffi::{CString, c_char, c_void};
use std::sync::mpsc;
use std::time::Duration;

const ADD: &str = "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }";

fn build_it(program: Handle, options: &str) -> cl_int {
    let options = CString::new(options).unwrap();
    build::clBuildProgram(program, 0, In::NULL, options.as_c_str().into(), None, Memory::NULL)
}

fn compile(program: Handle, options: &str, headers: &[(Handle, &str)]) -> cl_int {
    let options = CString::new(options).unwrap();
    let names: Vec<_> = headers.iter().map(|(_, name)| CString::new(*name).unwrap()).collect();
    let names: Vec<In<c_char>> = names.iter().map(|n| n.as_c_str().into()).collect();
    let programs: Vec<_> = headers.iter().map(|(program, _)| *program).collect();
    let or_null = headers.is_empty();
    build::clCompileProgram(
        program,
        0,
        In::NULL,
        options.as_c_str().into(),
        headers.len() as cl_uint,
        if or_null { In::NULL } else { list(&programs) },
        if or_null { In::NULL } else { list(&names) },
        None,
        Memory::NULL,
    )
}

/// What linking gave: a program is made even if it failed.
fn link(cl: &Cl, options: &str, inputs: &[Handle]) -> (Handle, cl_int) {
    let options = CString::new(options).unwrap();
    let mut code = 77;
    let program = build::clLinkProgram(
        cl.context,
        0,
        In::NULL,
        options.as_c_str().into(),
        inputs.len() as cl_uint,
        list(inputs),
        None,
        Memory::NULL,
        (&mut code).into(),
    );
    (program, code)
}

fn runs(cl: &Cl, program: Handle) {
    let kernel = kernel_of(program, "add").unwrap();
    let mem = cl.buffer_of(&[1i32, 2, 3]);
    assert_eq!((set_arg(kernel, 0, mem), set_arg(kernel, 1, 10i32)), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(cl.run(kernel, &[3], None), CL_SUCCESS);
    assert_eq!(cl.read::<i32>(mem, 3), [11, 12, 13]);
    release_mem(mem);
    release_kernel(kernel);
}

#[test]
fn source_of_many_strings() {
    let cl = Cl::new();
    let parts = ["kernel void add(global int *a, that is cut", " int b) {", " a[get_global_id(0)] += b; }"];
    let parts: Vec<_> = parts.iter().map(|p| CString::new(*p).unwrap()).collect();
    let strings: Vec<In<c_char>> = parts.iter().map(|p| p.as_c_str().into()).collect();
    let lengths = [30usize, 0, 0];
    let create = |context, count, strings, lengths| {
        made(|code| program::clCreateProgramWithSource(context, count, strings, lengths, code))
    };
    let program = create(cl.context, 3, list(&strings), list(&lengths)).unwrap();
    let source = as_text(program_info(program, CL_PROGRAM_SOURCE).unwrap());
    assert_eq!(source, "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }");
    assert_eq!(build_it(program, ""), CL_SUCCESS);
    runs(&cl, program);
    release_program(program);
    assert_eq!(create(NULL, 3, list(&strings), In::NULL), Err(CL_INVALID_CONTEXT));
    assert_eq!(create(cl.context, 0, list(&strings), In::NULL), Err(CL_INVALID_VALUE));
    assert_eq!(create(cl.context, 1, In::NULL, In::NULL), Err(CL_INVALID_VALUE));
    assert_eq!(create(cl.context, 1, list(&[In::NULL]), In::NULL), Err(CL_INVALID_VALUE));
}

#[test]
fn a_build_and_what_it_tells() {
    let cl = Cl::new();
    let program = cl.source(ADD);
    assert_eq!(as_i32(cl.build_info(program, CL_PROGRAM_BUILD_STATUS).unwrap()), CL_BUILD_NONE);
    for name in [
        CL_PROGRAM_NUM_KERNELS,
        CL_PROGRAM_KERNEL_NAMES,
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
        CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
    ] {
        assert_eq!(program_info(program, name), Err(CL_INVALID_PROGRAM_EXECUTABLE));
    }
    assert_eq!(as_sizes(program_info(program, CL_PROGRAM_BINARY_SIZES).unwrap()), [0]);
    assert_eq!(kernel_of(program, "add"), Err(CL_INVALID_PROGRAM_EXECUTABLE));
    assert_eq!(build_it(program, "-DX=1 -cl-mad-enable"), CL_SUCCESS);
    assert_eq!(as_i32(cl.build_info(program, CL_PROGRAM_BUILD_STATUS).unwrap()), CL_BUILD_SUCCESS);
    assert_eq!(as_text(cl.build_info(program, CL_PROGRAM_BUILD_OPTIONS).unwrap()), "-DX=1 -cl-mad-enable");
    assert_eq!(
        as_u32(cl.build_info(program, CL_PROGRAM_BINARY_TYPE).unwrap()),
        CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    );
    assert_eq!(as_sizes(cl.build_info(program, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).unwrap()), [0]);
    assert_eq!(cl.build_info(program, 0x999), Err(CL_INVALID_VALUE));
    assert_eq!(as_u32(program_info(program, CL_PROGRAM_REFERENCE_COUNT).unwrap()), 1);
    assert_eq!(as_handle(program_info(program, CL_PROGRAM_CONTEXT).unwrap()), cl.context);
    assert_eq!(as_u32(program_info(program, CL_PROGRAM_NUM_DEVICES).unwrap()), 1);
    assert_eq!(as_handle(program_info(program, CL_PROGRAM_DEVICES).unwrap()), cl.device);
    assert_eq!(as_sizes(program_info(program, CL_PROGRAM_NUM_KERNELS).unwrap()), [1]);
    assert_eq!(as_text(program_info(program, CL_PROGRAM_KERNEL_NAMES).unwrap()), "add");
    assert_eq!(program_info(program, CL_PROGRAM_IL).unwrap(), [0u8; 0]);
    assert_eq!(as_u32(program_info(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT).unwrap()), 0);
    assert_eq!(program_info(program, 0x999), Err(CL_INVALID_VALUE));
    runs(&cl, program);

    // A program that has kernel objects cannot be built again.
    let kernel = kernel_of(program, "add").unwrap();
    assert_eq!(build_it(program, ""), CL_INVALID_OPERATION);
    release_kernel(kernel);
    assert_eq!(build_it(program, ""), CL_SUCCESS);
    assert_eq!(kernel_of(program, "sub"), Err(CL_INVALID_KERNEL_NAME));
    assert_eq!(made(|code| kernel::clCreateKernel(program, In::NULL, code)), Err(CL_INVALID_VALUE));
    assert_eq!(kernel_of(NULL, "add"), Err(CL_INVALID_PROGRAM));
    assert_eq!(program::clRetainProgram(program), CL_SUCCESS);
    release_program(program);
    release_program(program);
    assert_eq!(program::clReleaseProgram(program), CL_INVALID_PROGRAM);
}

#[test]
fn builds_that_fail() {
    let cl = Cl::new();
    let (code, log) = cl.build("kernel void f() { int x = y; }", "").unwrap_err();
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log.contains("'y'"), "{log}");
    let (code, log) = cl.build("void g(int); kernel void f() { g(1); }", "").unwrap_err();
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log.contains("'g'"), "{log}");
    let (code, log) = cl.build(ADD, "-no-such-option").unwrap_err();
    assert_eq!(code, CL_INVALID_BUILD_OPTIONS);
    assert!(log.contains("-no-such-option"), "{log}");
    let program = cl.source(ADD);
    let call =
        |program, count, devices, data| build::clBuildProgram(program, count, devices, In::NULL, None, data);
    assert_eq!(call(NULL, 0, In::NULL, Memory::NULL), CL_INVALID_PROGRAM);
    assert_eq!(call(program, 1, In::NULL, Memory::NULL), CL_INVALID_VALUE);
    assert_eq!(call(program, 0, list(&[cl.device]), Memory::NULL), CL_INVALID_VALUE);
    assert_eq!(call(program, 0, In::NULL, memory(&[1])), CL_INVALID_VALUE);
    assert_eq!(call(program, 1, list(&[NULL]), Memory::NULL), CL_INVALID_DEVICE);
    assert_eq!(call(program, 1, list(&[cl.device]), Memory::NULL), CL_SUCCESS);
    // What failed can be built again.
    let broken =
        cl.source("#ifndef X\n#error no X\n#endif\nkernel void add(global int *a, int b) { *a += b; }");
    assert_eq!(build_it(broken, ""), CL_BUILD_PROGRAM_FAILURE);
    assert!(cl.log(broken).contains("no X"));
    assert_eq!(as_i32(cl.build_info(broken, CL_PROGRAM_BUILD_STATUS).unwrap()), CL_BUILD_ERROR);
    assert_eq!(build_it(broken, "-D X"), CL_SUCCESS);
    let info = |program, device| {
        program::clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, 0, Out::NULL, Out::NULL)
    };
    assert_eq!(info(NULL, cl.device), CL_INVALID_PROGRAM);
    assert_eq!(info(program, NULL), CL_INVALID_DEVICE);
    release_program(program);
    release_program(broken);
}

unsafe extern "C" fn built(program: Handle, data: *mut c_void) {
    // SAFETY: the test keeps the sender for ever.
    let sender = unsafe { &*data.cast::<mpsc::Sender<usize>>() };
    sender.send(program as usize).unwrap();
}

#[test]
fn a_build_in_the_background() {
    let cl = Cl::new();
    let (sender, receiver) = mpsc::channel::<usize>();
    // Leaked: the callback may still run after its message has arrived.
    let sender: &'static _ = Box::leak(Box::new(sender));
    let data = memory(std::slice::from_ref(sender));
    for (source, status) in [(ADD, CL_BUILD_SUCCESS), ("kernel nonsense", CL_BUILD_ERROR)] {
        let program = cl.source(source);
        let code = build::clBuildProgram(program, 0, In::NULL, In::NULL, Some(built), data);
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(program as usize));
        assert_eq!(as_i32(cl.build_info(program, CL_PROGRAM_BUILD_STATUS).unwrap()), status);
        release_program(program);
    }
}

#[test]
fn compiling_and_linking() {
    let cl = Cl::new();
    let header = cl.source("int plus(int a, int b);\n#define PLUS plus\n");
    let library = cl.source("#include \"sub/plus.h\"\nint plus(int a, int b) { return a + b; }");
    let main = cl.source(
        "#include \"sub/plus.h\"\nkernel void add(global int *a, int b) { a[get_global_id(0)] = \
            PLUS(a[get_global_id(0)], b); }",
    );
    assert_eq!(compile(main, "", &[]), CL_COMPILE_PROGRAM_FAILURE);
    assert!(cl.log(main).contains("plus.h"));
    assert_eq!(compile(main, "", &[(header, "sub/plus.h")]), CL_SUCCESS);
    let kind = |program| as_u32(cl.build_info(program, CL_PROGRAM_BINARY_TYPE).unwrap());
    assert_eq!(kind(main), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    assert_eq!(compile(library, "-cl-std=CL1.2", &[(header, "sub/plus.h")]), CL_SUCCESS);
    assert_eq!(compile(NULL, "", &[]), CL_INVALID_PROGRAM);
    assert_eq!(compile(main, "-bogus", &[]), CL_INVALID_COMPILER_OPTIONS);
    assert_eq!(compile(main, "", &[(NULL, "x.h")]), CL_INVALID_PROGRAM);
    assert_eq!(compile(main, "", &[(header, "sub/plus.h")]), CL_SUCCESS);

    let (both, code) = link(&cl, "", &[main, library]);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(kind(both), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    runs(&cl, both);
    let (lib, code) = link(&cl, "-create-library", &[library]);
    assert_eq!((code, kind(lib)), (CL_SUCCESS, CL_PROGRAM_BINARY_TYPE_LIBRARY));
    let (with_lib, code) = link(&cl, "", &[main, lib]);
    assert_eq!(code, CL_SUCCESS);
    runs(&cl, with_lib);

    let (alone, code) = link(&cl, "", &[main]);
    assert_eq!(code, CL_LINK_PROGRAM_FAILURE);
    assert!(cl.log(alone).contains("'plus'"));
    let (twice, code) = link(&cl, "", &[main, library, lib]);
    assert_eq!(code, CL_LINK_PROGRAM_FAILURE);
    assert_eq!(link(&cl, "", &[both]), (NULL, CL_INVALID_OPERATION));
    assert_eq!(link(&cl, "", &[header]), (NULL, CL_INVALID_OPERATION));
    assert_eq!(link(&cl, "", &[NULL]), (NULL, CL_INVALID_PROGRAM));
    assert_eq!(link(&cl, "-DX", &[main]), (NULL, CL_INVALID_LINKER_OPTIONS));
    assert_eq!(link(&cl, "-bogus", &[main]), (NULL, CL_INVALID_LINKER_OPTIONS));
    assert_eq!(link(&cl, "", &[]), (NULL, CL_INVALID_VALUE));
    for program in [header, library, main, both, lib, with_lib, alone, twice] {
        release_program(program);
    }
}

#[test]
fn binaries_run_again_and_broken_ones_do_not() {
    let cl = Cl::new();
    let program = cl.build(ADD, "-cl-fast-relaxed-math").unwrap();
    let bytes = binary_of(program);
    release_program(program);
    let (program, status) = from_binary(&cl, &bytes);
    let program = program.unwrap();
    assert_eq!(status, CL_SUCCESS);
    assert_eq!(kernel_of(program, "add"), Err(CL_INVALID_PROGRAM_EXECUTABLE));
    assert_eq!(build_it(program, ""), CL_SUCCESS);
    assert_eq!(binary_of(program), bytes);
    runs(&cl, program);
    assert_eq!(compile(program, "", &[]), CL_INVALID_OPERATION);
    release_program(program);

    for len in [0, 1, 8, 40, bytes.len() / 2, bytes.len() - 1] {
        let expected = if len == 0 { CL_INVALID_VALUE } else { CL_INVALID_BINARY };
        assert_eq!(from_binary(&cl, &bytes[..len]), (Err(expected), expected));
    }
    for at in (0..bytes.len()).step_by(97) {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        assert_eq!(from_binary(&cl, &bad).0, Err(CL_INVALID_BINARY), "byte {at}");
    }

    // Of an object: it can be linked, and building links it alone.
    let object = cl.source(ADD);
    assert_eq!(compile(object, "", &[]), CL_SUCCESS);
    let (copy, _) = from_binary(&cl, &binary_of(object));
    let copy = copy.unwrap();
    let (linked, code) = link(&cl, "", &[copy]);
    assert_eq!(code, CL_SUCCESS);
    runs(&cl, linked);
    assert_eq!(build_it(copy, ""), CL_SUCCESS);
    runs(&cl, copy);
    for program in [object, copy, linked] {
        release_program(program);
    }
}

/// Launches add their machine code to the program's binary, but not to one whose size the
/// application has been told.
#[test]
fn binaries_carry_the_code_of_launches() {
    let cl = Cl::new();
    let program = cl.build(ADD, "").unwrap();
    let size = || as_sizes(program_info(program, CL_PROGRAM_BINARY_SIZES).unwrap())[0];
    let is_elf = |bytes: &[u8]| bytes.windows(4).any(|word| word == b"\x7fELF");
    let built = binary_of(program);
    assert!(!is_elf(&built));
    let told = size();
    runs(&cl, program);
    assert_eq!((size(), binary_of(program).len()), (told, told));
    let launched = binary_of(program);
    assert!(is_elf(&launched) && launched.len() > told);
    let again = from_binary(&cl, &launched).0.unwrap();
    assert_eq!(build_it(again, ""), CL_SUCCESS);
    runs(&cl, again);
    assert_eq!(binary_of(again), launched);
    release_program(again);
    release_program(program);
}

#[test]
fn binaries_check_their_arguments() {
    let cl = Cl::new();
    let bytes = [0u8; 4];
    let (lengths, binaries) = ([4usize], [memory(&bytes)]);
    let create = |context, count, devices, lengths, binaries| {
        made(|code| {
            program::clCreateProgramWithBinary(context, count, devices, lengths, binaries, Out::NULL, code)
        })
    };
    let (devices, lengths, binaries) = ([cl.device, cl.device], list(&lengths), list(&binaries));
    assert_eq!(create(NULL, 1, list(&devices), lengths, binaries), Err(CL_INVALID_CONTEXT));
    assert_eq!(create(cl.context, 0, list(&devices), lengths, binaries), Err(CL_INVALID_VALUE));
    assert_eq!(create(cl.context, 1, In::NULL, lengths, binaries), Err(CL_INVALID_VALUE));
    assert_eq!(create(cl.context, 1, list(&[NULL]), lengths, binaries), Err(CL_INVALID_DEVICE));
    assert_eq!(create(cl.context, 2, list(&devices), lengths, binaries), Err(CL_INVALID_DEVICE));
    assert_eq!(create(cl.context, 1, list(&devices), In::NULL, binaries), Err(CL_INVALID_VALUE));
    assert_eq!(create(cl.context, 1, list(&devices), lengths, In::NULL), Err(CL_INVALID_VALUE));
}

#[test]
fn remarks_are_in_the_log_if_they_are_asked_for() {
    let cl = Cl::new();
    for (options, wanted) in [("", false), ("-cl-lanewise-remarks", true)] {
        let source = "kernel void add(global int *a, int b) {\n  a[get_global_id(0)] += b;\n}";
        let program = cl.source(source);
        assert_eq!(build_it(program, options), CL_SUCCESS);
        let log = cl.log(program);
        assert_eq!(log.contains("program.cl:1: remark: add: vectorized, "), wanted, "{log}");
        assert_eq!(log.contains("program.cl:2:23: remark: add: store of int: contiguous"), wanted, "{log}");
        runs(&cl, program);
        release_program(program);
    }
}

#[test]
fn kernels_share_the_variables_of_their_program() {
    const SOURCE: &str = "
        constant int hundred = 100;
        global int count = 5;
        global int *global where = &count;
        constant int *global which = &hundred;
        global struct { char c; long2 l[3]; } record = { 'a', { 1, 2, 3 } };
        int next(void) { static global int calls = 40; return atomic_inc((volatile global int *)&calls); }
        kernel void write(int value) { *where = value + *which; record.l[1].y = value; }
        kernel void read(global long *out, local int *unused) {
            size_t i = get_global_id(0);
            out[i] = i == 0 ? count : i == 1 ? record.l[1].y : i == 2 ? record.c : i == 3 ? which == &hundred
                : where == &count;
        }
        kernel void step(global int *out) { out[get_global_id(0)] = next(); }";
    let cl = Cl::new();
    let programs = [0; 2].map(|_| cl.build(SOURCE, "-cl-std=CL3.0").unwrap());
    let mem = cl.buffer(0, 8 * 5);
    let read = |program: Handle, local: usize| {
        let kernel = kernel_of(program, "read").unwrap();
        assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
        assert_eq!(kernel::clSetKernelArg(kernel, 1, 64, Memory::NULL), CL_SUCCESS);
        assert_eq!(cl.run(kernel, &[5], Some(&[local])), CL_SUCCESS);
        release_kernel(kernel);
        cl.read::<i64>(mem, 5)
    };
    for program in programs {
        let size = as_sizes(cl.build_info(program, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE).unwrap());
        assert!((64 + 8..=64 + 8 + 32).contains(&size[0]), "{size:?}");
        assert_eq!(read(program, 1), [5, 2, 97, 1, 1]);
    }
    let write = kernel_of(programs[0], "write").unwrap();
    assert_eq!(set_arg(write, 0, 7), CL_SUCCESS);
    assert_eq!(cl.run(write, &[1], None), CL_SUCCESS);
    release_kernel(write);
    // Code compiled before the store and code compiled now see the variable's new value; another
    // program of the same source has variables of its own.
    assert_eq!(read(programs[0], 1), [107, 7, 97, 1, 1]);
    assert_eq!(read(programs[0], 5), [107, 7, 97, 1, 1]);
    assert_eq!(read(programs[1], 1), [5, 2, 97, 1, 1]);

    // A static variable of a function lives as long as the program, too.
    for expected in [40, 41, 42] {
        let step = kernel_of(programs[0], "step").unwrap();
        assert_eq!(set_arg(step, 0, mem), CL_SUCCESS);
        assert_eq!(cl.run(step, &[1], Some(&[1])), CL_SUCCESS);
        assert_eq!(cl.read::<i32>(mem, 1), [expected]);
        release_kernel(step);
    }
    // Building again initializes the variables.
    assert_eq!(build_it(programs[0], "-cl-std=CL3.0"), CL_SUCCESS);
    assert_eq!(read(programs[0], 1), [5, 2, 97, 1, 1]);
    programs.into_iter().for_each(release_program);
    release_mem(mem);
}

#[test]
fn a_source_may_be_in_any_encoding() {
    let cl = Cl::new();
    let text = b"// caf\xe9\nconstant uchar s[] = \"\xe4\xff\";\n\
        kernel void f(global uchar *a) { a[0] = s[0]; a[1] = s[1]; a[2] = sizeof(s); }\0";
    let source = std::ffi::CStr::from_bytes_with_nul(text).unwrap();
    let strings = [In::from(source)];
    for lengths in [In::NULL, list(&[text.len() - 1])] {
        let program =
            made(|code| program::clCreateProgramWithSource(cl.context, 1, list(&strings), lengths, code))
                .unwrap();
        assert_eq!(build_it(program, ""), CL_SUCCESS, "{}", cl.log(program));
        assert_eq!(program_info(program, CL_PROGRAM_SOURCE).unwrap(), text);
        let (kernel, mem) = (kernel_of(program, "f").unwrap(), cl.buffer(0, 3));
        assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
        assert_eq!(cl.run(kernel, &[1], None), CL_SUCCESS);
        assert_eq!(cl.read::<u8>(mem, 3), [0xe4, 0xff, 3]);
        release_kernel(kernel);
        release_mem(mem);
        release_program(program);
    }
    // The log quotes the line, and is text.
    let strings = [In::from(c"int x = nothing; // \xe4")];
    let program =
        made(|code| program::clCreateProgramWithSource(cl.context, 1, list(&strings), In::NULL, code))
            .unwrap();
    assert_eq!(build_it(program, ""), CL_BUILD_PROGRAM_FAILURE);
    assert!(cl.log(program).contains("int x = nothing;"), "{}", cl.log(program));
    release_program(program);
}

#[test]
fn a_work_group_that_no_device_runs_is_refused_by_name() {
    let cl = Cl::new();
    for size in ["4294967295, 1, 1", "65536, 65536, 1", "1, 1, 8192"] {
        let source = format!(
            "kernel void fine() {{}}
             kernel __attribute__((reqd_work_group_size({size}))) void large(global int *a) {{ a[0] = 1; }}"
        );
        let (code, log) = cl.build(&source, "").unwrap_err();
        assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
        let size = size.replace(", ", " x ");
        assert!(log.contains("'large'") && log.contains(&size) && log.contains("4096"), "{log}");
    }
}

#[test]
fn too_much_local_memory_is_told() {
    let (sender, messages) = mpsc::channel::<String>();
    let sender: &'static _ = Box::leak(Box::new(sender));
    let data = pointer(std::ptr::from_ref(sender).cast_mut().cast());
    let devices = [the_device()];
    let context =
        made(|code| context::clCreateContext(In::NULL, 1, list(&devices), Some(told), data, code)).unwrap();
    let queue = made(|code| queue::clCreateCommandQueue(context, devices[0], 0, code)).unwrap();
    let cl = Cl { device: devices[0], context, queue };
    let source = "kernel void large(global int *a) {
            local int x[1 << 20];
            x[a[0]] = a[1];
            barrier(CLK_LOCAL_MEM_FENCE);
            a[2] = x[a[3]];
        }";
    let has = as_u64(device_info(cl.device, CL_DEVICE_LOCAL_MEM_SIZE).unwrap()).to_string();
    let program = cl.build(source, "").unwrap();
    let log = cl.log(program);
    assert!(log.contains("'large'") && log.contains("4194304") && log.contains(&has), "{log}");
    let (kernel, mem) = (kernel_of(program, "large").unwrap(), cl.buffer(0, 16));
    assert_eq!(set_arg(kernel, 0, mem), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[1], None), CL_OUT_OF_RESOURCES);
    // Other calls that failed are told, too.
    let mut next = std::iter::from_fn(|| messages.recv_timeout(Duration::from_secs(20)).ok());
    let message = next.find(|message| message.starts_with("clEnqueueNDRangeKernel")).unwrap();
    assert!(
        message.contains("'large'") && message.contains("4194304") && message.contains(&has),
        "{message}"
    );
    release_kernel(kernel);
    release_program(program);
    assert_eq!(cl.log(cl.build(source, "-w").unwrap()), "");
}

unsafe extern "C" fn told(message: *const c_char, _: *const c_void, _: usize, data: *mut c_void) {
    // SAFETY: the driver gives a text, and the data that the context was made with.
    let (text, sender) =
        unsafe { (std::ffi::CStr::from_ptr(message), &*data.cast_const().cast::<mpsc::Sender<String>>()) };
    sender.send(text.to_str().unwrap().to_owned()).unwrap();
}
