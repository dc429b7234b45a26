//! Command buffers: recorded commands, which can be enqueued together any number of times.

use crate::cl::*;
use crate::ffi::{Answer, ErrorCode, Res, ensure, err};
use crate::handle::{self, Object, Owner};
use crate::objects::kernel::{Arg, Prepared};
use crate::objects::queue::Submission;
use crate::objects::{Event, Kernel, Mem, MutableCommand, Queue, copy, lock};
use runtime::Command;
use std::sync::{Arc, Mutex};

/// Makes a new command each time the command buffer is enqueued.
pub type Maker = Arc<dyn Fn() -> Command + Send + Sync>;

pub struct CommandBuffer {
    pub owner: Owner,
    /// The queues that commands are recorded to: all of one context.
    pub queues: Vec<Arc<Queue>>,
    /// The property list as it was given, with its final 0.
    pub properties: Option<Vec<u64>>,
    /// `CL_COMMAND_BUFFER_FLAGS_KHR`.
    pub flags: u64,
    /// `CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR`.
    pub asserts: u64,
    pub state: Mutex<State>,
    /// The commands that the program has handles of. They are its as long as the command buffer is.
    pub handles: Mutex<Vec<Arc<MutableCommand>>>,
}

#[derive(Default)]
pub struct State {
    pub finalized: bool,
    pub commands: Vec<Recorded>,
    /// The last barrier, which all commands after it wait for.
    pub barrier: Option<usize>,
    /// For each queue, if it is in order, the last command that was recorded to it. Its commands
    /// run in this order, whatever queue they are enqueued to.
    pub last: Vec<Option<usize>>,
}

#[derive(Clone)]
pub struct Recorded {
    /// The index of the queue.
    pub queue: usize,
    pub action: Action,
    /// The indices of earlier commands that the command waits for.
    pub waits: Vec<usize>,
}

#[derive(Clone)]
pub enum Action {
    /// Copies, fills and barriers, with the images that the device must be able to use.
    Transfer(Maker, Vec<Arc<Mem>>),
    Launch(Dispatch),
}

/// A launch of a kernel, which can be changed after it was recorded.
#[derive(Clone)]
pub struct Dispatch {
    pub kernel: Arc<Kernel>,
    pub args: Vec<Option<Arg>>,
    pub sizes: Sizes,
    /// The property list as it was given, with its final 0.
    pub properties: Option<Vec<u64>>,
    /// `CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR`: what can be changed.
    pub fields: u64,
    pub launch: Ready,
}

/// The sizes of an NDRange, as they were given.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub dims: usize,
    pub offset: [usize; 3],
    pub global: Option<[usize; 3]>,
    pub local: Option<[usize; 3]>,
}

/// What a recorded launch does.
#[derive(Clone)]
pub enum Ready {
    /// Arguments have no values yet.
    Not,
    /// The range is empty.
    Nothing,
    Launch(Arc<Prepared>),
}

impl Action {
    pub fn is_ready(&self) -> bool {
        !matches!(self, Action::Launch(Dispatch { launch: Ready::Not, .. }))
    }

    fn command(&self) -> Res<Command> {
        match self {
            Action::Transfer(make, _) => Ok(make()),
            Action::Launch(dispatch) => match &dispatch.launch {
                Ready::Launch(prepared) => prepared.command(),
                Ready::Nothing => Ok(copy::nothing()),
                Ready::Not => err(CL_INVALID_OPERATION),
            },
        }
    }
}

impl Object for CommandBuffer {
    const INVALID: cl_int = CL_INVALID_COMMAND_BUFFER_KHR;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

impl Drop for CommandBuffer {
    fn drop(&mut self) {
        let handles = std::mem::take(&mut *lock(&self.handles));
        handles.iter().for_each(|command| drop(handle::release::<MutableCommand>(command.handle())));
    }
}

impl State {
    /// The indices of the commands of sync points.
    pub fn places(&self, points: &[cl_uint]) -> Res<Vec<usize>> {
        let place = |point: &cl_uint| (*point as usize).checked_sub(1).filter(|at| *at < self.commands.len());
        let places: Option<Vec<usize>> = points.iter().map(place).collect();
        places.ok_or(ErrorCode(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR))
    }

    /// Adds a command, and returns its sync point.
    pub fn record(&mut self, queue: usize, in_order: bool, action: Action, mut waits: Vec<usize>) -> cl_uint {
        waits.extend(self.barrier);
        if in_order {
            waits.extend(self.last[queue].replace(self.commands.len()));
        }
        self.commands.push(Recorded { queue, action, waits });
        self.commands.len() as cl_uint
    }

    /// Adds a barrier, which waits for `waits`, or for all commands before it if that is empty.
    pub fn record_barrier(&mut self, queue: usize, waits: Vec<usize>) -> cl_uint {
        let waits = if waits.is_empty() { (0..self.commands.len()).collect() } else { waits };
        let point = self.record(queue, false, Action::Transfer(Arc::new(copy::nothing), Vec::new()), waits);
        self.barrier = Some(point as usize - 1);
        point
    }

    pub fn is_executable(&self) -> bool {
        self.finalized && self.commands.iter().all(|command| command.action.is_ready())
    }
}

impl CommandBuffer {
    /// Whether the commands of the queue are in order.
    pub fn is_in_order(&self, queue: usize) -> bool {
        self.queues[queue].properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0
    }

    /// Enqueues all commands to `queues`, between two markers: the first waits for the wait list,
    /// and the event of the last is the event of the whole.
    pub fn enqueue(&self, queues: &[Arc<Queue>], order: Submission) -> Res<()> {
        let state = lock(&self.state);
        let commands: Vec<Command> = state.commands.iter().map(|c| c.action.command()).collect::<Res<_>>()?;
        let add = |queue: usize, command, waits: &[runtime::Event]| {
            queues[queue].queue.enqueue(command, waits).map_err(|_| ErrorCode(CL_INVALID_VALUE))
        };
        let first = add(0, copy::nothing(), &order.waits)?;
        let mut events: Vec<runtime::Event> = Vec::with_capacity(commands.len());
        for (command, recorded) in commands.into_iter().zip(&state.commands) {
            let mut waits = vec![first.clone()];
            waits.extend(recorded.waits.iter().map(|at| events[*at].clone()));
            events.push(add(recorded.queue, command, &waits)?);
        }
        drop(state);
        events.push(first.clone());
        let last = add(0, copy::nothing(), &events)?;
        if !order.event.is_null() {
            order.event.put(Event::of_command_buffer(queues, first, last)?.handle());
        }
        Ok(())
    }

    /// Refuses queues that the command buffer cannot be enqueued to. They may have any properties.
    pub fn takes(&self, queues: &[Arc<Queue>]) -> Res<()> {
        for (queue, own) in queues.iter().zip(&self.queues) {
            ensure(Arc::ptr_eq(&queue.context, &own.context), CL_INVALID_CONTEXT)?;
            ensure(Arc::ptr_eq(&queue.device, &own.device), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR)?;
        }
        Ok(())
    }

    /// A handle for a command, which the program keeps until the command buffer is gone.
    pub fn publish_command(self: &Arc<Self>, index: usize) -> Res<Handle> {
        let buffer = Arc::downgrade(self);
        let command = handle::publish(|owner| MutableCommand { owner, buffer, index })?;
        let handle = command.handle();
        lock(&self.handles).push(command);
        Ok(handle)
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        Ok(match name {
            CL_COMMAND_BUFFER_NUM_QUEUES_KHR => (self.queues.len() as cl_uint).into(),
            CL_COMMAND_BUFFER_QUEUES_KHR => {
                self.queues.iter().map(|queue| queue.handle()).collect::<Vec<Handle>>().as_slice().into()
            }
            CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => self.owner.references().into(),
            CL_COMMAND_BUFFER_STATE_KHR => {
                let state = lock(&self.state);
                match (state.finalized, state.is_executable()) {
                    (false, _) => CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
                    (true, false) => CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
                    (true, true) => CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
                }
                .into()
            }
            CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => self.properties.as_deref().unwrap_or_default().into(),
            CL_COMMAND_BUFFER_CONTEXT_KHR => self.queues[0].context.handle().into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}
