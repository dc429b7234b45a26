//! Handles of recorded launches, by which they can be changed
//! (`cl_khr_command_buffer_mutable_dispatch`).

use crate::cl::*;
use crate::ffi::{Answer, ErrorCode, Res, err};
use crate::handle::{Object, Owner};
use crate::objects::command_buffer::{Action, Dispatch};
use crate::objects::{CommandBuffer, lock};
use std::sync::{Arc, Weak};

pub struct MutableCommand {
    pub owner: Owner,
    pub buffer: Weak<CommandBuffer>,
    /// The index of the command.
    pub index: usize,
}

impl Object for MutableCommand {
    const INVALID: cl_int = CL_INVALID_MUTABLE_COMMAND_KHR;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

impl MutableCommand {
    /// Whether the command was recorded to the command buffer.
    pub fn is_of(&self, buffer: &Arc<CommandBuffer>) -> bool {
        std::ptr::eq(self.buffer.as_ptr(), Arc::as_ptr(buffer))
    }

    /// The launch as it is now.
    pub fn dispatch(&self, buffer: &CommandBuffer) -> Res<Dispatch> {
        match &lock(&buffer.state).commands[self.index].action {
            Action::Launch(dispatch) => Ok(dispatch.clone()),
            Action::Transfer(..) => err(CL_INVALID_MUTABLE_COMMAND_KHR),
        }
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        let buffer = self.buffer.upgrade().ok_or(ErrorCode(CL_INVALID_MUTABLE_COMMAND_KHR))?;
        let Dispatch { kernel, sizes, properties, .. } = self.dispatch(&buffer)?;
        let given = |sizes_of: Option<[usize; 3]>| Answer::from(&sizes_of.unwrap_or([0; 3])[..sizes.dims]);
        Ok(match name {
            CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => {
                let queue = lock(&buffer.state).commands[self.index].queue;
                buffer.queues[queue].handle().into()
            }
            CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => buffer.handle().into(),
            CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => CL_COMMAND_NDRANGE_KERNEL.into(),
            CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => properties.as_deref().unwrap_or_default().into(),
            CL_MUTABLE_DISPATCH_KERNEL_KHR => kernel.handle().into(),
            CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => (sizes.dims as cl_uint).into(),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => given(Some(sizes.offset)),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => given(sizes.global),
            CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => given(sizes.local),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}
