//! Contexts.

use crate::cl::*;
use crate::ffi::{Answer, Memory, Res, err};
use crate::handle::{Object, Owner};
use crate::objects::allocation::{Allocation, SvmType};
use crate::objects::{Device, Queue, lock};
use compiler::NotifyCallback;
use runtime::{Cores, outside};
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, Mutex, Weak};

pub type NotifyFn = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);
pub type DestructorFn = unsafe extern "C" fn(Handle, *mut c_void);

/// A callback of the program, with its user data.
#[derive(Clone, Copy)]
pub struct Callback<F> {
    pub function: F,
    pub data: Memory,
}

/// Destructor callbacks: called with a handle when its object is destroyed, in reverse order of
/// registration.
#[derive(Default)]
pub struct Destructors(Mutex<Vec<Callback<DestructorFn>>>);

impl Destructors {
    pub fn add(&self, function: DestructorFn, data: Memory) {
        lock(&self.0).push(Callback { function, data });
    }

    pub fn call(&self, handle: Handle) {
        let callbacks = std::mem::take(&mut *lock(&self.0));
        for callback in callbacks.into_iter().rev() {
            // SAFETY: the program registered the callback for this call.
            outside(|| unsafe { (callback.function)(handle, callback.data.raw()) });
        }
    }
}

pub struct Context {
    pub owner: Owner,
    pub devices: Vec<Arc<Device>>,
    /// The property list as it was given, with its final 0; `None` if there was none.
    pub properties: Option<Vec<isize>>,
    /// `CL_CONTEXT_MEMORY_INITIALIZE_KHR`: the memory that begins as zeros.
    pub initialized: u64,
    pub notify: Option<Callback<NotifyFn>>,
    pub destructors: Destructors,
    /// Shared memory by its address.
    pub allocations: Mutex<BTreeMap<usize, Allocation>>,
    pub queues: Mutex<Vec<Weak<Queue>>>,
}

impl Object for Context {
    const INVALID: cl_int = CL_INVALID_CONTEXT;

    fn owner(&self) -> &Owner {
        &self.owner
    }
}

impl Context {
    pub fn has(&self, device: &Arc<Device>) -> bool {
        self.devices.iter().any(|d| Arc::ptr_eq(d, device))
    }

    /// The memory that the context's devices share.
    pub fn memory(&self) -> &'static dyn runtime::Memory {
        self.devices[0].device.memory()
    }

    /// What the context adds to the options of its programs.
    pub fn build_options(&self) -> &'static [&'static str] {
        const ALL: [&str; 2] = ["-cl-lanewise-zero-local", "-cl-lanewise-zero-private"];
        let has = |bit: u64| self.initialized & bit != 0;
        let local = has(CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR);
        match (local, has(CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR)) {
            (true, true) => &ALL,
            (true, false) => &ALL[..1],
            (false, true) => &ALL[1..],
            (false, false) => &[],
        }
    }

    /// The most bytes of a buffer that all devices allow.
    pub fn max_alloc_size(&self) -> u64 {
        self.devices.iter().map(|device| device.max_alloc_size()).min().unwrap_or(0)
    }

    /// The callback for messages of the context's compilers and queues.
    pub fn message_callback(self: &Arc<Self>) -> NotifyCallback {
        let context = Arc::downgrade(self);
        Arc::new(move |message| {
            if let Some(context) = context.upgrade() {
                context.tell(message);
            }
        })
    }

    /// Sends a message to the program that no error code can carry.
    pub fn tell(&self, message: &str) {
        if let (Some(notify), Ok(text)) = (self.notify, CString::new(message)) {
            // SAFETY: the program registered the callback for such calls, from any thread.
            outside(|| unsafe { (notify.function)(text.as_ptr(), std::ptr::null(), 0, notify.data.raw()) });
        }
    }

    /// Adds shared memory, and returns its address. Memory that the program reaches, too, is spread
    /// over the memory nodes of its device; a device's own is near the threads that touch it first.
    pub fn add_allocation(&self, allocation: Allocation) -> *mut c_void {
        if allocation.ty != SvmType::Device {
            let cores = allocation.device.as_ref().and_then(|device| device.cores);
            allocation.buffer.interleave(cores.unwrap_or_else(Cores::all));
        }
        let start = allocation.buffer.as_ptr();
        lock(&self.allocations).insert(start as usize, allocation);
        start.cast()
    }

    /// The shared memory that holds `address`.
    pub fn allocation_at(&self, address: usize) -> Option<Allocation> {
        let allocations = lock(&self.allocations);
        let (start, found) = allocations.range(..=address).next_back()?;
        (address - start < found.buffer.len()).then(|| found.clone())
    }

    /// The queues of the context that exist.
    pub fn queues(&self) -> Vec<Arc<Queue>> {
        lock(&self.queues).iter().filter_map(Weak::upgrade).collect()
    }

    pub fn add_queue(&self, queue: &Arc<Queue>) {
        let mut queues = lock(&self.queues);
        queues.retain(|queue| queue.strong_count() > 0);
        queues.push(Arc::downgrade(queue));
    }

    pub fn info(&self, name: cl_uint) -> Res<Answer> {
        Ok(match name {
            CL_CONTEXT_REFERENCE_COUNT => self.owner.references().into(),
            CL_CONTEXT_NUM_DEVICES => (self.devices.len() as cl_uint).into(),
            CL_CONTEXT_DEVICES => {
                self.devices.iter().map(|d| d.handle()).collect::<Vec<Handle>>().as_slice().into()
            }
            CL_CONTEXT_PROPERTIES => self.properties.as_deref().unwrap_or_default().into(),
            _ => return err(CL_INVALID_VALUE),
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.destructors.call(self.owner.raw());
    }
}
