//! The objects behind the handles. Arguments are checked in `api`.

pub mod allocation;
pub mod command_buffer;
pub mod context;
pub mod copy;
pub mod device;
mod device_attributes;
pub mod device_info;
pub mod event;
pub mod image;
pub mod kernel;
pub mod mem;
pub mod mutable_command;
pub mod platform;
pub mod program;
pub mod queue;
pub mod sampler;

pub use command_buffer::CommandBuffer;
pub use context::Context;
pub use device::Device;
pub use event::Event;
pub use kernel::Kernel;
pub use mem::Mem;
pub use mutable_command::MutableCommand;
pub use platform::Platform;
pub use program::Program;
pub use queue::Queue;
pub use sampler::Sampler;

pub use runtime::lock;
