//! A cell for each word of memory: what checks remember of it.

use std::collections::HashMap;

const PAGE: usize = 4096;
const WORD: usize = 4;

/// A cell for each word of four bytes that was accessed; a page of words that is accessed in other
/// sizes gets a cell for each byte.
pub struct Shadow<C> {
    pages: Vec<Page<C>>,
    /// The place of each page, by its number.
    places: HashMap<usize, usize>,
    /// The page that was looked up last, and its place.
    last: (usize, usize),
}

impl<C> Default for Shadow<C> {
    fn default() -> Self {
        Shadow { pages: Vec::new(), places: HashMap::new(), last: (0, 0) }
    }
}

struct Page<C> {
    words: Vec<C>,
    bytes: Option<Vec<C>>,
}

impl<C: Copy + Default> Page<C> {
    fn new() -> Page<C> {
        Page { words: vec![C::default(); PAGE / WORD], bytes: None }
    }

    /// The cells of some bytes of the page, and the bytes of each.
    fn cells(&mut self, from: usize, to: usize) -> (&mut [C], usize) {
        let whole = from.is_multiple_of(WORD) && to.is_multiple_of(WORD);
        if self.bytes.is_none() && !whole {
            let spread = self.words.iter().flat_map(|cell| [*cell; WORD]).collect();
            self.bytes = Some(spread);
            self.words = Vec::new();
        }
        match &mut self.bytes {
            Some(bytes) => (&mut bytes[from..to], 1),
            None => (&mut self.words[from / WORD..to / WORD], WORD),
        }
    }
}

impl<C: Copy + Default> Shadow<C> {
    /// The place of a page.
    fn place(&mut self, page: usize) -> usize {
        if self.pages.is_empty() || self.last.0 != page {
            let place = *self.places.entry(page).or_insert(self.pages.len());
            if place == self.pages.len() {
                self.pages.push(Page::new());
            }
            self.last = (page, place);
        }
        self.last.1
    }

    /// Calls `visit` with the address and the cell of each part of some bytes.
    pub fn visit(&mut self, address: usize, bytes: usize, mut visit: impl FnMut(usize, &mut C)) {
        let (mut at, end) = (address, address + bytes);
        while at < end {
            let page = at / PAGE;
            let stop = end.min((page + 1) * PAGE);
            let place = self.place(page);
            let (cells, step) = self.pages[place].cells(at % PAGE, stop - page * PAGE);
            for (n, cell) in cells.iter_mut().enumerate() {
                visit(at + n * step, cell);
            }
            at = stop;
        }
    }

    /// Forgets what is remembered of some bytes.
    pub fn forget(&mut self, address: usize, bytes: usize) {
        let (first, last) = (address / PAGE, address.saturating_add(bytes).div_ceil(PAGE));
        let known: Vec<usize> = match last - first > self.places.len() {
            true => self.places.keys().copied().filter(|page| (first..last).contains(page)).collect(),
            false => (first..last).filter(|page| self.places.contains_key(page)).collect(),
        };
        for page in known {
            let from = address.max(page * PAGE);
            let to = (address + bytes).min((page + 1) * PAGE);
            self.visit(from, to - from, |_, cell| *cell = C::default());
        }
    }
}
