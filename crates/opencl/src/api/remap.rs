//! `cl_khr_command_buffer_multi_device`: copies of command buffers for other queues.

use crate::api::agrees;
use crate::api::command_buffer::prepare;
use crate::api::image_transfer::are_usable;
use crate::cl::*;
use crate::ffi::{ErrorCode, In, Out, Res, create, ensure, err};
use crate::handle::{Object, get, get_all, publish};
use crate::objects::command_buffer::{Action, Recorded, State};
use crate::objects::{CommandBuffer, MutableCommand, Queue, lock};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// The command for another queue, if the device of that can run it.
fn remapped(command: &Recorded, queue: usize, queues: &[Arc<Queue>]) -> Res<Recorded> {
    let mut action = command.action.clone();
    match &mut action {
        Action::Transfer(_, images) => {
            images.iter().try_for_each(|image| are_usable(&queues[queue].device, [image]))?
        }
        Action::Launch(dispatch) => {
            let device = &queues[queue].device;
            ensure(dispatch.kernel.program.built_for(device).is_some(), CL_INVALID_PROGRAM_EXECUTABLE)?;
            prepare(dispatch, &queues[queue])?;
        }
    }
    Ok(Recorded { queue, action, waits: command.waits.clone() })
}

/// The command for the first queue that can run it, in an order that prefers the device it was
/// recorded for, then the place of its queue.
fn mapped(command: &Recorded, from: &[Arc<Queue>], queues: &[Arc<Queue>]) -> Res<Recorded> {
    let own = &from[command.queue].device;
    let place = command.queue % queues.len();
    let mut order: Vec<usize> = (0..queues.len()).collect();
    order.sort_by_key(|queue| (!Arc::ptr_eq(&queues[*queue].device, own), *queue != place));
    let mut first = None;
    for queue in order {
        match remapped(command, queue, queues) {
            Ok(command) => return Ok(command),
            Err(code) => first = first.or(Some(code)),
        }
    }
    Err(first.unwrap_or(ErrorCode(CL_INVALID_VALUE)))
}

pub extern "C" fn clRemapCommandBufferKHR(
    buffer: Handle,
    automatic: cl_uint,
    queue_count: cl_uint,
    queues: In<Handle>,
    handle_count: cl_uint,
    handles: In<Handle>,
    handles_ret: Out<Handle>,
    code: Out<cl_int>,
) -> *mut c_void {
    create(code, || {
        let buffer = get::<CommandBuffer>(buffer)?;
        ensure(queue_count > 0 && !queues.is_null(), CL_INVALID_VALUE)?;
        let automatic = automatic != 0;
        ensure(automatic || queue_count as usize == buffer.queues.len(), CL_INVALID_VALUE)?;
        let paired = (handle_count > 0) != handles_ret.is_null();
        ensure(agrees(handle_count, handles) && paired, CL_INVALID_VALUE)?;
        let mut indices = Vec::new();
        for handle in handles.list(handle_count as usize) {
            match get::<MutableCommand>(handle) {
                Ok(command) if command.is_of(&buffer) => indices.push(command.index),
                _ => return err(CL_INVALID_VALUE),
            }
        }
        let queues = get_all::<Queue>(&queues.list(queue_count as usize))?;
        let context = &buffer.queues[0].context;
        ensure(queues.iter().all(|queue| Arc::ptr_eq(&queue.context, context)), CL_INVALID_CONTEXT)?;

        let state = lock(&buffer.state);
        let (finalized, barrier, recorded) = (state.finalized, state.barrier, state.commands.clone());
        drop(state);
        let map = |command: &Recorded| match automatic {
            true => mapped(command, &buffer.queues, &queues),
            false => remapped(command, command.queue, &queues),
        };
        let commands: Vec<Recorded> = recorded.iter().map(map).collect::<Res<_>>()?;
        let last = |queue| commands.iter().rposition(|command: &Recorded| command.queue == queue);
        let in_order = |queue: &Arc<Queue>| queue.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
        let last = queues.iter().enumerate().map(|(i, queue)| last(i).filter(|_| in_order(queue)));
        let last: Vec<Option<usize>> = last.collect();
        let made = publish(|owner| CommandBuffer {
            owner,
            properties: buffer.properties.clone(),
            flags: buffer.flags,
            asserts: buffer.asserts,
            state: Mutex::new(State { finalized, commands, barrier, last }),
            handles: Mutex::default(),
            queues,
        })?;
        let handles: Vec<Handle> =
            indices.into_iter().map(|index| made.publish_command(index)).collect::<Res<_>>()?;
        handles_ret.put_list(&handles);
        Ok(made.handle())
    })
}
