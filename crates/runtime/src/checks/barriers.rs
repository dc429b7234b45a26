//! Work-items of a group at barriers: who arrived where, and who left.
//!
//! A work-group runs on one thread, so that its state is the thread's. Each work-item counts the
//! barriers it arrived at; what the first one found as its nth barrier is what all others must
//! find.

use std::cell::RefCell;

/// A barrier as a work-item meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The address of the descriptor.
    pub site: usize,
    /// The rounds of the loops around it.
    pub rounds: u64,
    /// The operands that must be uniform.
    pub operands: u64,
}

/// A work-item by its linear IDs.
pub type Item = u64;

/// What is wrong with a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A work-item did not come to a barrier: it left the kernel, or met another one, while `other`
    /// waits there.
    Missed { at: Meeting, by: Item, other: Item },
    /// Two came in different rounds of a loop.
    Rounds { at: Meeting, by: Item, other: Item },
    /// Two came with different operands.
    Operands { at: Meeting, by: Item, other: Item },
}

#[derive(Default)]
struct State {
    launch: usize,
    group: u64,
    /// How many barriers each work-item arrived at.
    counts: Vec<u32>,
    /// The nth barrier, and who came first to it.
    meetings: Vec<(Meeting, Item)>,
    /// Work-items that left, by how many barriers they had arrived at.
    left: Vec<(u32, Item)>,
    /// The barrier at which the work-items went apart: others that do not fit follow from that.
    apart: Option<usize>,
}

impl State {
    /// Notes that work-items went apart; whether at the barrier where they first did.
    fn is_first(&mut self, wrong: &Wrong) -> bool {
        let (Wrong::Missed { at, .. } | Wrong::Rounds { at, .. } | Wrong::Operands { at, .. }) = wrong;
        *self.apart.get_or_insert(at.site) == at.site
    }
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<T>(launch: usize, group: u64, f: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(|state| {
        if (state.launch, state.group) != (launch, group) {
            *state = State { launch, group, ..State::default() };
        }
        f(state)
    })
}

/// A work-item arrives; what is wrong with that.
pub fn arrive(launch: usize, group: u64, item: Item, meeting: Meeting) -> Vec<Wrong> {
    with(launch, group, |state| {
        let index = item as usize;
        if state.counts.len() <= index {
            state.counts.resize(index + 1, 0);
        }
        let n = state.counts[index];
        state.counts[index] += 1;
        let mut wrong = Vec::new();
        if let Some((_, other)) = state.left.iter().find(|(count, _)| *count == n) {
            wrong.push(Wrong::Missed { at: meeting, by: *other, other: item });
        }
        match state.meetings.get(n as usize) {
            None => state.meetings.push((meeting, item)),
            Some((first, other)) if first.site != meeting.site => {
                wrong.push(Wrong::Missed { at: *first, by: item, other: *other });
            }
            Some((first, other)) if first.rounds != meeting.rounds => {
                wrong.push(Wrong::Rounds { at: meeting, by: item, other: *other });
            }
            Some((first, other)) if first.operands != meeting.operands => {
                wrong.push(Wrong::Operands { at: meeting, by: item, other: *other });
            }
            Some(_) => {}
        }
        wrong.retain(|wrong| state.is_first(wrong));
        wrong
    })
}

/// A work-item leaves the kernel.
pub fn leave(launch: usize, group: u64, item: Item) -> Option<Wrong> {
    with(launch, group, |state| {
        let n = state.counts.get(item as usize).copied().unwrap_or(0);
        if !state.left.iter().any(|(count, _)| *count == n) {
            state.left.push((n, item));
        }
        let (at, other) = *state.meetings.get(n as usize)?;
        Some(Wrong::Missed { at, by: item, other }).filter(|wrong| state.is_first(wrong))
    })
}

/// Whether the work-items of the group that the thread runs went apart.
pub fn is_apart() -> bool {
    STATE.with_borrow(|state| state.apart.is_some())
}

/// Forgets the state, when a launch begins.
pub fn reset() {
    STATE.with_borrow_mut(|state| *state = State::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(site: usize, rounds: u64) -> Meeting {
        Meeting { site, rounds, operands: 0 }
    }

    #[test]
    fn who_misses_a_barrier_is_found() {
        reset();
        assert_eq!(arrive(1, 0, 0, at(10, 0)), []);
        assert_eq!(arrive(1, 0, 1, at(10, 0)), []);
        assert_eq!(leave(1, 0, 2), Some(Wrong::Missed { at: at(10, 0), by: 2, other: 0 }));
        assert!(is_apart());
        // The next group starts anew.
        assert_eq!(leave(1, 1, 0), None);
        assert_eq!(arrive(1, 1, 1, at(10, 0)), [Wrong::Missed { at: at(10, 0), by: 0, other: 1 }]);
    }

    #[test]
    fn other_barriers_and_rounds() {
        reset();
        arrive(2, 0, 0, at(10, 0));
        let wrong = [Wrong::Missed { at: at(10, 0), by: 1, other: 0 }];
        assert_eq!(arrive(2, 0, 1, at(20, 0)), wrong);
        arrive(2, 1, 0, at(10, 1));
        assert_eq!(arrive(2, 1, 1, at(10, 2)), [Wrong::Rounds { at: at(10, 2), by: 1, other: 0 }]);
    }
}
