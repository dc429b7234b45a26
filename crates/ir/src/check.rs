//! Checked mode: which mistakes of kernels are looked for, and the descriptors of the places where.
//!
//! A check that fails calls `__mux_check` ([`crate::Builtin::Check`]) with the address of a
//! descriptor, a constant of the code that says what was done there and by which lines. The
//! runtime decodes it.

use std::fmt;

/// The checks that a kernel is compiled with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Checks(u8);

impl Checks {
    pub const NONE: Checks = Checks(0);
    pub const BOUNDS: Checks = Checks(1);
    pub const RACES: Checks = Checks(2);
    pub const UNINITIALIZED: Checks = Checks(4);
    pub const BARRIERS: Checks = Checks(8);
    pub const ALIGNMENT: Checks = Checks(16);
    pub const ARITHMETIC: Checks = Checks(32);

    /// Every check there is.
    pub const ALL: Checks = Checks(63);

    const NAMES: [(&'static str, Checks); 6] = [
        ("bounds", Checks::BOUNDS),
        ("races", Checks::RACES),
        ("uninitialized", Checks::UNINITIALIZED),
        ("barriers", Checks::BARRIERS),
        ("alignment", Checks::ALIGNMENT),
        ("arithmetic", Checks::ARITHMETIC),
    ];

    /// The checks of these names. Names that are none have no effect.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Checks {
        let of = |name: &str| Checks::NAMES.iter().find(|(n, _)| *n == name).map_or(0, |(_, c)| c.0);
        Checks(names.into_iter().fold(0, |all, name| all | of(name)))
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Checks::NAMES.into_iter().filter(move |(_, check)| self.has(*check)).map(|(name, _)| name)
    }

    pub fn from_bits(bits: u8) -> Option<Checks> {
        (bits < 64).then_some(Checks(bits))
    }

    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether any of these checks is among them.
    pub fn has(self, checks: Checks) -> bool {
        self.0 & checks.0 != 0
    }

    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().collect::<Vec<_>>().join(","))
    }
}

/// What a call of `__mux_check` is about, and what its three numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Event {
    /// An access outside of its memory, or of the wrong alignment: the offset from the start of
    /// that memory, the root ([`Root::number`]), and the bytes.
    Access,
    /// Asks whether an address may be accessed: the address, the pointer it was made from, and the
    /// bytes. The result is 1 if so.
    Address,
    /// A work-item arrives at a barrier: a number for the rounds of the loops around it, one for
    /// its operands that must be uniform, and how many barriers it has arrived at before.
    Arrive,
    /// A work-item leaves the kernel; the third number is as of [`Event::Arrive`].
    Leave,
    /// An access to memory that work-items share: the address, the bytes (with the sub-group from
    /// bit 32 on), and the epochs of the work-item.
    Shared,
    /// Two accesses to local memory race: the address, the stamp of the other one ([`Stamp`]),
    /// and the address of the table of places ([`PlaceTable`]), with the bytes of the access
    /// before the element from bit 48 on.
    Race,
    /// A fence; the third number is the epochs of the work-item.
    Fence,
    /// An operation without a defined result.
    Arithmetic,
    /// A value that is not initialized is used: the offset of the access from the start of its
    /// memory, and the root.
    Undefined,
    /// Memory of an unknown root is written: the address and the bytes.
    Define,
    /// Asks whether any of some shadows is set: the address of their first line, the bytes of a
    /// line, and the number of lines, with their distance from bit 32 on. The result is 1 if so.
    Scan,
    /// As [`Event::Shared`], of an asynchronous copy, which ends when the group waits for it.
    Copied,
    /// A pixel outside of an image is accessed: its three coordinates.
    Image,
    /// Asks whether a string ends within its memory: the address, the bytes that are left there,
    /// and the root ([`u32::MAX`] if it is unknown), with one more than the most bytes that are
    /// read from bit 32 on, or 0. The result is 1 if so.
    Text,
    /// Asks whether a work-item that waits in a loop, for so many rounds, is to leave it. The
    /// result is 1 if so.
    Wait,
    /// A sub-group operation that lanes are missing of: the linear local ID of a missing work-item,
    /// or [`u64::MAX`].
    Lanes,
}

impl Event {
    const ALL: [Event; 16] = [
        Event::Access,
        Event::Address,
        Event::Arrive,
        Event::Leave,
        Event::Shared,
        Event::Race,
        Event::Fence,
        Event::Arithmetic,
        Event::Undefined,
        Event::Define,
        Event::Scan,
        Event::Copied,
        Event::Image,
        Event::Text,
        Event::Wait,
        Event::Lanes,
    ];
}

/// The note of descriptors of accesses that are tested, but not reported.
pub const QUIET: &str = "quiet";

/// The note of descriptors of accesses whose address may be undefined.
pub const UNDEFINED_ADDRESS: &str = "the address of this access is not initialized";

/// In the bytes of [`Event::Address`]: the address is none of a variable, and may be none of
/// anything else.
pub const ONLY_VARIABLES: u64 = 1 << 63;

/// In the bytes of [`Event::Address`]: the address is one of memory that may not be written.
pub const CONSTANT: u64 = 1 << 62;

/// In the bytes of [`Event::Address`], from this bit on: one more than the root of the variable
/// that the pointer was made from, if that is known. The pointer is its start then.
pub const HOME: u32 = 32;

/// What is done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Access {
    Read,
    Write,
    Atomic,
}

impl Access {
    const ALL: [Access; 3] = [Access::Read, Access::Write, Access::Atomic];

    pub fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Atomic => "atomic",
        }
    }
}

/// The memory that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Memory {
    /// Global or constant memory that an argument points to.
    Argument,
    /// Local memory that an argument points to.
    LocalArgument,
    /// A private variable, or an argument by value.
    Private,
    /// A variable in local memory.
    Local,
    /// A variable of the program, in global or constant memory.
    Program,
}

impl Memory {
    const ALL: [Memory; 5] =
        [Memory::Argument, Memory::LocalArgument, Memory::Private, Memory::Local, Memory::Program];
}

/// Numbers of roots that are no arguments begin here.
pub const VARIABLES: u32 = 1 << 16;

/// A variable or argument that an access may be to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Root {
    /// The number of an argument, or another number that is the root's own.
    pub number: u32,
    pub memory: Memory,
    pub name: String,
    /// The bytes of a variable; 0 for arguments, whose size a launch says.
    pub size: u64,
    /// Whether it may not be written: `const`.
    pub constant: bool,
}

/// A function on the stack of an access: the innermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// The descriptor of a place in a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    pub event: u8,
    pub access: Access,
    /// Whether the pointer is one to local memory.
    pub local: bool,
    /// Whether the scope of an atomic is the work-group or less.
    pub narrow: bool,
    /// The bytes that are accessed; 0 if only the call says it.
    pub size: u32,
    /// The alignment that the access needs.
    pub align: u32,
    pub kernel: String,
    /// Words of its own for the report.
    pub note: String,
    /// The line of the source, if it is known.
    pub text: String,
    pub roots: Vec<Root>,
    pub frames: Vec<Frame>,
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, n: u64) {
        self.0.extend(n.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn text(&mut self) -> Option<String> {
        let len = self.number()? as usize;
        let (text, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

impl Site {
    /// The bytes before the rest of a descriptor: how many follow.
    pub const HEADER: usize = 8;

    /// The bytes of the fields that [`Site::decode_head`] reads.
    pub const HEAD: usize = 24;

    /// The event, the access, whether it is to local memory, and whether its scope is narrow, from
    /// the first bytes after the header.
    pub fn decode_head(bytes: &[u8]) -> Option<(Event, Access, bool, bool)> {
        let mut r = Reader(bytes);
        let event = *Event::ALL.get(r.number()? as usize)?;
        let access = *Access::ALL.get(r.number()? as usize)?;
        let flags = r.number()?;
        Some((event, access, flags & 1 != 0, flags & 2 != 0))
    }

    pub fn event(&self) -> Option<Event> {
        Event::ALL.get(usize::from(self.event)).copied()
    }

    /// The descriptor as bytes: their number, then the fields.
    pub fn encode(&self) -> Vec<u8> {
        let mut w = Writer(Vec::new());
        let flags = u64::from(self.local) | u64::from(self.narrow) << 1;
        let head = [self.event.into(), self.access as u64, flags];
        for n in head.into_iter().chain([self.size.into(), self.align.into()]) {
            w.number(n);
        }
        [&self.kernel, &self.note, &self.text].into_iter().for_each(|text| w.text(text));
        w.number(self.roots.len() as u64);
        for root in &self.roots {
            w.number(root.number.into());
            w.number(root.memory as u64);
            w.number(root.size);
            w.number(root.constant.into());
            w.text(&root.name);
        }
        w.number(self.frames.len() as u64);
        for frame in &self.frames {
            w.text(&frame.function);
            w.text(&frame.file);
            w.number(frame.line.into());
            w.number(frame.column.into());
        }
        let mut bytes = (w.0.len() as u64).to_le_bytes().to_vec();
        bytes.extend(w.0);
        bytes
    }

    /// The reverse of [`Site::encode`], without the header; `None` if the bytes are none.
    pub fn decode(bytes: &[u8]) -> Option<Site> {
        let mut r = Reader(bytes);
        let (event, access) = (r.number()? as u8, *Access::ALL.get(r.number()? as usize)?);
        let flags = r.number()?;
        let (local, narrow) = (flags & 1 != 0, flags & 2 != 0);
        let (size, align) = (r.number()? as u32, r.number()? as u32);
        let (kernel, note, text) = (r.text()?, r.text()?, r.text()?);
        let roots = (0..r.number()?).map(|_| {
            Some(Root {
                number: r.number()? as u32,
                memory: *Memory::ALL.get(r.number()? as usize)?,
                size: r.number()?,
                constant: r.number()? != 0,
                name: r.text()?,
            })
        });
        let roots = roots.collect::<Option<_>>()?;
        let frames = (0..r.number()?).map(|_| {
            Some(Frame {
                function: r.text()?,
                file: r.text()?,
                line: r.number()? as u32,
                column: r.number()? as u32,
            })
        });
        let frames = frames.collect::<Option<_>>()?;
        Some(Site { event, access, local, narrow, size, align, kernel, note, text, roots, frames })
    }
}

/// An access to local memory in a word: the work-group, the epoch of local memory, the work-item,
/// and the place in the code, from the highest bits to the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(pub u64);

impl Stamp {
    /// Bits of the place, of the work-item, and of the epoch.
    pub const PLACE_BITS: u32 = 10;
    pub const ITEM_BITS: u32 = 12;
    pub const EPOCH_BITS: u32 = 18;

    pub fn place(self) -> usize {
        (self.0 & ((1 << Stamp::PLACE_BITS) - 1)) as usize
    }

    /// The linear local ID.
    pub fn item(self) -> u64 {
        self.0 >> Stamp::PLACE_BITS & ((1 << Stamp::ITEM_BITS) - 1)
    }
}

/// The descriptors of accesses that have cells: their number, for each an offset into the table and
/// the bytes of the access before the place, and the descriptors themselves.
#[derive(Clone, Debug, Default)]
pub struct PlaceTable {
    places: Vec<(u32, u32)>,
    sites: Vec<u8>,
}

impl PlaceTable {
    /// Adds a descriptor; the offset is one into [`PlaceTable::sites`].
    pub fn add_site(&mut self, site: &[u8]) -> u32 {
        let at = self.sites.len() as u32;
        self.sites.extend(site);
        at
    }

    /// Adds a place, so many bytes behind the start of an access; its number.
    pub fn add_place(&mut self, site: u32, back: u32) -> usize {
        self.places.push((site, back));
        self.places.len() - 1
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Where descriptors begin in the encoded table.
    pub fn sites_start(&self) -> u32 {
        8 + 8 * self.places.len() as u32
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = (self.places.len() as u64).to_le_bytes().to_vec();
        for (site, back) in &self.places {
            bytes.extend((self.sites_start() + site).to_le_bytes());
            bytes.extend(back.to_le_bytes());
        }
        bytes.extend(&self.sites);
        bytes
    }

    /// The offset of a place's descriptor in an encoded table, and the bytes of its access before
    /// it. `head` are the first bytes, up to the descriptors.
    pub fn decode_place(head: &[u8], place: usize) -> Option<(u32, u32)> {
        let entry = head.get(8 + 8 * place..16 + 8 * place)?;
        let (site, back) = entry.split_at(4);
        Some((u32::from_le_bytes(site.try_into().ok()?), u32::from_le_bytes(back.try_into().ok()?)))
    }
}

/// Where code finds what a launch says of its arguments: an array with one entry for each of them,
/// by `__mux_check_record`. All are 64-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ArgumentField {
    /// The address that is passed.
    Address,
    /// How many bytes of the allocation lie before that address.
    Before,
    /// The bytes of the allocation, 0 if it may not be read.
    Readable,
    /// The bytes of the allocation, 0 if it may not be written.
    Writable,
    /// Whether memory of another argument overlaps this one's.
    Overlaps,
    /// The address of the shadows of the allocation's bytes, 0 if all are defined.
    Shadow,
}

/// What a launch says of itself: words after those of the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum LaunchField {
    /// 0, which the compiler must not know.
    Zero,
    /// A number of the thread's own for the work-groups that it runs.
    Run,
    /// Code writes a 1 here if the order in which work-groups run matters to it.
    Serial,
    /// Whether other launches may run at the same time.
    InFlight,
    /// How many work-groups with barriers that are watched the thread has begun.
    Group,
    /// Whether the work-items of that work-group went apart.
    Apart,
    /// The first of the slots with what work-items met last ([`MeetingField`]).
    Meetings,
}

/// What a slot says of the nth barrier that the work-items of a work-group meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum MeetingField {
    /// One more than n, with [`LaunchField::Group`] from bit 32 on; slots of other groups are free.
    Tag,
    /// The address of the descriptor; 0 if work-items leave the kernel there.
    Site,
    /// As the numbers of [`Event::Arrive`].
    Rounds,
    Operands,
    /// The linear local ID of a work-item that came first.
    Item,
}

/// The number of slots, in which each barrier takes the next one in turn, and the words of each.
pub const MEETINGS: u32 = 8;
pub const MEETING_WORDS: u32 = 5;

/// The words of a launch in the record.
pub const LAUNCH_WORDS: u32 = LaunchField::Meetings as u32 + MEETINGS * MEETING_WORDS;

/// The words of an argument in the record.
pub const ARGUMENT_WORDS: u32 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_read_as_they_were_written() {
        let site = Site {
            event: Event::Access as u8,
            access: Access::Write,
            local: false,
            narrow: true,
            size: 4,
            align: 4,
            kernel: "k".into(),
            note: String::new(),
            text: "  out[i] = 1;".into(),
            roots: vec![Root {
                number: 2,
                memory: Memory::Argument,
                name: "out".into(),
                size: 0,
                constant: true,
            }],
            frames: vec![Frame { function: "k".into(), file: "a.cl".into(), line: 3, column: 5 }],
        };
        let bytes = site.encode();
        assert_eq!(Site::decode(&bytes[Site::HEADER..]), Some(site));
        assert_eq!(Site::decode(&bytes[Site::HEADER..bytes.len() - 1]), None);
    }

    #[test]
    fn checks_have_names() {
        let some = Checks::from_names(["races", "bounds", "nonsense"]);
        assert_eq!((some.to_string().as_str(), some.bits()), ("bounds,races", 3));
        assert!(some.has(Checks::RACES) && !some.has(Checks::ALIGNMENT));
    }
}
