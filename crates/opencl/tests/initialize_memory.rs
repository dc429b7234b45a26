//! `cl_khr_initialize_memory`: contexts whose kernels find zeros in memory that they have not
//! written.

mod common;

use common::*;

const KEY: isize = CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize;
const LOCAL: u64 = CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR;
const PRIVATE: u64 = CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;

fn context_with(properties: &[isize]) -> Result<Handle, cl_int> {
    let devices = [the_device()];
    made(|code| context::clCreateContext(list(properties), 1, list(&devices), None, Memory::NULL, code))
}

fn new_cl(memory: u64) -> Cl {
    let (device, context) = (the_device(), context_with(&[KEY, memory as isize, 0]).unwrap());
    let queue = made(|code| queue::clCreateCommandQueue(context, device, 0, code)).unwrap();
    Cl { device, context, queue }
}

/// Sums what is in memory before it is written; then writes all of it. Indices are not known to the
/// compiler.
const SOURCE: &str = "
    kernel void locals(global int *out, local int *given, int n) {
        local int own[256];
        local struct { char c; double d; } odd[16];
        int l = get_local_id(0), sum = 0;
        for (int i = l; i < 256; i += get_local_size(0)) sum += own[i] != 0 || given[i % n] != 0;
        for (int i = 0; i < 16; i++) sum += odd[i].d != 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = l; i < 256; i += get_local_size(0)) own[i] = given[i % n] = i + 1;
        odd[l % 16].d = 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = sum + (own[(l + 1) % 256] == 0);
    }
    int helper(int at, int value) {
        int inner[32];
        int before = inner[at % 32];
        inner[(at + 1) % 32] = value;
        return before + (inner[at % 32] != 0);
    }
    kernel void privates(global int *out, int n) {
        int own[64], single;
        float4 vector;
        struct { int a; long b; } pair;
        int sum = helper(n, 7) + helper(n + 3, 8) + single + (int)vector.y + (int)pair.b;
        for (int i = 0; i < n; i++) {
            sum += own[(i * 7) % 64];
        }
        for (int i = 0; i < n; i++) own[(i * 5 + n) % 64] = i + 1;
        out[get_global_id(0)] = sum + (own[(n + 5) % 64] == 0);
    }
    kernel void dirty(global int *out, local int *given, int n) {
        local int more[2048];
        for (int i = get_local_id(0); i < n; i += get_local_size(0)) given[i] = more[i] = -1;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = given[n - 1] + more[n - 1];
    }";

#[test]
fn kernels_find_zeros() {
    assert!(has_extension("cl_khr_initialize_memory"));
    let cl = new_cl(LOCAL | PRIVATE);
    let out = cl.buffer_of(&[-1i32; 512]);
    for options in ["", "-cl-std=CL3.0", "-cl-opt-disable", "-cl-wfv=never", "-cl-wfv=always"] {
        let program = cl.build(SOURCE, options).unwrap_or_else(|(code, log)| panic!("{code}: {log}"));
        let [locals, privates, dirty] =
            ["locals", "privates", "dirty"].map(|name| kernel_of(program, name).unwrap());
        for local in [64, 48] {
            assert_eq!((set_arg(dirty, 0, out), set_arg(dirty, 2, 2048i32)), (CL_SUCCESS, CL_SUCCESS));
            assert_eq!(kernel::clSetKernelArg(dirty, 1, 8192, Memory::NULL), CL_SUCCESS);
            assert_eq!(cl.run(dirty, &[local * 8], Some(&[local])), CL_SUCCESS);
            assert_eq!((set_arg(locals, 0, out), set_arg(locals, 2, 100i32)), (CL_SUCCESS, CL_SUCCESS));
            assert_eq!(kernel::clSetKernelArg(locals, 1, 400, Memory::NULL), CL_SUCCESS);
            assert_eq!(cl.run(locals, &[local * 8], Some(&[local])), CL_SUCCESS);
            assert_eq!(cl.read::<i32>(out, local * 8), vec![0; local * 8], "local memory, {options}");
            assert_eq!((set_arg(privates, 0, out), set_arg(privates, 1, 64i32)), (CL_SUCCESS, CL_SUCCESS));
            assert_eq!(cl.run(privates, &[local * 8], Some(&[local])), CL_SUCCESS);
            assert_eq!(cl.read::<i32>(out, local * 8), vec![0; local * 8], "private memory, {options}");
        }
        [locals, privates, dirty].into_iter().for_each(release_kernel);
        release_program(program);
    }
    release_mem(out);
}

#[test]
fn the_property_is_checked_and_told() {
    for (properties, code) in
        [(&[KEY, 4, 0][..], CL_INVALID_PROPERTY), (&[KEY, 1, KEY, 1, 0], CL_INVALID_PROPERTY)]
    {
        assert_eq!(context_with(properties), Err(code));
    }
    let properties = [KEY, 3, 0];
    let context = context_with(&properties).unwrap();
    let name = CL_CONTEXT_PROPERTIES;
    let told = query(|size, value, ret| context::clGetContextInfo(context, name, size, value, ret));
    assert_eq!(as_sizes(told.unwrap()), properties.map(|word| word as usize));
    assert_eq!(context::clReleaseContext(context), CL_SUCCESS);
    // The program's options stay what the program gave.
    let cl = new_cl(PRIVATE);
    let program = cl.build("kernel void k(global int *p) { *p = 1; }", "-DX=1").unwrap();
    let options = as_text(cl.build_info(program, CL_PROGRAM_BUILD_OPTIONS).unwrap());
    assert_eq!(options, "-DX=1");
    release_program(program);
}

/// Code that was made without zeros is not run in a context that promises them.
#[test]
fn binaries_of_other_contexts_are_refused() {
    let plain = Cl::new();
    let both = new_cl(LOCAL | PRIVATE);
    let local = new_cl(LOCAL);
    let source = "kernel void k(global int *p) { int x[2]; *p = x[*p]; }";
    let binary = |cl: &Cl| {
        let program = cl.build(source, "").unwrap();
        let bytes = binary_of(program);
        release_program(program);
        bytes
    };
    let refused = (Err(CL_INVALID_BINARY), CL_INVALID_BINARY);
    assert_eq!(from_binary(&both, &binary(&plain)), refused);
    assert_eq!(from_binary(&both, &binary(&local)), refused);
    for cl in [&plain, &local, &both] {
        let (program, status) = from_binary(cl, &binary(&both));
        assert_eq!(status, CL_SUCCESS);
        release_program(program.unwrap());
    }
}
