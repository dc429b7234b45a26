//! What can be said of a SPIR-V binary without translating it: whether it is well-formed, and which constants it lets one
//! specialise.

use crate::{Error, Result};
use std::collections::{BTreeMap, HashMap};

/// What the SPIR-V front end must know of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpirvDeviceInfo {
    /// Capabilities and extensions by their SPIR-V names.
    pub capabilities: Vec<String>,
    pub extensions: Vec<String>,
    pub address_bits: u32,
}

/// Values for specialization constants, by `SpecId`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecializationInfo {
    pub values: BTreeMap<u32, Vec<u8>>,
}

/// The type of a constant that can be specialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecializableConstant {
    Bool,
    Int { bits: u32 },
    Float { bits: u32 },
}

impl SpecializableConstant {
    /// The size of its value in bytes.
    pub fn size(self) -> usize {
        match self {
            SpecializableConstant::Bool => 1,
            SpecializableConstant::Int { bits } | SpecializableConstant::Float { bits } => {
                bits.div_ceil(8) as usize
            }
        }
    }
}

/// By `SpecId`.
pub type SpecializableConstants = BTreeMap<u32, SpecializableConstant>;

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;

/// Checks the header and that the instructions fill the module exactly. The error says where it is broken.
pub(crate) fn check(code: &[u32]) -> std::result::Result<(), String> {
    let [magic, version, _generator, bound, schema, ..] = code else {
        return Err(format!(
            "a SPIR-V module has at least {HEADER_WORDS} words, this one has {}",
            code.len()
        ));
    };
    if *magic == MAGIC.swap_bytes() {
        return Err("the SPIR-V module is of the other byte order".to_owned());
    }
    if *magic != MAGIC {
        return Err(format!("not a SPIR-V module: the first word is {magic:#010x}"));
    }
    let (major, minor) = (version >> 16 & 0xff, version >> 8 & 0xff);
    if version & 0xff00_00ff != 0 || major != 1 || minor > 6 {
        return Err(format!("SPIR-V version {major}.{minor} is not one of 1.0 to 1.6"));
    }
    if *bound == 0 || *schema != 0 {
        return Err("the SPIR-V header has no ID bound or an unknown schema".to_owned());
    }
    instructions(code).try_for_each(|instruction| instruction.map(|_| ()))
}

/// The instructions with their opcodes and operands.
fn instructions(code: &[u32]) -> impl Iterator<Item = std::result::Result<(u32, &[u32]), String>> {
    let mut at = HEADER_WORDS;
    std::iter::from_fn(move || {
        let word = *code.get(at)?;
        let (count, opcode) = ((word >> 16) as usize, word & 0xffff);
        let here = at;
        if count == 0 || at + count > code.len() {
            at = code.len();
            return Some(Err(format!("the instruction at word {here} (opcode {opcode}) has {count} words")));
        }
        at += count;
        Some(Ok((opcode, &code[here + 1..here + count])))
    })
}

pub(crate) fn specializable_constants(code: &[u32]) -> std::result::Result<SpecializableConstants, String> {
    const OP_TYPE_INT: u32 = 21;
    const OP_TYPE_FLOAT: u32 = 22;
    const OP_SPEC_CONSTANT_TRUE: u32 = 48;
    const OP_SPEC_CONSTANT_FALSE: u32 = 49;
    const OP_SPEC_CONSTANT: u32 = 50;
    const OP_DECORATE: u32 = 71;
    const DECORATION_SPEC_ID: u32 = 1;
    check(code)?;
    let mut spec_ids: HashMap<u32, u32> = HashMap::new();
    let mut types: HashMap<u32, SpecializableConstant> = HashMap::new();
    let mut found = BTreeMap::new();
    for instruction in instructions(code) {
        match instruction? {
            (OP_DECORATE, [target, DECORATION_SPEC_ID, spec_id]) => {
                spec_ids.insert(*target, *spec_id);
            }
            (OP_TYPE_INT, [id, bits, _sign]) => {
                types.insert(*id, SpecializableConstant::Int { bits: *bits });
            }
            (OP_TYPE_FLOAT, [id, bits, ..]) => {
                types.insert(*id, SpecializableConstant::Float { bits: *bits });
            }
            (OP_SPEC_CONSTANT_TRUE | OP_SPEC_CONSTANT_FALSE, [_ty, id]) => {
                if let Some(spec_id) = spec_ids.get(id) {
                    found.insert(*spec_id, SpecializableConstant::Bool);
                }
            }
            (OP_SPEC_CONSTANT, [ty, id, ..]) => {
                if let Some(spec_id) = spec_ids.get(id) {
                    let constant =
                        types.get(ty).ok_or_else(|| format!("%{id} has the unknown type %{ty}"))?;
                    found.insert(*spec_id, *constant);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The error for what needs the SPIR-V reader.
pub(crate) fn unsupported<T>() -> Result<T> {
    Err(Error::FeatureUnsupported("this build of Lanewise has no SPIR-V front end".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u32> {
        let mut code = vec![MAGIC, 0x0001_0200, 0, 100, 0];
        for words in instructions {
            code.push(words[0] | (words.len() as u32) << 16);
            code.extend(&words[1..]);
        }
        code
    }

    #[test]
    fn broken_modules_are_refused() {
        assert!(check(&module(&[])).is_ok());
        assert!(check(&[]).is_err());
        assert!(check(&[1, 2, 3, 4, 5]).unwrap_err().contains("0x00000001"));
        let mut newer = module(&[]);
        newer[1] = 0x0001_0700;
        assert!(check(&newer).unwrap_err().contains("1.7"));
        let mut cut = module(&[&[17, 4]]);
        cut.pop();
        assert!(check(&cut).unwrap_err().contains("word 5"));
        let mut zero = module(&[]);
        zero.push(0);
        assert!(check(&zero).is_err());
    }

    #[test]
    fn specialization_constants_are_found_by_spec_id() {
        let code = module(&[
            &[71, 10, 1, 7],
            &[71, 11, 1, 8],
            &[71, 12, 1, 9],
            &[21, 2, 32, 0],
            &[22, 3, 64],
            &[20, 4],
            &[50, 2, 10, 5],
            &[50, 3, 11, 0, 0],
            &[48, 4, 12],
            &[50, 2, 13, 1],
        ]);
        let found = specializable_constants(&code).unwrap();
        assert_eq!(found[&7], SpecializableConstant::Int { bits: 32 });
        assert_eq!(found[&8], SpecializableConstant::Float { bits: 64 });
        assert_eq!(found[&9].size(), 1);
        assert_eq!(found.len(), 3);
    }
}
