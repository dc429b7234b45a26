//! A device that uses every hook of the compiler's interface (`engine/`), as OpenCL programs see
//! it.

mod common;
mod engine;

use common::*;
use compiler::{NdRange, NdRangeOptions, Profile};
use engine::{CODE_BYTES, COUNTERS, DUMP_OPTION, GENERATION, SUB_GROUP_OPTION};
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

/// The CPU and the engine.
fn devices() -> [Handle; 2] {
    cpu_and(engine::engine)
}

/// What a context was told.
type Told = Mutex<Vec<String>>;

unsafe extern "C" fn tell(message: *const c_char, _: *const c_void, _: usize, told: *mut c_void) {
    // SAFETY: the driver hands over a text, and what `told` is was said when the context was made.
    let (message, told) = unsafe { (CStr::from_ptr(message), &*told.cast::<Told>()) };
    told.lock().unwrap().push(message.to_string_lossy().into_owned());
}

/// A context of the engine alone, and what it is told.
fn engine_cl() -> (Cl, &'static Told) {
    let [_, device] = devices();
    let told: &'static Told = Box::leak(Box::default());
    let data = pointer(std::ptr::from_ref(told).cast_mut().cast());
    let list_of = [device];
    let context =
        made(|code| context::clCreateContext(In::NULL, 1, list(&list_of), Some(tell), data, code)).unwrap();
    let queue = made(|code| queue::clCreateCommandQueueWithProperties(context, device, In::NULL, code));
    (Cl { device, context, queue: queue.unwrap() }, told)
}

/// Runs a kernel whose only argument is a buffer of `count` integers, which are zeros at first.
fn run(cl: &Cl, kernel: Handle, count: usize, global: &[usize], local: &[usize]) -> Vec<i32> {
    let buffer = cl.buffer_of(&vec![0i32; count]);
    assert_eq!(set_arg(kernel, 0, buffer), CL_SUCCESS);
    assert_eq!(cl.run(kernel, global, Some(local)), CL_SUCCESS);
    let values = cl.read(buffer, count);
    release_mem(buffer);
    values
}

fn sub_group_info(cl: &Cl, kernel: Handle, name: cl_uint, input: &[usize]) -> Result<Vec<u8>, cl_int> {
    let (bytes, input) = (size_of_val(input), memory(input));
    query(|size, value, ret| {
        kernel::clGetKernelSubGroupInfo(kernel, cl.device, name, bytes, input, size, value, ret)
    })
}

#[test]
fn doubles_and_halves_are_errors_at_their_lines() {
    let (cl, _) = engine_cl();
    let text = as_text(device_info(cl.device, CL_DEVICE_EXTENSIONS).unwrap());
    assert!(!text.contains("cl_khr_fp64") && !text.contains("cl_khr_fp16"), "{text}");
    for config in [CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_HALF_FP_CONFIG] {
        assert_eq!(as_u64(device_info(cl.device, config).unwrap()), 0);
    }
    for ty in ["double", "half"] {
        let source = format!("kernel void k(global float *a) {{\n  {ty} x = a[0];\n  a[0] = x * x;\n}}");
        let (code, log) = cl.build(&source, "").unwrap_err();
        assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
        assert!(log.contains("program.cl:2:") && log.contains(ty), "{log}");
    }
    // The library does without them, too.
    let source = "kernel void k(global float *a) { size_t i = get_global_id(0);
        a[i] = lgamma(a[i]) + vload_half(0, (global half *)(a + 2)); }";
    let kernel = cl.kernel(source, "k", "");
    // 0x3c00 is a half's 1.
    let buffer = cl.buffer_of(&[1f32, 4.0, f32::from_bits(0x3c00)]);
    assert_eq!(set_arg(kernel, 0, buffer), CL_SUCCESS);
    assert_eq!(cl.run(kernel, &[2], Some(&[2])), CL_SUCCESS);
    let values: Vec<f32> = cl.read(buffer, 2);
    assert!((values[0] - 1.0).abs() < 1e-6 && (values[1] - (1.0 + 6f32.ln())).abs() < 1e-5, "{values:?}");
    release_kernel(kernel);
    release_mem(buffer);
}

/// No other test here copies: the counters are this test's own.
#[test]
fn the_engine_makes_the_copies_that_kernels_wait_for() {
    let (cl, _) = engine_cl();
    let count = || [&COUNTERS.engines, &COUNTERS.started, &COUNTERS.made].map(|c| c.load(Relaxed));
    assert!(engine::engine().compiler().dma_optimizable());
    // Two copies with one event and one with its own, there; one of rows, and one back.
    let source = "kernel void k(global int *a) {
        local int x[8], y[8], z[8];
        size_t l = get_local_id(0), n = 8 * get_num_groups(0);
        global int *own = a + 8 * get_group_id(0);
        x[l] = y[l] = z[l] = -1;
        barrier(CLK_LOCAL_MEM_FENCE);
        event_t both = async_work_group_copy(x, own, 4, 0);
        both = async_work_group_copy(x + 4, own + 4, 4, both);
        event_t other = async_work_group_copy(y, own + n, 8, 0);
        wait_group_events(1, &other);
        // What was not waited for is not there yet.
        bool early = x[l] != -1;
        barrier(CLK_LOCAL_MEM_FENCE);
        wait_group_events(1, &both);
        event_t rows = async_work_group_strided_copy(z, own + n, 4, 2, 0);
        wait_group_events(1, &rows);
        int sum = early ? -1000 : x[l] * 100 + y[7 - l] * 10 + z[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        event_t back = async_work_group_copy(own + 2 * n, x, 8, 0);
        wait_group_events(1, &back);
    }";
    let kernel = cl.kernel(source, "k", "");
    let (groups, n) = (3, 24);
    let first: Vec<i32> = (0..3 * n).map(|i| i * 7 % 31).collect();
    let buffer = cl.buffer_of(&first);
    assert_eq!(set_arg(kernel, 0, buffer), CL_SUCCESS);
    let before = count();
    assert_eq!(cl.run(kernel, &[n as usize], Some(&[8])), CL_SUCCESS);
    let values: Vec<i32> = cl.read(buffer, 3 * n as usize);
    let expected = (0..n as usize).map(|i| {
        let (own, l) = (i / 8 * 8, i % 8);
        let [x, y] = [first[i], first[own + n as usize + 7 - l]];
        let z = if l < 4 { first[own + n as usize + 2 * l] } else { -1 };
        x * 100 + y * 10 + z
    });
    assert_eq!(values[2 * n as usize..], expected.collect::<Vec<_>>());
    let did: Vec<usize> = count().iter().zip(before).map(|(now, then)| now - then).collect();
    assert_eq!(did, [groups, 4 * groups, 4 * groups]);
    // A kernel without copies says so in its binary, and is given no engine.
    let before = count();
    let plain = cl.kernel("kernel void k(global int *a) { a[get_global_id(0)] = 1; }", "k", "");
    assert_eq!(run(&cl, plain, 8, &[8], &[4]), [1; 8]);
    assert_eq!(count(), before);
    release_kernel(plain);
    release_kernel(kernel);
    release_mem(buffer);
}

#[test]
fn sub_groups_are_those_of_the_device() {
    let (cl, _) = engine_cl();
    let source = "kernel void k(global int *a) {
        size_t i = get_global_linear_id(), n = get_global_size(0) * get_global_size(1);
        int v = i * 5 % 17;
        a[i] = get_sub_group_size();
        a[n + i] = get_sub_group_id() * 100 + get_sub_group_local_id();
        a[2 * n + i] = get_num_sub_groups() * 100 + get_max_sub_group_size();
        a[3 * n + i] = sub_group_reduce_add(v);
        a[4 * n + i] = sub_group_broadcast(v, 1) * 100 + sub_group_scan_exclusive_add(v);
        // Sub-groups go their own ways.
        if (get_sub_group_id() == 1)
            a[5 * n + i] = sub_group_reduce_max(v) * 10 + sub_group_all(v < 17) + sub_group_any(v == 99);
    }";
    for (options, size) in [("", 4), ("=2", 2), ("=8", 8), (" 8", 8)] {
        let options = if options.is_empty() { String::new() } else { format!("{SUB_GROUP_OPTION}{options}") };
        let kernel = cl.kernel(source, "k", &format!("-cl-std=CL3.0 {options}"));
        for (global, local) in [([24, 1], [12, 1]), ([12, 2], [6, 2]), ([32, 1], [16, 1]), ([8, 1], [8, 1])] {
            let (n, items) = (global[0] * global[1], local[0] * local[1]);
            let values = run(&cl, kernel, 6 * n, &global, &local);
            let value = |i: usize| (i * 5 % 17) as i32;
            for i in 0..n {
                // Work-items of a work-group are numbered row by row, and so are those of its
                // sub-groups.
                let (x, y) = (i % global[0], i / global[0]);
                let (gx, gy) = (x / local[0] * local[0], y / local[1] * local[1]);
                let own = (y - gy) * local[0] + x - gx;
                let global_of = |l: usize| (gy + l / local[0]) * global[0] + gx + l % local[0];
                let first = own / size * size;
                let all: Vec<i32> = (first..(first + size).min(items)).map(|l| value(global_of(l))).collect();
                let [id, lane] = [own / size, own % size];
                let seen = [0, 1, 2, 3, 4, 5].map(|part| values[part * n + i]);
                let max = if id == 1 { all.iter().max().unwrap() * 10 + 1 } else { 0 };
                let expected = [
                    all.len() as i32,
                    (id * 100 + lane) as i32,
                    (items.div_ceil(size) * 100 + size) as i32,
                    all.iter().sum(),
                    all[1] * 100 + all[..lane].iter().sum::<i32>(),
                    max,
                ];
                assert_eq!(seen, expected, "work-item {i} of {global:?} by {local:?}, sub-groups of {size}");
            }
            let ask = |name| as_u64(sub_group_info(&cl, kernel, name, &local).unwrap()) as usize;
            assert_eq!(ask(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE), size);
            assert_eq!(ask(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE), items.div_ceil(size));
        }
        let most = sub_group_info(&cl, kernel, CL_KERNEL_MAX_NUM_SUB_GROUPS, &[]).unwrap();
        assert_eq!(as_u64(most) as usize, 32 / size);
        let local = sub_group_info(&cl, kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[3]).unwrap();
        assert_eq!(as_sizes(local)[0], 3 * size);
        release_kernel(kernel);
    }
}

#[test]
fn the_wrapper_asks_the_device_for_local_ids() {
    let (cl, _) = engine_cl();
    let source = "kernel void k(global int *a) {
        a[get_global_linear_id()] =
            get_local_id(0) + 10 * get_local_id(1) + 100 * get_group_id(0) + 1000 * get_local_size(0);
    }";
    let kernel = cl.kernel(source, "k", "-cl-std=CL3.0");
    // The last work-group of a row is smaller.
    let values = run(&cl, kernel, 7 * 4, &[7, 4], &[4, 2]);
    let expected = (0..28).map(|i| {
        let (x, y) = (i % 7, i / 7);
        x % 4 + 10 * (y % 2) + 100 * (x / 4) + 1000 * if x < 4 { 4 } else { 3 }
    });
    assert_eq!(values, expected.collect::<Vec<i32>>());
    release_kernel(kernel);
}

#[test]
fn options_of_the_device_are_checked() {
    let (cl, _) = engine_cl();
    let source = "kernel void k(global int *a) { *a = get_max_sub_group_size(); }";
    for wrong in ["=3", "=banana", " 16", ""] {
        let (code, log) = cl.build(source, &format!("{SUB_GROUP_OPTION}{wrong}")).unwrap_err();
        assert_eq!(code, CL_INVALID_BUILD_OPTIONS, "{wrong}");
        assert!(log.contains(SUB_GROUP_OPTION), "{wrong}: {log}");
    }
    // The option reaches the passes of the finalize stage, too.
    let required = format!("__attribute__((intel_reqd_sub_group_size(8))) {source}");
    let (code, log) = cl.build(&required, "-cl-std=CL3.0").unwrap_err();
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log.contains("mark-sub-groups: in function 'k': it requires sub-groups of 8"), "{log}");
    let kernel = cl.kernel(&required, "k", &format!("-cl-std=CL3.0 {SUB_GROUP_OPTION}=8"));
    assert_eq!(run(&cl, kernel, 1, &[8], &[8]), [8]);
    release_kernel(kernel);
}

#[test]
fn the_front_end_knows_a_function_of_the_device() {
    let (cl, _) = engine_cl();
    let source = "uint engine_generation(void);
        kernel void k(global int *a) { a[get_global_id(0)] = engine_generation() * 10 + get_global_id(0); }";
    let directory = std::env::temp_dir().join(format!("lanewise-engine-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let kernel = cl.kernel(source, "k", &format!("{DUMP_OPTION}={}", directory.display()));
    let of = |i: u32| (GENERATION * 10 + i) as i32;
    assert_eq!(run(&cl, kernel, 2, &[2], &[1]), [of(0), of(1)]);
    release_kernel(kernel);
    // What the machinery for the front end was asked to write, and nothing of other stages.
    let mut files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let text: Vec<_> = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    std::fs::remove_dir_all(&directory).unwrap();
    let [before, after] = &text[..] else { panic!("{files:?}") };
    assert!(before.contains("call spir_func i32 @engine_generation()"), "{before}");
    assert!(after.contains("fold-generation") && !after.contains("call spir_func i32 @engine_generation"));
    // Other devices do not know it.
    let cpu = Cl::new();
    let (code, log) = cpu.build(source, "").unwrap_err();
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log.contains("engine_generation"), "{log}");
}

#[test]
fn kernels_are_compiled_for_what_they_are_launched_with() {
    devices();
    let target = engine::engine().compiler().target(None).unwrap();
    let mut module = target.create_module().unwrap();
    module.set_options(&format!("{SUB_GROUP_OPTION}=8")).unwrap();
    let source = "kernel void k(global uint *a) { a[get_global_id(0)] = get_local_size(0); }";
    module.compile_opencl_c(Profile::Full, "k.cl", source, &[]).unwrap();
    module.finalize().unwrap();
    let jit = Arc::new(jit::Jit::new());
    let program = jit::Program::new(jit.clone(), engine::engine(), module);
    let kernel = program.kernel("k").unwrap();
    let of_compiler = kernel.compiler().unwrap();
    // `getDynamicWorkWidth`: the size of sub-groups, which `finalize` noted, or all work-items.
    assert_eq!(of_compiler.get_dynamic_work_width([16, 1, 1]), Ok(8));
    assert_eq!(of_compiler.get_dynamic_work_width([3, 1, 1]), Ok(3));
    assert_eq!(kernel.work_width(), Ok(8));
    // What is made for a question about a local size is there when it is launched.
    let compilations =
        || of_compiler.report().times.iter().filter(|(step, _)| step == "generate code").count();
    assert_eq!(compilations(), 0);
    assert_eq!(of_compiler.query_sub_group_size_for_local_size([16, 1, 1]), Ok(8));
    assert_eq!(compilations(), 1);
    let range = NdRange::new(&[32], &[16]);
    let code = kernel.wait_for_code(&range).unwrap();
    assert_eq!((compilations(), code.facts().local_size), (1, Some([16, 1, 1])));
    assert_eq!(code.facts().extra, [0]);
    // `createSpecializedKernel`: another local size is other code.
    let binary =
        of_compiler.create_specialized_kernel(&NdRangeOptions::from(&NdRange::new(&[8], &[4]))).unwrap();
    assert_eq!(compilations(), 2);
    // SAFETY: the compiler made it just now.
    let loaded = unsafe { jit::load_binary(&jit, engine::engine(), &binary) }.unwrap();
    let code = loaded[0].wait_for_code(&range).unwrap();
    assert_eq!((code.facts().local_size, code.facts().work_width), (Some([4, 1, 1]), 8));
}

#[test]
fn variants_of_a_kernel_share_the_variables_of_its_program() {
    let (cl, _) = engine_cl();
    let source = "global atomic_int next = 5;
        kernel void k(global int *a) {
            a[get_global_id(0)] = get_local_size(0) * 1000 + atomic_fetch_add(&next, 1);
        }";
    let kernel = cl.kernel(source, "k", "-cl-std=CL3.0");
    let name = CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE;
    let ask = |size, value, ret| kernel::clGetKernelWorkGroupInfo(kernel, cl.device, name, size, value, ret);
    // No launch made code yet: the compiler is asked.
    assert_eq!(as_u64(query(ask).unwrap()), 4);
    for (launch, local) in [1usize, 2, 3, 6, 12].into_iter().enumerate() {
        let mut values = run(&cl, kernel, 12, &[12], &[local]);
        values.sort_unstable();
        let first = (local * 1000 + 5 + 12 * launch) as i32;
        assert_eq!(values, (first..first + 12).collect::<Vec<_>>(), "local size {local}");
    }
    release_kernel(kernel);
}

/// The compiler told of a failure in a message with these parts, and then the call that failed.
fn is_told(messages: &[String], parts: &[&str]) {
    let [compiler, call] = messages else { panic!("{messages:?}") };
    parts.iter().for_each(|part| assert!(compiler.contains(part), "{part}: {compiler}"));
    assert!(call.starts_with("clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES"), "{call}");
}

#[test]
fn the_callback_hears_of_failures_at_launch() {
    let (cl, told) = engine_cl();
    let buffer = cl.buffer_of(&[0i32; 8]);
    let launch = |kernel| {
        assert_eq!(set_arg(kernel, 0, buffer), CL_SUCCESS);
        let code = cl.run(kernel, &[8], Some(&[8]));
        release_kernel(kernel);
        (code, std::mem::take(&mut *told.lock().unwrap()))
    };
    // A builtin that the device does not define.
    let source = "kernel void whole_group(global int *a) {\n  a[0] = work_group_reduce_add(a[1]);\n}";
    let kernel = cl.kernel(source, "whole_group", "-cl-std=CL3.0");
    assert_eq!(*told.lock().unwrap(), [""; 0], "the build went well");
    let (code, messages) = launch(kernel);
    assert_eq!(code, CL_OUT_OF_RESOURCES);
    is_told(&messages, &["kernel 'whole_group'", "does not define '__mux_work_group_reduce_add"]);
    // Code that the device has no room for.
    let source = format!(
        "constant int table[{}] = {{ 3, 1, 4 }};
        kernel void large(global int *a) {{ a[0] = table[a[1] & 3]; }}",
        CODE_BYTES / 4
    );
    let (code, messages) = launch(cl.kernel(&source, "large", ""));
    assert_eq!(code, CL_OUT_OF_RESOURCES);
    is_told(&messages, &["kernel 'large'", "bytes of code are more than the 65536 of the engine"]);
    release_mem(buffer);
}

#[test]
fn a_device_without_images_says_so() {
    let (cl, _) = engine_cl();
    let no = Memory::NULL;
    let (format, zero, one) = ([ClImageFormat { order: CL_RGBA, data_type: CL_FLOAT }], [[0; 3]], [[1; 3]]);
    let make = |context| made(|code| image::clCreateImage2D(context, 0, list(&format), 1, 1, 0, no, code));
    assert_eq!(make(cl.context), Err(CL_INVALID_OPERATION));
    let sampler =
        |addressing| made(|code| sampler::clCreateSampler(cl.context, 0, addressing, CL_FILTER_LINEAR, code));
    assert_eq!(sampler(CL_ADDRESS_CLAMP), Err(CL_INVALID_OPERATION));
    assert_eq!(sampler(0), Err(CL_INVALID_VALUE));
    let (mut count, d2) = (9, CL_MEM_OBJECT_IMAGE2D);
    let formats = image::clGetSupportedImageFormats;
    assert_eq!(formats(cl.context, 0, d2, 0, Out::NULL, (&mut count).into()), CL_SUCCESS);
    assert_eq!(count, 0);
    for name in [CL_DEVICE_IMAGE_SUPPORT, CL_DEVICE_MAX_SAMPLERS, CL_DEVICE_IMAGE_PITCH_ALIGNMENT] {
        assert_eq!(as_u32(device_info(cl.device, name).unwrap()), 0);
    }
    assert_eq!(as_u64(device_info(cl.device, CL_DEVICE_IMAGE2D_MAX_WIDTH).unwrap()), 0);

    // Beside a device that has images, there are some, which only that one can use.
    let both = devices();
    let context = made(|code| context::clCreateContext(In::NULL, 2, list(&both), None, no, code)).unwrap();
    let mem = make(context).unwrap();
    let fill = |device, expected| {
        let queue = made(|code| queue::clCreateCommandQueueWithProperties(context, device, In::NULL, code));
        let (queue, colour) = (queue.unwrap(), memory(&[0.5f32; 4]));
        let (at, size) = (list(&zero), list(&one));
        let fill = image_transfer::clEnqueueFillImage;
        assert_eq!(fill(queue, mem, colour, at, size, 0, In::NULL, Out::NULL), expected);
        assert_eq!(queue::clFinish(queue), CL_SUCCESS);
        queue::clReleaseCommandQueue(queue);
    };
    fill(both[0], CL_SUCCESS);
    fill(both[1], CL_INVALID_OPERATION);
    release_mem(mem);
    context::clReleaseContext(context);
}
