//! The last accesses to each byte that work-items share, and which of them nothing orders.
//!
//! A cell holds the last write and three reads: the last one, the last one before it by another
//! work-item of its group, and the last one of another group.
//!
//! Two accesses, one a write and not both atomic, are ordered if one work-item did both; if they
//! are of one group in different epochs, since a barrier lies between; or if the first one was
//! released, by a fence and an atomic, to the second's work-item, which has acquired it. What one
//! work-item acquires, its group knows after the next barrier. A work-item's fences are counted:
//! what it does after one is not released by it.

use super::shadow::Shadow;
use super::vector_clock::VectorClock;
use ir::check::Access;
use std::collections::HashMap;

/// An access as it is remembered. `site` 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    pub group: u32,
    pub item: u16,
    /// The index of its descriptor, from 1.
    pub site: u16,
    pub epochs: u64,
    /// Its sub-group; the class of a copy.
    pub sub_group: u16,
    /// The fences of its work-item before it.
    pub fences: u32,
    pub atomic: bool,
    /// To local memory, which each group has for itself.
    pub local: bool,
    /// An atomic whose scope is the work-group or less.
    pub narrow: bool,
    /// How many bytes of the access lie before the cell.
    pub back: u16,
}

/// An access that races with another one, at an address that both are to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    pub other: Stamp,
    /// Where the other access begins.
    pub other_start: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    write: Stamp,
    /// The last atomic access. It must not hide the plain write before it.
    atomic: Stamp,
    reads: [Stamp; 3],
}

/// What is known of work-items: what they did before they had made so many fences. What is known of
/// all of a group is everything before an epoch, under the item [`COPY`], which makes no fences.
type Clock = VectorClock;

fn key(group: u32, item: u16) -> u64 {
    u64::from(group) << 16 | u64::from(item)
}

fn covers(clock: &Clock, stamp: &Stamp) -> bool {
    global_epoch(stamp.epochs) < clock.get(key(stamp.group, COPY)).into()
        || stamp.fences < clock.get(key(stamp.group, stamp.item))
}

/// What a group has acquired.
#[derive(Debug, Default)]
struct Acquired {
    /// By a work-item itself.
    items: HashMap<u16, Clock>,
    /// By any work-item in the epochs `now`, and before.
    fresh: Clock,
    settled: Clock,
    now: u64,
}

impl Acquired {
    /// Whether a work-item of the group has acquired an access, or knows it since a barrier.
    fn orders(&self, first: &Stamp, second: &Stamp) -> bool {
        self.items.get(&second.item).is_some_and(|clock| covers(clock, first))
            || covers(&self.settled, first)
            || barriers(second.epochs) > self.now && covers(&self.fresh, first)
    }

    /// A work-item acquires something in its epochs.
    fn add(&mut self, item: u16, epochs: u64, clock: &Clock) {
        if barriers(epochs) > self.now {
            self.settled.join(&std::mem::take(&mut self.fresh));
            self.now = barriers(epochs);
        }
        self.fresh.join(clock);
        self.items.entry(item).or_default().join(clock);
    }

    /// All that a work-item knows of other groups and work-items.
    fn known_by(&self, item: u16, epochs: u64) -> Clock {
        let mut clock = self.settled.clone();
        if barriers(epochs) > self.now {
            clock.join(&self.fresh);
        }
        if let Some(own) = self.items.get(&item) {
            clock.join(own);
        }
        clock
    }
}

/// The shared memory of one launch.
#[derive(Default)]
pub struct Races {
    cells: Shadow<Cell>,
    /// What atomics at an address have released.
    /// Those of a narrow scope are seen by their own group only.
    released: HashMap<(Option<u32>, usize), Clock>,
    acquired: HashMap<u32, Acquired>,
    /// What work-items have read atomically, to be acquired by a fence.
    pending: HashMap<(u32, u16), Clock>,
    /// Of work-items with fences: how many, and what their next atomic releases.
    fenced: HashMap<(u32, u16), (u32, Clock)>,
    /// Addresses of descriptors.
    sites: Vec<usize>,
    index: HashMap<usize, u16>,
    /// The descriptors that were asked for last, by some bits of their addresses.
    recent: [(usize, u16); 32],
}

/// The item of an asynchronous copy, which is of no work-item.
pub const COPY: u16 = u16::MAX;

const LOCAL_MASK: u64 = (1 << 20) - 1;

fn local_epoch(epochs: u64) -> u64 {
    epochs & LOCAL_MASK
}

fn global_epoch(epochs: u64) -> u64 {
    epochs >> 20 & LOCAL_MASK
}

/// The barriers of a work-item, whatever memory they order.
fn barriers(epochs: u64) -> u64 {
    local_epoch(epochs) + global_epoch(epochs) + sub_group_epoch(epochs)
}

fn sub_group_epoch(epochs: u64) -> u64 {
    epochs >> 40 & 0xfff
}

/// How often the group has waited for copies of a class, modulo 8.
fn copy_epoch(epochs: u64, class: u16) -> u64 {
    epochs >> (52 + 3 * class) & 7
}

impl Races {
    /// The index of a descriptor.
    pub fn site(&mut self, address: usize) -> u16 {
        let slot = address / 16 % self.recent.len();
        if self.recent[slot].0 == address {
            return self.recent[slot].1;
        }
        let next = (self.sites.len() + 1).min(usize::from(u16::MAX)) as u16;
        let index = *self.index.entry(address).or_insert(next);
        if index == next {
            self.sites.push(address);
        }
        self.recent[slot] = (address, index);
        index
    }

    pub fn site_address(&self, index: u16) -> Option<usize> {
        self.sites.get(usize::from(index).checked_sub(1)?).copied()
    }

    /// Remembers an access; the access before that nothing orders with it, if there is one.
    pub fn access(&mut self, address: usize, bytes: usize, access: Access, stamp: Stamp) -> Option<Race> {
        let mut found = None;
        let Races { cells, acquired, fenced, .. } = self;
        let fences = fenced.get(&(stamp.group, stamp.item)).map_or(0, |(fences, _)| *fences);
        let stamp = Stamp { fences, ..stamp };
        cells.visit(address, bytes, |here, cell| {
            let stamp = Stamp { back: (here - address).min(usize::from(u16::MAX)) as u16, ..stamp };
            let fine = |other: &Stamp| {
                let narrow = other.narrow && stamp.narrow && other.group != stamp.group;
                other.site == 0
                    || other.atomic && stamp.atomic && !narrow
                    || is_ordered(acquired, other, &stamp)
            };
            if found.is_none() {
                let reads = cell.reads.iter().filter(|_| access != Access::Read);
                let others = [&cell.write, &cell.atomic].into_iter().chain(reads);
                let other = others.into_iter().find(|other| !fine(other)).copied();
                found = other.map(|other| Race { other, other_start: here - usize::from(other.back) });
            }
            note(cell, access, stamp);
        });
        if access == Access::Atomic {
            self.synchronize(address, stamp);
        }
        found
    }

    /// An atomic access releases what its work-item has fenced, and reads what others released.
    fn synchronize(&mut self, address: usize, stamp: Stamp) {
        let item = (stamp.group, stamp.item);
        let scopes = [Some(stamp.group), None];
        for scope in scopes.into_iter().filter(|scope| scope.is_some() || !stamp.narrow) {
            if let Some(clock) = self.released.get(&(scope, address)) {
                self.pending.entry(item).or_default().join(clock);
            }
        }
        if let Some((_, clock)) = self.fenced.get(&item) {
            let scope = stamp.narrow.then_some(stamp.group);
            self.released.entry((scope, address)).or_default().join(clock);
        }
    }

    /// A fence of a work-item in its epochs: acquires what it has read, and releases all before.
    pub fn fence(&mut self, group: u32, item: u16, epochs: u64) {
        let acquired = self.acquired.entry(group).or_default();
        if let Some(pending) = self.pending.remove(&(group, item)) {
            acquired.add(item, epochs, &pending);
        }
        let mut clock = acquired.known_by(item, epochs);
        let (fences, released) = self.fenced.entry((group, item)).or_default();
        *fences += 1;
        clock.raise(key(group, COPY), global_epoch(epochs) as u32);
        clock.raise(key(group, item), *fences);
        *released = clock;
    }
}

/// Whether something orders two accesses.
fn is_ordered(acquired: &HashMap<u32, Acquired>, first: &Stamp, second: &Stamp) -> bool {
    if first.local != second.local {
        return true;
    }
    if first.group == second.group && first.item == COPY {
        // Only waiting for it ends a copy; each time is a barrier, too.
        return copy_epoch(first.epochs, first.sub_group) != copy_epoch(second.epochs, first.sub_group)
            || global_epoch(second.epochs).wrapping_sub(global_epoch(first.epochs)) & LOCAL_MASK >= 8;
    }
    if first.group == second.group && second.item == COPY && first.item == 0 {
        // The first work-item of the group has started the copy.
        return true;
    }
    if first.group == second.group {
        let epoch = if second.local { local_epoch } else { global_epoch };
        let sub_group = first.sub_group == second.sub_group
            && sub_group_epoch(first.epochs) != sub_group_epoch(second.epochs);
        if first.item == second.item || epoch(first.epochs) != epoch(second.epochs) || sub_group {
            return true;
        }
    } else if second.local {
        return true;
    }
    acquired.get(&second.group).is_some_and(|acquired| acquired.orders(first, second))
}

fn note(cell: &mut Cell, access: Access, stamp: Stamp) {
    if access == Access::Atomic {
        cell.atomic = stamp;
        return;
    }
    if access == Access::Write {
        cell.write = stamp;
        cell.reads = [Stamp::default(); 3];
        return;
    }
    let last = cell.reads[0];
    let is_same = last.site != 0 && (last.group, last.item) == (stamp.group, stamp.item);
    if last.site != 0 && !is_same {
        match last.group == stamp.group {
            true => cell.reads[1] = last,
            false => {
                cell.reads[1] = Stamp::default();
                cell.reads[2] = last;
            }
        }
    }
    cell.reads[0] = stamp;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(group: u32, item: u16, epochs: u64) -> Stamp {
        Stamp { group, item, site: 1, epochs, ..Stamp::default() }
    }

    fn other(race: Option<Race>) -> Option<Stamp> {
        race.map(|race| race.other)
    }

    #[test]
    fn a_plain_write_is_not_hidden_by_an_atomic_of_its_own() {
        let atomic = |item| Stamp { atomic: true, ..stamp(0, item, 0) };
        let mut races = Races::default();
        races.access(0x5000, 4, Access::Write, stamp(0, 0, 0));
        assert_eq!(races.access(0x5000, 4, Access::Atomic, atomic(0)), None);
        assert_eq!(other(races.access(0x5000, 4, Access::Atomic, atomic(1))), Some(stamp(0, 0, 0)));
        let narrow = |group| Stamp { atomic: true, narrow: true, ..stamp(group, 0, 0) };
        assert_eq!(races.access(0x6000, 4, Access::Atomic, narrow(0)), None);
        assert!(races.access(0x6000, 4, Access::Atomic, narrow(1)).is_some());
    }

    #[test]
    fn work_items_of_a_group_race_without_a_barrier() {
        let mut races = Races::default();
        assert_eq!(races.access(0x1000, 4, Access::Write, stamp(0, 0, 0)), None);
        assert_eq!(races.access(0x1000, 4, Access::Read, stamp(0, 0, 0)), None);
        assert_eq!(other(races.access(0x1000, 4, Access::Read, stamp(0, 1, 0))), Some(stamp(0, 0, 0)));
        // The next epoch of global memory.
        assert_eq!(races.access(0x1000, 4, Access::Write, stamp(0, 2, 1 << 20)), None);
        // Another group is never ordered.
        assert!(races.access(0x1000, 4, Access::Read, stamp(1, 0, 0)).is_some());
        // Neighbours are other bytes.
        assert_eq!(races.access(0x1004, 1, Access::Write, stamp(0, 0, 0)), None);
        assert_eq!(races.access(0x1005, 1, Access::Write, stamp(0, 1, 0)), None);
        assert!(races.access(0x1004, 2, Access::Read, stamp(0, 0, 0)).is_some());
    }

    #[test]
    fn a_copy_ends_when_the_group_waits_for_it() {
        let mut races = Races::default();
        races.access(0x8000, 4, Access::Write, stamp(0, 0, 0));
        races.access(0x8004, 4, Access::Write, stamp(0, 1, 0));
        let copy = stamp(0, COPY, 0);
        assert_eq!(races.access(0x8000, 4, Access::Write, copy), None);
        assert_eq!(other(races.access(0x8004, 4, Access::Write, copy)), Some(stamp(0, 1, 0)));
        // A barrier does not end it.
        assert!(races.access(0x8000, 4, Access::Read, stamp(0, 0, 1 << 20 | 1)).is_some());
        assert_eq!(races.access(0x8000, 4, Access::Read, stamp(0, 3, 1 << 52 | 1 << 20 | 1)), None);
        assert!(races.access(0x8000, 4, Access::Write, copy).is_some(), "two copies");
        let other = Stamp { sub_group: 1, ..copy };
        races.access(0x9000, 4, Access::Write, other);
        assert!(races.access(0x9000, 4, Access::Read, stamp(0, 3, 1 << 52 | 1 << 20 | 1)).is_some());
    }

    #[test]
    fn a_write_races_with_any_reader() {
        let mut races = Races::default();
        races.access(0x2000, 4, Access::Read, stamp(0, 1, 0));
        races.access(0x2000, 4, Access::Read, stamp(0, 0, 0));
        assert_eq!(other(races.access(0x2000, 4, Access::Write, stamp(0, 0, 0))), Some(stamp(0, 1, 0)));
    }

    #[test]
    fn atomics_do_not_race_and_publish_what_was_fenced() {
        let atomic = |group, item| Stamp { atomic: true, ..stamp(group, item, 0) };
        let mut races = Races::default();
        races.access(0x3000, 4, Access::Write, stamp(0, 0, 0));
        races.fence(0, 0, 0);
        assert_eq!(races.access(0x4000, 4, Access::Atomic, atomic(0, 0)), None);
        assert_eq!(races.access(0x4000, 4, Access::Atomic, atomic(1, 0)), None);
        let mut relaxed = races.access(0x3000, 4, Access::Read, stamp(1, 0, 0));
        assert!(relaxed.take().is_some(), "there was no fence after the atomic");
        races.access(0x3000, 4, Access::Write, stamp(0, 0, 0));
        races.fence(0, 0, 0);
        races.access(0x4000, 4, Access::Atomic, atomic(0, 0));
        races.access(0x4000, 4, Access::Atomic, atomic(1, 0));
        races.fence(1, 0, 0);
        assert_eq!(races.access(0x3000, 4, Access::Read, stamp(1, 0, 0)), None);
    }

    #[test]
    fn what_follows_a_release_is_not_released() {
        let atomic = |item| Stamp { atomic: true, ..stamp(0, item, 0) };
        let mut races = Races::default();
        for item in [0, 1] {
            races.access(0x3000 + 8 * usize::from(item), 4, Access::Write, stamp(0, item, 0));
            races.fence(0, item, 0);
            races.access(0x4000, 4, Access::Atomic, atomic(item));
            races.fence(0, item, 0);
            let after = races.access(0x3004, 4, Access::Write, stamp(0, item, 0));
            assert_eq!(after.is_some(), item == 1);
        }
        assert_eq!(races.access(0x3000, 4, Access::Read, stamp(0, 1, 0)), None);
        // Another work-item of the group knows it after a barrier only.
        assert!(races.access(0x3000, 4, Access::Read, stamp(0, 2, 0)).is_some());
        assert_eq!(races.access(0x3000, 4, Access::Read, stamp(0, 2, 1)), None);
    }
}
