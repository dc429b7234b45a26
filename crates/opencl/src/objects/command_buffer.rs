//! Command buffers: recorded commands, which can be enqueued together any number of times.

use crate::cl::*;
use crate::ffi::{Answer, ErrorCode, Res, ensure, err};
use crate::handle::{Object, Owner};
use crate::objects::queue::Submission;
use crate::objects::{Event, Queue, copy, lock};
use runtime::Command;
use std::sync::{Arc, Mutex};

/// Makes a new command each time the command buffer is enqueued.
pub type Maker = Box<dyn Fn() -> Res<Command> + Send + Sync>;

pub struct CommandBuffer {
    pub owner: Owner,
    pub queue: Arc<Queue>,
    /// The property list as it was given, with its final 0.
    pub properties: Option<Vec<u64>>,
    pub state: Mutex<State>,
}

#[derive(Default)]
pub struct State {
    pub finalized: bool,
    commands: Vec<Recorded>,
    /// The implicit dependency of the next command: the last barrier, or the last command of an
    /// in-order queue.
    before: Option<usize>,
    /// Whether commands run in the order they were recorded in, whatever queue they are enqueued
    /// to.
    in_order: bool,
}

struct Recorded {
    make: Maker,
    /// The indices of earlier commands that the command waits for.
    waits: Vec<usize>,
}

impl Object for CommandBuffer {
    const INVALID: cl_int = CL_INVALID_COMMAND_BUFFER_KHR;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

impl State {
    pub fn new(in_order: bool) -> State {
        State { in_order, ..State::default() }
    }

    /// The indices of the commands of sync points.
    pub fn places(&self, points: &[cl_uint]) -> Res<Vec<usize>> {
        let place = |point: &cl_uint| (*point as usize).checked_sub(1).filter(|at| *at < self.commands.len());
        let places: Option<Vec<usize>> = points.iter().map(place).collect();
        places.ok_or(ErrorCode(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR))
    }

    /// Adds a command, and returns its sync point.
    pub fn record(&mut self, make: Maker, mut waits: Vec<usize>) -> cl_uint {
        waits.extend(self.before);
        if self.in_order {
            self.before = Some(self.commands.len());
        }
        self.commands.push(Recorded { make, waits });
        self.commands.len() as cl_uint
    }

    /// Adds a barrier, which waits for `waits`, or for all commands before it if that is empty.
    pub fn record_barrier(&mut self, waits: Vec<usize>) -> cl_uint {
        let waits = if waits.is_empty() { (0..self.commands.len()).collect() } else { waits };
        let point = self.record(Box::new(|| Ok(copy::nothing())), waits);
        self.before = Some(point as usize - 1);
        point
    }
}

impl CommandBuffer {
    /// Enqueues all commands to `queue`, between two markers: the first waits for the wait list,
    /// and the event of the last is the event of the whole.
    pub fn enqueue(&self, queue: &Arc<Queue>, order: Submission) -> Res<()> {
        let state = lock(&self.state);
        let commands: Vec<Command> = state.commands.iter().map(|c| (c.make)()).collect::<Res<_>>()?;
        let add = |command, waits: &[runtime::Event]| {
            queue.queue.enqueue(command, waits).map_err(|_| ErrorCode(CL_INVALID_VALUE))
        };
        let first = add(copy::nothing(), &order.waits)?;
        let mut events: Vec<runtime::Event> = Vec::with_capacity(commands.len());
        for (command, recorded) in commands.into_iter().zip(&state.commands) {
            let mut waits = vec![first.clone()];
            waits.extend(recorded.waits.iter().map(|at| events[*at].clone()));
            events.push(add(command, &waits)?);
        }
        drop(state);
        events.push(first.clone());
        let last = add(copy::nothing(), &events)?;
        if !order.event.is_null() {
            let kind = CL_COMMAND_COMMAND_BUFFER_KHR;
            order.event.put(Event::of_commands(queue, kind, Some(first), last)?.handle());
        }
        Ok(())
    }

    /// Refuses a queue that the command buffer cannot be enqueued to. Queues may have any
    /// properties.
    pub fn takes(&self, queue: &Arc<Queue>) -> Res<()> {
        ensure(Arc::ptr_eq(&queue.context, &self.queue.context), CL_INVALID_CONTEXT)?;
        ensure(Arc::ptr_eq(&queue.device, &self.queue.device), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR)
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        Ok(match name {
            CL_COMMAND_BUFFER_NUM_QUEUES_KHR => 1u32.into(),
            CL_COMMAND_BUFFER_QUEUES_KHR => [self.queue.handle()].as_slice().into(),
            CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => self.owner.references().into(),
            CL_COMMAND_BUFFER_STATE_KHR => match lock(&self.state).finalized {
                true => CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
                false => CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
            }
            .into(),
            CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => self.properties.as_deref().unwrap_or_default().into(),
            CL_COMMAND_BUFFER_CONTEXT_KHR => self.queue.context.handle().into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}
