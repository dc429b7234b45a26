//! Memory that kernels work on.
//!
//! [`Memory`] is the interface to a device's memory. CPU devices use the memory of the process
//! ([`HostMemory`]).
//!
//! A [`Buffer`] is shared, and many threads read and write it at the same time: kernels do so
//! through raw pointers that no lock guards, as the programs they come from expect. Its helpers
//! therefore copy through raw pointers too and never hand out a Rust reference to the bytes. What a
//! copy sees of a write that runs at the same time is unspecified; programs order the two with
//! events.

use crate::checks::{self, CheckedArgument, Origin, allocations};
use crate::cores::Cores;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};

/// The alignment of every buffer: that of the widest type of a kernel, `long16`.
const ALIGN: usize = compiler::GROUP_MEMORY_ALIGN;
/// From here on a buffer gets pages of its own, which the system zeroes when they are first
/// touched, by the thread that touches them.
const PAGES_FROM: usize = 128 << 10;
const HUGE_PAGES_FROM: usize = 4 << 20;
/// The most bytes of pages without a buffer that are kept for the next one.
const MOST_KEPT: usize = 32 << 20;

/// Why memory was not allocated or not accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryError {
    /// There is no memory of this size.
    Allocation { bytes: usize },
    /// `offset..offset + bytes` does not lie within `len` bytes.
    Range { offset: usize, bytes: usize, len: usize },
    /// A fill pattern is empty or does not divide the size to fill.
    Pattern { pattern: usize, bytes: usize },
    /// A null pointer with a size.
    NullPointer,
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            MemoryError::Allocation { bytes } => write!(f, "cannot allocate {bytes} bytes"),
            MemoryError::Range { offset, bytes, len } => {
                write!(f, "{bytes} bytes from {offset} on do not lie within {len} bytes")
            }
            MemoryError::Pattern { pattern, bytes } => {
                write!(f, "a pattern of {pattern} bytes does not divide {bytes} bytes")
            }
            MemoryError::NullPointer => f.write_str("a null pointer as memory"),
        }
    }
}

impl std::error::Error for MemoryError {}

/// The memory of a device. All of it is reached by the addresses that kernels are given.
pub trait Memory: Send + Sync {
    /// `len` zeroed bytes.
    fn allocate(&self, len: usize) -> Result<Arc<Buffer>, MemoryError>;

    /// Makes `bytes` bytes from `offset` on visible to the process, until [`Memory::unmap`].
    fn map(&self, buffer: &Buffer, offset: usize, bytes: usize) -> Result<*mut u8, MemoryError>;

    /// Ends a mapping: writes of the process become visible to kernels.
    fn unmap(&self, buffer: &Buffer, mapped: *mut u8);

    /// Copies `bytes` bytes; the two ranges may overlap.
    fn copy(&self, from: (&Buffer, usize), to: (&Buffer, usize), bytes: usize) -> Result<(), MemoryError>;

    /// Repeats `pattern` over `bytes` bytes.
    fn fill(&self, buffer: &Buffer, offset: usize, bytes: usize, pattern: &[u8]) -> Result<(), MemoryError>;
}

/// The memory of this process. It is told from the memory of other devices by its address, so that
/// there is one, and it has a size: all values of size zero have the same address.
pub struct HostMemory {
    _size: u8,
}

impl HostMemory {
    /// The one there is.
    pub fn get() -> &'static HostMemory {
        static MEMORY: HostMemory = HostMemory { _size: 0 };
        &MEMORY
    }
}

impl Memory for HostMemory {
    fn allocate(&self, len: usize) -> Result<Arc<Buffer>, MemoryError> {
        Buffer::new(len)
    }

    fn map(&self, buffer: &Buffer, offset: usize, bytes: usize) -> Result<*mut u8, MemoryError> {
        buffer.check(offset, bytes)?;
        buffer.define(offset, bytes);
        Ok(buffer.start().wrapping_add(offset))
    }

    fn unmap(&self, _: &Buffer, _: *mut u8) {}

    fn copy(&self, from: (&Buffer, usize), to: (&Buffer, usize), bytes: usize) -> Result<(), MemoryError> {
        from.0.copy_to(from.1, to.0, to.1, bytes)
    }

    fn fill(&self, buffer: &Buffer, offset: usize, bytes: usize, pattern: &[u8]) -> Result<(), MemoryError> {
        buffer.fill(offset, bytes, pattern)
    }
}

enum Owner {
    Heap(Layout),
    /// A mapping of its own, of this length.
    Pages(usize),
    /// The user, who promised to keep it.
    User,
    /// A part of another buffer.
    Parent(Arc<Buffer>),
}

/// A piece of memory, shared between the program and kernels.
pub struct Buffer {
    start: NonNull<u8>,
    len: usize,
    owner: Owner,
    /// Whether kernels may read it (1) and write it (2).
    access: AtomicU8,
    /// Which bytes nobody has written, for checked code; none if all count as written.
    shadow: OnceLock<Shadow>,
    /// The call that made it, for reports of checked code.
    origin: Origin,
}

/// The shadows of a buffer's bytes: 0 for a byte that was written, else 255.
struct Shadow {
    bytes: Box<[AtomicU8]>,
    /// All bytes before this one are known to be written. What was written stays so.
    written: AtomicUsize,
}

impl Shadow {
    fn define(&self, offset: usize, bytes: usize) {
        self.bytes[offset..offset + bytes].iter().for_each(|byte| byte.store(0, Relaxed));
    }

    /// Notes a copy: bytes stay as nobody wrote them where both sides are.
    fn copy(&self, offset: usize, from: &[AtomicU8]) {
        let to = self.bytes[offset..].iter().zip(from);
        to.for_each(|(to, from)| _ = to.fetch_and(from.load(Relaxed), Relaxed));
    }

    /// Whether there are bytes that nobody has written.
    fn has_undefined(&self) -> bool {
        let from = self.written.load(Relaxed);
        let undefined = self.bytes[from..].iter().position(|byte| byte.load(Relaxed) != 0);
        self.written.store(undefined.map_or(self.bytes.len(), |n| from + n), Relaxed);
        if undefined.is_none() && from < self.bytes.len() {
            self.give_back();
        }
        undefined.is_some()
    }

    /// Gives the memory of shadows that are all zero back to the system, which has zeros for it
    /// when it is read.
    fn give_back(&self) {
        let page = crate::system::page_size();
        let start = self.bytes.as_ptr() as usize;
        let (first, end) = (start.next_multiple_of(page), (start + self.bytes.len()) / page * page);
        if first < end {
            // SAFETY: these whole pages are of our allocation, hold zeros, and are only ever set to
            // zero, by which they come back.
            unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_DONTNEED) };
        }
    }
}

// SAFETY: the memory is owned or promised to live, and is only touched through raw pointers (see
// the module's head).
unsafe impl Send for Buffer {}
// SAFETY: as above; the fields themselves never change.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// `len` zeroed bytes.
    pub fn new(len: usize) -> Result<Arc<Buffer>, MemoryError> {
        let error = MemoryError::Allocation { bytes: len };
        let (start, owner) = if len >= PAGES_FROM {
            kept_pages(len).or_else(|| map_pages(len)).or_else(|| map_without_kept(len)).ok_or(error)?
        } else {
            let layout = Layout::from_size_align(len.max(1), ALIGN).map_err(|_| error)?;
            // SAFETY: the layout's size is not zero.
            (NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(error)?, Owner::Heap(layout))
        };
        Ok(Buffer::registered(start, len, owner))
    }

    /// Has the system take the buffer's pages from the memory nodes of these compute units in turn,
    /// whoever touches them first. That is for memory that the program writes by itself: its thread
    /// would have all of it in its own node, and the other nodes' threads would read it from there.
    /// Memory that kernels touch first is better left to them.
    ///
    /// Does nothing where all memory is equally near, or after the pages were touched.
    pub fn interleave(&self, over: &Cores) {
        if let Owner::Pages(len) = self.owner
            && Cores::all().topology().has_memory_nodes()
        {
            interleave_pages(self.start, len, &over.topology().memory_nodes());
        }
    }

    /// A buffer that kernels may read and write. Checked code can find it by its address.
    fn registered(start: NonNull<u8>, len: usize, owner: Owner) -> Arc<Buffer> {
        if !matches!(owner, Owner::Parent(_)) {
            allocations::add(start.as_ptr() as usize, len);
        }
        let origin = Origin::here();
        Arc::new(Buffer { start, len, owner, access: AtomicU8::new(3), shadow: OnceLock::new(), origin })
    }

    /// Says what kernels may do with it: checked code keeps to that.
    pub fn set_kernel_access(&self, readable: bool, writable: bool) {
        self.access.store(u8::from(readable) | u8::from(writable) << 1, Relaxed);
    }

    /// Says that nobody has written to the new buffer: checked code looks for values that are not
    /// initialized. Until it is used by the program directly ([`Buffer::as_ptr`]), each write is
    /// noted.
    pub fn set_undefined(&self) {
        let mut bytes = Vec::new();
        // Without memory for them all bytes count as written.
        if bytes.try_reserve_exact(self.len).is_ok() {
            bytes.resize_with(self.len, || AtomicU8::new(0xff));
            let bytes = bytes.into_boxed_slice();
            let _ = self.shadow.set(Shadow { bytes, written: AtomicUsize::new(0) });
        }
    }

    /// The buffer with the shadows, and where this one begins there.
    fn shadow(&self) -> Option<(&Shadow, usize)> {
        match &self.owner {
            Owner::Parent(parent) => {
                let (shadow, offset) = parent.shadow()?;
                Some((shadow, offset + (self.start() as usize - parent.start() as usize)))
            }
            _ => self.shadow.get().map(|shadow| (shadow, 0)),
        }
    }

    /// Notes that bytes were written.
    pub fn define(&self, offset: usize, bytes: usize) {
        if let Some((shadow, start)) = self.shadow() {
            shadow.define(start + offset, bytes);
        }
    }

    /// Notes that bytes were copied from another buffer.
    pub fn define_as(&self, offset: usize, from: &Buffer, from_offset: usize, bytes: usize) {
        match (self.shadow(), from.shadow()) {
            (Some((shadow, start)), Some((theirs, from_start))) => {
                let first = from_start + from_offset;
                shadow.copy(start + offset, &theirs.bytes[first..first + bytes]);
            }
            _ => self.define(offset, bytes),
        }
    }

    /// What checked code is told of a pointer into the buffer.
    pub(crate) fn checked(&self, offset: usize) -> CheckedArgument {
        let access = self.access.load(Relaxed);
        let what = match self.owner {
            Owner::Parent(_) => "sub-buffer",
            _ => "buffer",
        };
        CheckedArgument {
            address: self.start() as u64 + offset as u64,
            before: offset as u64,
            len: self.len as u64,
            readable: access & 1 != 0,
            writable: access & 2 != 0,
            shadow: match self.shadow() {
                Some((shadow, start)) if shadow.has_undefined() => shadow.bytes[start..].as_ptr() as u64,
                _ => 0,
            },
            what: format!("{what} of {}", checks::describe_size(self.len as u64)),
            origin: self.origin.clone(),
        }
    }

    /// A buffer over memory of the user's.
    ///
    /// # Safety
    /// `start` must be valid for reads and writes of `len` bytes until the last reference to the
    /// buffer is gone.
    pub unsafe fn over(start: *mut u8, len: usize) -> Result<Arc<Buffer>, MemoryError> {
        let start = NonNull::new(start).ok_or(MemoryError::NullPointer)?;
        Ok(Buffer::registered(start, len, Owner::User))
    }

    /// A part of `parent`, which it keeps alive.
    pub fn part(parent: &Arc<Buffer>, offset: usize, len: usize) -> Result<Arc<Buffer>, MemoryError> {
        parent.check(offset, len)?;
        // SAFETY: `offset` lies within the parent.
        let start = unsafe { parent.start.add(offset) };
        Ok(Buffer::registered(start, len, Owner::Parent(parent.clone())))
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The start of its memory, for a program that may write to it.
    pub fn as_ptr(&self) -> *mut u8 {
        self.define(0, self.len);
        self.start()
    }

    /// The start of its memory, for those who tell of their writes ([`Buffer::define`]).
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Whether `bytes` bytes from `offset` on lie within the buffer.
    pub fn check(&self, offset: usize, bytes: usize) -> Result<(), MemoryError> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(MemoryError::Range { offset, bytes, len: self.len }),
        }
    }

    pub fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), MemoryError> {
        self.check(offset, to.len())?;
        // SAFETY: the range was checked; `to` is borrowed alone. `copy` allows that the user's
        // memory overlaps.
        unsafe { self.start().add(offset).copy_to(to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    pub fn write(&self, offset: usize, from: &[u8]) -> Result<(), MemoryError> {
        self.check(offset, from.len())?;
        // SAFETY: as in `read`.
        unsafe { self.start().add(offset).copy_from(from.as_ptr(), from.len()) };
        self.define(offset, from.len());
        Ok(())
    }

    /// Copies `bytes` bytes; the two ranges may overlap.
    pub fn copy_to(
        &self,
        offset: usize,
        to: &Buffer,
        to_offset: usize,
        bytes: usize,
    ) -> Result<(), MemoryError> {
        self.check(offset, bytes)?;
        to.check(to_offset, bytes)?;
        // SAFETY: both ranges were checked.
        unsafe { self.start().add(offset).copy_to(to.start().add(to_offset), bytes) };
        to.define_as(to_offset, self, offset, bytes);
        Ok(())
    }

    /// Whether `fill` takes these arguments.
    pub fn check_fill(&self, offset: usize, bytes: usize, pattern: &[u8]) -> Result<(), MemoryError> {
        self.check(offset, bytes)?;
        if bytes.checked_rem(pattern.len()) != Some(0) {
            return Err(MemoryError::Pattern { pattern: pattern.len(), bytes });
        }
        Ok(())
    }

    /// Repeats `pattern` over `bytes` bytes.
    pub fn fill(&self, offset: usize, bytes: usize, pattern: &[u8]) -> Result<(), MemoryError> {
        self.check_fill(offset, bytes, pattern)?;
        if bytes == 0 {
            return Ok(());
        }
        self.write(offset, pattern)?;
        // Double the filled part by copying it behind itself, up to a size that stays in the
        // first-level cache.
        let mut filled = pattern.len();
        let most = pattern.len() * (8192 / pattern.len()).max(1);
        while filled < bytes {
            let next = filled.min(most).min(bytes - filled);
            self.copy_to(offset, self, offset + filled, next)?;
            filled += next;
        }
        Ok(())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if !matches!(self.owner, Owner::Parent(_)) {
            allocations::remove(self.start() as usize, !matches!(self.owner, Owner::User));
        }
        match self.owner {
            // SAFETY: allocated in `new` with this layout.
            Owner::Heap(layout) => unsafe { dealloc(self.start(), layout) },
            Owner::Pages(len) => give_up_pages(self.start, len),
            Owner::User | Owner::Parent(_) => {}
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("start", &self.start).field("len", &self.len).finish_non_exhaustive()
    }
}

/// Pages of buffers that are gone, the oldest first. Programs that make a buffer for each result,
/// as OpenCV does, would take a page fault for each 4 KiB of it.
#[derive(Default)]
struct Kept {
    blocks: Vec<(NonNull<u8>, usize)>,
}

// SAFETY: the pages belong to nobody else.
unsafe impl Send for Kept {}

impl Kept {
    fn take(&mut self, len: usize) -> Option<NonNull<u8>> {
        let n = self.blocks.iter().rposition(|block| block.1 == len)?;
        Some(self.blocks.remove(n).0)
    }

    /// Keeps a block, and returns those that are too many.
    fn keep(&mut self, start: NonNull<u8>, len: usize) -> Vec<(NonNull<u8>, usize)> {
        self.blocks.push((start, len));
        let mut bytes: usize = self.blocks.iter().map(|block| block.1).sum();
        let too_many = |block: &&(NonNull<u8>, usize)| {
            let excess = bytes > MOST_KEPT;
            bytes -= block.1;
            excess
        };
        let count = self.blocks.iter().take_while(too_many).count();
        self.blocks.drain(..count).collect()
    }
}

/// Nobody waits for it: a process that was forked meanwhile would do so forever.
static KEPT: Mutex<Kept> = Mutex::new(Kept { blocks: Vec::new() });

/// Zeroed pages that were kept.
fn kept_pages(len: usize) -> Option<(NonNull<u8>, Owner)> {
    if len >= HUGE_PAGES_FROM {
        return None;
    }
    let len = len.next_multiple_of(crate::system::page_size());
    let start = KEPT.try_lock().ok()?.take(len)?;
    // SAFETY: the mapping has this length, and no buffer has it.
    unsafe { start.write_bytes(0, len) };
    Some((start, Owner::Pages(len)))
}

/// Keeps pages for the next buffer, or gives them back to the system. With several memory nodes,
/// pages are given back: those that nobody touched yet come to the node that touches them.
fn give_up_pages(start: NonNull<u8>, len: usize) {
    let is_kept = len < HUGE_PAGES_FROM && !Cores::all().topology().has_memory_nodes();
    let too_many = match KEPT.try_lock() {
        Ok(mut kept) if is_kept => kept.keep(start, len),
        _ => vec![(start, len)],
    };
    too_many.into_iter().for_each(unmap_pages);
}

fn unmap_pages((start, len): (NonNull<u8>, usize)) {
    // SAFETY: mapped in `map_pages` with this length, and no buffer has it.
    unsafe { libc::munmap(start.as_ptr().cast(), len) };
}

/// Maps pages after giving back those that are kept.
fn map_without_kept(len: usize) -> Option<(NonNull<u8>, Owner)> {
    let kept = std::mem::take(&mut *KEPT.try_lock().ok()?);
    kept.blocks.into_iter().for_each(unmap_pages);
    map_pages(len)
}

fn map_pages(len: usize) -> Option<(NonNull<u8>, Owner)> {
    if len > isize::MAX as usize - (HUGE_PAGES_FROM) {
        return None;
    }
    let len = len.next_multiple_of(crate::system::page_size());
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new anonymous mapping touches nothing that exists.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    if len >= HUGE_PAGES_FROM {
        // SAFETY: advice about the mapping just made; that it may be refused does not matter.
        unsafe { libc::madvise(start, len, libc::MADV_HUGEPAGE) };
    }
    Some((NonNull::new(start.cast())?, Owner::Pages(len)))
}

/// Sets the policy of a mapping's pages, if the system knows the nodes; whether it does is only a
/// matter of speed.
fn interleave_pages(start: NonNull<u8>, len: usize, nodes: &[usize]) -> bool {
    const BITS: usize = libc::c_ulong::BITS as usize;
    let Some(last) = nodes.iter().max() else { return false };
    let mut mask: Vec<libc::c_ulong> = vec![0; last / BITS + 1];
    nodes.iter().for_each(|node| mask[node / BITS] |= 1 << (node % BITS));
    // The system takes the number of bits for one more than there are.
    let bits = mask.len() * BITS + 1;
    let (mode, flags): (libc::c_long, libc::c_long) = (libc::MPOL_INTERLEAVE.into(), 0);
    // SAFETY: the pages are a mapping of ours, whose contents a policy does not change; the mask is
    // read during the call only, and has the bits that are told.
    let code =
        unsafe { libc::syscall(libc::SYS_mbind, start.as_ptr(), len, mode, mask.as_ptr(), bits, flags) };
    code == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Of the page at this address", from <linux/mempolicy.h>.
    const MPOL_F_ADDR: libc::c_long = 2;

    /// The policy of the pages at an address.
    fn policy_at(start: NonNull<u8>) -> i32 {
        let mut mode = -1;
        // SAFETY: the place for the mode is valid, and nodes are not asked for.
        let code = unsafe {
            let (mode, nodes): (*mut i32, *mut libc::c_ulong) = (&mut mode, std::ptr::null_mut());
            let (bits, flags): (libc::c_long, libc::c_long) = (0, MPOL_F_ADDR);
            libc::syscall(libc::SYS_get_mempolicy, mode, nodes, bits, start.as_ptr(), flags)
        };
        if code == 0 { mode } else { -1 }
    }

    /// One node is what every machine has; a system that does not let itself be asked has no policy
    /// to look at.
    #[test]
    fn pages_are_interleaved() {
        let buffer = Buffer::new(PAGES_FROM).unwrap();
        let before = policy_at(buffer.start);
        assert!(!interleave_pages(buffer.start, buffer.len, &[]));
        assert!(!interleave_pages(buffer.start, buffer.len, &[100_000]));
        assert_eq!(policy_at(buffer.start), before);
        if before >= 0 {
            assert!(interleave_pages(buffer.start, buffer.len, &[0]));
            assert_eq!(policy_at(buffer.start), libc::MPOL_INTERLEAVE);
        }
        assert!(contents(&buffer).iter().all(|&b| b == 0));
    }

    /// The size is no other test's.
    #[test]
    fn pages_of_a_buffer_that_is_gone_are_zeroed_for_the_next() {
        let bytes = PAGES_FROM + 5 * crate::system::page_size();
        for _ in 0..4 {
            let buffer = Buffer::new(bytes).unwrap();
            assert!(contents(&buffer).iter().all(|&b| b == 0));
            buffer.fill(0, bytes, &[0xab]).unwrap();
        }
    }

    #[test]
    fn the_oldest_pages_are_given_back() {
        let block = |n: usize| NonNull::new((n * 0x1000) as *mut u8).unwrap();
        let mut kept = Kept::default();
        assert!(kept.keep(block(1), MOST_KEPT / 2).is_empty());
        assert!(kept.keep(block(2), MOST_KEPT / 2).is_empty());
        assert_eq!(kept.keep(block(3), 4096), [(block(1), MOST_KEPT / 2)]);
        assert_eq!(kept.take(8192), None);
        assert_eq!(kept.take(4096), Some(block(3)));
        assert_eq!(kept.take(MOST_KEPT / 2), Some(block(2)));
        assert_eq!(kept.take(MOST_KEPT / 2), None);
    }

    fn contents(buffer: &Buffer) -> Vec<u8> {
        let mut bytes = vec![0xee; buffer.len()];
        buffer.read(0, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn fresh_memory_is_zero_and_aligned() {
        for len in [0, 1, 127, 4096, PAGES_FROM - 1, PAGES_FROM, HUGE_PAGES_FROM + 5] {
            let buffer = Buffer::new(len).unwrap();
            let align = if len >= PAGES_FROM { 4096 } else { ALIGN };
            assert_eq!(buffer.as_ptr() as usize % align, 0);
            assert!(contents(&buffer).iter().all(|&b| b == 0));
        }
    }

    #[test]
    fn impossible_sizes_are_errors() {
        for len in [usize::MAX, usize::MAX - 127, usize::MAX / 2, isize::MAX as usize, 1 << 60] {
            assert_eq!(Buffer::new(len).unwrap_err(), MemoryError::Allocation { bytes: len });
        }
    }

    #[test]
    fn accesses_are_checked() {
        let buffer = Buffer::new(100).unwrap();
        buffer.write(90, &[7; 10]).unwrap();
        assert!(buffer.write(91, &[7; 10]).is_err());
        assert!(buffer.read(usize::MAX, &mut [0; 2]).is_err());
        assert!(buffer.read(101, &mut []).is_err());
        buffer.read(100, &mut []).unwrap();
        assert!(buffer.copy_to(0, &buffer, 51, 50).is_err());
        assert_eq!(buffer.fill(0, 10, &[]), Err(MemoryError::Pattern { pattern: 0, bytes: 10 }));
        assert_eq!(buffer.fill(0, 10, &[1, 2, 3]), Err(MemoryError::Pattern { pattern: 3, bytes: 10 }));
        assert!(contents(&buffer)[..90].iter().all(|&b| b == 0));
    }

    #[test]
    fn fills_repeat_the_pattern() {
        let buffer = Buffer::new(30_000).unwrap();
        for size in [1, 3, 16, 128, 9999] {
            let pattern: Vec<u8> = (0..size).map(|i| (i % 251) as u8 + 1).collect();
            let bytes = 29_000 / size * size;
            buffer.fill(5, bytes, &pattern).unwrap();
            let now = contents(&buffer);
            assert!((0..bytes).all(|i| now[5 + i] == pattern[i % size]), "{size}");
        }
        buffer.fill(5, 0, &[1]).unwrap();
    }

    #[test]
    fn parts_and_user_memory_share_bytes() {
        let mut mine = [1u8, 2, 3, 4, 5, 6];
        // SAFETY: `mine` outlives the buffer and is not used meanwhile.
        let buffer = unsafe { Buffer::over(mine.as_mut_ptr(), 6) }.unwrap();
        let part = Buffer::part(&buffer, 2, 3).unwrap();
        assert!(Buffer::part(&buffer, 4, 3).is_err());
        assert_eq!(contents(&part), [3, 4, 5]);
        part.write(0, &[9]).unwrap();
        buffer.copy_to(0, &buffer, 1, 4).unwrap();
        drop((buffer, part));
        assert_eq!(mine, [1, 1, 2, 9, 4, 6]);
        // SAFETY: the null pointer is refused.
        assert_eq!(unsafe { Buffer::over(std::ptr::null_mut(), 6) }.unwrap_err(), MemoryError::NullPointer);
    }
}
