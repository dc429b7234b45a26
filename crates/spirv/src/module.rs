//! The declarations of a module: names, decorations, entry points, functions and their blocks.

use crate::Error;
use crate::grammar::{Op, decoration};
use crate::parse::{Inst, Parsed, string};
use std::collections::HashMap;
use std::ops::Range;

/// A set of extended instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtSet {
    OpenClStd,
    /// `OpenCL.DebugInfo.100`, and what it was called before.
    OpenClDebug,
    /// `NonSemantic.Shader.DebugInfo.100` and the like for kernels.
    ShaderDebug,
    /// Instructions that may be ignored.
    NonSemantic,
}

#[derive(Debug)]
pub(crate) struct EntryPoint {
    pub function: u32,
    pub name: String,
    /// The instruction.
    pub inst: usize,
}

/// A decoration and its operands.
pub(crate) type Decoration<'a> = (u32, &'a [u32]);

/// A function by the indices of its instructions.
#[derive(Debug)]
pub(crate) struct Func {
    pub start: usize,
    pub params: Vec<usize>,
    pub blocks: Vec<BlockDef>,
}

#[derive(Debug)]
pub(crate) struct BlockDef {
    pub label: u32,
    /// The instructions after the label, with the terminator.
    pub body: Range<usize>,
}

pub(crate) struct Module<'a> {
    pub bound: u32,
    pub insts: Vec<Inst<'a>>,
    /// The instruction that defines an ID, plus one; 0 if none does.
    defs: Vec<u32>,
    pub names: HashMap<u32, String>,
    pub strings: HashMap<u32, String>,
    decorations: HashMap<u32, Vec<Decoration<'a>>>,
    pub ext_sets: HashMap<u32, ExtSet>,
    pub entry_points: Vec<EntryPoint>,
    modes: HashMap<u32, Vec<Decoration<'a>>>,
    /// Types, constants and variables.
    pub globals: Range<usize>,
    pub functions: Vec<Func>,
    /// The language and version of `OpSource`.
    pub source: Option<(u32, u32)>,
}

/// Whether an instruction ends a block.
pub(crate) fn is_terminator(op: Op) -> bool {
    matches!(
        op,
        Op::Branch | Op::BranchConditional | Op::Switch | Op::Return | Op::ReturnValue | Op::Unreachable
    )
}

impl<'a> Module<'a> {
    pub fn read(parsed: Parsed<'a>) -> Result<Self, Error> {
        let Parsed { bound, insts } = parsed;
        let first = insts.iter().position(|i| starts_globals(i.op)).unwrap_or(insts.len());
        let functions = insts.iter().position(|i| i.op == Op::Function).unwrap_or(insts.len());
        let mut m = Module {
            bound,
            insts,
            defs: vec![0; bound as usize],
            names: HashMap::new(),
            strings: HashMap::new(),
            decorations: HashMap::new(),
            ext_sets: HashMap::new(),
            entry_points: Vec::new(),
            modes: HashMap::new(),
            globals: first.min(functions)..functions,
            functions: Vec::new(),
            source: None,
        };
        for i in 0..m.insts.len() {
            m.annotation(i).map_err(|message| m.fail(i, message))?;
        }
        for i in 0..m.insts.len() {
            let id = m.insts[i].id;
            if id != 0 {
                let def = &mut m.defs[id as usize];
                if *def != 0 {
                    let before = m.insts[*def as usize - 1].at;
                    return Err(m.fail(i, format!("is defined already at word {before}")));
                }
                *def = i as u32 + 1;
            }
        }
        m.decoration_groups();
        m.find_functions(functions)?;
        Ok(m)
    }

    /// An error of an instruction.
    pub fn fail(&self, inst: usize, message: impl Into<String>) -> Error {
        let Some(i) = self.insts.get(inst) else { return Error::at_word(0, message) };
        let result = if i.id == 0 { String::new() } else { format!(" {}", self.show(i.id)) };
        Error { word: i.at, instruction: format!("Op{}{result}", i.op.name()), message: message.into() }
    }

    /// An ID with its debug name.
    pub fn show(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) if !name.is_empty() => format!("%{id} '{name}'"),
            _ => format!("%{id}"),
        }
    }

    pub fn def(&self, id: u32) -> Option<usize> {
        (*self.defs.get(id as usize)?).checked_sub(1).map(|i| i as usize)
    }

    pub fn inst(&self, id: u32) -> Option<&Inst<'a>> {
        self.def(id).map(|i| &self.insts[i])
    }

    pub fn decorations(&self, id: u32) -> &[Decoration<'a>] {
        self.decorations.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The operands of a decoration of an ID, if it has the decoration.
    pub fn decoration(&self, id: u32, kind: u32) -> Option<&'a [u32]> {
        self.decorations(id).iter().find(|d| d.0 == kind).map(|d| d.1)
    }

    /// The execution modes of an entry point.
    pub fn modes(&self, function: u32) -> &[Decoration<'a>] {
        self.modes.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The name a function or variable has for other modules, and its linkage type.
    pub fn linkage(&self, id: u32) -> Option<(String, u32)> {
        let (name, rest) = string(self.decoration(id, decoration::LINKAGE)?).ok()?;
        Some((name, *rest.first()?))
    }

    fn annotation(&mut self, i: usize) -> Result<(), String> {
        let inst = self.insts[i];
        let args = inst.args;
        match inst.op {
            Op::Name => {
                self.names.insert(args[0], string(&args[1..])?.0);
            }
            Op::String => {
                self.strings.insert(inst.id, string(args)?.0);
            }
            Op::Source => self.source = self.source.or(Some((args[0], args[1]))),
            Op::ExtInstImport => {
                let name = string(args)?.0;
                let set = match name.as_str() {
                    "OpenCL.std" => ExtSet::OpenClStd,
                    "OpenCL.DebugInfo.100" | "SPIRV.debug" => ExtSet::OpenClDebug,
                    "NonSemantic.Shader.DebugInfo.100" | "NonSemantic.Kernel.DebugInfo.100" => {
                        ExtSet::ShaderDebug
                    }
                    name if name.starts_with("NonSemantic.") => ExtSet::NonSemantic,
                    name => return Err(format!("the extended instructions \"{name}\" are not supported")),
                };
                self.ext_sets.insert(inst.id, set);
            }
            Op::EntryPoint => {
                let (name, _) = string(&args[2..])?;
                self.entry_points.push(EntryPoint { function: args[1], name, inst: i });
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                self.modes.entry(args[0]).or_default().push((args[1], &args[2..]));
            }
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                self.decorations.entry(args[0]).or_default().push((args[1], &args[2..]));
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives the targets of groups the group's decorations.
    fn decoration_groups(&mut self) {
        for i in 0..self.insts.len() {
            let Inst { op, args, .. } = self.insts[i];
            if op == Op::GroupDecorate {
                let group = self.decorations(args[0]).to_vec();
                for target in &args[1..] {
                    self.decorations.entry(*target).or_default().extend(&group);
                }
            }
        }
    }

    /// Finds the functions and their blocks from an instruction on.
    fn find_functions(&mut self, start: usize) -> Result<(), Error> {
        let mut at = start;
        let ops = |i: usize| self.insts.get(i).map(|inst| inst.op);
        let mut functions = Vec::new();
        while let Some(op) = ops(at) {
            match op {
                Op::Function => {}
                Op::Line | Op::NoLine | Op::Nop => {
                    at += 1;
                    continue;
                }
                // Non-semantic instructions may stand anywhere.
                Op::ExtInst => {
                    at += 1;
                    continue;
                }
                _ => return Err(self.fail(at, "stands outside of a function")),
            }
            let mut function = Func { start: at, params: Vec::new(), blocks: Vec::new() };
            at += 1;
            loop {
                match ops(at) {
                    Some(Op::FunctionParameter) if function.blocks.is_empty() => function.params.push(at),
                    Some(Op::Line | Op::NoLine | Op::Nop) => {}
                    Some(Op::ExtInst) if function.blocks.is_empty() => {}
                    Some(Op::FunctionEnd) => break,
                    Some(Op::Label) => {
                        let begin = at + 1;
                        let length = self.insts[begin..].iter().position(|i| {
                            is_terminator(i.op) || matches!(i.op, Op::Label | Op::Function | Op::FunctionEnd)
                        });
                        let end = length.map(|n| begin + n).filter(|&e| is_terminator(self.insts[e].op));
                        let Some(end) = end else {
                            return Err(self.fail(at, "the block does not end with a branch or return"));
                        };
                        let label = self.insts[at].id;
                        function.blocks.push(BlockDef { label, body: begin..end + 1 });
                        at = end;
                    }
                    Some(_) => return Err(self.fail(at, "stands outside of a block")),
                    None => return Err(self.fail(function.start, "the function has no end")),
                }
                at += 1;
            }
            at += 1;
            functions.push(function);
        }
        self.functions = functions;
        Ok(())
    }
}

fn starts_globals(op: Op) -> bool {
    let n = op as u16;
    (Op::TypeVoid as u16..=Op::SpecConstantOp as u16).contains(&n)
        || matches!(
            op,
            Op::Variable
                | Op::Undef
                | Op::ConstantFunctionPointerINTEL
                | Op::TypePipeStorage
                | Op::TypeNamedBarrier
        )
}
