//! An instance of a compiler for one device: `BaseTarget` of the specification.

use crate::{Context, Error, Info, Module, Result};
use passes::Library;
use std::sync::{Arc, OnceLock};

/// Receives messages for the user, on any thread.
pub type NotifyCallback = Arc<dyn Fn(&str) + Send + Sync>;

/// An instance of the compiler that an [`Info`] describes. The differences between devices are in
/// the [`crate::Backend`].
pub struct Target {
    info: &'static dyn Info,
    context: Arc<Context>,
    callback: Option<NotifyCallback>,
    library: OnceLock<Library>,
}

impl Target {
    /// For [`Info::create_target`].
    pub(crate) fn new(
        info: &'static dyn Info,
        context: Arc<Context>,
        callback: Option<NotifyCallback>,
    ) -> Self {
        Target { info, context, callback, library: OnceLock::new() }
    }

    pub fn compiler_info(&self) -> &'static dyn Info {
        self.info
    }

    /// Takes the builtin library before the first module is made.
    pub fn init_with_builtins(&self, library: Library) -> Result<()> {
        let twice = |_| {
            Error::InvalidValue(
                "the target has its builtin library already: init_with_builtins is called once".to_owned(),
            )
        };
        self.library.set(library).map_err(twice)
    }

    /// The library of `init_with_builtins`. Without a library its functions stay undefined, which
    /// `finalize` reports by name.
    pub(crate) fn builtins(&self) -> Library {
        self.library.get().copied().unwrap_or(|_| Ok(()))
    }

    /// Makes an empty module that is compiled for this target.
    pub fn create_module(self: &Arc<Self>) -> Result<Module> {
        if self.library.get().is_none() {
            return Err(Error::InvalidValue(
                "the target has no builtin library yet: call init_with_builtins first".to_owned(),
            ));
        }
        Ok(Module::new(self.clone(), self.context.clone()))
    }

    /// Sends a message to the user that no return value can carry.
    pub fn notify(&self, message: &str) {
        if let Some(callback) = &self.callback {
            callback(message);
        }
    }
}
