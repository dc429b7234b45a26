//! Events.

use crate::cl::*;
use crate::ffi::{Answer, Res, ensure, err};
use crate::handle::{self, Object, Owner};
use crate::objects::{Context, Queue};
use runtime::{EventState, Failure};
use std::sync::Arc;

pub struct Event {
    owner: Owner,
    pub context: Arc<Context>,
    /// `None` for a user event, and for that of commands of several queues.
    pub queue: Option<Arc<Queue>>,
    /// Whether the program may ask for its times.
    profiled: bool,
    pub command: cl_uint,
    pub event: runtime::Event,
    /// The event of the first command, if the event stands for several.
    pub first: Option<runtime::Event>,
}

impl Object for Event {
    const INVALID: cl_int = CL_INVALID_EVENT;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

/// The status of a command in this state.
pub fn status_of(state: EventState) -> cl_int {
    match state {
        EventState::Queued => CL_QUEUED,
        EventState::Submitted => CL_SUBMITTED,
        EventState::Running => CL_RUNNING,
        EventState::Complete => CL_COMPLETE,
        EventState::Failed(Failure::ErrorCode(code)) => code,
        EventState::Failed(Failure::Dependency | Failure::Predecessor | Failure::Abandoned) => {
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        }
        EventState::Failed(Failure::Panicked | Failure::Orphaned | Failure::OutOfMemory) => {
            CL_OUT_OF_RESOURCES
        }
    }
}

fn is_profiled(queue: &Arc<Queue>) -> bool {
    queue.properties & CL_QUEUE_PROFILING_ENABLE != 0
}

impl Event {
    pub fn user(context: &Arc<Context>) -> Res<Arc<Event>> {
        let context = context.clone();
        let event = runtime::Event::user();
        handle::publish(|owner| Event {
            owner,
            context,
            queue: None,
            profiled: false,
            command: CL_COMMAND_USER,
            event,
            first: None,
        })
    }

    pub fn of_command(queue: &Arc<Queue>, command: cl_uint, event: runtime::Event) -> Res<Arc<Event>> {
        let (context, profiled) = (queue.context.clone(), is_profiled(queue));
        let queue = Some(queue.clone());
        handle::publish(|owner| Event { owner, context, queue, profiled, command, event, first: None })
    }

    /// The event of the commands of a command buffer, from that of `first` to that of `event`.
    pub fn of_command_buffer(
        queues: &[Arc<Queue>],
        first: runtime::Event,
        event: runtime::Event,
    ) -> Res<Arc<Event>> {
        let (context, profiled) = (queues[0].context.clone(), queues.iter().all(is_profiled));
        let queue = if let [only] = queues { Some(only.clone()) } else { None };
        let (command, first) = (CL_COMMAND_COMMAND_BUFFER_KHR, Some(first));
        handle::publish(|owner| Event { owner, context, queue, profiled, command, event, first })
    }

    pub fn status(&self) -> cl_int {
        status_of(self.event.state())
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        Ok(match name {
            CL_EVENT_COMMAND_QUEUE => self.queue.as_ref().map_or(std::ptr::null_mut(), |q| q.handle()).into(),
            CL_EVENT_CONTEXT => self.context.handle().into(),
            CL_EVENT_COMMAND_TYPE => self.command.into(),
            CL_EVENT_COMMAND_EXECUTION_STATUS => self.status().into(),
            CL_EVENT_REFERENCE_COUNT => self.owner.references().into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }

    pub fn profiling_info(&self, name: cl_uint) -> Res<Answer> {
        ensure(self.profiled && self.status() == CL_COMPLETE, CL_PROFILING_INFO_NOT_AVAILABLE)?;
        let times = self.event.times();
        let first = self.first.as_ref().map_or(times, |first| first.times());
        Ok(match name {
            CL_PROFILING_COMMAND_QUEUED => first.queued.into(),
            CL_PROFILING_COMMAND_SUBMIT => first.submitted.into(),
            CL_PROFILING_COMMAND_START => first.started.into(),
            // No command has children.
            CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE => times.ended.into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}
