//! Events.

use crate::cl::*;
use crate::ffi::{ErrorCode, In, Memory, Out, create, ensure, err, status};
use crate::handle::{self, Object, get};
use crate::objects::event::status_of;
use crate::objects::{Context, Event};
use runtime::{EventState, outside};
use std::ffi::c_void;
use std::sync::Arc;

pub type EventFn = unsafe extern "C" fn(Handle, cl_int, *mut c_void);

pub extern "C" fn clCreateUserEvent(context: Handle, code: Out<cl_int>) -> *mut c_void {
    create(code, || Ok(Event::user(&get::<Context>(context)?)?.handle()))
}

pub extern "C" fn clSetUserEventStatus(event: Handle, execution_status: cl_int) -> cl_int {
    status(|| {
        let event = get::<Event>(event)?;
        ensure(event.event.is_user(), CL_INVALID_EVENT)?;
        ensure(execution_status <= CL_COMPLETE, CL_INVALID_VALUE)?;
        let outcome = if execution_status == CL_COMPLETE { Ok(()) } else { Err(execution_status) };
        event.event.set(outcome).map_err(|_| ErrorCode(CL_INVALID_OPERATION))
    })
}

pub extern "C" fn clWaitForEvents(count: cl_uint, list: In<Handle>) -> cl_int {
    status(|| {
        ensure(count > 0 && !list.is_null(), CL_INVALID_VALUE)?;
        let events = handle::get_all::<Event>(&list.list(count as usize))?;
        let same = |event: &Arc<Event>| Arc::ptr_eq(&event.context, &events[0].context);
        ensure(events.iter().all(same), CL_INVALID_CONTEXT)?;
        // Flush the queues of all events before the wait for the first.
        for queue in events.iter().filter(|e| !e.event.has_ended()).skip(1).filter_map(|e| e.queue.as_ref()) {
            queue.queue.flush();
        }
        let waits: Vec<_> = events.iter().map(|e| e.event.clone()).collect();
        match runtime::Event::wait_all(&waits) {
            Ok(()) => Ok(()),
            Err(_) => err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        }
    })
}

pub extern "C" fn clGetEventInfo(
    event: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<Event>(event)?.info(name)?.give(size, value, size_ret))
}

pub extern "C" fn clGetEventProfilingInfo(
    event: Handle,
    name: cl_uint,
    size: usize,
    value: Out<u8>,
    size_ret: Out<usize>,
) -> cl_int {
    status(|| get::<Event>(event)?.profiling_info(name)?.give(size, value, size_ret))
}

pub extern "C" fn clRetainEvent(event: Handle) -> cl_int {
    status(|| handle::retain::<Event>(event))
}

pub extern "C" fn clReleaseEvent(event: Handle) -> cl_int {
    status(|| handle::release::<Event>(event).map(drop))
}

pub extern "C" fn clSetEventCallback(
    event: Handle,
    kind: cl_int,
    notify: Option<EventFn>,
    data: Memory,
) -> cl_int {
    status(|| {
        let event = get::<Event>(event)?;
        let notify = notify.ok_or(ErrorCode(CL_INVALID_VALUE))?;
        let state = match kind {
            CL_SUBMITTED => EventState::Submitted,
            CL_RUNNING => EventState::Running,
            CL_COMPLETE => EventState::Complete,
            _ => return err(CL_INVALID_VALUE),
        };
        // Keeps the handle valid until the callback returns, even if the program releases the
        // event.
        let kept = event.clone();
        event.event.on(state, move |state| {
            // SAFETY: the program registered the callback for this call, from any thread.
            outside(|| unsafe { notify(kept.handle(), status_of(state), data.raw()) });
        });
        Ok(())
    })
}
