//! The ELF note of a binary.
//!
//! The note has the owner `Lanewise` and type 1. Its contents are the version, the CPU and its
//! features, and of each kernel the name of its entry hook, its facts and its declaration in the
//! source. A reader checks all of it: the binary may be damaged or forged.

use crate::{
    ArgFact, ArgKind, Error, ImageArg, Info, KernelArg, KernelFacts, KernelInfo, Machine, Reader, Result,
    Writer, seal,
};
use ir::attributes::GroupShape;
use ir::check::Checks;
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endianness, elf};

pub const SECTION: &str = ".note.lanewise";
const OWNER: &[u8] = b"Lanewise\0";
const KERNELS: u32 = 1;
/// The version of the format; it changes with the ABI, the note or the meaning of a fact.
const FORMAT: u64 = 11;

/// The contents of the note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes {
    pub version: String,
    pub machine: Machine,
    pub kernels: Vec<NotedKernel>,
}

/// A kernel of a binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedKernel {
    /// The symbol of its entry hook.
    pub symbol: String,
    pub facts: KernelFacts,
    /// The kernel as the source declares it, for users who have only the binary. Kinds and sizes of
    /// its arguments are those of `facts`.
    pub info: KernelInfo,
}

/// The kernels of a sealed binary, which must be of this version and compiler, and for its machine.
pub fn describe(binary: &[u8], compiler: &dyn Info) -> Result<Vec<KernelInfo>> {
    let notes = Notes::read(seal::open(binary, compiler.name())?, &compiler.backend().machine())?;
    Ok(notes.kernels.into_iter().map(|kernel| kernel.info).collect())
}

impl Notes {
    /// Notes of this version.
    pub fn new(machine: Machine, kernels: Vec<NotedKernel>) -> Self {
        Notes { version: version(), machine, kernels }
    }

    /// The whole note, with its header.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::default();
        let Machine { triple, cpu, features } = &self.machine;
        w.u64(FORMAT).text(&self.version).text(triple).text(cpu).text(features);
        w.u64(self.kernels.len() as u64);
        self.kernels.iter().for_each(|kernel| write_kernel(&mut w, kernel));
        let description = w.0;
        let mut note = Vec::new();
        for word in [OWNER.len() as u32, description.len() as u32, KERNELS] {
            note.extend(word.to_le_bytes());
        }
        note.extend(OWNER);
        note.resize(note.len().next_multiple_of(4), 0);
        note.extend(description);
        note.resize(note.len().next_multiple_of(4), 0);
        note
    }

    /// Reads the note of an object and checks that it is of this version, and for this machine.
    pub fn read(object: &[u8], machine: &Machine) -> Result<Notes> {
        Notes::parse(object, machine).map_err(Error::InvalidValue)
    }

    fn parse(object: &[u8], machine: &Machine) -> std::result::Result<Notes, String> {
        let (kind, description) = find(object)?;
        if elf_machine(&machine.triple).is_some_and(|own| own != kind) {
            return Err("the binary is for another kind of machine; compile it for this one".to_owned());
        }
        let notes = parse(description).ok_or("the binary's notes are broken; compile it again")?;
        if notes.version != version() {
            return Err(format!(
                "the binary was made by Lanewise {}, this is Lanewise {}; compile it again",
                notes.version,
                version()
            ));
        }
        if notes.machine.triple != machine.triple {
            let (made, here) = (&notes.machine.triple, &machine.triple);
            return Err(format!("the binary was made for {made}, the device is {here}; compile it again"));
        }
        if notes.machine != *machine {
            let (made, here) = (&notes.machine.cpu, &machine.cpu);
            return Err(format!(
                "the binary was made for the CPU {made}, this one is {here} or has other features; \
                 compile it again"
            ));
        }
        Ok(notes)
    }
}

/// The version of Lanewise and LLVM together.
fn version() -> String {
    format!("{} (LLVM {})", env!("CARGO_PKG_VERSION"), llvm::VERSION)
}

/// The ELF machine number of a triple, where it is known.
fn elf_machine(triple: &str) -> Option<u16> {
    match triple.split('-').next()? {
        "x86_64" => Some(elf::EM_X86_64),
        "i386" | "i686" => Some(elf::EM_386),
        "aarch64" => Some(elf::EM_AARCH64),
        "riscv32" | "riscv64" => Some(elf::EM_RISCV),
        _ => None,
    }
}

/// The kind of machine that an object is for, and its note.
fn find(object: &[u8]) -> std::result::Result<(u16, &[u8]), String> {
    // The byte after the magic number is the class.
    let found = match object.get(4) {
        Some(&elf::ELFCLASS32) => find_in::<elf::FileHeader32<Endianness>>(object),
        _ => find_in::<elf::FileHeader64<Endianness>>(object),
    };
    match found {
        Ok(Some(note)) => Ok(note),
        Ok(None) => Err("the ELF file has no notes of Lanewise".to_owned()),
        Err(_) => Err("not an ELF binary of Lanewise".to_owned()),
    }
}

fn find_in<H: FileHeader<Endian = Endianness>>(object: &[u8]) -> object::Result<Option<(u16, &[u8])>> {
    let header = H::parse(object)?;
    let endian = header.endian()?;
    for section in header.sections(endian, object)?.iter() {
        let Ok(Some(mut notes)) = section.notes(endian, object) else { continue };
        while let Ok(Some(note)) = notes.next() {
            if note.name() == &OWNER[..OWNER.len() - 1] && note.n_type(endian) == KERNELS {
                return Ok(Some((header.e_machine(endian), note.desc())));
            }
        }
    }
    Ok(None)
}

/// The most arguments of a kernel and the most kernels of a binary: a larger count is a broken
/// note.
const MANY: u64 = 1 << 16;

fn parse(bytes: &[u8]) -> Option<Notes> {
    let mut r = Reader(bytes);
    if r.u64()? != FORMAT {
        return None;
    }
    let version = r.text()?;
    let machine = Machine { triple: r.text()?, cpu: r.text()?, features: r.text()? };
    let count = r.u64().filter(|n| *n < MANY)?;
    let kernels = (0..count).map(|_| parse_kernel(&mut r)).collect::<Option<_>>()?;
    Some(Notes { version, machine, kernels })
}

fn write_kernel(w: &mut Writer, kernel: &NotedKernel) {
    let NotedKernel { symbol, facts, info } = kernel;
    w.text(symbol).text(&facts.name);
    w.u64(facts.args.len() as u64);
    for (fact, arg) in facts.args.iter().zip(&info.args) {
        w.u64(fact.kind as u64).u64(fact.offset as u64).u64(fact.size as u64);
        w.text(&arg.name).text(&arg.type_name).text(&arg.base_type_name).text(&arg.type_qualifiers);
        w.text(&arg.layout).text(&arg.image.map_or_else(String::new, |image| image.to_string()));
    }
    w.u64(facts.args_size as u64).u64(facts.scratch_fixed as u64).u64(facts.scratch_per_item as u64);
    w.u64(u64::from(facts.sees_groups));
    for size in [facts.local_size, info.reqd_work_group_size, info.work_group_size_hint] {
        write_size(w, size);
    }
    w.text(info.vec_type_hint.as_deref().unwrap_or_default());
    w.u64(info.local_memory_size as u64).u64(info.private_memory_size as u64);
    w.u64(info.reqd_sub_group_size.unwrap_or(0) as u64);
    w.u64(facts.max_work_dim.into()).u64(facts.zero_offset.into()).u64(facts.small_range.into());
    w.u64(facts.work_width as u64).u64(facts.group_shape as u64);
    w.u64(facts.uses_sub_groups.into()).u64(facts.degenerate_sub_groups.into());
    w.u64(facts.steering_args.len() as u64);
    facts.steering_args.iter().for_each(|&index| {
        w.u64(index as u64);
    });
    w.u64(facts.undecided.into());
    w.text(&facts.work.as_ref().map_or_else(String::new, |work| work.to_string()));
    w.u64(facts.checks.bits().into());
    w.bytes(&facts.extra);
}

fn parse_kernel(r: &mut Reader<'_>) -> Option<NotedKernel> {
    let (symbol, name) = (r.text()?, r.text()?);
    let count = r.u64().filter(|n| *n < MANY)?;
    let (mut facts_args, mut info_args) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let kind = match r.u64()? {
            0 => ArgKind::Value,
            1 => ArgKind::Global,
            2 => ArgKind::Constant,
            3 => ArgKind::Local,
            4 => ArgKind::Image,
            5 => ArgKind::Sampler,
            _ => return None,
        };
        let fact = ArgFact { kind, offset: r.size()?, size: r.size()? };
        info_args.push(KernelArg {
            name: r.text()?,
            type_name: r.text()?,
            base_type_name: r.text()?,
            type_qualifiers: r.text()?,
            kind,
            size: fact.size,
            layout: r.text()?,
            image: ImageArg::parse(&r.text()?),
        });
        facts_args.push(fact);
    }
    let args_size = r.size()?;
    let inside = |arg: &ArgFact| arg.offset.checked_add(arg.size).is_some_and(|end| end <= args_size);
    if !facts_args.iter().all(inside) {
        return None;
    }
    let (scratch_fixed, scratch_per_item) = (r.size()?, r.size()?);
    let sees_groups = r.u64()? != 0;
    let (local_size, required, hint) = (parse_size(r)?, parse_size(r)?, parse_size(r)?);
    let info = KernelInfo {
        name: name.clone(),
        args: info_args,
        reqd_work_group_size: required,
        work_group_size_hint: hint,
        vec_type_hint: Some(r.text()?).filter(|name| !name.is_empty()),
        local_memory_size: r.size()?,
        private_memory_size: r.size()?,
        reqd_sub_group_size: Some(r.size()?).filter(|n| *n > 0),
    };
    let max_work_dim = r.u64().filter(|n| (1..=3).contains(n))? as u32;
    let (zero_offset, small_range) = (r.u64()? != 0, r.u64()? != 0);
    let work_width = r.size().filter(|n| *n > 0)?;
    let group_shape = *GroupShape::ALL.get(r.size()?)?;
    let (uses_sub_groups, degenerate) = (r.u64()? != 0, r.u64()? != 0);
    let steering = r.u64().filter(|n| *n <= count)?;
    let steering_args =
        (0..steering).map(|_| r.size().filter(|i| (*i as u64) < count)).collect::<Option<_>>()?;
    let undecided = r.u64()? != 0;
    let work = r.text()?.parse().ok();
    let checks = u8::try_from(r.u64()?).ok().and_then(Checks::from_bits)?;
    let facts = KernelFacts {
        name,
        args: facts_args,
        args_size,
        scratch_fixed,
        scratch_per_item,
        sees_groups,
        local_size,
        max_work_dim,
        zero_offset,
        small_range,
        work_width,
        group_shape,
        uses_sub_groups,
        degenerate_sub_groups: degenerate,
        steering_args,
        undecided,
        work,
        checks,
        extra: r.bytes()?.to_vec(),
    };
    Some(NotedKernel { symbol, facts, info })
}

/// Three sizes, or zeros where there are none.
fn write_size(w: &mut Writer, size: Option<[usize; 3]>) {
    for size in size.unwrap_or([0; 3]) {
        w.u64(size as u64);
    }
}

fn parse_size(r: &mut Reader<'_>) -> Option<Option<[usize; 3]>> {
    let size = [r.size()?, r.size()?, r.size()?];
    Some(size.iter().all(|&s| s > 0).then_some(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes() -> Notes {
        let facts = KernelFacts {
            name: "k".to_owned(),
            args: vec![
                ArgFact { kind: ArgKind::Global, offset: 0, size: 8 },
                ArgFact { kind: ArgKind::Value, offset: 16, size: 4 },
            ],
            args_size: 32,
            scratch_fixed: 64,
            scratch_per_item: 12,
            sees_groups: true,
            local_size: Some([8, 4, 1]),
            max_work_dim: 2,
            zero_offset: true,
            small_range: false,
            work_width: 8,
            group_shape: GroupShape::NarrowColumns,
            uses_sub_groups: false,
            degenerate_sub_groups: true,
            steering_args: vec![1],
            undecided: true,
            work: "16 8*1:0:1;2".parse().ok(),
            checks: Checks::BOUNDS,
            extra: vec![7, 8],
        };
        let arg = |name: &str, type_name: &str, kind, size| KernelArg {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            base_type_name: type_name.to_owned(),
            type_qualifiers: "const".to_owned(),
            kind,
            size,
            layout: "{4:0 x int}".to_owned(),
            image: ImageArg::parse("read_only image2d_t"),
        };
        let info = KernelInfo {
            name: "k".to_owned(),
            args: vec![arg("a", "float*", ArgKind::Global, 8), arg("n", "uint", ArgKind::Value, 4)],
            reqd_work_group_size: Some([8, 4, 1]),
            work_group_size_hint: None,
            vec_type_hint: Some("uint4".to_owned()),
            local_memory_size: 48,
            private_memory_size: 12,
            reqd_sub_group_size: Some(8),
        };
        Notes::new(Machine::this(), vec![NotedKernel { symbol: "k.hook".to_owned(), facts, info }])
    }

    fn description(note: &[u8]) -> &[u8] {
        &note[12 + OWNER.len().next_multiple_of(4)..]
    }

    #[test]
    fn notes_are_read_back() {
        assert_eq!(parse(description(&notes().to_bytes())), Some(notes()));
    }

    #[test]
    fn broken_notes_are_refused_wherever_they_are_cut_or_changed() {
        let bytes = notes().to_bytes();
        let good = description(&bytes);
        for len in 0..good.len() - 4 {
            let _ = parse(&good[..len]);
        }
        assert_eq!(parse(&good[..good.len() - 8]), None);
        for i in 0..good.len() {
            let mut bad = good.to_vec();
            bad[i] ^= 0xff;
            if let Some(read) = parse(&bad) {
                let inside = |k: &KernelFacts| k.args.iter().all(|a| a.offset + a.size <= k.args_size);
                assert!(
                    read.kernels.iter().all(|k| inside(&k.facts) && k.info.args.len() == k.facts.args.len())
                );
            }
        }
        assert!(Notes::read(b"nonsense", &Machine::this()).is_err());
    }
}
