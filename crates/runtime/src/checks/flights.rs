//! Launches that may be in flight at the same time, and races between them.
//!
//! A launch that others may overlap with, since its context has several queues or its queue is out
//! of order, is told that all its arguments overlap (`ArgumentField::Overlaps`), so that it tells
//! of every access to global memory. A cell of a word keeps the last accesses of launches; two of
//! different launches race if nothing orders these (`order.rs`). All is forgotten once the program
//! has waited for all launches.

use super::CheckedArgument;
use super::order::{self, Clock, Order, Place};
use super::shadow::Shadow;
use crate::lock;
use compiler::NdRange;
use ir::check::Access;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// An access as it is remembered. `flight` 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stamp {
    /// The launch, from 1.
    flight: u32,
    group: u32,
    item: u16,
    /// The index of its descriptor among those of the launch.
    site: u16,
    /// How many bytes of the access lie before the cell.
    back: u16,
    /// An atomic whose scope is the work-group or less.
    narrow: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    write: Stamp,
    atomic: Stamp,
    /// The last reads of two launches.
    reads: [Stamp; 2],
}

/// What others have to know of a launch.
#[derive(Debug)]
pub struct Plan {
    pub range: NdRange,
    pub arguments: Vec<CheckedArgument>,
}

struct Flight {
    place: Place,
    plan: Arc<Plan>,
    /// The descriptors of its accesses, as they are encoded: its code may be gone.
    sites: Vec<(usize, Vec<u8>)>,
    index: HashMap<usize, u16>,
}

#[derive(Default)]
struct Flights {
    flights: Vec<Flight>,
    cells: Shadow<Cell>,
}

static FLIGHTS: OnceLock<Mutex<Flights>> = OnceLock::new();

/// A launch that is in flight.
#[derive(Debug)]
pub struct Ticket {
    flight: u32,
    before: Clock,
}

/// An access of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub address: usize,
    pub bytes: usize,
    pub access: Access,
    pub narrow: bool,
    pub group: u32,
    pub item: u16,
}

/// An access of another launch that nothing orders with this one.
#[derive(Debug)]
pub struct Meets {
    /// The descriptor, and its address while its code lived.
    pub site: Vec<u8>,
    pub at: usize,
    pub plan: Arc<Plan>,
    pub group: u32,
    pub item: u16,
    /// Where the access begins.
    pub start: usize,
}

impl Ticket {
    /// For a launch that starts.
    pub fn new(order: Order, plan: Plan) -> Ticket {
        drop(order.waiting);
        let mut all = lock(FLIGHTS.get_or_init(Mutex::default));
        // A launch that was enqueued before the program waited for others may not come after them:
        // neither this one nor those that wait.
        let program = order::program();
        let is_over = |other: &Flight| program.has(other.place) && order.clock.has(other.place);
        if !order::launches_wait() && all.flights.iter().all(is_over) {
            *all = Flights::default();
            order::forget();
        }
        let (sites, index) = Default::default();
        all.flights.push(Flight { place: order.place, plan: Arc::new(plan), sites, index });
        Ticket { flight: all.flights.len() as u32, before: order.clock }
    }

    /// Remembers an access, and gives the one of another launch that races with it. `site` is the
    /// address of its descriptor, which `encoded` reads.
    pub fn access(&self, site: usize, seen: Seen, encoded: impl FnOnce() -> Vec<u8>) -> Option<Meets> {
        let mut all = lock(FLIGHTS.get()?);
        let Flights { flights, cells } = &mut *all;
        let own = flights.get_mut(self.flight as usize - 1)?;
        let next = own.sites.len().min(usize::from(u16::MAX)) as u16;
        let at = site;
        let site = *own.index.entry(at).or_insert(next);
        if usize::from(site) == own.sites.len() {
            own.sites.push((at, encoded()));
        }
        let Seen { address, bytes, access, narrow, group, item } = seen;
        let mut found: Option<(Stamp, usize)> = None;
        cells.visit(address, bytes, |here, cell| {
            let back = (here - address).min(usize::from(u16::MAX)) as u16;
            let stamp = Stamp { flight: self.flight, group, item, site, back, narrow };
            let races = |other: &Stamp| {
                let flight = (other.flight as usize).checked_sub(1).and_then(|i| flights.get(i));
                other.flight != self.flight && flight.is_some_and(|f| !self.before.has(f.place))
            };
            let both_atomic = |other: &Stamp| access == Access::Atomic && !(narrow && other.narrow);
            if found.is_none() {
                let reads = cell.reads.iter().filter(|_| access != Access::Read);
                let atomic = Some(&cell.atomic).filter(|other| !both_atomic(other));
                let other = [&cell.write].into_iter().chain(atomic).chain(reads).find(|other| races(other));
                found = other.map(|other| (*other, here - usize::from(other.back)));
            }
            match access {
                Access::Write => cell.write = stamp,
                Access::Atomic => cell.atomic = stamp,
                Access::Read => {
                    if cell.reads[0].flight != self.flight {
                        cell.reads[1] = cell.reads[0];
                    }
                    cell.reads[0] = stamp;
                }
            }
        });
        let (other, start) = found?;
        let flight = &flights[other.flight as usize - 1];
        let (at, site) = flight.sites.get(usize::from(other.site))?.clone();
        Some(Meets { site, at, plan: flight.plan.clone(), group: other.group, item: other.item, start })
    }
}

/// Forgets the accesses to memory that is no more.
pub fn forget(start: usize, len: usize) {
    if let Some(flights) = FLIGHTS.get() {
        lock(flights).cells.forget(start, len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(place: Place, before: Clock) -> Ticket {
        let plan = Plan { range: NdRange::new(&[4], &[4]), arguments: Vec::new() };
        Ticket::new(Order { place, clock: before, waiting: None }, plan)
    }

    #[test]
    fn launches_race_that_nothing_orders() {
        // Another test may run launches: none of them waits for this one.
        let queue = order::queue_number();
        let at = |index| Place { queue, index };
        let base = 0x2000_0000_0000_0000;
        let access = |ticket: &Ticket, address, access, item| {
            let seen = Seen { address, bytes: 4, access, narrow: false, group: 0, item };
            ticket.access(0x10, seen, || vec![7]).map(|meets| (meets.item, meets.start, meets.site))
        };
        let first = start(at(0), Clock::default());
        assert_eq!(access(&first, base, Access::Write, 1), None);
        assert_eq!(access(&first, base + 4, Access::Atomic, 2), None);
        assert_eq!(access(&first, base + 8, Access::Read, 3), None);
        let second = start(at(1), Clock::default());
        assert_eq!(access(&second, base, Access::Read, 0), Some((1, base, vec![7])));
        assert_eq!(access(&second, base + 4, Access::Read, 0), Some((2, base + 4, vec![7])));
        assert_eq!(access(&second, base + 4, Access::Atomic, 0), None);
        assert_eq!(access(&second, base + 8, Access::Read, 0), None);
        assert_eq!(access(&second, base + 8, Access::Write, 0), Some((3, base + 8, vec![7])));
        // One that comes after both.
        let mut before = Clock::default();
        before.add_before(at(2));
        let third = start(at(2), before);
        assert_eq!(access(&third, base, Access::Write, 0), None);
        assert_eq!(access(&third, base + 8, Access::Write, 0), None);
        // Memory that was freed is others' memory.
        forget(base, 4);
        assert_eq!(access(&start(at(3), Clock::default()), base, Access::Write, 0), None);
    }
}
