//! What a binary says about itself, in an ELF note.
//!
//! The note has the owner `Lanewise` and type 1. Its contents are the version, the CPU and its features, and the facts of
//! each kernel with the name of its entry hook. A reader trusts none of it.

use crate::{ArgFact, ArgKind, KernelFacts};
use compiler::{Reader, Writer};
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endianness, elf};

pub const SECTION: &str = ".note.lanewise";
const OWNER: &[u8] = b"Lanewise\0";
const KERNELS: u32 = 1;
/// Changes with the ABI, the note or the meaning of a fact.
const FORMAT: u64 = 1;

/// The contents of the note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes {
    pub version: String,
    pub cpu: String,
    pub features: String,
    /// Each kernel with the symbol of its entry hook.
    pub kernels: Vec<(String, KernelFacts)>,
}

impl Notes {
    /// Notes for this machine.
    pub fn here(kernels: Vec<(String, KernelFacts)>) -> Self {
        Notes { version: version(), cpu: llvm::host_cpu(), features: llvm::host_features(), kernels }
    }

    /// The whole note, with its header.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.u64(FORMAT).text(&self.version).text(&self.cpu).text(&self.features);
        w.u64(self.kernels.len() as u64);
        for (symbol, facts) in &self.kernels {
            w.text(symbol).text(&facts.name);
            w.u64(facts.args.len() as u64);
            for arg in &facts.args {
                w.u64(arg.kind as u64).u64(arg.offset as u64).u64(arg.size as u64);
            }
            w.u64(facts.args_size as u64).u64(facts.scratch_fixed as u64).u64(facts.scratch_per_item as u64);
            w.u64(u64::from(facts.sees_groups));
            let local = facts.local_size.unwrap_or([0; 3]);
            local.iter().for_each(|&size| {
                w.u64(size as u64);
            });
        }
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

    /// Reads the note of a binary and checks that it is for this version and this CPU.
    pub fn read(binary: &[u8]) -> Result<Notes, String> {
        let description = find(binary)?;
        let notes = parse(description).ok_or("the binary's notes are broken")?;
        if notes.version != version() {
            return Err(format!(
                "the binary was made by Lanewise {}, this is Lanewise {}; compile it again",
                notes.version,
                version()
            ));
        }
        if notes.cpu != llvm::host_cpu() || notes.features != llvm::host_features() {
            return Err(format!(
                "the binary was made for the CPU {}, this one is {} or has other features; compile it again",
                notes.cpu,
                llvm::host_cpu()
            ));
        }
        Ok(notes)
    }
}

/// The version of Lanewise and LLVM together.
fn version() -> String {
    format!("{} (LLVM {})", env!("CARGO_PKG_VERSION"), llvm::VERSION)
}

fn find(binary: &[u8]) -> Result<&[u8], String> {
    let not_elf = |_| "not an ELF binary of Lanewise".to_owned();
    let header = elf::FileHeader64::<Endianness>::parse(binary).map_err(not_elf)?;
    let endian = header.endian().map_err(not_elf)?;
    if header.e_machine(endian) != this_machine() {
        return Err("the binary is for another kind of machine".to_owned());
    }
    let sections = header.sections(endian, binary).map_err(not_elf)?;
    for section in sections.iter() {
        let Ok(Some(mut notes)) = section.notes(endian, binary) else { continue };
        while let Ok(Some(note)) = notes.next() {
            if note.name() == &OWNER[..OWNER.len() - 1] && note.n_type(endian) == KERNELS {
                return Ok(note.desc());
            }
        }
    }
    Err("the ELF file has no notes of Lanewise".to_owned())
}

fn this_machine() -> u16 {
    if cfg!(target_arch = "aarch64") { elf::EM_AARCH64 } else { elf::EM_X86_64 }
}

/// No kernel has more arguments, no program more kernels: a larger count is a broken note.
const MANY: u64 = 1 << 16;

fn parse(bytes: &[u8]) -> Option<Notes> {
    let mut r = Reader(bytes);
    if r.u64()? != FORMAT {
        return None;
    }
    let (version, cpu, features) = (r.text()?, r.text()?, r.text()?);
    let count = r.u64().filter(|n| *n < MANY)?;
    let kernels = (0..count).map(|_| parse_kernel(&mut r)).collect::<Option<_>>()?;
    Some(Notes { version, cpu, features, kernels })
}

fn parse_kernel(r: &mut Reader<'_>) -> Option<(String, KernelFacts)> {
    let (symbol, name) = (r.text()?, r.text()?);
    let count = r.u64().filter(|n| *n < MANY)?;
    let args = (0..count)
        .map(|_| {
            let kind = match r.u64()? {
                0 => ArgKind::Value,
                1 => ArgKind::Global,
                2 => ArgKind::Constant,
                3 => ArgKind::Local,
                _ => return None,
            };
            Some(ArgFact { kind, offset: r.size()?, size: r.size()? })
        })
        .collect::<Option<Vec<_>>>()?;
    let args_size = r.size()?;
    let inside = |arg: &ArgFact| arg.offset.checked_add(arg.size).is_some_and(|end| end <= args_size);
    if !args.iter().all(inside) {
        return None;
    }
    let (scratch_fixed, scratch_per_item) = (r.size()?, r.size()?);
    let sees_groups = r.u64()? != 0;
    let local = [r.size()?, r.size()?, r.size()?];
    let local_size = local.iter().all(|&s| s > 0).then_some(local);
    Some((
        symbol,
        KernelFacts { name, args, args_size, scratch_fixed, scratch_per_item, sees_groups, local_size },
    ))
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
        };
        Notes::here(vec![("k.hook".to_owned(), facts)])
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
                assert!(
                    read.kernels.iter().all(|(_, k)| k.args.iter().all(|a| a.offset + a.size <= k.args_size))
                );
            }
        }
        assert!(Notes::read(b"nonsense").is_err());
    }
}
