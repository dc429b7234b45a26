//! Specialization constants, which get their values when a module is compiled.

use crate::grammar::Op;
use crate::grammar::decoration;
use crate::module::Module;
use std::collections::BTreeMap;

/// Values for specialization constants, by `SpecId`: their bytes, the lowest first.
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

pub(crate) fn constants(m: &Module<'_>) -> SpecializableConstants {
    let mut found = BTreeMap::new();
    for inst in &m.insts[m.globals.clone()] {
        let kind = match inst.op {
            Op::SpecConstantTrue | Op::SpecConstantFalse => Some(SpecializableConstant::Bool),
            Op::SpecConstant => m.inst(inst.ty).and_then(|ty| match (ty.op, ty.arg(0)) {
                (Op::TypeInt, Some(bits)) => Some(SpecializableConstant::Int { bits }),
                (Op::TypeFloat, Some(bits)) => Some(SpecializableConstant::Float { bits }),
                _ => None,
            }),
            _ => None,
        };
        if let (Some(kind), Some(spec_id)) = (kind, spec_id(m, inst.id)) {
            found.insert(spec_id, kind);
        }
    }
    found
}

fn spec_id(m: &Module<'_>, id: u32) -> Option<u32> {
    m.decoration(id, decoration::SPEC_ID)?.first().copied()
}

/// The bytes that were given for a constant, if any were.
pub(crate) fn given<'v>(m: &Module<'_>, values: &'v SpecializationInfo, id: u32) -> Option<&'v [u8]> {
    values.values.get(&spec_id(m, id)?).map(Vec::as_slice)
}
