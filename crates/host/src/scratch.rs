//! Each thread's scratch memory for work-groups: grown on demand, kept for the next slice, freed
//! with the thread.
//!
//! With debug assertions, as in tests, guard bytes after the scratch detect code that writes more
//! than the compiler computed.

use compiler::GROUP_MEMORY_ALIGN;
use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ptr::NonNull;

struct Arena {
    memory: Option<(NonNull<u8>, Layout)>,
}

impl Arena {
    const EMPTY: Arena = Arena { memory: None };

    /// At least `bytes` bytes, with any content.
    fn reserve(&mut self, bytes: usize) -> Option<*mut u8> {
        if let Some((start, _)) = self.memory.filter(|(_, layout)| layout.size() >= bytes) {
            return Some(start.as_ptr());
        }
        *self = Arena::EMPTY;
        let size = bytes.max(GROUP_MEMORY_ALIGN).checked_next_power_of_two().unwrap_or(bytes);
        let layout = Layout::from_size_align(size, GROUP_MEMORY_ALIGN).ok()?;
        // SAFETY: the layout's size is not zero.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        self.memory = Some((start, layout));
        Some(start.as_ptr())
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Some((start, layout)) = self.memory {
            // SAFETY: allocated in `reserve` with this layout.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }
}

/// Guard bytes after the scratch.
const GUARD: usize = if cfg!(debug_assertions) { 1024 } else { 0 };

/// The value of the guard bytes.
const UNTOUCHED: u8 = 0xa7;

thread_local! {
    static ARENA: Cell<Arena> = const { Cell::new(Arena::EMPTY) };
}

/// Calls `f` with `bytes` bytes of the thread's scratch; `None` if there is no such memory.
pub(crate) fn with<T>(bytes: usize, f: impl FnOnce(*mut u8) -> T) -> Option<T> {
    // The arena is taken out of the thread-local for the time of the call: a nested call, or one
    // while the thread ends, allocates memory of its own.
    let mut arena = ARENA.try_with(|a| a.replace(Arena::EMPTY)).unwrap_or(Arena::EMPTY);
    let memory = bytes.checked_add(GUARD).and_then(|bytes| arena.reserve(bytes));
    let result = memory.map(|start| {
        // SAFETY: `bytes + GUARD` bytes were reserved.
        let guard = || unsafe { std::slice::from_raw_parts_mut(start.add(bytes), GUARD) };
        guard().fill(UNTOUCHED);
        let result = f(start);
        assert!(
            guard().iter().all(|byte| *byte == UNTOUCHED),
            "a work-group took more than {bytes} bytes of scratch"
        );
        result
    });
    let _ = ARENA.try_with(|a| a.set(arena));
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_and_stays() {
        let place = |bytes| {
            with(bytes, |start| {
                // SAFETY: `with` gives this much.
                unsafe { start.write_bytes(0xab, bytes) };
                start as usize
            })
            .unwrap()
        };
        assert_eq!(place(10) % GROUP_MEMORY_ALIGN, 0);
        let large = place(1 << 20);
        assert_eq!(place(100), large);
        assert_eq!(large % GROUP_MEMORY_ALIGN, 0);
        assert!(with(usize::MAX, |_| ()).is_none());
        assert!(with(isize::MAX as usize, |_| ()).is_none());
    }

    #[test]
    #[should_panic(expected = "a work-group took more than 100 bytes of scratch")]
    fn writes_past_the_end_are_found() {
        // SAFETY: in tests, `GUARD` bytes follow the 100.
        with(100, |start| unsafe { start.add(100).write(1) });
    }

    #[test]
    fn nested_calls_do_not_share() {
        with(64, |outer| with(64, |inner| assert_ne!(outer, inner))).unwrap().unwrap();
    }
}
