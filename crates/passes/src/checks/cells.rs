//! Cells: the last accesses to each element of local memory, which the kernel itself looks at.
//!
//! ```text
//! store float %x, ptr addrspace(3) %p
//! ───►
//!   %me = …                                ; group, epoch, work-item, place
//!   %w = load i64, %write + zero           ; the last write, the last two reads
//!   …
//!   store i64 %me, %write
//!   %again = load i64, %write + zero       ; another lane of the vector may have written, too
//!   %bad = …                               ; of this epoch, and of another work-item
//!   br i1 %bad, label %check.race, label %check.on
//! check.race:
//!   call i32 @__mux_check(ptr @check.places + …, …)
//! ```
//!
//! Each element, as large as accesses allow, has a word for the last write, for the last read, for
//! a read by another work-item than that, and the same of atomics, where there are such accesses. A
//! word is a `ir::check::Stamp`. Two stamps of one group and epoch differ in their lower bits only,
//! so that a comparison finds races. The vectorizer makes vectors of all of it: the words of
//! consecutive elements are consecutive. The words are those of the work-group's memory, cleared
//! when a thread begins with a launch (`begin_group`): stamps of other groups are no matter.
//!
//! Lanes of a vector note their accesses together. So loads add a zero to their address that LLVM
//! does not know: they must not be taken from the stores of the same work-item.

use super::accesses::Bytes;
use super::provenance::Provenance;
use super::races::Epochs;
use super::sharing::{Need, Ordering, Shared};
use super::sites::{Sites, What};
use super::under;
use ir::Builtin;
use ir::address_space::LOCAL;
use ir::attributes;
use ir::check::{Access, ArgumentField, Checks, Event, LaunchField, Memory, PlaceTable, Root, Stamp};
use llvm::{Builder, Function, IntPredicate, Module, Opcode, Value};
use std::collections::HashMap;

/// The ends of the names of local variables that are cells.
pub const CELLS: &str = ".check.cells";
/// The attribute of a kernel with the bytes of the cells for so many bytes of an argument.
const ARGUMENT_CELLS: &str = "mux-check-cells-";
/// The most elements of an access.
const MOST_ELEMENTS: u64 = 16;
/// The most places of a kernel.
const MOST_PLACES: u64 = 1 << Stamp::PLACE_BITS;
/// Before the cells of a variable: the number of the run that they were cleared for.
const HEADER: u64 = 8;
const WORD: u64 = 8;

/// What the words of an element are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Write,
    Read,
    /// A read by another work-item than the last one.
    OtherRead,
    Atomic,
    /// An atomic by another work-item than the last one.
    OtherAtomic,
}

#[derive(Clone, Debug)]
struct Layout {
    /// The bytes of an element.
    granule: u64,
    /// The planes: the words of one kind of all elements.
    words: Vec<Word>,
}

impl Layout {
    fn plane(&self, word: Word) -> Option<u64> {
        self.words.iter().position(|w| *w == word).map(|n| n as u64)
    }

    /// The bytes of the cells of so many bytes.
    fn bytes(&self, of: u64) -> u64 {
        HEADER + self.words.len() as u64 * of.div_ceil(self.granule) * WORD
    }
}

/// The local memory of a kernel that has cells.
#[derive(Debug)]
pub struct Cells {
    layouts: HashMap<Value, Layout>,
}

impl Cells {
    /// The cells for accesses that have to be noted; `None` if the runtime must be told of them.
    pub fn plan(
        module: &Module,
        kernel: Function,
        provenance: &mut Provenance<'_>,
        noted: &[&Shared],
    ) -> Option<Cells> {
        let ordering = Ordering::of(kernel);
        if ordering.fences || ordering.sub_groups || ordering.copies {
            return None;
        }
        let is_local = |root: &Root| matches!(root.memory, Memory::Local | Memory::LocalArgument);
        let mut layouts: HashMap<Value, Layout> = HashMap::new();
        let mut places = 0;
        for shared in noted {
            // A pointer to one of several variables.
            let (value, root) = shared.root()?;
            if !is_local(root) {
                continue;
            }
            let Bytes::Constant(bytes) = shared.access.bytes else { return None };
            let multiple = provenance.known_multiple(shared.access.pointer);
            let granule = multiple.min(1 << bytes.trailing_zeros()).min(WORD);
            let layout = layouts.entry(*value).or_insert(Layout { granule, words: Vec::new() });
            layout.granule = layout.granule.min(granule);
            let words: &[Word] = match shared.access.access {
                Access::Read => &[Word::Read, Word::OtherRead],
                Access::Write => &[Word::Write],
                Access::Atomic => &[Word::Atomic, Word::OtherAtomic],
            };
            for word in words.iter().filter(|word| layout.plane(**word).is_none()).collect::<Vec<_>>() {
                layout.words.push(*word);
            }
        }
        for shared in noted {
            let (Some((value, _)), Bytes::Constant(bytes)) = (shared.root(), shared.access.bytes) else {
                continue;
            };
            let Some(layout) = layouts.get(value) else { continue };
            let elements = bytes / layout.granule;
            places += elements;
            if elements > MOST_ELEMENTS || places >= MOST_PLACES {
                return None;
            }
        }
        for (value, layout) in &layouts {
            match value.as_global() {
                Some(global) => {
                    let ty = module.context().i8().array(layout.bytes(module.size_of(global.value_type())));
                    let cells = module.add_global_in(&format!("{}{CELLS}", global.name()), ty, LOCAL);
                    cells.set_initializer(ty.undef());
                    cells.set_linkage(llvm::Linkage::LLVMInternalLinkage);
                    cells.set_alignment(WORD as u32);
                }
                None => {
                    let index = kernel.params().iter().position(|param| param == value)?;
                    let text = format!("{}/{}", layout.words.len() as u64 * WORD, layout.granule);
                    kernel.set_attribute(&format!("{ARGUMENT_CELLS}{index}"), &text);
                }
            }
        }
        (!layouts.is_empty()).then_some(Cells { layouts })
    }

    /// Makes ready to write the code for accesses.
    pub fn write<'a>(
        self,
        module: &'a Module,
        kernel: Function,
        sites: &'a Sites<'a>,
        epochs: &'a Epochs,
        noted: &[(Shared, Need, bool, bool)],
    ) -> Writer<'a> {
        let mut table = PlaceTable::default();
        let (mut known, mut places) = (HashMap::new(), HashMap::new());
        for (shared, ..) in noted {
            let (Some((value, root)), Bytes::Constant(bytes)) = (shared.root(), shared.access.bytes) else {
                continue;
            };
            let Some(layout) = self.layouts.get(value) else { continue };
            let what = What {
                access: shared.access.access,
                local: true,
                size: bytes as u32,
                roots: vec![root.clone()],
                ..What::event(Event::Race, "")
            };
            let site = sites.encode(kernel, shared.access.instruction, what);
            // Copies of an access are at the same place.
            let (site, first) = *known.entry(site).or_insert_with_key(|site| {
                let site = table.add_site(site);
                let first = table.len();
                for element in 0..bytes / layout.granule {
                    table.add_place(site, (element * layout.granule) as u32);
                }
                (site, first)
            });
            places.insert((shared.access.instruction, shared.access.access), (site, first));
        }
        let constant = module.context().const_bytes(&table.encode());
        let global = module.add_global("check.places", constant.ty());
        global.set_initializer(constant);
        global.set_constant(true);
        global.set_linkage(llvm::Linkage::LLVMPrivateLinkage);
        let sites_start = table.sites_start();
        let table = global.into();
        Writer { module, kernel, sites, epochs, layouts: self.layouts, table, sites_start, places }
    }
}

/// Writes the code of accesses.
pub struct Writer<'a> {
    module: &'a Module,
    kernel: Function,
    sites: &'a Sites<'a>,
    epochs: &'a Epochs,
    layouts: HashMap<Value, Layout>,
    table: Value,
    sites_start: u32,
    /// The offset of each access's descriptor, and the number of its first place.
    places: HashMap<(Value, Access), (u32, usize)>,
}

/// The words of one element.
struct Element<'a> {
    layout: &'a Layout,
    b: Builder,
    base: Value,
    stride: Value,
    zero: Value,
}

impl Element<'_> {
    fn at(&self, word: Word, offset: Option<Value>) -> Option<Value> {
        let b = &self.b;
        let plane = b.i64(self.layout.plane(word)?);
        let mut distance = b.mul(self.stride, plane, "");
        if let Some(offset) = offset {
            distance = b.add(distance, offset, "");
        }
        Some(b.gep_anywhere(b.context().i8(), self.base, &[distance], ""))
    }

    fn load(&self, word: Word) -> Option<Value> {
        let at = self.at(word, Some(self.zero))?;
        let value = self.b.load(self.b.context().i64(), at, "check.cell");
        value.set_alignment(WORD as u32);
        Some(value)
    }

    fn store(&self, word: Word, value: Value) {
        let at = self.at(word, None).expect("there are such words");
        self.b.store(value, at).set_alignment(WORD as u32);
    }
}

impl Writer<'_> {
    /// Notes an access, where `flag` is not 0; false if its memory has no cells.
    pub fn note(&mut self, provenance: &mut Provenance<'_>, shared: &Shared, flag: Option<Value>) -> bool {
        let Some((value, root)) = shared.root() else { return false };
        let (Some(layout), Bytes::Constant(bytes)) = (self.layouts.get(value).cloned(), shared.access.bytes)
        else {
            return false;
        };
        let access = shared.access;
        let context = self.module.context();
        let at = access.instruction;
        let zero = provenance.launch_field(LaunchField::Zero);
        let offset = provenance.place(access.pointer).offset;
        let mut b = Builder::before(context, at);
        if let Some(flag) = flag {
            let condition = b.icmp(IntPredicate::LLVMIntNE, flag, b.i64(0), "");
            b = under(self.module, at, at, condition, "check.shared");
        }
        let (start, stride) = match value.as_global() {
            Some(global) => {
                let cells = self.module.global(&format!("{}{CELLS}", global.name()));
                let planes = self.module.size_of(global.value_type()).div_ceil(layout.granule);
                let cells: Value = cells.expect("it was planned").into();
                let start = b.gep_anywhere(context.i8(), cells, &[b.i64(HEADER)], "");
                (start, b.i64(planes * WORD))
            }
            None => {
                let size = provenance.field(root.number, ArgumentField::Readable);
                let before = argument_cells(&b, attributes::checks(self.kernel), size);
                let start = b.add(before, b.i64(HEADER), "");
                let more = b.add(size, b.i64(layout.granule - 1), "");
                let planes = b.binary(Opcode::LLVMUDiv, more, b.i64(layout.granule), "");
                (b.gep_anywhere(context.i8(), *value, &[start], ""), b.mul(planes, b.i64(WORD), ""))
            }
        };
        let (site, first) = self.places[&(at, access.access)];
        let me = self.stamp(&b);
        let address = b.cast(Opcode::LLVMPtrToInt, access.pointer, context.i64(), "");
        let words = b.mul(offset, b.i64(WORD / layout.granule), "");
        // The code of each element ends in a block of its own.
        let mut next = b.insertion_point().expect("the builder stands before an instruction");
        for element in 0..bytes / layout.granule {
            let b = Builder::before(context, next);
            b.set_place_of(at);
            let distance = b.add(words, b.i64(element * WORD), "");
            let base = b.gep_anywhere(context.i8(), start, &[distance], "");
            let me = b.add(me, b.i64((first + element as usize) as u64), "check.me");
            let cells = Element { layout: &layout, b, base, stride, zero };
            let back = element * layout.granule;
            next = match access.access {
                Access::Read => self.read(cells, at, next, me, (site, address, back)),
                Access::Write | Access::Atomic => {
                    self.write(cells, at, next, me, access.access, (site, address, back))
                }
            };
        }
        true
    }

    /// The stamp of the work-item, without the place.
    fn stamp(&self, b: &Builder) -> Value {
        let module = self.module;
        let word = b.context().i64();
        let query =
            |builtin: Builtin, d: u32| b.int_cast(b.call(builtin.declare(module), &[b.i32(d)], ""), word, "");
        let linear = |id: Builtin, size: Builtin| {
            let [x, y, z] = [0, 1, 2].map(|d| query(id, d));
            let rows = b.add(b.mul(z, query(size, 1), ""), y, "");
            b.add(b.mul(rows, query(size, 0), ""), x, "")
        };
        let item = linear(Builtin::GetLocalId, Builtin::GetEnqueuedLocalSize);
        let group = b.add(linear(Builtin::GetGroupId, Builtin::GetNumGroups), b.i64(1), "");
        let epochs = b.load(word, self.epochs.variable, "check.epochs");
        let epoch = b.and(epochs, b.i64((1 << Stamp::EPOCH_BITS) - 1), "");
        let shift = |value: Value, bits: u32| b.binary(Opcode::LLVMShl, value, b.i64(bits.into()), "");
        let item_at = Stamp::PLACE_BITS;
        let epoch_at = item_at + Stamp::ITEM_BITS;
        let group_at = epoch_at + Stamp::EPOCH_BITS;
        b.add(b.add(shift(group, group_at), shift(epoch, epoch_at), ""), shift(item, item_at), "")
    }

    /// Whether a stamp is of another work-item in the same epoch of this group.
    fn meets(&self, b: &Builder, stamp: Value, me: Value) -> Value {
        let differs = b.binary(Opcode::LLVMXor, stamp, me, "");
        let place = 1 << Stamp::PLACE_BITS;
        let range = (1 << (Stamp::PLACE_BITS + Stamp::ITEM_BITS)) - place;
        b.icmp(IntPredicate::LLVMIntULT, b.sub(differs, b.i64(place), ""), b.i64(range), "")
    }

    /// A read of an element, before `next`; the instruction that what follows comes before.
    fn read(
        &self,
        cells: Element<'_>,
        at: Value,
        next: Value,
        me: Value,
        report: (u32, Value, u64),
    ) -> Value {
        let others: Vec<Value> = [Word::Write, Word::Atomic, Word::OtherAtomic]
            .into_iter()
            .filter_map(|w| cells.load(w))
            .collect();
        let b = self.remember(cells, at, next, me, [Word::Read, Word::OtherRead]);
        self.report(b, at, next, &others, me, report);
        next
    }

    /// Makes a work-item's stamp the last of a kind, and that of another one the other; gives a
    /// builder before `next`.
    fn remember(&self, cells: Element<'_>, at: Value, next: Value, me: Value, words: [Word; 2]) -> Builder {
        let [last_word, other_word] = words;
        let b = &cells.b;
        let last = cells.load(last_word).expect("there are such words");
        // The work-item's own stamp of this epoch stays.
        let differs = b.binary(Opcode::LLVMXor, last, me, "");
        let differs = b.icmp(IntPredicate::LLVMIntUGE, differs, b.i64(1 << Stamp::PLACE_BITS), "");
        let inside = Element { b: under(self.module, at, next, differs, "check.noted"), ..cells };
        inside.store(other_word, last);
        inside.store(last_word, me);
        let again = inside.load(last_word).expect("there are such words");
        let lost = inside.b.icmp(IntPredicate::LLVMIntNE, again, me, "");
        let end = inside.b.insertion_point().expect("the builder stands before an instruction");
        let lost = Element { b: under(self.module, at, end, lost, "check.lost"), ..inside };
        lost.store(other_word, me);
        let b = Builder::before(self.module.context(), next);
        b.set_place_of(at);
        b
    }

    /// A write or an atomic.
    fn write(
        &self,
        cells: Element<'_>,
        at: Value,
        next: Value,
        me: Value,
        access: Access,
        report: (u32, Value, u64),
    ) -> Value {
        let load = |words: &[Word]| words.iter().filter_map(|w| cells.load(*w)).collect::<Vec<_>>();
        let mut others = load(&[Word::Write, Word::Read, Word::OtherRead]);
        let b = match access {
            Access::Atomic => self.remember(cells, at, next, me, [Word::Atomic, Word::OtherAtomic]),
            _ => {
                others.extend(load(&[Word::Atomic, Word::OtherAtomic]));
                cells.store(Word::Write, me);
                others.extend(cells.load(Word::Write));
                cells.b
            }
        };
        self.report(b, at, next, &others, me, report);
        next
    }

    /// Tells the runtime of the first of the stamps that is of another work-item.
    fn report(
        &self,
        b: Builder,
        at: Value,
        next: Value,
        others: &[Value],
        me: Value,
        (site, address, back): (u32, Value, u64),
    ) {
        let meets: Vec<Value> = others.iter().map(|other| self.meets(&b, *other, me)).collect();
        let Some(bad) = meets.iter().copied().reduce(|x, y| b.binary(Opcode::LLVMOr, x, y, "check.bad"))
        else {
            return;
        };
        let b = under(self.module, at, next, bad, "check.race");
        let mut other = *others.last().expect("there is one");
        for (stamp, meets) in others.iter().zip(&meets).rev().skip(1) {
            other = b.select(*meets, *stamp, other, "");
        }
        let offset = b.i64(u64::from(self.sites_start + site));
        let site = b.gep_anywhere(b.context().i8(), self.table, &[offset], "");
        let table = b.cast(Opcode::LLVMPtrToInt, self.table, b.context().i64(), "");
        let table = b.binary(Opcode::LLVMOr, table, b.i64(back << 48), "");
        self.sites.call(&b, site, [address, other, table]);
    }
}

/// Where the cells of local memory that an argument points to begin: after its bytes, and their
/// shadows.
fn argument_cells(b: &Builder, checks: Checks, size: Value) -> Value {
    let before = match checks.has(Checks::UNINITIALIZED) {
        true => b.add(size, size, ""),
        false => size,
    };
    b.and(b.add(before, b.i64(WORD - 1), ""), b.i64(!(WORD - 1)), "")
}

/// Clears the cells of a kernel where a work-group begins, if it is the first of its run. `params`
/// are those of the function that runs the work-group, `record` is that of the launch.
pub fn begin_group(module: &Module, b: &Builder, kernel: Function, params: &[Value], record: Value) {
    let context = module.context();
    let word = context.i64();
    let load = |index: u32| b.load(word, b.gep(word, record, &[b.i32(index)], ""), "");
    let count = kernel.params().len();
    let run = load(count as u32 * ir::check::ARGUMENT_WORDS + LaunchField::Run as u32);
    let clear = |cells: Value, bytes: Value| {
        let last = b.load(word, cells, "");
        last.set_alignment(WORD as u32);
        let same = b.icmp(IntPredicate::LLVMIntEQ, last, run, "");
        let f = module.intrinsic("llvm.memset", &[cells.ty(), word]);
        let bytes = b.select(same, b.i64(0), bytes, "");
        b.call(f, &[cells, context.i8().zero(), bytes, context.i1().zero()], "");
        b.store(run, cells).set_alignment(WORD as u32);
    };
    for global in module.globals().into_iter().filter(|g| g.name().ends_with(CELLS)) {
        clear(global.into(), b.i64(module.size_of(global.value_type())));
    }
    for (i, param) in params.iter().copied().enumerate().take(count) {
        let Some(text) = kernel.attribute(&format!("{ARGUMENT_CELLS}{i}")) else { continue };
        let Some((words, granule)) = text.split_once('/') else { continue };
        let (Ok(words), Ok(granule)) = (words.parse::<u64>(), granule.parse::<u64>()) else { continue };
        let size = load(i as u32 * ir::check::ARGUMENT_WORDS + ArgumentField::Readable as u32);
        let start = argument_cells(b, attributes::checks(kernel), size);
        let elements = b.binary(Opcode::LLVMUDiv, b.add(size, b.i64(granule - 1), ""), b.i64(granule), "");
        let bytes = b.add(b.mul(elements, b.i64(words), ""), b.i64(HEADER), "");
        clear(b.gep_anywhere(context.i8(), param, &[start], ""), bytes);
    }
}
