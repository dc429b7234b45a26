//! Translates debug information: `OpenCL.DebugInfo.100`, its non-semantic form, or line numbers
//! only if there is nothing but `OpLine`.
//!
//! Debug instructions may refer to each other in any order and may be malformed: unusable ones are
//! ignored, and none is an error.

use super::Translator;
use crate::grammar::Op;
use crate::module::{ExtSet, Func, Module};
use crate::parse::Inst;
use llvm::{
    DebugBuilder, DiEncoding, DiFile, DiLocation, DiPlace, DiScope, DiType, DiVariable, Function, Value,
};
use std::collections::{HashMap, HashSet};

/// The largest depth of nested types.
const MAX_DEPTH: u32 = 40;

pub(super) struct Debug {
    b: DebugBuilder,
    unit: DiScope,
    file: DiFile,
    files: HashMap<u32, DiFile>,
    types: HashMap<u32, Option<DiType>>,
    /// Composite types that are being made.
    open: HashSet<u32>,
    /// Functions and blocks, each with the function it belongs to.
    scopes: HashMap<u32, (DiScope, DiScope)>,
    variables: HashMap<u32, Option<(DiVariable, DiScope)>>,
    /// By the ID of a function, that of its `DebugFunction`.
    definitions: HashMap<u32, u32>,
    /// The scope of the function that is being translated.
    function: Option<DiScope>,
    scope: Option<(DiScope, Option<DiLocation>)>,
    line: (u32, u32),
}

/// Numbers of the instructions, which both sets share.
mod number {
    pub const COMPILATION_UNIT: u32 = 1;
    pub const TYPE_BASIC: u32 = 2;
    pub const TYPE_POINTER: u32 = 3;
    pub const TYPE_QUALIFIER: u32 = 4;
    pub const TYPE_ARRAY: u32 = 5;
    pub const TYPE_VECTOR: u32 = 6;
    pub const TYPEDEF: u32 = 7;
    pub const TYPE_FUNCTION: u32 = 8;
    pub const TYPE_ENUM: u32 = 9;
    pub const TYPE_COMPOSITE: u32 = 10;
    pub const TYPE_MEMBER: u32 = 11;
    pub const FUNCTION: u32 = 20;
    pub const LEXICAL_BLOCK: u32 = 21;
    pub const LEXICAL_BLOCK_DISCRIMINATOR: u32 = 22;
    pub const SCOPE: u32 = 23;
    pub const NO_SCOPE: u32 = 24;
    pub const INLINED_AT: u32 = 25;
    pub const LOCAL_VARIABLE: u32 = 26;
    pub const DECLARE: u32 = 28;
    pub const VALUE: u32 = 29;
    pub const OPERATION: u32 = 30;
    pub const EXPRESSION: u32 = 31;
    pub const SOURCE: u32 = 35;
    pub const FUNCTION_DEFINITION: u32 = 101;
    pub const LINE: u32 = 103;
    pub const NO_LINE: u32 = 104;
}

/// The names of the instructions, in the order of their numbers; those from 101 on are of the
/// non-semantic form only.
const NAMES: &str = "DebugInfoNone DebugCompilationUnit DebugTypeBasic DebugTypePointer \
    DebugTypeQualifier DebugTypeArray \
    DebugTypeVector DebugTypedef DebugTypeFunction DebugTypeEnum DebugTypeComposite DebugTypeMember \
    DebugTypeInheritance DebugTypePtrToMember DebugTypeTemplate DebugTypeTemplateParameter \
    DebugTypeTemplateTemplateParameter DebugTypeTemplateParameterPack DebugGlobalVariable \
    DebugFunctionDeclaration DebugFunction DebugLexicalBlock DebugLexicalBlockDiscriminator DebugScope \
    DebugNoScope DebugInlinedAt DebugLocalVariable DebugInlinedVariable DebugDeclare DebugValue \
    DebugOperation DebugExpression DebugMacroDef DebugMacroUndef DebugImportedEntity DebugSource";
const MORE_NAMES: &str = "DebugFunctionDefinition DebugSourceContinued DebugLine DebugNoLine \
    DebugBuildIdentifier \
    DebugStoragePath DebugEntryPoint DebugTypeMatrix";

/// The number of a debug instruction.
pub(crate) fn number_of(name: &str) -> Option<u32> {
    let find = |names: &str| names.split_whitespace().position(|n| n == name).map(|n| n as u32);
    find(NAMES).or_else(|| find(MORE_NAMES).map(|n| n + 101))
}

/// The set of a debug instruction, its number and operands.
fn parts<'m>(m: &Module<'m>, inst: &Inst<'m>) -> Option<(ExtSet, u32, &'m [u32])> {
    let set = (inst.op == Op::ExtInst).then(|| m.ext_sets.get(&inst.args[0])).flatten()?;
    matches!(set, ExtSet::OpenClDebug | ExtSet::ShaderDebug).then(|| (*set, inst.args[1], &inst.args[2..]))
}

impl<'m> Translator<'_, 'm> {
    /// Starts the translation of debug information, if the module has any.
    pub(super) fn begin_debug(&mut self) {
        let has_lines = self.m.insts.iter().any(|i| i.op == Op::Line);
        let has_sets =
            self.m.ext_sets.values().any(|s| matches!(s, ExtSet::OpenClDebug | ExtSet::ShaderDebug));
        if !has_lines && !has_sets {
            return;
        }
        let b = DebugBuilder::new(&self.out);
        let path = self.unit_path().unwrap_or_else(|| "program".to_owned());
        let file = b.file(&path);
        let unit = b.unit(file, "Lanewise SPIR-V reader");
        let mut definitions = HashMap::new();
        for inst in &self.m.insts {
            match parts(self.m, inst) {
                Some((ExtSet::OpenClDebug, number::FUNCTION, args)) if args.len() > 9 => {
                    definitions.insert(args[9], inst.id);
                }
                Some((ExtSet::ShaderDebug, number::FUNCTION_DEFINITION, &[function, definition, ..])) => {
                    definitions.insert(definition, function);
                }
                _ => {}
            }
        }
        self.debug = Some(Debug {
            b,
            unit,
            file,
            files: HashMap::new(),
            types: HashMap::new(),
            open: HashSet::new(),
            scopes: HashMap::new(),
            variables: HashMap::new(),
            definitions,
            function: None,
            scope: None,
            line: (0, 0),
        });
    }

    pub(super) fn finish_debug(&mut self) {
        self.b.set_location(None);
        if let Some(debug) = self.debug.take() {
            debug.b.finish();
        }
    }

    /// The file of the compilation unit, or the first that a line names.
    fn unit_path(&self) -> Option<String> {
        let unit = self.m.insts.iter().find_map(|inst| {
            let (_, n, args) = parts(self.m, inst)?;
            (n == number::COMPILATION_UNIT && args.len() > 2).then(|| args[2])
        });
        let of_unit = unit.and_then(|source| self.source_path(source));
        let first =
            || self.m.insts.iter().find(|i| i.op == Op::Line).and_then(|i| self.m.strings.get(&i.args[0]));
        of_unit.or_else(|| first().cloned())
    }

    fn source_path(&self, source: u32) -> Option<String> {
        let (_, n, args) = parts(self.m, self.m.inst(source)?)?;
        if n != number::SOURCE {
            return None;
        }
        self.m.strings.get(args.first()?).cloned()
    }

    /// Begins a function: the instructions of its body have lines.
    pub(super) fn begin_debug_function(&mut self, func: &Func, f: Function) {
        self.b.set_location(None);
        let Some(mut debug) = self.debug.take() else { return };
        (debug.function, debug.scope, debug.line) = (None, None, (0, 0));
        let id = self.m.insts[func.start].id;
        let described = debug.definitions.get(&id).copied();
        let scope = described.and_then(|d| debug.scope(self, d, 0)).map(|(scope, _)| scope);
        let scope = scope.or_else(|| {
            let line = func.blocks.iter().flat_map(|b| b.body.clone()).map(|i| &self.m.insts[i]);
            let line = line.filter(|i| i.op == Op::Line).map(|i| (i.args[0], i.args[1])).next();
            let before = self.m.insts[..func.start].iter().rev().take_while(|i| i.op == Op::Line).next();
            let (file, line) = line.or(before.map(|i| (i.args[0], i.args[1])))?;
            let place = DiPlace { scope: debug.unit, file: debug.line_file(self, file), line };
            let name = self.m.names.get(&id).cloned().unwrap_or_else(|| f.name());
            Some(debug.b.function(&name, &[None], line, place))
        });
        if let Some(scope) = scope {
            f.set_subprogram(scope);
            debug.function = Some(scope);
            self.b.set_location(Some(debug.b.location(0, 0, scope, None)));
        }
        self.debug = Some(debug);
    }

    /// Takes an instruction about the source: `OpLine`, or one of a set.
    pub(super) fn debug_instruction(&mut self, inst: &Inst<'m>) {
        let Some(mut debug) = self.debug.take() else { return };
        debug.instruction(self, inst);
        self.debug = Some(debug);
    }
}

impl Debug {
    fn instruction<'m>(&mut self, t: &Translator<'_, 'm>, inst: &Inst<'m>) {
        let Some(function) = self.function else { return };
        match inst.op {
            Op::Line => self.line = (inst.args[1], inst.args[2]),
            Op::NoLine => self.line = (0, 0),
            _ => {
                let Some((set, n, args)) = parts(t.m, inst) else { return };
                let number = |i: usize| number_at(t, set, args, i);
                match n {
                    number::SCOPE => {
                        let scope = args.first().and_then(|id| self.scope(t, *id, 0));
                        let inlined = args.get(1).and_then(|id| self.inlined_at(t, *id, function, 0));
                        // Without an inlined-at location, the scope must belong to this function.
                        self.scope = scope
                            .filter(|(_, owner)| inlined.is_some() || *owner == function)
                            .map(|(scope, _)| (scope, inlined));
                    }
                    number::NO_SCOPE => self.scope = None,
                    number::LINE => self.line = (number(1).unwrap_or(0), number(3).unwrap_or(0)),
                    number::NO_LINE => self.line = (0, 0),
                    number::DECLARE | number::VALUE => self.variable_is(t, n == number::VALUE, args),
                    _ => {}
                }
            }
        }
        t.b.set_location(Some(self.location(function)));
    }

    fn location(&self, function: DiScope) -> DiLocation {
        let (line, column) = self.line;
        let (scope, inlined) = self.scope.unwrap_or((function, None));
        self.b.location(line, column, scope, inlined)
    }

    /// Emits a debug record for a variable, if its scope belongs to the current function.
    fn variable_is<'m>(&mut self, t: &Translator<'_, 'm>, is_value: bool, args: &[u32]) {
        let &[variable, value, expression, ..] = args else { return };
        if !is_plain(t, expression) {
            return;
        }
        let Some((variable, owner)) = self.local_variable(t, variable) else { return };
        let value: Option<Value> = t.values.get(value as usize).copied().flatten();
        let (Some(value), Some(block), Some(function)) = (value, t.b.block(), self.function) else { return };
        if self.scope.is_some_and(|(_, inlined)| inlined.is_some()) || owner != function {
            return;
        }
        if !is_value && !value.ty().is_ptr() {
            return;
        }
        self.b.tell(value, is_value, variable, self.location(function), block);
    }

    fn text<'m>(&self, t: &Translator<'_, 'm>, id: Option<&u32>) -> String {
        id.and_then(|id| t.m.strings.get(id)).cloned().unwrap_or_default()
    }

    fn line_file(&mut self, t: &Translator<'_, '_>, string: u32) -> DiFile {
        let Self { b, files, file, .. } = self;
        *files.entry(string).or_insert_with(|| t.m.strings.get(&string).map_or(*file, |path| b.file(path)))
    }

    /// The file of a `DebugSource`.
    fn source(&mut self, t: &Translator<'_, '_>, id: Option<&u32>) -> DiFile {
        let Some(&id) = id else { return self.file };
        let Self { b, files, file, .. } = self;
        *files.entry(id).or_insert_with(|| t.source_path(id).map_or(*file, |path| b.file(&path)))
    }

    /// A function or a block, and the function it is in.
    fn scope(&mut self, t: &Translator<'_, '_>, id: u32, depth: u32) -> Option<(DiScope, DiScope)> {
        if let Some(found) = self.scopes.get(&id) {
            return Some(*found);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let (set, n, args) = parts(t.m, t.m.inst(id)?)?;
        let number = |i: usize| number_at(t, set, args, i).unwrap_or(0);
        let scope = match n {
            number::FUNCTION => {
                let place = DiPlace { scope: self.unit, file: self.source(t, args.get(2)), line: number(3) };
                let types = self.function_types(t, args.get(1), depth);
                let name = self.text(t, args.first());
                let scope = self.b.function(&name, &types, number(8), place);
                (scope, scope)
            }
            number::LEXICAL_BLOCK => {
                let (parent, owner) = self.scope(t, *args.get(3)?, depth + 1)?;
                let place = DiPlace { scope: parent, file: self.source(t, args.first()), line: number(1) };
                (self.b.block(number(2), place), owner)
            }
            number::LEXICAL_BLOCK_DISCRIMINATOR => self.scope(t, *args.get(2)?, depth + 1)?,
            _ => return None,
        };
        self.scopes.insert(id, scope);
        Some(scope)
    }

    fn inlined_at(
        &mut self,
        t: &Translator<'_, '_>,
        id: u32,
        function: DiScope,
        depth: u32,
    ) -> Option<DiLocation> {
        if depth > MAX_DEPTH {
            return None;
        }
        let (set, n, args) = parts(t.m, t.m.inst(id)?)?;
        if n != number::INLINED_AT {
            return None;
        }
        let line = number_at(t, set, args, 0)?;
        let (scope, owner) = self.scope(t, *args.get(1)?, 0)?;
        let outer = match args.get(2) {
            Some(outer) => Some(self.inlined_at(t, *outer, function, depth + 1)?),
            None if owner == function => None,
            None => return None,
        };
        Some(self.b.location(line, 0, scope, outer))
    }

    fn local_variable(&mut self, t: &Translator<'_, '_>, id: u32) -> Option<(DiVariable, DiScope)> {
        if let Some(found) = self.variables.get(&id) {
            return *found;
        }
        let made = (|| {
            let (set, n, args) = parts(t.m, t.m.inst(id)?)?;
            if n != number::LOCAL_VARIABLE {
                return None;
            }
            let (scope, owner) = self.scope(t, *args.get(5)?, 0)?;
            let line = number_at(t, set, args, 3)?;
            let place = DiPlace { scope, file: self.source(t, args.get(2)), line };
            let ty = args.get(1).and_then(|ty| self.ty(t, *ty, 0));
            // The verifier requires the scope of a parameter to be the function itself.
            let parameter = number_at(t, set, args, 7).filter(|p| *p > 0 && *p <= 0xffff && scope == owner);
            let name = self.text(t, args.first());
            Some((self.b.variable(&name, parameter, ty, place), owner))
        })();
        self.variables.insert(id, made);
        made
    }

    /// The types of a function's result and parameters.
    fn function_types(
        &mut self,
        t: &Translator<'_, '_>,
        id: Option<&u32>,
        depth: u32,
    ) -> Vec<Option<DiType>> {
        let described = id.and_then(|id| parts(t.m, t.m.inst(*id)?));
        match described {
            Some((_, number::TYPE_FUNCTION, [_, types @ ..])) => {
                types.iter().map(|ty| self.ty(t, *ty, depth + 1)).collect()
            }
            _ => vec![None],
        }
    }

    fn ty(&mut self, t: &Translator<'_, '_>, id: u32, depth: u32) -> Option<DiType> {
        if let Some(found) = self.types.get(&id) {
            return *found;
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let made = self.make_type(t, id, depth);
        // A recursive struct may have been completed while its members were translated.
        if !self.open.contains(&id) {
            self.types.insert(id, made);
        }
        made
    }

    fn make_type(&mut self, t: &Translator<'_, '_>, id: u32, depth: u32) -> Option<DiType> {
        let (set, n, args) = parts(t.m, t.m.inst(id)?)?;
        let number = |i: usize| number_at(t, set, args, i);
        let constant = |i: usize| args.get(i).and_then(|id| constant(t, *id));
        let inner = |debug: &mut Self, i: usize| args.get(i).and_then(|ty| debug.ty(t, *ty, depth + 1));
        match n {
            number::TYPE_BASIC => {
                let bits = constant(1).filter(|b| (1..=4096).contains(b))?;
                Some(self.b.basic_type(&self.text(t, args.first()), bits, encoding(number(2)?)))
            }
            number::TYPE_POINTER => {
                let to = inner(self, 0);
                Some(self.b.pointer_type(to))
            }
            number::TYPE_QUALIFIER => {
                let tag = QUALIFIER_TAGS.get(number(1)? as usize).copied()?;
                let of = inner(self, 0);
                Some(self.b.qualified_type(tag, of))
            }
            number::TYPE_ARRAY | number::TYPE_VECTOR => {
                let element = inner(self, 0)?;
                let counts: Vec<i64> = if n == number::TYPE_VECTOR {
                    vec![number(1)?.into()]
                } else {
                    args[1..].iter().map(|c| constant_or(t, *c, 0).min(i64::MAX as u64) as i64).collect()
                };
                // Size 0: debuggers compute an array's size from its element count.
                Some(self.b.array_type(element, &counts, 0, n == number::TYPE_VECTOR))
            }
            number::TYPEDEF => {
                let place = DiPlace { scope: self.unit, file: self.source(t, args.get(2)), line: number(3)? };
                let of = inner(self, 1);
                Some(self.b.typedef(&self.text(t, args.first()), of, place))
            }
            number::TYPE_ENUM => inner(self, 1),
            number::TYPE_COMPOSITE => {
                let place = DiPlace { scope: self.unit, file: self.source(t, args.get(2)), line: number(3)? };
                let name = self.text(t, args.first());
                if !self.open.insert(id) {
                    return Some(self.b.declared_struct(&name, place));
                }
                let members: Vec<DiType> =
                    args.iter().skip(9).filter_map(|m| self.member(t, *m, depth + 1)).collect();
                let bits = constant(7).unwrap_or(0).min(u64::from(u32::MAX));
                self.open.remove(&id);
                Some(self.b.struct_type(&name, bits, &members, place))
            }
            _ => None,
        }
    }

    fn member(&mut self, t: &Translator<'_, '_>, id: u32, depth: u32) -> Option<DiType> {
        let (set, n, args) = parts(t.m, t.m.inst(id)?)?;
        if n != number::TYPE_MEMBER {
            return None;
        }
        // The older instruction set has the parent struct among the operands.
        let at = if set == ExtSet::OpenClDebug { 6 } else { 5 };
        let number_of = |i: usize| args.get(i).and_then(|id| constant(t, *id)).filter(|n| *n < 1 << 40);
        let (offset, bits) = (number_of(at)?, number_of(at + 1)?);
        let ty = self.ty(t, *args.get(1)?, depth + 1)?;
        let line = number_at(t, set, args, 3)?;
        let place = DiPlace { scope: self.unit, file: self.source(t, args.get(2)), line };
        Some(self.b.member(&self.text(t, args.first()), ty, bits, offset, place))
    }
}

/// Whether a debug expression leaves the location unchanged. Clang's expressions name the address
/// space (`DW_OP_constu`, `DW_OP_swap`, `DW_OP_xderef`), which has no meaning on a CPU.
fn is_plain(t: &Translator<'_, '_>, expression: u32) -> bool {
    const CONSTU_SWAP_XDEREF: [u32; 3] = [8, 5, 6];
    let described = |id: u32| t.m.inst(id).and_then(|i| parts(t.m, i));
    let Some((_, number::EXPRESSION, operations)) = described(expression) else { return false };
    let code = |id: &u32| match described(*id) {
        Some((set, number::OPERATION, args)) => number_at(t, set, args, 0),
        _ => None,
    };
    let codes: Option<Vec<u32>> = operations.iter().map(code).collect();
    codes.is_some_and(|codes| codes.is_empty() || codes == CONSTU_SWAP_XDEREF)
}

/// A number among the operands: a literal, or, in the non-semantic form, a constant.
fn number_at(t: &Translator<'_, '_>, set: ExtSet, args: &[u32], i: usize) -> Option<u32> {
    let operand = *args.get(i)?;
    if set == ExtSet::OpenClDebug { Some(operand) } else { constant(t, operand)?.try_into().ok() }
}

fn constant(t: &Translator<'_, '_>, id: u32) -> Option<u64> {
    let value = t.values.get(id as usize).copied().flatten()?;
    value.ty().is_int().then(|| value.as_const_int()).flatten()
}

fn constant_or(t: &Translator<'_, '_>, id: u32, otherwise: u64) -> u64 {
    constant(t, id).unwrap_or(otherwise)
}

/// DWARF's tags for the qualifiers ConstType, VolatileType, RestrictType and AtomicType.
const QUALIFIER_TAGS: [u32; 4] = [0x26, 0x35, 0x37, 0x47];

/// The encoding of a basic type by its number in the debug sets: Address is 1, Signed 4.
fn encoding(number: u32) -> DiEncoding {
    match number {
        1 => DiEncoding::Address,
        2 => DiEncoding::Boolean,
        3 => DiEncoding::Float,
        5 => DiEncoding::SignedChar,
        6 => DiEncoding::Unsigned,
        7 => DiEncoding::UnsignedChar,
        _ => DiEncoding::Signed,
    }
}
