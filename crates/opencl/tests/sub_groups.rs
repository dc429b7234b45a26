//! Sub-groups and work-group functions through the API.

mod common;

use common::*;

const SOURCE: &str = "
    kernel void k(global uint *out) {
        global uint *own = out + 4 * get_global_linear_id();
        own[0] = get_max_sub_group_size();
        own[1] = get_num_sub_groups();
        own[2] = sub_group_reduce_add(1u);
        own[3] = work_group_reduce_add(1u);
    }
    kernel __attribute__((intel_reqd_sub_group_size(8))) void eight(global uint *out) {
        out[get_global_id(0)] = get_max_sub_group_size();
    }
    kernel __attribute__((reqd_work_group_size(24, 1, 1))) void fixed(global uint *out) {
        out[get_global_id(0)] = get_sub_group_id();
    }";

fn ask(
    kernel: Handle,
    device: Handle,
    name: cl_uint,
    input: &[usize],
    answers: usize,
) -> Result<Vec<usize>, cl_int> {
    let bytes = answers * size_of::<usize>();
    let mut found = vec![0u8; bytes];
    let mut written = 0usize;
    let code = kernel::clGetKernelSubGroupInfo(
        kernel,
        device,
        name,
        std::mem::size_of_val(input),
        if input.is_empty() { Memory::NULL } else { memory(input) },
        bytes,
        found.as_mut_slice().into(),
        (&mut written).into(),
    );
    if code != CL_SUCCESS {
        return Err(code);
    }
    assert_eq!(written, bytes);
    Ok(as_sizes(found))
}

#[test]
fn what_a_kernel_says_of_its_sub_groups_is_what_it_finds() {
    let cl = Cl::new();
    let program = cl.build(SOURCE, "-cl-std=CL3.0").unwrap();
    let k = kernel_of(program, "k").unwrap();
    for local in [vec![1], vec![7], vec![32], vec![100], vec![6, 5], vec![4, 3, 2]] {
        let items: usize = local.iter().product();
        let size = ask(k, cl.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &local, 1).unwrap()[0];
        let count = ask(k, cl.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &local, 1).unwrap()[0];
        assert_eq!(count, items.div_ceil(size), "{local:?}");
        let out = cl.buffer(CL_MEM_READ_WRITE, 16 * items);
        assert_eq!(set_arg(k, 0, out), CL_SUCCESS);
        assert_eq!(cl.run(k, &local, Some(&local)), CL_SUCCESS);
        cl.finish();
        for (i, own) in cl.read::<u32>(out, 4 * items).chunks(4).enumerate() {
            let members = size.min(items - i / size * size);
            let want = [size, count, members, items].map(|v| v as u32);
            assert_eq!(own, want, "{local:?} {i}");
        }
    }
    let most = ask(k, cl.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, &[], 1).unwrap()[0];
    assert!(
        most >= 1 && most <= as_u32(device_info(cl.device, CL_DEVICE_MAX_NUM_SUB_GROUPS).unwrap()) as usize
    );
    for count in [1, 3, most] {
        for dims in 1..=3 {
            let local = ask(k, cl.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[count], dims).unwrap();
            assert!(local[1..].iter().all(|d| *d == 1), "{local:?}");
            let found = ask(k, cl.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &local, 1).unwrap();
            assert_eq!(found, [count]);
        }
    }
    assert_eq!(ask(k, cl.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[most + 1], 1), Ok(vec![0]));
    assert_eq!(ask(k, cl.device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, &[], 1), Ok(vec![0]));
    assert_eq!(ask(k, cl.device, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, &[], 1), Ok(vec![0]));
}

#[test]
fn required_sizes_are_told_and_kept() {
    let cl = Cl::new();
    let program = cl.build(SOURCE, "-cl-std=CL3.0").unwrap();
    let eight = kernel_of(program, "eight").unwrap();
    assert_eq!(ask(eight, NULL, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, &[], 1), Ok(vec![8]));
    assert_eq!(ask(eight, NULL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &[64], 1), Ok(vec![8]));
    let bytes = device_info(cl.device, CL_DEVICE_SUB_GROUP_SIZES_INTEL).unwrap();
    assert!(as_sizes(bytes).contains(&8));
    // Other sizes are refused when the program is built.
    let (code, log) = cl.build(&SOURCE.replace("size(8)", "size(5)"), "-cl-std=CL3.0").unwrap_err();
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log.contains("kernel 'eight' requires sub-groups of 5"), "{log}");
    let out = cl.buffer(CL_MEM_READ_WRITE, 64 * 4);
    assert_eq!(set_arg(eight, 0, out), CL_SUCCESS);
    assert_eq!(cl.run(eight, &[64], Some(&[32])), CL_SUCCESS);
    cl.finish();
    assert_eq!(cl.read::<u32>(out, 64), [8; 64]);
    let fixed = kernel_of(program, "fixed").unwrap();
    let size = ask(fixed, NULL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &[24], 1).unwrap()[0];
    assert_eq!(ask(fixed, NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, &[], 1), Ok(vec![24usize.div_ceil(size)]));
}

#[test]
fn wrong_questions_are_refused() {
    let cl = Cl::new();
    let k = cl.kernel(SOURCE, "k", "-cl-std=CL3.0");
    let sizes = [CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE];
    for name in sizes {
        for wrong in [&[][..], &[0], &[4, 0], &[1, 1, 1, 1], &[1 << 20]] {
            assert_eq!(ask(k, cl.device, name, wrong, 1), Err(CL_INVALID_VALUE), "{wrong:?}");
        }
        assert_eq!(ask(k, cl.device, name, &[8], 0), Err(CL_INVALID_VALUE));
    }
    assert_eq!(ask(k, cl.device, 0x999, &[8], 1), Err(CL_INVALID_VALUE));
    assert_eq!(ask(k, cl.queue, CL_KERNEL_MAX_NUM_SUB_GROUPS, &[], 1), Err(CL_INVALID_DEVICE));
    assert_eq!(ask(NULL, cl.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, &[], 1), Err(CL_INVALID_KERNEL));
    assert_eq!(as_u32(device_info(cl.device, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT).unwrap()), 1);
}

#[test]
fn the_size_of_an_input_is_checked_before_it_is_read() {
    let cl = Cl::new();
    let k = cl.kernel(SOURCE, "k", "-cl-std=CL3.0");
    let input = [8usize];
    let ask = |name, bytes| {
        let mut answer = [0u8; 8];
        let (place, room) = (answer.as_mut_slice().into(), size_of_val(&answer));
        kernel::clGetKernelSubGroupInfo(k, cl.device, name, bytes, memory(&input), room, place, Out::NULL)
    };
    for bytes in [1 << 32, 1 << 63, usize::MAX, 4, 0] {
        for name in [
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
            CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
        ] {
            assert_eq!(ask(name, bytes), CL_INVALID_VALUE, "{bytes} bytes for {name:#x}");
        }
        // These queries take no input: its pointer and size are ignored.
        assert_eq!(ask(CL_KERNEL_MAX_NUM_SUB_GROUPS, bytes), CL_SUCCESS, "{bytes}");
    }
    release_kernel(k);
}

#[test]
fn sub_groups_make_progress_independently() {
    let cl = Cl::new();
    let progress = device_info(cl.device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS).unwrap();
    assert_eq!(as_u32(progress), 1);
    let source = "#pragma OPENCL EXTENSION cl_khr_subgroups : enable
        kernel void backwards(global atomic_int *turn, global uint *out) {
            uint after = get_num_sub_groups() - 1 - get_sub_group_id();
            while (atomic_load(turn) != after) {}
            out[get_global_id(0)] = after;
            sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
            if (get_sub_group_local_id() == 0) atomic_fetch_add(turn, 1);
        }";
    for standard in ["CL2.0", "CL3.0"] {
        let kernel = cl.kernel(source, "backwards", &format!("-cl-std={standard}"));
        let size = ask(kernel, cl.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &[200], 1).unwrap()[0];
        let turn = cl.buffer_of(&[0u32]);
        let out = cl.buffer(CL_MEM_READ_WRITE, 200 * 4);
        assert_eq!([set_arg(kernel, 0, turn), set_arg(kernel, 1, out)], [CL_SUCCESS; 2]);
        assert_eq!(cl.run(kernel, &[200], Some(&[200])), CL_SUCCESS);
        cl.finish();
        let count = 200usize.div_ceil(size);
        let want: Vec<u32> = (0..200).map(|i| (count - 1 - i / size) as u32).collect();
        assert!(count > 1);
        assert_eq!(cl.read::<u32>(out, 200), want);
    }
}
