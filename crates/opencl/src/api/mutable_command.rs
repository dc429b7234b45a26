//! `cl_khr_command_buffer_mutable_dispatch`: changing recorded launches.

use crate::api::agrees;
use crate::api::command_buffer::prepare;
use crate::api::kernel::{arg, check_exec_info, pointer_arg};
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, Res, ensure, status};
use crate::handle::get;
use crate::objects::command_buffer::{Action, Dispatch};
use crate::objects::{CommandBuffer, MutableCommand, lock};
use std::collections::BTreeMap;

/// `cl_mutable_dispatch_config_khr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ClDispatchConfig {
    pub command: Handle,
    pub num_args: cl_uint,
    pub num_svm_args: cl_uint,
    pub num_exec_infos: cl_uint,
    pub work_dim: cl_uint,
    pub arg_list: In<ClDispatchArg>,
    pub arg_svm_list: In<ClDispatchArg>,
    pub exec_info_list: In<ClDispatchArg>,
    pub global_work_offset: In<usize>,
    pub global_work_size: In<usize>,
    pub local_work_size: In<usize>,
}

/// `cl_mutable_dispatch_arg_khr`, and `cl_mutable_dispatch_exec_info_khr`, which has the name of an
/// information in place of the index.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ClDispatchArg {
    pub index: cl_uint,
    pub size: usize,
    pub value: Memory,
}

pub extern "C" fn clUpdateMutableCommandsKHR(
    buffer: Handle,
    count: cl_uint,
    types: In<cl_uint>,
    configs: In<Memory>,
) -> cl_int {
    status(|| {
        let buffer = get::<CommandBuffer>(buffer)?;
        ensure(lock(&buffer.state).finalized, CL_INVALID_OPERATION)?;
        ensure(buffer.flags & CL_COMMAND_BUFFER_MUTABLE_KHR != 0, CL_INVALID_OPERATION)?;
        ensure(agrees(count, types) && agrees(count, configs), CL_INVALID_VALUE)?;
        let types = types.list(count as usize);
        let known = types.iter().all(|ty| *ty == CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR);
        ensure(known, CL_INVALID_VALUE)?;
        // None of the changes is made if one of them cannot be.
        let mut changed: BTreeMap<usize, Dispatch> = BTreeMap::new();
        for config in configs.list(count as usize) {
            let config = config.as_values::<ClDispatchConfig>().get().ok_or(ErrorCode(CL_INVALID_VALUE))?;
            let command = get::<MutableCommand>(config.command)?;
            ensure(command.is_of(&buffer), CL_INVALID_MUTABLE_COMMAND_KHR)?;
            let mut dispatch = match changed.remove(&command.index) {
                Some(dispatch) => dispatch,
                None => command.dispatch(&buffer)?,
            };
            change(&mut dispatch, &config)?;
            changed.insert(command.index, dispatch);
        }
        for (index, dispatch) in &mut changed {
            let queue = lock(&buffer.state).commands[*index].queue;
            prepare(dispatch, &buffer.queues[queue])?;
        }
        let mut state = lock(&buffer.state);
        let put = |(index, dispatch): (usize, Dispatch)| {
            std::mem::replace(&mut state.commands[index].action, Action::Launch(dispatch))
        };
        let before: Vec<Action> = changed.into_iter().map(put).collect();
        drop(state);
        // Memory objects may end here, and call the program: the lock must be free.
        drop(before);
        Ok(())
    })
}

/// Makes the changes of `config`.
fn change(dispatch: &mut Dispatch, config: &ClDispatchConfig) -> Res<()> {
    let may =
        |field: u64, changes: bool| ensure(!changes || dispatch.fields & field != 0, CL_INVALID_OPERATION);
    let dims = dispatch.sizes.dims;
    ensure(config.work_dim == 0 || config.work_dim as usize == dims, CL_INVALID_OPERATION)?;
    may(CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, !config.global_work_offset.is_null())?;
    may(CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, !config.global_work_size.is_null())?;
    may(CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR, !config.local_work_size.is_null())?;
    may(CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, config.num_args > 0 || config.num_svm_args > 0)?;
    may(CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, config.num_exec_infos > 0)?;
    ensure(agrees(config.num_args, config.arg_list), CL_INVALID_VALUE)?;
    ensure(agrees(config.num_svm_args, config.arg_svm_list), CL_INVALID_VALUE)?;
    ensure(agrees(config.num_exec_infos, config.exec_info_list), CL_INVALID_VALUE)?;

    let before = is_uniform(dispatch);
    let sizes = &mut dispatch.sizes;
    if !config.global_work_offset.is_null() {
        sizes.offset = config.global_work_offset.three(dims, 0);
    }
    if !config.global_work_size.is_null() {
        sizes.global = Some(config.global_work_size.three(dims, 1));
    }
    if !config.local_work_size.is_null() {
        sizes.local = Some(config.local_work_size.three(dims, 1));
    }
    let after = is_uniform(dispatch);
    ensure(before.is_none() || after.is_none() || before == after, CL_INVALID_OPERATION)?;

    let kernel = dispatch.kernel.clone();
    for new in config.arg_list.list(config.num_args as usize) {
        let index = new.index as usize;
        dispatch.args[index] = Some(arg(&kernel, index, new.size, new.value)?);
    }
    for new in config.arg_svm_list.list(config.num_svm_args as usize) {
        let index = new.index as usize;
        dispatch.args[index] = Some(pointer_arg(&kernel, index, new.value)?);
    }
    for info in config.exec_info_list.list(config.num_exec_infos as usize) {
        check_exec_info(info.index, info.size, info.value)?;
    }
    Ok(())
}

/// Whether all work-groups have the same size; `None` where the driver chooses it.
fn is_uniform(dispatch: &Dispatch) -> Option<bool> {
    let (global, local) = (dispatch.sizes.global?, dispatch.sizes.local?);
    Some(global.iter().zip(local).all(|(global, local)| local != 0 && global.is_multiple_of(local)))
}

pub extern "C" fn clGetMutableCommandInfoKHR(
    command: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<MutableCommand>(command)?.info(name)?.give(size, value, size_ret))
}
