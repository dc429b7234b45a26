//! Events: a program's view of a command, and events that the program itself sets.

use crate::exec;
use crate::node::{EventState, Failure, Kind, Node, Times};
use std::fmt;
use std::sync::Arc;

/// A command's progress, or an event of the program's own ([`Event::user`]). Clones are the same
/// event.
///
/// Dropping the last clone of a user event that was never set fails the commands that wait for it.
#[derive(Clone)]
pub struct Event {
    pub(crate) node: Arc<Node>,
}

/// Why [`Event::set`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserEventError {
    /// It is a command's event.
    NotUser,
    AlreadySet,
}

impl fmt::Display for UserEventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UserEventError::NotUser => "not a user event",
            UserEventError::AlreadySet => "the user event was set before",
        })
    }
}

impl std::error::Error for UserEventError {}

impl Event {
    /// An event that ends when the program calls [`Event::set`].
    pub fn user() -> Event {
        Event { node: Arc::new(Node::user()) }
    }

    /// Ends a user event, with an error code of the program's own.
    pub fn set(&self, outcome: Result<(), i32>) -> Result<(), UserEventError> {
        if self.node.kind != Kind::User {
            return Err(UserEventError::NotUser);
        }
        if exec::end(&self.node, outcome.map_err(Failure::ErrorCode)) {
            Ok(())
        } else {
            Err(UserEventError::AlreadySet)
        }
    }

    pub fn is_user(&self) -> bool {
        self.node.kind == Kind::User
    }

    pub fn state(&self) -> EventState {
        if self.has_ended() {
            self.node.program_waited();
        }
        self.node.state()
    }

    /// Whether it is complete or has failed.
    pub fn has_ended(&self) -> bool {
        self.node.has_ended()
    }

    pub fn times(&self) -> Times {
        self.node.times()
    }

    /// Flushes the command's queue and waits for the end. The calling thread may run commands of
    /// that queue meanwhile, but code of the program's only if it waits for just that.
    pub fn wait(&self) -> Result<(), Failure> {
        exec::wait(&self.node);
        match self.state() {
            EventState::Complete => Ok(()),
            EventState::Failed(failure) => Err(failure),
            // It returns before the end only if there will be none.
            _ => Err(Failure::Orphaned),
        }
    }

    /// Waits for all, also after one failed; the first failure.
    pub fn wait_all(events: &[Event]) -> Result<(), Failure> {
        let mut outcome = Ok(());
        for event in events {
            outcome = outcome.and(event.wait());
        }
        outcome
    }

    /// Calls `callback` when the command reaches `state` or has passed it; with the failure if it
    /// failed before. On a thread for callbacks, one after the other: it may wait and lock, but
    /// holds up other callbacks.
    pub fn on(&self, state: EventState, callback: impl FnOnce(EventState) + Send + 'static) {
        if self.has_ended() {
            self.node.program_waited();
        }
        self.node.call_at(state, Box::new(callback));
    }

    /// Whether both are the same event.
    pub fn same(&self, other: &Event) -> bool {
        Arc::ptr_eq(&self.node, &other.node)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Event").field(&self.state()).finish()
    }
}
