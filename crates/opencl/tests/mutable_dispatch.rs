//! `cl_khr_command_buffer_mutable_dispatch`: launches that are changed after they were recorded.

mod common;

use command_buffer as cb;
use common::*;
use mutable_command::{ClDispatchArg, ClDispatchConfig};

const FLAGS: u64 = CL_COMMAND_BUFFER_FLAGS_KHR as u64;
const FIELDS: u64 = CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR as u64;
const ASSERTS: u64 = CL_MUTABLE_DISPATCH_ASSERTS_KHR as u64;
const NO_MORE: u64 = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;

/// Writes the IDs of a work-item and `n`.
const SOURCE: &str = "kernel void ids(global ulong *out, int n) {
        out[get_global_id(0) - get_global_offset(0)] =
            get_global_id(0) | get_local_size(0) << 16 | (ulong)n << 32;
    }";

fn mutable_buffer(cl: &Cl) -> Handle {
    let properties = [FLAGS, CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
    made(|code| cb::clCreateCommandBufferKHR(1, list(&[cl.queue]), list(&properties), code)).unwrap()
}

/// Records a launch in one dimension; its handle.
fn record(
    buffer: Handle,
    kernel: Handle,
    properties: &[u64],
    global: usize,
    local: Option<usize>,
) -> Result<Handle, cl_int> {
    let (global, local) = ([global], local.map(|local| [local]));
    let local = local.as_ref().map_or(In::NULL, |local| list(local));
    let properties = if properties.is_empty() { In::NULL } else { list(properties) };
    made(|code| {
        let mut handle = NULL;
        code.put(cb::clCommandNDRangeKernelKHR(
            buffer,
            NULL,
            properties,
            kernel,
            1,
            In::NULL,
            list(&global),
            local,
            0,
            In::NULL,
            Out::NULL,
            (&mut handle).into(),
        ));
        handle
    })
}

fn no_change(command: Handle) -> ClDispatchConfig {
    ClDispatchConfig {
        command,
        num_args: 0,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: In::NULL,
        arg_svm_list: In::NULL,
        exec_info_list: In::NULL,
        global_work_offset: In::NULL,
        global_work_size: In::NULL,
        local_work_size: In::NULL,
    }
}

fn update(buffer: Handle, configs: &[ClDispatchConfig]) -> cl_int {
    let types = vec![CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; configs.len()];
    let places: Vec<Memory> = configs.iter().map(|config| memory(std::slice::from_ref(config))).collect();
    let update = mutable_command::clUpdateMutableCommandsKHR;
    update(buffer, configs.len() as cl_uint, list(&types), list(&places))
}

fn arg<T>(index: cl_uint, value: &[T; 1]) -> ClDispatchArg {
    ClDispatchArg { index, size: size_of::<T>(), value: memory(value) }
}

fn enqueue(buffer: Handle) -> cl_int {
    cb::clEnqueueCommandBufferKHR(0, In::NULL, buffer, 0, In::NULL, Out::NULL)
}

fn state(buffer: Handle) -> u32 {
    let name = CL_COMMAND_BUFFER_STATE_KHR;
    as_u32(query(|size, value, ret| cb::clGetCommandBufferInfoKHR(buffer, name, size, value, ret)).unwrap())
}

fn info(command: Handle, name: cl_uint) -> Result<Vec<u8>, cl_int> {
    query(|size, value, ret| mutable_command::clGetMutableCommandInfoKHR(command, name, size, value, ret))
}

fn ids(range: std::ops::Range<u64>, local: u64, n: u64) -> Vec<u64> {
    range.map(|id| id | local << 16 | n << 32).collect()
}

#[test]
fn launches_change_between_enqueues() {
    let fields = device_info(the_device(), CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR).unwrap();
    assert!(has_extension("cl_khr_command_buffer_mutable_dispatch") && as_u64(fields) == 0x1f);
    let cl = Cl::new();
    let kernel = cl.kernel(SOURCE, "ids", "-cl-std=CL3.0");
    let (a, b) = (cl.buffer_of(&[0u64; 64]), cl.buffer_of(&[0u64; 64]));
    assert_eq!((set_arg(kernel, 0, a), set_arg(kernel, 1, 1i32)), (CL_SUCCESS, CL_SUCCESS));
    let buffer = mutable_buffer(&cl);
    let command = record(buffer, kernel, &[], 32, Some(8)).unwrap();
    assert_eq!(update(buffer, &[no_change(command)]), CL_INVALID_OPERATION, "it is being recorded");
    assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);
    assert_eq!(enqueue(buffer), CL_SUCCESS);
    cl.finish();
    assert_eq!(cl.read::<u64>(a, 32), ids(0..32, 8, 1));

    // The number, then the buffer, then the sizes, each keeping what was there.
    let n = [2i32];
    let args = [arg(1, &n)];
    let new_n = ClDispatchConfig { num_args: 1, arg_list: list(&args), ..no_change(command) };
    assert_eq!((update(buffer, &[new_n]), enqueue(buffer)), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(cl.read::<u64>(a, 32), ids(0..32, 8, 2));
    let to = [b];
    let args = [arg(0, &to)];
    let new_to = ClDispatchConfig { num_args: 1, arg_list: list(&args), ..no_change(command) };
    assert_eq!((update(buffer, &[new_to]), enqueue(buffer)), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(cl.read::<u64>(b, 32), ids(0..32, 8, 2));
    let (offset, global, local) = ([100usize], [64usize], [16usize]);
    let sizes = ClDispatchConfig {
        work_dim: 1,
        global_work_offset: list(&offset),
        global_work_size: list(&global),
        local_work_size: list(&local),
        ..no_change(command)
    };
    assert_eq!((update(buffer, &[sizes]), enqueue(buffer)), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(cl.read::<u64>(b, 64), ids(100..164, 16, 2));
    let told = |name| as_sizes(info(command, name).unwrap());
    assert_eq!(told(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), offset);
    assert_eq!(told(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), global);
    assert_eq!(told(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), local);

    // Two changes of one launch at once, with memory of the program's.
    let mut own = vec![0u64; 64];
    let svm = [ClDispatchArg { index: 0, size: 0, value: memory_mut(&mut own) }];
    let n = [3i32];
    let args = [arg(1, &n)];
    let first = ClDispatchConfig { num_svm_args: 1, arg_svm_list: list(&svm), ..no_change(command) };
    let second = ClDispatchConfig { num_args: 1, arg_list: list(&args), ..no_change(command) };
    assert_eq!((update(buffer, &[first, second]), enqueue(buffer)), (CL_SUCCESS, CL_SUCCESS));
    cl.finish();
    assert_eq!(own, ids(100..164, 16, 3));
    // The kernel itself did not change.
    assert_eq!(cl.run(kernel, &[32], Some(&[8])), CL_SUCCESS);
    assert_eq!(cl.read::<u64>(a, 32), ids(0..32, 8, 1));
    assert_eq!(cb::clReleaseCommandBufferKHR(buffer), CL_SUCCESS);
    assert_eq!(info(command, CL_MUTABLE_DISPATCH_KERNEL_KHR), Err(CL_INVALID_MUTABLE_COMMAND_KHR));
    [a, b].into_iter().for_each(release_mem);
    release_kernel(kernel);
}

/// A change while an enqueued command buffer waits is for the next one.
#[test]
fn what_was_enqueued_stays_as_it_was() {
    let cl = Cl::with_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let kernel = cl.kernel(SOURCE, "ids", "");
    let mems: Vec<Handle> = (0..10).map(|_| cl.buffer_of(&[0u64; 16])).collect();
    assert_eq!((set_arg(kernel, 0, mems[0]), set_arg(kernel, 1, 0i32)), (CL_SUCCESS, CL_SUCCESS));
    let buffer = mutable_buffer(&cl);
    let command = record(buffer, kernel, &[], 16, Some(16)).unwrap();
    assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);
    let gate = user_event(&cl);
    for (i, mem) in mems.iter().enumerate() {
        let (to, n) = ([*mem], [i as i32]);
        let args = [arg(0, &to), arg(1, &n)];
        let config = ClDispatchConfig { num_args: 2, arg_list: list(&args), ..no_change(command) };
        assert_eq!(update(buffer, &[config]), CL_SUCCESS);
        let gates = [gate];
        let code = cb::clEnqueueCommandBufferKHR(0, In::NULL, buffer, 1, list(&gates), Out::NULL);
        assert_eq!(code, CL_SUCCESS);
    }
    assert_eq!(event::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    cl.finish();
    for (i, mem) in mems.iter().enumerate() {
        assert_eq!(cl.read::<u64>(*mem, 16), ids(0..16, 16, i as u64));
        release_mem(*mem);
    }
    assert_eq!(cb::clReleaseCommandBufferKHR(buffer), CL_SUCCESS);
    assert_eq!(event::clReleaseEvent(gate), CL_SUCCESS);
    release_kernel(kernel);
}

#[test]
fn arguments_may_come_later() {
    let cl = Cl::new();
    let kernel = cl.kernel(SOURCE, "ids", "");
    let mem = cl.buffer_of(&[0u64; 16]);
    assert_eq!(set_arg(kernel, 1, 7i32), CL_SUCCESS);
    let later = [FIELDS, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0];
    let fixed = made(|code| cb::clCreateCommandBufferKHR(1, list(&[cl.queue]), In::NULL, code)).unwrap();
    assert_eq!(record(fixed, kernel, &later, 16, None), Err(CL_INVALID_KERNEL_ARGS), "it cannot change");
    let buffer = mutable_buffer(&cl);
    assert_eq!(record(buffer, kernel, &[], 16, None), Err(CL_INVALID_KERNEL_ARGS));
    let sizes = [FIELDS, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0];
    assert_eq!(record(buffer, kernel, &sizes, 16, None), Err(CL_INVALID_KERNEL_ARGS));
    let command = record(buffer, kernel, &later, 16, Some(4)).unwrap();
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    assert_eq!(enqueue(buffer), CL_INVALID_OPERATION);
    let to = [mem];
    let args = [arg(0, &to)];
    let config = ClDispatchConfig { num_args: 1, arg_list: list(&args), ..no_change(command) };
    assert_eq!(update(buffer, &[config]), CL_SUCCESS);
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    assert_eq!(enqueue(buffer), CL_SUCCESS);
    assert_eq!(cl.read::<u64>(mem, 16), ids(0..16, 4, 7));
    [buffer, fixed]
        .into_iter()
        .for_each(|buffer| assert_eq!(cb::clReleaseCommandBufferKHR(buffer), CL_SUCCESS));
    release_mem(mem);
    release_kernel(kernel);
}

#[test]
fn changes_are_checked_and_made_together() {
    let cl = Cl::new();
    let kernel = cl.kernel(SOURCE, "ids", "-cl-std=CL3.0");
    let mem = cl.buffer_of(&[0u64; 64]);
    assert_eq!((set_arg(kernel, 0, mem), set_arg(kernel, 1, 1i32)), (CL_SUCCESS, CL_SUCCESS));
    let (buffer, other) = (mutable_buffer(&cl), mutable_buffer(&cl));
    for (properties, local, code) in [
        (&[0x1234, 0, 0][..], Some(8), CL_INVALID_VALUE),
        (&[FIELDS, 0, FIELDS, 0, 0], Some(8), CL_INVALID_VALUE),
        (&[FIELDS, 1 << 5, 0], Some(8), CL_INVALID_OPERATION),
        (&[ASSERTS, 2, 0], Some(8), CL_INVALID_VALUE),
        (&[ASSERTS, NO_MORE, 0], None, CL_INVALID_VALUE),
    ] {
        assert_eq!(record(buffer, kernel, properties, 32, local), Err(code), "{properties:?}");
    }
    let all = record(buffer, kernel, &[ASSERTS, NO_MORE, 0], 32, Some(8)).unwrap();
    let none = [FIELDS, 0, 0];
    let nothing = record(buffer, kernel, &none, 32, None).unwrap();
    let foreign = record(other, kernel, &[], 32, None).unwrap();
    assert_eq!(as_sizes(info(nothing, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR).unwrap()).len(), 3);
    assert_eq!(info(foreign, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR).unwrap().len(), 0);
    for (name, handle) in [
        (CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, cl.queue),
        (CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, buffer),
        (CL_MUTABLE_DISPATCH_KERNEL_KHR, kernel),
    ] {
        assert_eq!(info(nothing, name).map(as_handle), Ok(handle));
    }
    assert_eq!(info(all, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR).map(as_u32), Ok(CL_COMMAND_NDRANGE_KERNEL));
    assert_eq!(info(all, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR).map(as_u32), Ok(1));
    assert_eq!(info(nothing, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR).map(as_sizes), Ok(vec![0]));
    assert_eq!(info(all, 0x1234), Err(CL_INVALID_VALUE));
    assert_eq!(info(buffer, CL_MUTABLE_DISPATCH_KERNEL_KHR), Err(CL_INVALID_MUTABLE_COMMAND_KHR));
    assert_eq!(cb::clFinalizeCommandBufferKHR(buffer), CL_SUCCESS);

    let raw = mutable_command::clUpdateMutableCommandsKHR;
    let (types, nulls) = ([0u32, 1], [Memory::NULL]);
    assert_eq!(raw(NULL, 0, In::NULL, In::NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    assert_eq!(raw(buffer, 0, In::NULL, In::NULL), CL_SUCCESS);
    assert_eq!(raw(buffer, 1, In::NULL, list(&nulls)), CL_INVALID_VALUE);
    assert_eq!(raw(buffer, 1, list(&types), In::NULL), CL_INVALID_VALUE);
    assert_eq!(raw(buffer, 0, list(&types), In::NULL), CL_INVALID_VALUE);
    assert_eq!(raw(buffer, 1, list(&types), list(&nulls)), CL_INVALID_VALUE, "no change is given");
    let config = [no_change(all)];
    let places = [memory(&config)];
    assert_eq!(raw(buffer, 1, list(&types[1..]), list(&places)), CL_INVALID_VALUE, "no such type");

    let (seven, nine, n, info_value) = ([7usize], [9usize], [5i32], [1u32]);
    let (args, sizes) = ([arg(1, &n)], list(&seven));
    let infos = [ClDispatchArg {
        index: CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
        size: 4,
        value: memory(&info_value),
    }];
    let good = ClDispatchConfig { num_args: 1, arg_list: list(&args), ..no_change(all) };
    let informed = ClDispatchConfig { num_exec_infos: 1, exec_info_list: list(&infos), ..good };
    for (wrong, code) in [
        (no_change(NULL), CL_INVALID_MUTABLE_COMMAND_KHR),
        (no_change(foreign), CL_INVALID_MUTABLE_COMMAND_KHR),
        (ClDispatchConfig { work_dim: 2, ..no_change(all) }, CL_INVALID_OPERATION),
        (ClDispatchConfig { global_work_size: sizes, ..no_change(all) }, CL_INVALID_OPERATION),
        (ClDispatchConfig { local_work_size: list(&nine), ..no_change(all) }, CL_INVALID_OPERATION),
        (ClDispatchConfig { global_work_size: sizes, ..no_change(nothing) }, CL_INVALID_OPERATION),
        (ClDispatchConfig { local_work_size: sizes, ..no_change(nothing) }, CL_INVALID_OPERATION),
        (ClDispatchConfig { global_work_offset: sizes, ..no_change(nothing) }, CL_INVALID_OPERATION),
        (ClDispatchConfig { command: nothing, ..good }, CL_INVALID_OPERATION),
        (ClDispatchConfig { command: nothing, num_args: 0, ..informed }, CL_INVALID_OPERATION),
        (ClDispatchConfig { num_args: 1, ..no_change(all) }, CL_INVALID_VALUE),
        (ClDispatchConfig { num_args: 0, ..good }, CL_INVALID_VALUE),
        (ClDispatchConfig { num_svm_args: 1, ..no_change(all) }, CL_INVALID_VALUE),
        (ClDispatchConfig { num_exec_infos: 1, ..no_change(all) }, CL_INVALID_VALUE),
    ] {
        assert_eq!(update(buffer, &[good, wrong]), code);
    }
    for (index, size, code) in
        [(2, 4, CL_INVALID_ARG_INDEX), (1, 8, CL_INVALID_ARG_SIZE), (0, 4, CL_INVALID_ARG_SIZE)]
    {
        let args = [ClDispatchArg { index, size, value: memory(&n) }];
        assert_eq!(update(buffer, &[good, ClDispatchConfig { arg_list: list(&args), ..good }]), code);
    }
    // None of the changes to the number was made.
    assert_eq!(enqueue(buffer), CL_SUCCESS);
    let written = cl.read::<u64>(mem, 32);
    assert!(written.iter().all(|word| word >> 32 == 1), "{written:x?}");
    assert_eq!((update(buffer, &[informed]), enqueue(buffer)), (CL_SUCCESS, CL_SUCCESS));
    [buffer, other]
        .into_iter()
        .for_each(|buffer| assert_eq!(cb::clReleaseCommandBufferKHR(buffer), CL_SUCCESS));
    let fixed = made(|code| cb::clCreateCommandBufferKHR(1, list(&[cl.queue]), In::NULL, code)).unwrap();
    let command = record(fixed, kernel, &[], 32, None).unwrap();
    assert_eq!(cb::clFinalizeCommandBufferKHR(fixed), CL_SUCCESS);
    assert_eq!(update(fixed, &[no_change(command)]), CL_INVALID_OPERATION, "it is not mutable");
    assert_eq!(cb::clReleaseCommandBufferKHR(fixed), CL_SUCCESS);
    cl.finish();
    release_mem(mem);
    release_kernel(kernel);
}
