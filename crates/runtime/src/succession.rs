//! Code that better code succeeds, in the middle of a launch.
//!
//! Large kernels begin with code that is quick to make ([`compiler::Tier`]). Each thread of a
//! launch asks between two boxes of work-groups whether there is better code, and runs the rest
//! with that: so slow code costs a launch no more than the time until the better code is made.

use crate::clock;
use crate::device::Executable;
use crate::driver::Launch;
use crate::grid::GroupBox;
use crate::node::Failure;
use std::sync::Arc;

/// Into how many times as many slices as others a launch is cut whose code may be succeeded.
pub(crate) const SLICES: u64 = 16;

/// The better code for an executable, which is made when that seems worth it.
pub trait Succession: Send + Sync {
    /// The better code, once there is some.
    fn successor(&self) -> Option<Arc<Executable>>;

    /// Hears that a thread ran the code for so long.
    fn ran(&self, nanoseconds: u64);
}

/// Runs the work-groups that `next` gives with the code of a launch, and with better code as soon
/// as there is some.
pub(crate) fn run(launch: &Launch, mut next: impl FnMut() -> Option<GroupBox>) -> Result<(), Failure> {
    let code = launch.kernel();
    let Some(succession) = code.succession() else { return code.code().run(launch, &mut next) };
    let mut successor = succession.successor().filter(|better| launch.may_go_on_with(better));
    if successor.is_none() {
        let mut since = clock::now();
        let mut until_succeeded = || {
            let now = clock::now();
            succession.ran(now - since);
            since = now;
            successor = succession.successor().filter(|better| launch.may_go_on_with(better));
            if successor.is_some() { None } else { next() }
        };
        code.code().run(launch, &mut until_succeeded)?;
    }
    successor.map_or(Ok(()), |better| better.code().run(launch, &mut next))
}
