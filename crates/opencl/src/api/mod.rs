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
pub mod kernel;
pub mod launch;
pub mod map;
pub mod platform;
pub mod program;
pub mod program_main;
pub mod queue;
pub mod rect;
pub mod svm;
pub mod transfer;
pub mod usm;

use crate::cl::*;
use crate::ffi::{ErrorCode, In, Out, Res, ensure};
use crate::handle::get;
use crate::objects::queue::Submission;
use crate::objects::{Context, Event};
use std::sync::Arc;

/// Whether the count and the pointer of a list agree that there is something or nothing.
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

/// The last parameters of most enqueued commands.
fn order(
    count: cl_uint,
    list: In<Handle>,
    event: Out<Handle>,
    context: &Arc<Context>,
    blocking: bool,
) -> Res<Submission> {
    Ok(Submission { waits: wait_list(count, list, context)?, event, blocking })
}
