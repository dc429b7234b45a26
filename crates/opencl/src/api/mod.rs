//! The entry points, one file for each kind of object. Each reads as its paragraph of the
//! specification: the errors first, in the specification's order, then the effect.

#![allow(non_snake_case, reason = "the names are OpenCL's")]
#![allow(clippy::too_many_arguments, reason = "so are the parameters")]

pub mod absent;
pub mod buffer;
pub mod build;
pub mod command_buffer;
pub mod context;
pub mod device;
pub mod event;
pub mod image;
pub mod image_transfer;
pub mod kernel;
pub mod launch;
pub mod map;
pub mod mutable_command;
pub mod platform;
pub mod program;
pub mod program_main;
pub mod queue;
pub mod rect;
pub mod remap;
pub mod sampler;
pub mod svm;
pub mod transfer;
pub mod unified_svm;
pub mod usm;

use crate::cl::*;
use crate::ffi::{ErrorCode, In, Out, Res, ensure};
use crate::handle::{get, get_all};
use crate::objects::queue::Submission;
use crate::objects::{Context, Event, Mem};
use std::sync::Arc;

/// Whether the count of a list is 0 exactly if its pointer is null.
fn agrees<T: Copy>(count: cl_uint, list: In<T>) -> bool {
    (count == 0) == list.is_null()
}

/// The events of a wait list, which must be of `context`.
fn wait_list(count: cl_uint, list: In<Handle>, context: &Arc<Context>) -> Res<Vec<runtime::Event>> {
    ensure(agrees(count, list), CL_INVALID_EVENT_WAIT_LIST)?;
    let mut events = Vec::with_capacity(count as usize);
    for handle in list.list(count as usize) {
        let event = get::<Event>(handle).map_err(|_| ErrorCode(CL_INVALID_EVENT_WAIT_LIST))?;
        ensure(Arc::ptr_eq(&event.context, context), CL_INVALID_CONTEXT)?;
        events.push(event.event.clone());
    }
    Ok(events)
}

/// Memory objects, which must be of `context`.
fn mems<const N: usize>(context: &Arc<Context>, handles: [Handle; N]) -> Res<[Arc<Mem>; N]> {
    let list = get_all::<Mem>(&handles)?;
    ensure(list.iter().all(|mem| Arc::ptr_eq(&mem.context, context)), CL_INVALID_CONTEXT)?;
    let Ok(list) = list.try_into() else { unreachable!("as many as handles") };
    Ok(list)
}

/// Buffers, which must be of `context`.
fn buffers<const N: usize>(context: &Arc<Context>, handles: [Handle; N]) -> Res<[Arc<Mem>; N]> {
    let list = mems(context, handles)?;
    list.iter().try_for_each(|mem| mem.must_be_buffer())?;
    Ok(list)
}

/// The wait list and the event of an enqueued command, its last parameters.
fn order(
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
    context: &Arc<Context>,
    blocking: bool,
) -> Res<Submission> {
    Ok(Submission { waits: wait_list(count, list, context)?, event, blocking })
}
