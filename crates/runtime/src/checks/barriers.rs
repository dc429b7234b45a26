//! Work-items of a group at barriers: who arrived where, and who left.
//!
//! A work-group runs on one thread, so that its state is the thread's. Each work-item counts the
//! barriers it arrived at; what the first one found as its nth barrier is what all others must
//! find. Code compares that itself, and tells of those that differ.

use ir::check::{LaunchField, MEETING_WORDS, MeetingField};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

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
    /// The nth barrier, and who came first to it.
    meetings: HashMap<u64, (Meeting, Item)>,
    /// Work-items that left, by how many barriers they had arrived at.
    left: Vec<(u64, Item)>,
    /// The barrier at which the work-items went apart: others that do not fit follow from that.
    apart: Option<usize>,
}

impl State {
    /// The state of a group of which code has noted the last meetings.
    fn new(launch: usize, group: u64, noted: &[Cell<u64>]) -> State {
        let mut state = State { launch, group, ..State::default() };
        let current = noted[LaunchField::Group as usize].get();
        for slot in noted[LaunchField::Meetings as usize..].chunks_exact(MEETING_WORDS as usize) {
            let word = |field: MeetingField| slot[field as usize].get();
            let (tag, item) = (word(MeetingField::Tag), word(MeetingField::Item));
            let Some(n) = (tag & 0xffff_ffff).checked_sub(1).filter(|_| tag >> 32 == current) else {
                continue;
            };
            let site = word(MeetingField::Site) as usize;
            let (rounds, operands) = (word(MeetingField::Rounds), word(MeetingField::Operands));
            match site {
                0 => state.left.push((n, item)),
                _ => drop(state.meetings.insert(n, (Meeting { site, rounds, operands }, item))),
            }
        }
        state
    }

    /// Notes that work-items went apart; whether at the barrier where they first did.
    fn is_first(&mut self, wrong: &Wrong) -> bool {
        let (Wrong::Missed { at, .. } | Wrong::Rounds { at, .. } | Wrong::Operands { at, .. }) = wrong;
        *self.apart.get_or_insert(at.site) == at.site
    }
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// The work-group of a work-item that meets others: the launch, the linear ID, and the words of the
/// launch in the thread's record.
#[derive(Clone, Copy)]
pub struct InGroup<'a> {
    pub launch: usize,
    pub group: u64,
    pub words: &'a [Cell<u64>],
}

impl InGroup<'_> {
    fn with<T>(self, f: impl FnOnce(&mut State) -> T) -> T {
        STATE.with_borrow_mut(|state| {
            if (state.launch, state.group) != (self.launch, self.group) {
                *state = State::new(self.launch, self.group, self.words);
            }
            let result = f(state);
            self.words[LaunchField::Apart as usize].set(state.apart.is_some().into());
            result
        })
    }

    /// A work-item arrives at its nth barrier; what is wrong with that.
    pub fn arrive(self, item: Item, n: u64, meeting: Meeting) -> Vec<Wrong> {
        self.with(|state| {
            let mut wrong = Vec::new();
            if let Some((_, other)) = state.left.iter().find(|(count, _)| *count == n) {
                wrong.push(Wrong::Missed { at: meeting, by: *other, other: item });
            }
            let (first, other) = *state.meetings.entry(n).or_insert((meeting, item));
            if first.site != meeting.site {
                wrong.push(Wrong::Missed { at: first, by: item, other });
            } else if first.rounds != meeting.rounds {
                wrong.push(Wrong::Rounds { at: meeting, by: item, other });
            } else if first.operands != meeting.operands {
                wrong.push(Wrong::Operands { at: meeting, by: item, other });
            }
            wrong.retain(|wrong| state.is_first(wrong));
            wrong
        })
    }

    /// A work-item leaves the kernel after n barriers.
    pub fn leave(self, item: Item, n: u64) -> Option<Wrong> {
        self.with(|state| {
            if !state.left.iter().any(|(count, _)| *count == n) {
                state.left.push((n, item));
            }
            let (at, other) = *state.meetings.get(&n)?;
            Some(Wrong::Missed { at, by: item, other }).filter(|wrong| state.is_first(wrong))
        })
    }
}

/// Forgets the state, when a launch begins.
pub fn reset() {
    STATE.with_borrow_mut(|state| *state = State::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::check::LAUNCH_WORDS;

    fn at(site: usize, rounds: u64) -> Meeting {
        Meeting { site, rounds, operands: 0 }
    }

    fn no_words() -> Vec<Cell<u64>> {
        vec![Cell::new(0); LAUNCH_WORDS as usize]
    }

    #[test]
    fn who_misses_a_barrier_is_found() {
        reset();
        let words = no_words();
        let group = InGroup { launch: 1, group: 0, words: &words };
        assert_eq!(group.arrive(0, 0, at(10, 0)), []);
        assert_eq!(group.arrive(1, 0, at(10, 0)), []);
        assert_eq!(words[LaunchField::Apart as usize].get(), 0);
        assert_eq!(group.leave(2, 0), Some(Wrong::Missed { at: at(10, 0), by: 2, other: 0 }));
        assert_eq!(words[LaunchField::Apart as usize].get(), 1);
        // The next group starts anew.
        let group = InGroup { group: 1, ..group };
        assert_eq!(group.leave(0, 0), None);
        assert_eq!(words[LaunchField::Apart as usize].get(), 0);
        let wrong = [Wrong::Missed { at: at(10, 0), by: 0, other: 1 }];
        assert_eq!(group.arrive(1, 0, at(10, 0)), wrong);
    }

    #[test]
    fn other_barriers_and_rounds() {
        reset();
        let words = no_words();
        let group = InGroup { launch: 2, group: 0, words: &words };
        group.arrive(0, 0, at(10, 0));
        let wrong = [Wrong::Missed { at: at(10, 0), by: 1, other: 0 }];
        assert_eq!(group.arrive(1, 0, at(20, 0)), wrong);
        let group = InGroup { group: 1, ..group };
        group.arrive(0, 0, at(10, 1));
        let wrong = [Wrong::Rounds { at: at(10, 2), by: 1, other: 0 }];
        assert_eq!(group.arrive(1, 0, at(10, 2)), wrong);
    }

    #[test]
    fn what_code_has_noted_is_known() {
        reset();
        let words = no_words();
        words[LaunchField::Group as usize].set(5);
        // The second barrier; in the next slot one of the group before.
        let start = LaunchField::Meetings as usize + MEETING_WORDS as usize;
        let slots = [5 << 32 | 2, 10, 3, 0, 4, 4 << 32 | 3, 20, 0, 0, 0];
        for (i, word) in slots.into_iter().enumerate() {
            words[start + i].set(word);
        }
        let group = InGroup { launch: 3, group: 7, words: &words };
        assert_eq!(group.leave(6, 1), Some(Wrong::Missed { at: at(10, 3), by: 6, other: 4 }));
        assert_eq!(group.leave(6, 2), None);
    }
}
