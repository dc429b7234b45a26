//! The record of a launch: its arguments as checked code sees them, and the findings.

use super::allocations::{self, Found};
use super::barriers::{InGroup, Meeting, Wrong};
use super::flights::{Meets, Plan, Seen, Ticket};
use super::order::Order;
use super::origin::Origin;
use super::races::{COPY, Race, Races, Stamp};
use super::report::{self, Finding, Ids, Kind, Other};
use super::waiting::Waits;
use super::{Listener, decode, encoded, head, publish};
use crate::lock;
use compiler::NdRange;
use ir::check::{
    Access, ArgumentField, CONSTANT, Event, HOME, Memory, ONLY_VARIABLES, QUIET, Root, Site,
    UNDEFINED_ADDRESS,
};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// A pointer that is passed to checked code, with the memory it points to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedArgument {
    pub address: u64,
    /// The bytes of the memory before the address, and all its bytes.
    pub before: u64,
    pub len: u64,
    pub readable: bool,
    pub writable: bool,
    /// The address of the shadows of its bytes, 0 if all count as written.
    pub shadow: u64,
    /// What it is, in words: "buffer of 4 KiB".
    pub what: String,
    /// The call that made it.
    pub origin: Origin,
}

impl CheckedArgument {
    /// As [`ir::check::ArgumentField`] has them.
    fn words(&self) -> [u64; ir::check::ARGUMENT_WORDS as usize] {
        let size = |may: bool| if may { self.len } else { 0 };
        [self.address, self.before, size(self.readable), size(self.writable), 0, self.shadow]
    }

    /// Whether global memory of another argument overlaps this one's.
    fn overlaps(&self, other: &CheckedArgument) -> bool {
        let range = |a: &CheckedArgument| {
            let start = a.address.wrapping_sub(a.before);
            (start, start.saturating_add(a.len))
        };
        let ((a, a_end), (b, b_end)) = (range(self), range(other));
        self.address != 0 && other.address != 0 && a < b_end && b < a_end
    }

    /// The memory at an address that the program passes.
    pub(crate) fn at(address: usize) -> CheckedArgument {
        let of = |start: usize, len: usize, usable: bool, what: &str| CheckedArgument {
            address: address as u64,
            before: (address - start) as u64,
            len: len as u64,
            readable: usable,
            writable: usable,
            shadow: 0,
            what: format!("{what} of {}", report::size(len as u64)),
            origin: Origin::default(),
        };
        match allocations::find(address) {
            Found::Live(a) => of(a.start, a.len, true, "allocation"),
            Found::Freed(a) => of(a.start, a.len, false, "freed allocation"),
            // The program's own memory (system SVM), of which nothing is known: all of it.
            Found::Near(_) | Found::Nothing => CheckedArgument {
                address: address as u64,
                before: address as u64,
                len: u64::MAX >> 1,
                readable: true,
                writable: true,
                shadow: 0,
                what: "memory of the program".to_owned(),
                origin: Origin::default(),
            },
        }
    }

    pub(crate) fn null() -> CheckedArgument {
        CheckedArgument { what: "a null pointer".to_owned(), ..CheckedArgument::default() }
    }
}

/// The order of work-items in a range.
fn order(ids: &Ids) -> [u64; 6] {
    [ids.group[2], ids.group[1], ids.group[0], ids.local[2], ids.local[1], ids.local[0]]
}

/// The IDs of a work-item by its linear ones.
fn ids_of(range: &NdRange, group: u64, item: u64) -> Ids {
    let size = [0, 1, 2].map(|d: usize| range.local_size[d].max(1) as u64);
    let groups = [0, 1, 2].map(|d: usize| (range.global_size[d] as u64).div_ceil(size[d]).max(1));
    let split = |n: u64, by: [u64; 3]| [n % by[0], n / by[0] % by[1], n / by[0] / by[1]];
    let (group, local) = (split(group, groups), split(item, size));
    let global = [0, 1, 2].map(|d: usize| group[d] * size[d] + local[d] + range.global_offset[d] as u64);
    Ids { global, local, group }
}

/// An access of a race.
struct Side<'a> {
    /// The address of its descriptor, or another number for it.
    at: usize,
    site: Site,
    ids: Ids,
    /// Where it begins.
    address: u64,
    bytes: u64,
    /// The arguments of its launch.
    arguments: &'a [CheckedArgument],
}

/// Findings are one if they are of the same kind and place: the descriptor's address, and the root.
type Key = (usize, Kind, u32);

pub(crate) struct Record {
    words: Vec<u64>,
    arguments: Vec<CheckedArgument>,
    range: NdRange,
    /// Of a launch that others may overlap with.
    ticket: Option<Ticket>,
    races: Mutex<Races>,
    serial: AtomicBool,
    waits: Mutex<Waits>,
    /// Whether any work-item has given up waiting.
    broken: AtomicBool,
    /// How many threads run the launch now.
    running: AtomicUsize,
    /// The groups whose work-items went apart at a barrier.
    apart: Mutex<HashSet<u64>>,
    found: Mutex<HashMap<Key, Finding>>,
    listener: Option<Listener>,
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("arguments", &self.arguments).finish_non_exhaustive()
    }
}

impl Record {
    pub fn new(arguments: Vec<CheckedArgument>, range: NdRange) -> Record {
        let mut words: Vec<u64> = arguments.iter().flat_map(CheckedArgument::words).collect();
        for (i, one) in arguments.iter().enumerate() {
            let others = arguments.iter().enumerate().filter(|(j, _)| *j != i);
            let overlaps = others.into_iter().any(|(_, other)| one.overlaps(other));
            let at = i * ir::check::ARGUMENT_WORDS as usize + ArgumentField::Overlaps as usize;
            words[at] = overlaps.into();
        }
        Record {
            words,
            arguments,
            range,
            ticket: None,
            races: Mutex::default(),
            waits: Mutex::default(),
            serial: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            running: AtomicUsize::new(0),
            apart: Mutex::default(),
            found: Mutex::default(),
            listener: None,
        }
    }

    /// Notes that a thread runs work-groups, until the result is dropped.
    pub fn run(&self) -> impl Drop + use<'_> {
        struct Running<'a>(&'a AtomicUsize);
        impl Drop for Running<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Relaxed);
            }
        }
        self.running.fetch_add(1, Relaxed);
        Running(&self.running)
    }

    pub fn listen(&mut self, listener: Listener) {
        self.listener = Some(listener);
    }

    /// What the code is told of the arguments.
    pub fn words(&self) -> Vec<u64> {
        let mut words = self.words.clone();
        if self.ticket.is_some() {
            let arguments = words.chunks_exact_mut(ir::check::ARGUMENT_WORDS as usize);
            arguments.for_each(|argument| argument[ArgumentField::Overlaps as usize] = 1);
        }
        words
    }

    /// The launch starts, and others may overlap with it.
    pub fn take_off(&mut self, order: Order) {
        let plan = Plan { range: self.range, arguments: self.arguments.clone() };
        self.ticket = Some(Ticket::new(order, plan));
    }

    /// Whether others may overlap with the launch.
    pub fn is_in_flight(&self) -> bool {
        self.ticket.is_some()
    }

    /// Notes that the order in which work-groups run matters.
    pub fn set_serial(&self) {
        self.serial.store(true, Relaxed);
    }

    pub fn is_serial(&self) -> bool {
        self.serial.load(Relaxed)
    }

    /// All IDs of a work-item, from its global one.
    fn ids(&self, global: [u64; 3]) -> Ids {
        let range = &self.range;
        let (mut local, mut group) = ([0; 3], [0; 3]);
        for d in 0..self.range.work_dim as usize {
            let (from_start, size) =
                (global[d].wrapping_sub(range.global_offset[d] as u64), range.local_size[d].max(1) as u64);
            (local[d], group[d]) = (from_start % size, from_start / size);
        }
        Ids { global, local, group }
    }

    /// The linear IDs of a work-item: its group, and its place there.
    fn linear(&self, ids: &Ids) -> (u64, u64) {
        let range = &self.range;
        let size = |d: usize| range.local_size[d].max(1) as u64;
        let groups = |d: usize| (range.global_size[d] as u64).div_ceil(size(d));
        let linear = |id: &[u64; 3], x: u64, y: u64| (id[2] * y + id[1]) * x + id[0];
        (linear(&ids.group, groups(0), groups(1)), linear(&ids.local, size(0), size(1)))
    }

    fn ids_of(&self, group: u64, item: u64) -> Ids {
        ids_of(&self.range, group, item)
    }

    /// An event of generated code, with the words of the launch in its thread's record; the result
    /// is what the code asked.
    pub fn event(&self, at: *const u8, numbers: [u64; 3], global: [u64; 3], words: &[Cell<u64>]) -> u32 {
        // Most events are accesses, of which the descriptor's head is enough.
        let Some((event, access, local, narrow)) = head(at) else { return 0 };
        match event {
            Event::Shared => {
                self.shared(at, (access, local, narrow), numbers, &self.ids(global), false);
                return 0;
            }
            Event::Copied => {
                self.shared(at, (access, local, narrow), numbers, &self.ids(global), true);
                return 0;
            }
            Event::Scan => {
                let [start, line, lines] = numbers;
                let is_set = |n: u64| super::is_set(start + n * (lines >> 32), line);
                return (0..lines & 0xffff_ffff).any(is_set).into();
            }
            Event::Race => {
                self.race_in_cells(at, numbers, &self.ids(global));
                return 0;
            }
            Event::Fence => {
                let (group, item) = self.linear(&self.ids(global));
                lock(&self.races).fence(group as u32, item as u16, numbers[2]);
                return 0;
            }
            _ => {}
        }
        let Some(site) = decode(at) else { return 0 };
        match site.event() {
            Some(Event::Arrive) => {
                let (group, item) = self.linear(&self.ids(global));
                let meeting = Meeting { site: at as usize, rounds: numbers[0], operands: numbers[1] };
                let launch = self as *const Record as usize;
                for wrong in (InGroup { launch, group, words }).arrive(item, numbers[2], meeting) {
                    self.barrier(group, wrong);
                }
                0
            }
            Some(Event::Leave) => {
                let (group, item) = self.linear(&self.ids(global));
                let launch = self as *const Record as usize;
                if let Some(wrong) = (InGroup { launch, group, words }).leave(item, numbers[2]) {
                    self.barrier(group, wrong);
                }
                0
            }
            Some(Event::Arithmetic) => {
                self.add((at as usize, Kind::Arithmetic, 0), || {
                    Finding::new(Kind::Arithmetic, site, self.ids(global))
                });
                0
            }
            Some(Event::Access) => {
                self.bad_access(at, site, numbers, global);
                0
            }
            Some(Event::Undefined) => {
                self.undefined(at, site, numbers, global);
                0
            }
            Some(Event::Define) => {
                self.define(numbers[0], numbers[1]);
                0
            }
            Some(Event::Image) => {
                self.image(at, site, numbers, global);
                0
            }
            Some(Event::Text) => self.text(at, site, numbers, global).into(),
            Some(Event::Wait) => self.wait(at, site, numbers[0], global).into(),
            Some(Event::Lanes) => {
                self.lanes(at, site, numbers[0], global);
                0
            }
            Some(Event::Address) => self.address(at, site, numbers, global).into(),
            _ => 0,
        }
    }

    /// A barrier that not all work-items come to in the same way.
    fn barrier(&self, group: u64, wrong: Wrong) {
        let (at, by, other, what) = match wrong {
            Wrong::Missed { at, by, other } => (at, by, other, "not all work-items of the group reach this"),
            Wrong::Rounds { at, by, other } => {
                (at, by, other, "work-items of the group come in different rounds of a loop to this")
            }
            Wrong::Operands { at, by, other } => {
                (at, by, other, "work-items of the group give different values to this")
            }
        };
        let Some(site) = decode(at.site as *const u8) else { return };
        lock(&self.apart).insert(group);
        self.add((at.site, Kind::Barrier, 0), || Finding {
            note: format!("{what} {}", site.note),
            other: Some(Other { site: site.clone(), ids: self.ids_of(group, other), launch: false }),
            ..Finding::new(Kind::Barrier, site, self.ids_of(group, by))
        });
    }

    /// An operation of a sub-group without all of its work-items.
    fn lanes(&self, at: *const u8, site: Site, missing: u64, global: [u64; 3]) {
        let ids = self.ids(global);
        let (group, _) = self.linear(&ids);
        self.add((at as usize, Kind::Barrier, 0), || match missing {
            u64::MAX => Finding::new(Kind::Barrier, site, ids),
            item => Finding {
                other: Some(Other { site: site.clone(), ids, launch: false }),
                ..Finding::new(Kind::Barrier, site, self.ids_of(group, item))
            },
        });
    }

    /// A work-item waits in a loop; whether it is to leave it.
    fn wait(&self, at: *const u8, site: Site, rounds: u64, global: [u64; 3]) -> bool {
        let ids = self.ids(global);
        let (group, item) = self.linear(&ids);
        let running = self.running.load(Relaxed);
        if !lock(&self.waits).leaves((at as usize, group, item), rounds, running) {
            return false;
        }
        self.broken.store(true, Relaxed);
        let note = "a work-item waits for ever in this loop".to_owned();
        self.insert(
            (at as usize, Kind::Barrier, 0),
            Finding { note, ..Finding::new(Kind::Barrier, site, ids) },
        );
        true
    }

    /// A pixel that an image does not have.
    fn image(&self, at: *const u8, site: Site, [x, y, z]: [u64; 3], global: [u64; 3]) {
        let root = site.roots.first().cloned();
        let what = root.as_ref().map_or("an image".to_owned(), |root| report::describe(root, "image"));
        self.add((at as usize, Kind::OutOfBounds, 0), || Finding {
            memory: format!("pixel ({}, {}, {}) of {what}", x as i64, y as i64, z as i64),
            argument: root.map(|root| root.number),
            ..Finding::new(Kind::OutOfBounds, site, self.ids(global))
        });
    }

    /// Whether a string ends within its memory.
    fn text(&self, at: *const u8, site: Site, [address, left, root]: [u64; 3], global: [u64; 3]) -> bool {
        let (number, most) = (root & 0xffff_ffff, root >> 32);
        let left = match number == u64::from(u32::MAX) {
            false => left,
            true => match allocations::find(address as usize) {
                Found::Live(a) => (a.start + a.len - address as usize) as u64,
                _ => return true,
            },
        };
        if address == 0 || most != 0 && most - 1 <= left || super::has_nul(address, left) {
            return true;
        }
        let root = site.roots.iter().find(|root| u64::from(root.number) == number).cloned();
        let is_argument = |r: &&Root| matches!(r.memory, Memory::Argument | Memory::LocalArgument);
        let argument = root.as_ref().filter(is_argument).map(|root| root.number);
        let passed = argument.and_then(|number| self.arguments.get(number as usize));
        let extent = root.as_ref().map(|root| passed.map_or(root.size, |p| p.len - p.before));
        let what = passed.map_or("", |p| p.what.as_str());
        self.add((at as usize, Kind::OutOfBounds, number as u32), || Finding {
            memory: root.as_ref().map_or_else(String::new, |root| report::describe(root, what)),
            argument,
            offset: extent.map(|extent| extent as i64),
            extent,
            size: 1,
            ..Finding::new(Kind::OutOfBounds, site, self.ids(global))
        });
        false
    }

    /// An access to memory that work-items share.
    fn shared(
        &self,
        at: *const u8,
        (access, local, narrow): (Access, bool, bool),
        [address, bytes, epochs]: [u64; 3],
        ids: &Ids,
        copied: bool,
    ) {
        let (group, item) = self.linear(ids);
        let item = if copied { COPY.into() } else { item };
        // The sub-group, or the class of a copy.
        let (bytes, sub_group) = (bytes & 0xffff_ffff, bytes >> 32);
        let mut races = lock(&self.races);
        let stamp = Stamp {
            group: group as u32,
            item: item as u16,
            site: races.site(at as usize),
            epochs,
            sub_group: sub_group as u16,
            fences: 0,
            atomic: access == Access::Atomic,
            local,
            narrow,
            back: 0,
        };
        let race = races.access(address as usize, bytes as usize, access, stamp);
        let other_at = race.and_then(|race| races.site_address(race.other.site));
        drop(races);
        if let Some(ticket) = self.ticket.as_ref().filter(|_| !local) {
            let (address, bytes) = (address as usize, bytes as usize);
            let seen = Seen { address, bytes, access, narrow, group: group as u32, item: item as u16 };
            if let Some(meets) = ticket.access(at as usize, seen, || encoded(at).to_vec()) {
                self.race_with_launch((at, ids, address as u64, bytes as u64), &meets);
            }
        }
        let Some(Race { other, other_start }) = race else { return };
        let Some(other_at) = other_at else { return };
        // A copy is told of by the first work-item of its group.
        let other_item = if other.item == COPY { 0 } else { other.item };
        let other_ids = self.ids_of(other.group.into(), other_item.into());
        self.race((at, ids, address, bytes), (other_at as *const u8, other_ids, other_start as u64));
    }

    /// A race that code has found in the cells of local memory.
    fn race_in_cells(&self, at: *const u8, [address, other, table]: [u64; 3], ids: &Ids) {
        let (table, back) = (table & ((1 << 48) - 1), table >> 48);
        let other = ir::check::Stamp(other);
        let Some((other_at, other_back)) = super::place(table as *const u8, other.place()) else { return };
        let Some(site) = decode(at) else { return };
        let (group, _) = self.linear(ids);
        let other_ids = self.ids_of(group, other.item());
        let other_start = (address + back).wrapping_sub(other_back);
        self.race((at, ids, address, site.size.into()), (other_at, other_ids, other_start));
    }

    /// A race with an access of another launch.
    fn race_with_launch(&self, (at, ids, address, bytes): (*const u8, &Ids, u64, u64), meets: &Meets) {
        let Some((site, other)) = decode(at).zip(Site::decode(&meets.site)) else { return };
        let other_item = if meets.item == COPY { 0 } else { meets.item };
        let other = Side {
            // The code of the other launch may be this one's.
            at: !meets.at,
            ids: ids_of(&meets.plan.range, meets.group.into(), other_item.into()),
            address: meets.start as u64,
            bytes: other.size.into(),
            arguments: &meets.plan.arguments,
            site: other,
        };
        let own = Side { at: at as usize, site, ids: *ids, address, bytes, arguments: &self.arguments };
        self.add_race(own, other, true);
    }

    /// Adds a race of an access, of so many bytes at an address, with another one.
    fn race(
        &self,
        (at, ids, address, bytes): (*const u8, &Ids, u64, u64),
        (other_at, other_ids, other_start): (*const u8, Ids, u64),
    ) {
        let Some((site, other_site)) = decode(at).zip(decode(other_at)) else { return };
        let arguments = &self.arguments;
        let own = Side { at: at as usize, site, ids: *ids, address, bytes, arguments };
        let other = Side {
            at: other_at as usize,
            bytes: other_site.size.into(),
            site: other_site,
            ids: other_ids,
            address: other_start,
            arguments,
        };
        self.add_race(own, other, false);
    }

    /// Adds a race of two accesses, of one launch or two.
    fn add_race(&self, own: Side, mut other: Side, launches: bool) {
        // Only calls say the size of pixels.
        if other.bytes == 0 && other.address == own.address {
            other.bytes = own.bytes;
        }
        let place = |side: &Side| side.site.frames.first().map_or((0, 0), |f| (f.line, f.column));
        // The later one in the source comes first.
        let (first, second) = if place(&other) > place(&own) { (other, own) } else { (own, other) };
        let key = (first.at, Kind::Race, second.at as u32);
        let root = match first.site.roots.as_slice() {
            [root] => Some(root.clone()),
            _ => None,
        };
        let passed = root.as_ref().and_then(|r| first.arguments.get(r.number as usize));
        let is_argument = |r: &&Root| matches!(r.memory, Memory::Argument | Memory::LocalArgument);
        let global_memory = root.as_ref().is_some_and(|r| r.memory == Memory::Argument);
        let memory = root.as_ref().map_or_else(
            || format!("the address {:#x}", first.address),
            |root| report::describe(root, passed.map_or("", |p| p.what.as_str())),
        );
        self.add(key, || Finding {
            memory,
            argument: root.as_ref().filter(is_argument).map(|r| r.number),
            offset: passed.filter(|_| global_memory).map(|p| first.address.wrapping_sub(p.address) as i64),
            extent: passed.filter(|_| global_memory).map(|p| p.len - p.before),
            origin: passed.map(|p| p.origin.clone()).unwrap_or_default(),
            size: first.bytes,
            other: Some(Other { site: second.site, ids: second.ids, launch: launches }),
            ..Finding::new(Kind::Race, first.site, first.ids)
        });
    }

    /// An access that failed its test: says why.
    fn bad_access(&self, at: *const u8, site: Site, [offset, number, bytes]: [u64; 3], global: [u64; 3]) {
        let root = site.roots.iter().find(|root| u64::from(root.number) == number).cloned();
        let argument =
            root.as_ref().filter(|r| r.memory == Memory::Argument || r.memory == Memory::LocalArgument);
        let passed = argument.and_then(|root| self.arguments.get(root.number as usize));
        let extent = match (&root, passed) {
            (_, Some(passed)) => passed.len,
            (Some(root), None) => root.size,
            (None, None) => 0,
        };
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= extent);
        let writes = site.access != ir::check::Access::Read;
        let is_const = root.as_ref().is_some_and(|root| root.constant);
        let freed = passed.is_some_and(|p| p.what.starts_with("freed"));
        let kind = match passed {
            _ if inside && freed => Kind::Freed,
            _ if inside && writes && is_const => Kind::ReadOnly,
            Some(p) if inside && writes && !p.writable => Kind::ReadOnly,
            Some(p) if inside && !writes && !p.readable => Kind::WriteOnly,
            _ if inside => Kind::Alignment,
            _ => Kind::OutOfBounds,
        };
        let what = passed.map_or("", |p| p.what.as_str());
        let memory = match &root {
            Some(root) => report::describe(root, what),
            None => "a null pointer".to_owned(),
        };
        // Offsets of an argument count from the pointer that is passed.
        let before = passed.map_or(0, |p| p.before);
        let by_value =
            root.as_ref().filter(|r| r.memory == Memory::Private && r.number < ir::check::VARIABLES);
        self.add((at as usize, kind, number as u32), || Finding {
            memory,
            argument: argument.or(by_value).map(|root| root.number),
            offset: root.as_ref().map(|_| offset.wrapping_sub(before) as i64),
            extent: root.as_ref().map(|_| extent.wrapping_sub(before)),
            size: bytes,
            ..Finding::new(kind, site, self.ids(global))
        });
    }

    /// A value that is not initialized is used.
    fn undefined(&self, at: *const u8, site: Site, [offset, number, _]: [u64; 3], global: [u64; 3]) {
        let root = site.roots.iter().find(|root| u64::from(root.number) == number).cloned();
        let is_argument = |r: &&Root| matches!(r.memory, Memory::Argument | Memory::LocalArgument);
        let argument = root.as_ref().filter(is_argument).map(|root| root.number);
        let passed = argument.and_then(|number| self.arguments.get(number as usize));
        let before = passed.map_or(0, |p| p.before);
        let extent = root.as_ref().map(|root| passed.map_or(root.size, |p| p.len - p.before));
        self.add((at as usize, Kind::Uninitialized, 0), || Finding {
            memory: root
                .as_ref()
                .map_or_else(String::new, |root| report::describe(root, passed.map_or("", |p| &p.what))),
            argument,
            offset: root.as_ref().map(|_| offset.wrapping_sub(before) as i64),
            extent,
            size: site.size.into(),
            ..Finding::new(Kind::Uninitialized, site, self.ids(global))
        });
    }

    /// Memory that is not known by an argument was written.
    fn define(&self, address: u64, bytes: u64) {
        for argument in self.arguments.iter().filter(|argument| argument.shadow != 0) {
            let start = argument.address - argument.before;
            let from = address.max(start);
            let to = address.saturating_add(bytes).min(start + argument.len);
            if from < to {
                super::define(argument.shadow + (from - start), to - from);
            }
        }
    }

    /// Whether an address that the code has found in memory may be accessed.
    fn address(&self, at: *const u8, site: Site, [address, base, bytes]: [u64; 3], global: [u64; 3]) -> bool {
        let is_variable = bytes & ONLY_VARIABLES != 0;
        let is_constant = bytes & CONSTANT != 0;
        let home = ((bytes & !(ONLY_VARIABLES | CONSTANT)) >> HOME) as u32;
        let bytes = bytes & ((1 << HOME) - 1);
        if let Some(root) = site.roots.iter().find(|root| root.number.checked_add(1) == Some(home)).cloned() {
            return self.address_in(
                (at, site, global),
                root,
                [address.wrapping_sub(base), bytes],
                is_constant,
            );
        }
        let (start, len) = (address as usize, bytes as usize);
        let misaligned = site.align > 1 && !start.is_multiple_of(site.align as usize);
        let home = match allocations::find(base as usize) {
            _ if is_variable => Found::Nothing,
            Found::Live(a) => Found::Live(a),
            _ => allocations::find(start),
        };
        let kind = match home {
            _ if is_constant => Some(Kind::ReadOnly),
            Found::Live(a) => {
                let inside =
                    start >= a.start && start.checked_add(len).is_some_and(|end| end <= a.start + a.len);
                if inside { None } else { Some(Kind::OutOfBounds) }
            }
            Found::Freed(_) => Some(Kind::Freed),
            Found::Near(_) => Some(Kind::OutOfBounds),
            Found::Nothing if !is_variable && allocations::is_mapped(start, len) => None,
            Found::Nothing if is_variable && misaligned => Some(Kind::Alignment),
            Found::Nothing => Some(Kind::OutOfBounds),
        };
        let Some(kind) = kind.or(misaligned.then_some(Kind::Alignment)) else { return true };
        if site.note == QUIET {
            return false;
        }
        let (memory, argument, offset, extent) = match home {
            Found::Live(a) | Found::Freed(a) | Found::Near(a) => {
                let passed =
                    self.arguments.iter().position(|p| p.len > 0 && p.address - p.before == a.start as u64);
                let what = match passed {
                    Some(i) => format!("argument {i} ({})", self.arguments[i].what),
                    None => format!("an allocation of {}", report::size(a.len as u64)),
                };
                let offset = start.wrapping_sub(a.start) as i64;
                (what, passed.map(|i| i as u32), Some(offset), Some(a.len as u64))
            }
            Found::Nothing if is_variable => {
                ("none of the kernel's variables is there".to_owned(), None, None, None)
            }
            Found::Nothing => (format!("nothing is at the address {address:#x}"), None, None, None),
        };
        self.add((at as usize, kind, 0), || Finding {
            memory,
            argument,
            offset,
            extent,
            size: bytes,
            ..Finding::new(kind, site, self.ids(global))
        });
        false
    }

    /// As [`Self::address`], where the code knows the variable that the pointer was made from, and
    /// that the access is wrong: the offset in it, and the bytes.
    fn address_in(
        &self,
        (at, site, global): (*const u8, Site, [u64; 3]),
        root: Root,
        [offset, bytes]: [u64; 2],
        is_constant: bool,
    ) -> bool {
        if site.note == QUIET {
            return false;
        }
        let argument = (root.memory == Memory::LocalArgument).then_some(root.number);
        let passed = argument.and_then(|number| self.arguments.get(number as usize));
        let extent = passed.map_or(root.size, |p| p.len);
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= extent);
        let kind = match inside {
            true if is_constant => Kind::ReadOnly,
            true => Kind::Alignment,
            false => Kind::OutOfBounds,
        };
        self.add((at as usize, kind, 0), || Finding {
            memory: report::describe(&root, passed.map_or("", |p| p.what.as_str())),
            argument,
            offset: Some(offset as i64),
            extent: Some(extent),
            size: bytes,
            ..Finding::new(kind, site, self.ids(global))
        });
        false
    }

    /// Adds a finding, or counts it. Of several work-items at one place the first one in the order
    /// of the range is kept, whichever thread ran it.
    fn add(&self, key: Key, finding: impl FnOnce() -> Finding) {
        let new = finding();
        // What follows from a wait that was given up is no mistake of its own.
        if self.broken.load(Relaxed) {
            let waits = lock(&self.waits);
            let others = new.other.as_ref().map(|other| other.ids);
            if [Some(new.ids), others].iter().flatten().any(|ids| waits.is_broken(self.linear(ids).0)) {
                return;
            }
        }
        self.insert(key, new);
    }

    fn insert(&self, key: Key, new: Finding) {
        let mut found = lock(&self.found);
        match found.entry(key) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(new);
            }
            std::collections::hash_map::Entry::Occupied(mut entry) => {
                let old = entry.get_mut();
                let count = old.count + 1;
                if order(&new.ids) < order(&old.ids) {
                    *old = new;
                }
                old.count = count;
            }
        }
    }

    /// Whether a finding is a race of a read and a write in memory that may be undefined.
    fn is_race_over_undefined(&self, finding: &Finding) -> bool {
        let reads = |site: &Site| site.access == Access::Read;
        let is_undefined = |root: &Root| match root.memory {
            Memory::Local | Memory::LocalArgument => true,
            _ => self.arguments.get(root.number as usize).is_some_and(|argument| argument.shadow != 0),
        };
        let other = finding.other.as_ref().map(|other| &other.site);
        finding.kind == Kind::Race
            && other.is_some_and(|other| reads(&finding.site) != reads(other))
            && finding.site.roots.iter().any(is_undefined)
    }

    /// Reports what was found in a launch that has ended.
    pub fn finish(&self) {
        // A program may keep a launch by its event.
        *lock(&self.races) = Races::default();
        let found = std::mem::take(&mut *lock(&self.found));
        if found.is_empty() {
            return;
        }
        let mut findings: Vec<Finding> = found.into_values().collect();
        // Who misses a barrier runs on, and meets what those who wait have not written yet.
        let apart = std::mem::take(&mut *lock(&self.apart));
        let is_apart = |ids: &Ids| apart.contains(&self.linear(ids).0);
        let follows = |f: &Finding| {
            matches!(f.kind, Kind::Race | Kind::Uninitialized)
                && (is_apart(&f.ids) || f.other.as_ref().is_some_and(|other| is_apart(&other.ids)))
        };
        findings.retain(|f| !follows(f));
        // What a race leaves in memory that nobody wrote before is no second mistake.
        if findings.iter().any(|f| self.is_race_over_undefined(f)) {
            findings.retain(|f| f.kind != Kind::Uninitialized);
        }
        // Nor does an access by an undefined address race with those that it meets by chance.
        let frame = |site: &Site| site.frames.first().map(|f| (f.file.clone(), f.line, f.column));
        let lost: Vec<_> =
            findings.iter().filter(|f| f.site.note == UNDEFINED_ADDRESS).map(|f| frame(&f.site)).collect();
        let is_lost = |site: &Site| lost.contains(&frame(site));
        findings.retain(|f| {
            f.kind != Kind::Race || !is_lost(&f.site) && !f.other.as_ref().is_some_and(|o| is_lost(&o.site))
        });
        for finding in &mut findings {
            let argument = finding.argument.and_then(|i| self.arguments.get(i as usize));
            let origin = argument.map(|argument| &argument.origin).filter(|_| finding.other.is_none());
            if let Some(place) = origin.unwrap_or(&finding.origin).place() {
                finding.say_origin(&place);
            }
        }
        let place = |f: &Finding| {
            let of = |site: &Site| {
                let frame = site.frames.first().cloned().unwrap_or_default();
                (frame.file, frame.line, frame.column)
            };
            let other = f.other.as_ref().map(|other| of(&other.site));
            (of(&f.site), f.kind.name(), f.site.access as u8, f.memory.clone(), other)
        };
        findings.sort_by_key(|f| (place(f), order(&f.ids)));
        // A function that was inlined at several places is one place of the source.
        findings.dedup_by(|again, first| {
            let same = place(again) == place(first);
            if same {
                first.count += again.count;
            }
            same
        });
        // `a[i] += 1` races by what it reads and by what it writes, in one line.
        let lines = |f: &Finding| {
            let of = |site: &Site| site.frames.first().map(|frame| (frame.file.clone(), frame.line));
            (of(&f.site), f.other.as_ref().map(|other| of(&other.site)), f.memory.clone())
        };
        let mut kept: Vec<Finding> = Vec::new();
        for finding in findings {
            let same = |f: &&mut Finding| f.kind == Kind::Race && lines(f) == lines(&finding);
            match kept.iter_mut().find(same).filter(|_| finding.kind == Kind::Race) {
                None => kept.push(finding),
                Some(before) => {
                    let count = before.count.max(finding.count);
                    if before.site.access == Access::Read {
                        *before = finding;
                    }
                    before.count = count;
                }
            }
        }
        let findings = kept;
        publish(&findings, self.listener.as_ref());
    }
}
