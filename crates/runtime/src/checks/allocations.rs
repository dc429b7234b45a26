//! The table of live allocations: for pointers that kernels read from memory.
//!
//! Freed allocations are remembered for a while, so that a use after that is named so.

use super::flights;
use crate::lock;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

/// How many freed allocations are remembered.
const MOST_FREED: usize = 1024;
/// Addresses so close to an allocation are taken for a wrong index into it.
const NEAR: usize = 4096;

/// A piece of memory that kernels may access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    pub start: usize,
    pub len: usize,
}

impl Allocation {
    fn contains(&self, address: usize) -> bool {
        (self.start..self.start + self.len.max(1)).contains(&address)
    }
}

#[derive(Default)]
struct Table {
    /// By their starts, with how often each was added: buffers over the program's memory may lie
    /// over each other.
    live: BTreeMap<usize, (Allocation, usize)>,
    freed: VecDeque<Allocation>,
}

static TABLE: Mutex<Table> = Mutex::new(Table { live: BTreeMap::new(), freed: VecDeque::new() });

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Live(Allocation),
    Freed(Allocation),
    /// Nothing, but an allocation is close by.
    Near(Allocation),
    Nothing,
}

pub(crate) fn add(start: usize, len: usize) {
    let new = Allocation { start, len };
    let mut table = lock(&TABLE);
    table.freed.retain(|old| old.start + old.len <= start || start + len <= old.start);
    let (known, count) = table.live.entry(start).or_insert((new, 0));
    known.len = known.len.max(len);
    *count += 1;
}

/// Takes an allocation out, which is `freed` unless it was memory of the program's own.
pub(crate) fn remove(start: usize, freed: bool) {
    let mut table = lock(&TABLE);
    let Some((old, count)) = table.live.get_mut(&start) else { return };
    let old = *old;
    *count -= 1;
    if *count > 0 {
        return;
    }
    table.live.remove(&start);
    if freed {
        if table.freed.len() == MOST_FREED {
            table.freed.pop_front();
        }
        table.freed.push_back(old);
    }
    drop(table);
    flights::forget(old.start, old.len);
}

pub(crate) fn find(address: usize) -> Found {
    let table = lock(&TABLE);
    let before = table.live.range(..=address).next_back().map(|(_, (a, _))| *a);
    if let Some(found) = before.filter(|a| a.contains(address)) {
        return Found::Live(found);
    }
    if let Some(freed) = table.freed.iter().rev().find(|a| a.contains(address)) {
        return Found::Freed(*freed);
    }
    let after = table.live.range(address..).next().map(|(_, (a, _))| *a);
    let near_end = before.filter(|a| address - (a.start + a.len) < NEAR);
    match near_end.or_else(|| after.filter(|a| a.start - address < NEAR)) {
        Some(near) => Found::Near(near),
        None => Found::Nothing,
    }
}

/// Whether the process can read an address: memory of the program itself, which kernels may use
/// too (fine-grain system SVM).
pub(crate) fn is_mapped(address: usize, bytes: usize) -> bool {
    let page = crate::system::page_size();
    let (first, last) = (address / page, address.saturating_add(bytes.max(1) - 1) / page);
    if first == 0 || last - first > 1 << 20 {
        return false;
    }
    let mut present = 0u8;
    (first..=last).all(|n| {
        // SAFETY: `mincore` writes one byte for one page, and fails for memory that is not mapped.
        unsafe { libc::mincore((n * page) as *mut libc::c_void, page, &raw mut present) == 0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_lives_and_what_was_freed() {
        // Addresses that no allocator gives.
        let base = 0x1000_0000_0000_0000;
        add(base, 64);
        assert_eq!(find(base + 63), Found::Live(Allocation { start: base, len: 64 }));
        assert_eq!(find(base + 64), Found::Near(Allocation { start: base, len: 64 }));
        assert_eq!(find(base + 64 + NEAR), Found::Nothing);
        remove(base, true);
        assert_eq!(find(base + 8), Found::Freed(Allocation { start: base, len: 64 }));
        add(base + 32, 64);
        assert_eq!(find(base), Found::Near(Allocation { start: base + 32, len: 64 }));
        remove(base + 32, true);
    }

    #[test]
    fn memory_of_the_process_is_mapped() {
        let here = 0u64;
        assert!(is_mapped((&raw const here) as usize, 8));
        assert!(!is_mapped(8, 8));
        assert!(!is_mapped(0x1000_0000_0000_0000, 8));
    }
}
