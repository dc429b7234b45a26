//! Command queues.

use crate::cl::*;
use crate::ffi::{Answer, ErrorCode, Out, Res, because, err};
use crate::handle::{Object, Owner};
use crate::objects::event::status_of;
use crate::objects::{Context, Device, Event};
use runtime::{Command, EventState, Failure};
use std::sync::Arc;

/// How much of the device a queue may keep busy.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Throttle {
    #[default]
    None,
    /// Half of the compute units, so that the others can sleep.
    Low,
}

pub struct Queue {
    pub owner: Owner,
    pub context: Arc<Context>,
    pub device: Arc<Device>,
    pub properties: u64,
    pub throttle: Throttle,
    /// The property list of `clCreateCommandQueueWithProperties`, with its final 0.
    pub property_list: Option<Vec<u64>>,
    pub queue: runtime::Queue,
}

impl Object for Queue {
    const INVALID: cl_int = CL_INVALID_COMMAND_QUEUE;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

/// The wait list of an enqueued command, and how its end is reported.
pub struct Submission {
    pub waits: Vec<runtime::Event>,
    pub event: Out<Handle>,
    pub blocking: bool,
}

impl Queue {
    /// How many threads may work on one of its launches.
    pub fn threads(&self) -> usize {
        let all = self.device.compute_units();
        match self.throttle {
            Throttle::None => all,
            Throttle::Low => all.div_ceil(2),
        }
    }

    /// Enqueues a command; its event goes to the program, if it asked for one.
    pub fn submit(self: &Arc<Self>, kind: cl_uint, command: Command, order: Submission) -> Res<()> {
        let event = self.queue.enqueue(command, &order.waits).map_err(|_| ErrorCode(CL_INVALID_VALUE))?;
        if !order.event.is_null() {
            order.event.put(Event::of_command(self, kind, event.clone())?.handle());
        }
        if !order.blocking {
            return Ok(());
        }
        match event.wait() {
            Ok(()) => Ok(()),
            // The reason is the failed launch before this command in the queue, which the program
            // knows of now. Its code, CL_OUT_OF_RESOURCES, has PyOpenCL make the call once more,
            // and that would succeed, with what the launch did not compute.
            Err(Failure::Predecessor) if order.waits.iter().all(|e| e.state() == EventState::Complete) => {
                let _ = self.launch_failure();
                err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
            }
            Err(_) => err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        }
    }

    /// The code of a launch that failed, if one did and no call has returned its code yet.
    pub fn launch_failure(&self) -> Res<()> {
        match self.queue.take_failure() {
            Some(why) => Err(because(status_of(EventState::Failed(why.failure)), || {
                format!("a launch before it in the queue could not run: {why}")
            })),
            None => Ok(()),
        }
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        Ok(match name {
            CL_QUEUE_CONTEXT => self.context.handle().into(),
            CL_QUEUE_DEVICE => self.device.handle().into(),
            CL_QUEUE_REFERENCE_COUNT => self.owner.references().into(),
            CL_QUEUE_PROPERTIES => self.properties.into(),
            CL_QUEUE_PROPERTIES_ARRAY => self.property_list.as_deref().unwrap_or_default().into(),
            // There are no queues on the device.
            CL_QUEUE_SIZE => return err(CL_INVALID_COMMAND_QUEUE),
            CL_QUEUE_DEVICE_DEFAULT => (std::ptr::null_mut() as Handle).into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}
