//! Memory for when the system has none left.
//!
//! Rust ends the process where a small allocation fails. The driver's are taken from a reserve
//! then, so that the call at hand comes to its end, and calls that would take more are refused with
//! `CL_OUT_OF_HOST_MEMORY` until there is memory again ([`is_short`]). Allocations of a size that
//! the program chose do not use it: they fail, and the call with them ([`room_for`]).

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// The size of the reserve, which takes no memory until it is used.
const SIZE: usize = 4 << 20;
/// Allocations that are larger are not taken from it.
const LARGEST: usize = 64 << 10;
/// With so much memory at hand, calls are not refused.
const ENOUGH: usize = 1 << 20;

/// The allocator of the driver: the system's, and behind it the reserve.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

#[repr(align(4096))]
struct Arena(UnsafeCell<[u8; SIZE]>);

// SAFETY: no reference to the bytes is made; `take` hands out each of them once.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena(UnsafeCell::new([0; SIZE]));

/// How many allocations of the reserve there are (high half), and how many of its bytes are used,
/// from the first on. When the last allocation is freed, all is unused again.
static STATE: AtomicU64 = AtomicU64::new(0);

const ONE: u64 = 1 << 32;

fn used(state: u64) -> usize {
    (state % ONE) as usize
}

/// Memory of the reserve, or null.
#[cold]
fn take(layout: Layout) -> *mut u8 {
    if layout.size() > LARGEST {
        return std::ptr::null_mut();
    }
    let start = |state| used(state).next_multiple_of(layout.align());
    let taken = STATE.fetch_update(AcqRel, Acquire, |state| {
        let end = start(state) + layout.size();
        (end <= SIZE).then_some((state / ONE + 1) * ONE + end as u64)
    });
    // The arena has the alignment of a page. No allocation of such a size has a larger one.
    match taken {
        Ok(before) if layout.align() <= 4096 => ARENA.0.get().cast::<u8>().wrapping_add(start(before)),
        Ok(_) => {
            give_back();
            std::ptr::null_mut()
        }
        Err(_) => std::ptr::null_mut(),
    }
}

/// One allocation of the reserve less.
fn give_back() {
    let _ = STATE.fetch_update(AcqRel, Acquire, |state| match state / ONE {
        0 | 1 => Some(0),
        _ => Some(state - ONE),
    });
}

fn is_of_the_reserve(pointer: *mut u8) -> bool {
    (pointer as usize).wrapping_sub(ARENA.0.get() as usize) < SIZE
}

// SAFETY: memory is the system's or the reserve's, and is freed where it is from.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() { take(layout) } else { memory }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if !memory.is_null() {
            return memory;
        }
        let memory = take(layout);
        if !memory.is_null() {
            // SAFETY: memory of this size, nobody else's.
            unsafe { memory.write_bytes(0, layout.size()) };
        }
        memory
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match is_of_the_reserve(pointer) {
            true => give_back(),
            // SAFETY: as the caller promises.
            false => unsafe { System.dealloc(pointer, layout) },
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if !is_of_the_reserve(pointer) {
            // SAFETY: as the caller promises.
            let memory = unsafe { System.realloc(pointer, layout, new_size) };
            if !memory.is_null() {
                return memory;
            }
        }
        // SAFETY: the caller promises that the new size is good for the alignment.
        let new = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        // SAFETY: its size is not 0.
        let memory = unsafe { self.alloc(new) };
        if !memory.is_null() {
            // SAFETY: both have so many bytes, and they are apart.
            unsafe { memory.copy_from_nonoverlapping(pointer, layout.size().min(new_size)) };
            // SAFETY: as the caller promises.
            unsafe { self.dealloc(pointer, layout) };
        }
        memory
    }
}

/// Whether the reserve is in use, and there is no memory yet.
#[inline]
pub fn is_short() -> bool {
    STATE.load(Relaxed) != 0 && !has_memory()
}

#[cold]
fn has_memory() -> bool {
    let layout = Layout::new::<[u8; ENOUGH]>();
    // SAFETY: the size is not 0.
    let memory = unsafe { System.alloc(layout) };
    if !memory.is_null() {
        // SAFETY: just allocated so.
        unsafe { System.dealloc(memory, layout) };
    }
    !memory.is_null()
}

/// What [`make_room`] unwinds with.
pub struct NoRoom;

/// A list with room for so many values, as many as the program says.
pub fn room_for<T>(count: usize) -> Vec<T> {
    let mut list = Vec::new();
    make_room(&mut list, count);
    list
}

/// Makes room for so many more values. If there is no memory for them, the call ends with
/// `CL_OUT_OF_HOST_MEMORY` ([`crate::ffi::status`]): nothing has been changed while arguments are
/// read.
pub fn make_room<T>(list: &mut Vec<T>, more: usize) {
    if list.try_reserve(more).is_err() {
        std::panic::resume_unwind(Box::new(NoRoom));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_used_again_when_all_of_it_is_free() {
        let layout = |size, align| Layout::from_size_align(size, align).unwrap();
        let first = take(layout(10, 1));
        let second = take(layout(100, 64));
        assert!(is_of_the_reserve(first) && second as usize == first as usize + 64);
        assert!(take(layout(LARGEST + 1, 1)).is_null());
        assert!(!is_short(), "there is memory");
        // SAFETY: an allocation of the reserve with this layout.
        let grown = unsafe { ALLOCATOR.realloc(first, layout(10, 1), 1000) };
        assert!(!is_of_the_reserve(grown));
        // SAFETY: allocated so.
        unsafe { ALLOCATOR.dealloc(grown, layout(1000, 1)) };
        let many: Vec<_> = std::iter::repeat_with(|| take(layout(LARGEST, 1))).take(SIZE / LARGEST).collect();
        let (got, not) = many.split_at(SIZE / LARGEST - 1);
        assert!(got.iter().all(|p| !p.is_null()) && not[0].is_null());
        for memory in got.iter().chain(&[second]) {
            // SAFETY: allocated so, but for the size, which the reserve does not ask for.
            unsafe { ALLOCATOR.dealloc(*memory, layout(100, 64)) };
        }
        assert_eq!((STATE.load(Relaxed), take(layout(1, 1))), (0, first));
        give_back();
    }

    #[test]
    fn a_list_that_nobody_has_room_for_ends_the_call() {
        let ended = std::panic::catch_unwind(|| room_for::<u64>(usize::MAX / 8));
        assert!(ended.unwrap_err().is::<NoRoom>());
    }
}
