//! The LLVM context behind a lock.

use crate::{Error, Result, SpecializableConstants};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// Wraps an LLVM context. It is locked while the compiler works in it; the methods of
/// [`crate::Module`] do so themselves, and a thread that holds the lock may call them.
pub struct Context {
    owner: Mutex<Owner>,
    released: Condvar,
}

#[derive(Default)]
struct Owner {
    /// Replaced by a new one after a crash of LLVM in it.
    llvm: llvm::Context,
    thread: Option<ThreadId>,
    depth: usize,
}

/// Holds the lock of a [`Context`].
pub struct ContextGuard<'a> {
    context: &'a Context,
    llvm: llvm::Context,
    // The lock belongs to a thread: the guard must stay on it.
    _not_send: std::marker::PhantomData<*const ()>,
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Context {
    pub fn new() -> Self {
        Context { owner: Mutex::default(), released: Condvar::new() }
    }

    /// Whether the words are a well-formed SPIR-V module: header, version, and every instruction of
    /// its shape. The semantics of the instructions are checked when the module is compiled.
    pub fn is_valid_spirv(&self, code: &[u32]) -> bool {
        spirv::check(code).is_ok()
    }

    /// The constants of a SPIR-V module that can be given a value before it is compiled, by their
    /// `SpecId`.
    pub fn get_specializable_constants(&self, code: &[u32]) -> Result<SpecializableConstants> {
        spirv::specializable_constants(code).map_err(|e| Error::InvalidValue(e.to_string()))
    }

    fn owner(&self) -> MutexGuard<'_, Owner> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn lock(&self) -> ContextGuard<'_> {
        let me = thread::current().id();
        let mut owner = self.owner();
        while owner.thread.is_some_and(|other| other != me) {
            owner = self.released.wait(owner).unwrap_or_else(PoisonError::into_inner);
        }
        self.enter(owner, me)
    }

    pub fn try_lock(&self) -> Option<ContextGuard<'_>> {
        let me = thread::current().id();
        let owner = self.owner();
        if owner.thread.is_some_and(|other| other != me) { None } else { Some(self.enter(owner, me)) }
    }

    fn enter(&self, mut owner: MutexGuard<'_, Owner>, me: ThreadId) -> ContextGuard<'_> {
        if owner.depth == 0 && owner.llvm.has_crashed() {
            owner.llvm = llvm::Context::new();
        }
        owner.thread = Some(me);
        owner.depth += 1;
        ContextGuard { context: self, llvm: owner.llvm.clone(), _not_send: std::marker::PhantomData }
    }
}

impl ContextGuard<'_> {
    /// The LLVM context, for as long as it is locked.
    pub fn llvm(&self) -> &llvm::Context {
        &self.llvm
    }
}

impl Drop for ContextGuard<'_> {
    fn drop(&mut self) {
        let mut owner = self.context.owner();
        owner.depth -= 1;
        if owner.depth == 0 {
            owner.thread = None;
            self.context.released.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_may_lock_twice_and_others_wait() {
        let context = Context::new();
        let first = context.lock();
        let second = context.try_lock().expect("the same thread may");
        thread::scope(|s| {
            s.spawn(|| assert!(context.try_lock().is_none()));
        });
        drop(first);
        thread::scope(|s| {
            s.spawn(|| assert!(context.try_lock().is_none()));
        });
        drop(second);
        thread::scope(|s| {
            s.spawn(|| assert!(context.try_lock().is_some()));
        });
    }
}
