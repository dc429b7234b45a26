//! What a module says of itself, for whoever compiles it.

use crate::grammar::{self, Op};
use crate::module::Module;
use crate::parse::{Words, string};
use ir::metadata;

/// The facts of a module that was translated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleInfo {
    /// The version of SPIR-V, such as (1, 4).
    pub version: (u32, u32),
    /// The language of the source and its version, as `OpSource` has them: 200,000 is OpenCL C 2.0.
    pub source: Option<(String, u32)>,
    /// How wide addresses are.
    pub address_bits: u32,
    pub capabilities: Vec<String>,
    pub extensions: Vec<String>,
    pub entry_points: Vec<EntryPointInfo>,
}

/// A kernel of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPointInfo {
    pub name: String,
    /// The local size that it requires, with specialization constants that had their values.
    pub workgroup_size: Option<[u64; 3]>,
}

impl ModuleInfo {
    /// The facts of a module and of what was made of it.
    pub(crate) fn of(words: &Words<'_>, module: &Module<'_>, out: &llvm::Module) -> Self {
        let name = |table, number: u32| grammar::name_in(table, number).unwrap_or("unknown").to_owned();
        let before_functions = module.insts.iter().take_while(|inst| inst.op != Op::Function);
        let mut info = ModuleInfo {
            version: words.version(),
            source: module
                .source
                .map(|(language, version)| (name(grammar::SOURCE_LANGUAGES, language), version)),
            address_bits: out.size_type().int_bits(),
            ..ModuleInfo::default()
        };
        for inst in before_functions {
            match inst.op {
                Op::Capability => info.capabilities.push(name(grammar::CAPABILITIES, inst.args[0])),
                Op::Extension => info.extensions.extend(string(inst.args).map(|(text, _)| text)),
                _ => {}
            }
        }
        info.entry_points = module
            .entry_points
            .iter()
            .map(|entry| EntryPointInfo {
                name: entry.name.clone(),
                workgroup_size: out
                    .function(&entry.name)
                    .and_then(|f| metadata::reqd_work_group_size(out, f)),
            })
            .collect();
        info
    }
}
