//! Handles: the pointers by which a program holds objects.
//!
//! A handle is the address of a slot. The loader reads the first word of whatever it is given, so
//! slots are never freed: a released handle still has its dispatch word, and the check here finds
//! that it has no object. A slot is reused only after many others, so that stale handles are
//! detected for a long time.
//!
//! The slot holds its object as long as the program's reference count is not 0. Objects hold each
//! other, too (a queue its context), and a handle is valid as long as its object lives: a program
//! may release its context first and ask a queue for it.

use crate::cl::*;
use crate::complaint;
use crate::dispatch::TABLE;
use crate::ffi::{ErrorCode, Res, because, ensure};
use runtime::lock;
use std::any::Any;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicUsize};
use std::sync::{Arc, Mutex, Weak};

/// The object of a handle.
pub trait Object: Any + Send + Sync + Sized {
    /// The error code for a handle that is not of this type.
    const INVALID: cl_int;

    /// Whether objects of this type belong to a context, or are contexts.
    const IN_CONTEXT: bool = true;

    fn owner(&self) -> &Owner;

    fn handle(&self) -> Handle {
        self.owner().raw()
    }
}

#[repr(C, align(64))]
struct Slot {
    /// The loader's dispatch table.
    dispatch: AtomicPtr<c_void>,
    /// The loader's own data (ICD 2).
    loader_data: AtomicPtr<c_void>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    object: Option<Weak<dyn Any + Send + Sync>>,
    /// The object, while `references` is not 0.
    kept: Option<Arc<dyn Any + Send + Sync>>,
    references: u32,
}

/// Each chunk has twice the slots of the one before.
const FIRST_CHUNK: usize = 1024;
const CHUNKS: usize = 20;
/// The number of free slots that wait before the first of them is reused.
const RESTING: usize = 512;

static CHUNK: [AtomicPtr<Slot>; CHUNKS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; CHUNKS];
static CHUNKS_MADE: AtomicUsize = AtomicUsize::new(0);
static FREE: Mutex<VecDeque<SlotRef>> = Mutex::new(VecDeque::new());
static LOADER_DATA: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// The chunks so far, each with its number of slots.
fn chunks() -> impl Iterator<Item = (*mut Slot, usize)> {
    let made = CHUNKS_MADE.load(Acquire);
    CHUNK.iter().take(made).enumerate().map(|(i, chunk)| (chunk.load(Acquire), FIRST_CHUNK << i))
}

/// A slot, which lives for ever.
#[derive(Clone, Copy)]
struct SlotRef(&'static Slot);

impl SlotRef {
    /// The slot with this address.
    fn find(handle: Handle) -> Option<SlotRef> {
        let address = handle as usize;
        for (start, slots) in chunks() {
            let offset = address.wrapping_sub(start as usize);
            if offset < slots * size_of::<Slot>() {
                if !offset.is_multiple_of(size_of::<Slot>()) {
                    return None;
                }
                // SAFETY: the address of a slot of a chunk, which was initialised and is never
                // freed.
                return Some(SlotRef(unsafe { &*start.add(offset / size_of::<Slot>()) }));
            }
        }
        None
    }

    fn take_free() -> Res<SlotRef> {
        let mut free = lock(&FREE);
        if free.len() <= RESTING {
            let i = CHUNKS_MADE.load(Relaxed);
            if i < CHUNKS {
                let chunk: Vec<Slot> = (0..FIRST_CHUNK << i).map(|_| Slot::new()).collect();
                let chunk: &'static [Slot] = chunk.leak();
                CHUNK[i].store(chunk.as_ptr().cast_mut(), Release);
                CHUNKS_MADE.store(i + 1, Release);
                // New slots go to the front: freed slots are reused last.
                for slot in chunk.iter().rev() {
                    free.push_front(SlotRef(slot));
                }
            }
        }
        free.pop_front().ok_or(ErrorCode(CL_OUT_OF_HOST_MEMORY))
    }
}

impl Slot {
    fn new() -> Slot {
        Slot {
            dispatch: AtomicPtr::new(TABLE.as_ptr()),
            loader_data: AtomicPtr::new(LOADER_DATA.load(Relaxed)),
            state: Mutex::default(),
        }
    }
}

/// Sets the loader's data for all handles, existing ones included.
pub fn set_loader_data(data: *mut c_void) {
    let _free = lock(&FREE);
    LOADER_DATA.store(data, Relaxed);
    for (start, slots) in chunks() {
        for at in 0..slots {
            // SAFETY: a slot of a chunk, which was initialised and is never freed.
            unsafe { &*start.add(at) }.loader_data.store(data, Release);
        }
    }
}

/// An object's hold on its slot. The slot is free when the object is gone.
pub struct Owner(SlotRef);

impl Owner {
    pub fn raw(&self) -> Handle {
        NonNull::from(self.0.0).as_ptr().cast()
    }

    /// The program's reference count.
    pub fn references(&self) -> u32 {
        lock(&self.0.0.state).references
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let old = std::mem::take(&mut *lock(&self.0.0.state));
        drop(old);
        lock(&FREE).push_back(self.0);
    }
}

/// Creates an object with a handle; the program's reference count is 1.
pub fn publish<T: Object>(build: impl FnOnce(Owner) -> T) -> Res<Arc<T>> {
    let slot = SlotRef::take_free()?;
    let object = Arc::new(build(Owner(slot)));
    let any: Arc<dyn Any + Send + Sync> = object.clone();
    let mut state = lock(&slot.0.state);
    *state = State { object: Some(Arc::downgrade(&any)), kept: Some(any), references: 1 };
    drop(state);
    Ok(object)
}

/// The object behind a handle, if there is one of this kind.
#[inline]
pub fn find<T: Object>(handle: Handle) -> Option<Arc<T>> {
    let object = lock(&SlotRef::find(handle)?.0.state).object.as_ref().and_then(Weak::upgrade);
    object.and_then(|any| any.downcast::<T>().ok())
}

/// The object behind a handle.
pub fn get<T: Object>(handle: Handle) -> Res<Arc<T>> {
    match find(handle) {
        Some(object) => {
            if T::IN_CONTEXT {
                complaint::is_about(handle);
            }
            Ok(object)
        }
        None => Err(because(T::INVALID, || wrong_handle::<T>(handle))),
    }
}

/// The error for a handle that is no `T`.
fn wrong_handle<T: Object>(handle: Handle) -> String {
    let kind = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default().to_lowercase();
    if handle.is_null() {
        return format!("the {kind} is NULL");
    }
    let known = SlotRef::find(handle);
    let lives = known.is_some_and(|slot| lock(&slot.0.state).object.is_some());
    match (known, lives) {
        (None, _) => format!("{handle:p} is no handle of this driver's, where a {kind} should be"),
        (Some(_), true) => format!("{handle:p} is a handle of something else than a {kind}"),
        (Some(_), false) => {
            format!("{handle:p} was a handle, but the object is gone; a {kind} should be there")
        }
    }
}

/// The objects behind `count` handles.
pub fn get_all<T: Object>(handles: &[Handle]) -> Res<Vec<Arc<T>>> {
    handles.iter().map(|handle| get(*handle)).collect()
}

pub fn retain<T: Object>(handle: Handle) -> Res<()> {
    let object = get::<T>(handle)?;
    let mut state = lock(&object.owner().0.0.state);
    state.references = state.references.checked_add(1).ok_or(ErrorCode(CL_OUT_OF_RESOURCES))?;
    if state.kept.is_none() {
        state.kept = Some(object.clone());
    }
    Ok(())
}

/// Decrements the program's reference count. Returns the object, which the caller drops.
pub fn release<T: Object>(handle: Handle) -> Res<Arc<T>> {
    let object = get::<T>(handle)?;
    let mut state = lock(&object.owner().0.0.state);
    ensure(state.references > 0, T::INVALID)?;
    state.references -= 1;
    if state.references == 0 {
        // Not the last reference: `object` is another.
        state.kept = None;
    }
    drop(state);
    Ok(object)
}
