//! Provenance: the memory that a pointer was made from, and how far from its start it points.
//!
//! Pointers are followed through address computations, casts, PHIs and selects to their roots:
//! arguments and variables. A pointer with one root has an offset from it, a value of its own
//! beside the pointer. With several roots, PHIs and selects beside those of the pointer say which.
//! A pointer that was read from memory has an unknown root, of which the runtime is asked.

use ir::address_space::{CONSTANT, GENERIC, GLOBAL, LOCAL, PRIVATE};
use ir::check::{ARGUMENT_WORDS, ArgumentField, LaunchField, Memory, Root, VARIABLES};
use ir::{Builtin, metadata};
use llvm::{Builder, Function, Module, Opcode, Type, Value};
use std::collections::{HashMap, HashSet};

/// The memory and place of a pointer.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The bytes from the start of the memory to the pointer.
    pub offset: Value,
    /// The bytes of the memory that may be read, and that may be written.
    pub sizes: [Value; 2],
    /// [`Root::number`].
    pub number: Value,
}

pub struct Provenance<'a> {
    module: &'a Module,
    kernel: Function,
    arguments: Vec<metadata::ArgInfo>,
    record: Option<Value>,
    roots: HashMap<Value, Root>,
    places: HashMap<Value, Place>,
    offsets: HashMap<Value, Value>,
    fields: HashMap<(u32, u32), Value>,
    launch_fields: HashMap<u32, Value>,
    all_roots: HashMap<Value, Option<HashSet<Value>>>,
}

impl<'a> Provenance<'a> {
    pub fn new(module: &'a Module, kernel: Function) -> Self {
        let arguments = metadata::kernel_args(module, kernel, kernel.params().len());
        Provenance {
            module,
            kernel,
            arguments,
            record: None,
            roots: HashMap::new(),
            places: HashMap::new(),
            offsets: HashMap::new(),
            fields: HashMap::new(),
            launch_fields: HashMap::new(),
            all_roots: HashMap::new(),
        }
    }

    fn word(&self) -> Type {
        self.module.context().i64()
    }

    /// A builder at the start of the kernel, after its variables.
    pub fn at_entry(&self) -> Builder {
        let entry = self.kernel.entry();
        let first = entry.instructions().into_iter().find(|i| !i.is_alloca());
        Builder::before(self.module.context(), first.expect("a block has a terminator"))
    }

    /// A word that a launch says of an argument.
    pub fn field(&mut self, argument: u32, field: ArgumentField) -> Value {
        if let Some(known) = self.fields.get(&(argument, field as u32)) {
            return *known;
        }
        let record = self.record();
        let b = match record.next() {
            Some(next) => Builder::before(self.module.context(), next),
            None => self.at_entry(),
        };
        let index = argument * ARGUMENT_WORDS + field as u32;
        let at = b.gep(self.word(), record, &[b.i32(index)], "");
        let name = format!("check.{}.{field:?}", self.kernel.param(argument).name()).to_lowercase();
        let value = b.load(self.word(), at, &name);
        value.set_invariant();
        self.fields.insert((argument, field as u32), value);
        value
    }

    /// The address of a word that a launch says of itself.
    pub fn launch_field_at(&mut self, b: &Builder, field: LaunchField) -> Value {
        let record = self.record();
        let index = self.kernel.params().len() as u32 * ARGUMENT_WORDS + field as u32;
        b.gep(self.word(), record, &[b.i32(index)], "")
    }

    /// A word that a launch says of itself, where the kernel begins.
    pub fn launch_field(&mut self, field: LaunchField) -> Value {
        if let Some(known) = self.launch_fields.get(&(field as u32)) {
            return *known;
        }
        let record = self.record();
        let next = record.next().expect("a call is no terminator");
        let b = Builder::before(self.module.context(), next);
        let value = b.load(self.word(), self.launch_field_at(&b, field), "check.launch");
        value.set_invariant();
        self.launch_fields.insert(field as u32, value);
        value
    }

    /// The record of the launch.
    fn record(&mut self) -> Value {
        let record = match self.record {
            Some(record) => record,
            None => self.at_entry().call(Builtin::CheckRecord.declare(self.module), &[], "check.record"),
        };
        self.record = Some(record);
        record
    }

    /// A builder where the kernel begins, after what the launch says of arguments.
    pub fn after_fields(&self) -> Builder {
        let context = self.module.context();
        let fields = || self.fields.values().chain(self.launch_fields.values());
        let is_field = |v: &Value| fields().any(|field| field == v);
        let last = self.kernel.entry().instructions().into_iter().rev().find(is_field);
        match last.and_then(Value::next) {
            Some(next) => Builder::before(context, next),
            None => self.at_entry(),
        }
    }

    /// The root that a value is, if it is one.
    fn as_root(&mut self, value: Value) -> Option<Root> {
        if let Some(root) = self.roots.get(&value) {
            return Some(root.clone());
        }
        let number = VARIABLES + self.roots.len() as u32;
        let module = self.module;
        let root = if value.is_argument() {
            let index = self.kernel.params().iter().position(|param| *param == value)? as u32;
            let info = &self.arguments[index as usize];
            let name = if info.name.is_empty() { value.name() } else { info.name.clone() };
            let by_value =
                self.kernel.param_byref_type(index).or_else(|| self.kernel.param_byval_type(index));
            let (memory, size) = match by_value {
                // The descriptor of an image is the library's own affair.
                _ if !info.object.is_empty() => (Memory::Program, 1 << 40),
                Some(ty) => (Memory::Private, module.size_of(ty)),
                None if value.ty().address_space() == LOCAL => (Memory::LocalArgument, 0),
                None => (Memory::Argument, 0),
            };
            let is_const = |word: &str| word == "const";
            let constant = memory == Memory::Argument
                && (info.type_qualifiers.split(' ').any(is_const) || value.ty().address_space() == CONSTANT);
            Root { number: index, memory, name, size, constant }
        } else if value.is_alloca() {
            let count = value.operand(0).as_const_int()?;
            let size = module.size_of(value.allocated_type()) * count;
            let name = plain_name(&value.name()).to_owned();
            Root { number, memory: Memory::Private, name, size, constant: false }
        } else if let Some(global) = value.as_global() {
            let space = global.address_space();
            let memory = if space == LOCAL { Memory::Local } else { Memory::Program };
            let (name, size) = (global.name(), module.size_of(global.value_type()));
            // Clang names a variable of a function after both: `k.tile`.
            let name = name.rsplit('.').next().unwrap_or_default().to_owned();
            Root { number, memory, name, size, constant: space == CONSTANT }
        } else {
            return None;
        };
        self.roots.insert(value, root.clone());
        Some(root)
    }

    /// The roots that a pointer may have; `None` if some are unknown.
    pub fn roots_of(&mut self, pointer: Value) -> Option<Vec<(Value, Root)>> {
        if !self.all_roots.contains_key(&pointer) {
            let found = self.collect(pointer);
            self.all_roots.insert(pointer, found);
        }
        let mut roots: Vec<_> =
            self.all_roots[&pointer].clone()?.into_iter().map(|v| (v, self.roots[&v].clone())).collect();
        roots.sort_by_key(|(_, root)| root.number);
        Some(roots)
    }

    fn collect(&mut self, pointer: Value) -> Option<HashSet<Value>> {
        let (mut work, mut seen, mut roots) = (vec![pointer], HashSet::new(), HashSet::new());
        while let Some(value) = work.pop() {
            if !seen.insert(value) {
                continue;
            }
            if self.as_root(value).is_some() {
                roots.insert(value);
                continue;
            }
            work.extend(sources(value)?);
        }
        // A pointer without any root is null.
        (!roots.is_empty()).then_some(roots)
    }

    /// The place of a pointer whose roots are known.
    pub fn place(&mut self, pointer: Value) -> Place {
        if let Some(place) = self.places.get(&pointer) {
            return *place;
        }
        let roots = self.roots_of(pointer).expect("the roots are known");
        let place = match roots.as_slice() {
            [(value, _)] => Place { offset: self.offset(pointer), ..self.start(*value) },
            _ => self.merged(pointer),
        };
        self.places.insert(pointer, place);
        place
    }

    /// The place of a root itself.
    fn start(&mut self, value: Value) -> Place {
        let root = self.as_root(value).expect("it is a root");
        let word = self.word();
        let number = word.const_int(root.number.into());
        let constant = |size: u64| {
            let size = word.const_int(size);
            Place { offset: word.zero(), sizes: [size; 2], number }
        };
        let mut place = match root.memory {
            Memory::Argument | Memory::LocalArgument => Place {
                offset: self.field(root.number, ArgumentField::Before),
                sizes: [
                    self.field(root.number, ArgumentField::Readable),
                    self.field(root.number, ArgumentField::Writable),
                ],
                number,
            },
            Memory::Private | Memory::Local | Memory::Program => constant(root.size),
        };
        if root.constant {
            place.sizes[1] = word.zero();
        }
        place
    }

    /// The place of a pointer with several roots.
    fn merged(&mut self, pointer: Value) -> Place {
        let word = self.word();
        match pointer.opcode() {
            Some(Opcode::LLVMPHI) => {
                let b = Builder::before(self.module.context(), pointer);
                let phi = |name: &str| b.phi(word, name);
                let place = Place {
                    offset: phi("check.offset"),
                    sizes: [phi("check.readable"), phi("check.writable")],
                    number: phi("check.root"),
                };
                // A loop comes back to this PHI.
                self.places.insert(pointer, place);
                for (value, block) in pointer.incoming() {
                    let from = self.place_or_null(value);
                    place.offset.add_incoming(from.offset, block);
                    place.number.add_incoming(from.number, block);
                    for i in 0..2 {
                        place.sizes[i].add_incoming(from.sizes[i], block);
                    }
                }
                place
            }
            Some(Opcode::LLVMSelect) => {
                let (yes, no) =
                    (self.place_or_null(pointer.operand(1)), self.place_or_null(pointer.operand(2)));
                let b = Builder::before(self.module.context(), pointer);
                let either = |yes: Value, no: Value| b.select(pointer.operand(0), yes, no, "");
                Place {
                    offset: either(yes.offset, no.offset),
                    sizes: [0, 1].map(|i| either(yes.sizes[i], no.sizes[i])),
                    number: either(yes.number, no.number),
                }
            }
            Some(Opcode::LLVMGetElementPtr) => {
                let base = self.place(pointer.operand(0));
                let b = Builder::before(self.module.context(), pointer);
                let offset = b.add(base.offset, gep_offset(self.module, &b, pointer), "check.offset");
                Place { offset, ..base }
            }
            _ => self.place(pointer.operand(0)),
        }
    }

    fn place_or_null(&mut self, pointer: Value) -> Place {
        match self.roots_of(pointer) {
            Some(_) => self.place(pointer),
            None => {
                let zero = self.word().zero();
                Place { offset: zero, sizes: [zero; 2], number: zero }
            }
        }
    }

    /// The offset of a pointer from its only root.
    fn offset(&mut self, pointer: Value) -> Value {
        if let Some(known) = self.offsets.get(&pointer) {
            return *known;
        }
        let word = self.word();
        if self.as_root(pointer).is_some() {
            return self.start(pointer).offset;
        }
        let offset = match pointer.opcode() {
            Some(Opcode::LLVMPHI) => {
                let phi = Builder::before(self.module.context(), pointer).phi(word, "check.offset");
                self.offsets.insert(pointer, phi);
                for (value, block) in pointer.incoming() {
                    let from = self.offset(value);
                    phi.add_incoming(from, block);
                }
                phi
            }
            Some(Opcode::LLVMSelect) => {
                let (yes, no) = (self.offset(pointer.operand(1)), self.offset(pointer.operand(2)));
                let b = Builder::before(self.module.context(), pointer);
                b.select(pointer.operand(0), yes, no, "check.offset")
            }
            Some(Opcode::LLVMGetElementPtr) => {
                let base = self.offset(pointer.operand(0));
                let b = match pointer.is_instruction() {
                    true => Builder::before(self.module.context(), pointer),
                    false => self.at_entry(),
                };
                let own = gep_offset(self.module, &b, pointer);
                if base.is_zero() { own } else { b.add(base, own, "check.offset") }
            }
            Some(_) => self.offset(pointer.operand(0)),
            // Null, beside a pointer with a root: far outside of any memory.
            None => word.const_int(1 << 62),
        };
        self.offsets.insert(pointer, offset);
        offset
    }

    /// The largest power of two that is known to divide the offset of a pointer from each root.
    pub fn known_multiple(&self, pointer: Value) -> u64 {
        let mut result = 1 << 30;
        let (mut work, mut seen) = (vec![pointer], HashSet::new());
        while let Some(value) = work.pop() {
            if !seen.insert(value) || self.roots.contains_key(&value) {
                continue;
            }
            if value.opcode() == Some(Opcode::LLVMGetElementPtr) {
                result = result.min(gep_multiple(self.module, value));
            }
            work.extend(sources(value).unwrap_or_default());
        }
        result
    }

    /// The variables that a pointer with an unknown root may point to: those whose address is
    /// stored or passed on, private and local ones.
    pub fn escaped_variables(&mut self, space: u32) -> Vec<(Value, Root)> {
        let mut found = Vec::new();
        if matches!(space, PRIVATE | GENERIC) {
            let allocas = self.kernel.entry().instructions().into_iter().filter(|i| i.is_alloca());
            found.extend(allocas.filter(|a| escapes(*a)));
            let by_value = |i: &u32| {
                self.kernel.param_byref_type(*i).or_else(|| self.kernel.param_byval_type(*i)).is_some()
            };
            let params = (0..self.kernel.params().len() as u32).filter(by_value);
            found.extend(params.map(|i| self.kernel.param(i)).filter(|p| escapes(*p)));
        }
        if matches!(space, LOCAL | GENERIC) {
            let locals = self.module.globals().into_iter().filter(|g| g.address_space() == LOCAL);
            found.extend(locals.map(Value::from));
            let is_local = |p: &Value| p.ty().is_ptr() && p.ty().address_space() == LOCAL;
            found.extend(self.kernel.params().into_iter().filter(is_local));
        }
        if matches!(space, GLOBAL | CONSTANT | GENERIC) {
            // Constants of ours are in the default address space.
            let programs = self.module.globals().into_iter();
            found
                .extend(programs.filter(|g| matches!(g.address_space(), GLOBAL | CONSTANT)).map(Value::from));
        }
        found.into_iter().filter_map(|value| Some((value, self.as_root(value)?))).collect()
    }

    /// The arguments that point to memory which may not be written.
    pub fn constant_arguments(&mut self) -> Vec<u32> {
        let params: Vec<Value> = self.kernel.params().into_iter().filter(|p| p.ty().is_ptr()).collect();
        let roots = params.into_iter().filter_map(|param| self.as_root(param));
        roots
            .filter(|root| root.memory == Memory::Argument && root.constant)
            .map(|root| root.number)
            .collect()
    }

    /// The sizes of a root, readable and writable.
    pub fn sizes(&mut self, value: Value) -> [Value; 2] {
        self.start(value).sizes
    }
}

/// The name of a variable as its source has it: clang names copies of arguments `x.addr`, those of
/// structs get `x.copy`, and LLVM names those of an inlined function `x.i12`.
fn plain_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((start, "addr" | "copy")) => start,
        Some((start, end))
            if end.strip_prefix('i').is_some_and(|n| n.bytes().all(|c| c.is_ascii_digit())) =>
        {
            plain_name(start)
        }
        _ => name,
    }
}

/// The pointer that address computations and casts begin with.
pub fn origin(mut pointer: Value) -> Value {
    while let Some(Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) =
        pointer.opcode()
    {
        pointer = pointer.operand(0);
    }
    pointer
}

/// The pointers that a pointer is made from; `None` if it comes from elsewhere.
fn sources(value: Value) -> Option<Vec<Value>> {
    match value.opcode() {
        Some(
            Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast | Opcode::LLVMFreeze,
        ) => Some(vec![value.operand(0)]),
        Some(Opcode::LLVMPHI) => Some(value.incoming().into_iter().map(|(v, _)| v).collect()),
        Some(Opcode::LLVMSelect) => Some(vec![value.operand(1), value.operand(2)]),
        None if value.is_zero() || value.is_undef_or_poison() => Some(Vec::new()),
        _ => None,
    }
}

/// What a use of a pointer means for a walk over all uses of a variable ([`walk_uses`]).
pub(super) enum Use {
    /// The result is a pointer to the variable, too.
    Follow,
    Ignore,
    Stop,
}

/// Looks at each use of a variable's address and of the pointers made from it, the user and the
/// pointer; whether the walk came to its end.
pub(super) fn walk_uses(variable: Value, look: impl Fn(Value, Value) -> Use) -> bool {
    let (mut work, mut seen) = (vec![variable], HashSet::new());
    while let Some(pointer) = work.pop() {
        if !seen.insert(pointer) {
            continue;
        }
        for user in pointer.users() {
            match look(user, pointer) {
                Use::Follow => work.push(user),
                Use::Ignore => {}
                Use::Stop => return false,
            }
        }
    }
    true
}

/// Whether the address of a variable is stored, or computed with as a number.
pub fn escapes(variable: Value) -> bool {
    use Opcode::*;
    !walk_uses(variable, |user, pointer| match user.opcode() {
        Some(LLVMStore) if user.operand(0) == pointer => Use::Stop,
        Some(LLVMPtrToInt | LLVMInsertValue | LLVMInsertElement) => Use::Stop,
        Some(LLVMGetElementPtr | LLVMAddrSpaceCast | LLVMBitCast) => Use::Follow,
        Some(LLVMPHI | LLVMSelect | LLVMFreeze) => Use::Follow,
        _ => Use::Ignore,
    })
}

/// The distance in bytes that an address computation adds.
fn gep_offset(module: &Module, b: &Builder, gep: Value) -> Value {
    let word = b.context().i64();
    let (mut constant, mut sum) = (0i64, None::<Value>);
    for (index, step) in gep_steps(module, gep) {
        match (index.as_const_signed(), step) {
            (_, Step::Field(offset)) => constant = constant.wrapping_add(offset as i64),
            (Some(n), Step::Element(size)) => constant = constant.wrapping_add(n.wrapping_mul(size as i64)),
            (None, Step::Element(size)) => {
                let bits = index.ty().int_bits();
                let wide = match bits {
                    64 => index,
                    0..64 => b.cast(Opcode::LLVMSExt, index, word, ""),
                    _ => b.cast(Opcode::LLVMTrunc, index, word, ""),
                };
                let bytes = if size == 1 { wide } else { b.mul(wide, word.const_int(size), "") };
                sum = Some(sum.map_or(bytes, |sum| b.add(sum, bytes, "")));
            }
        }
    }
    match sum {
        Some(sum) if constant == 0 => sum,
        Some(sum) => b.add(sum, word.const_signed(constant), ""),
        None => word.const_signed(constant),
    }
}

/// How far a `getelementptr` with constant indices goes.
pub fn constant_gep_offset(module: &Module, gep: Value) -> Option<i64> {
    gep_steps(module, gep).into_iter().try_fold(0i64, |sum, (index, step)| {
        let step = match step {
            Step::Field(offset) => offset as i64,
            Step::Element(size) => index.as_const_signed()?.wrapping_mul(size as i64),
        };
        Some(sum.wrapping_add(step))
    })
}

fn gep_multiple(module: &Module, gep: Value) -> u64 {
    let lowest = |n: u64| if n == 0 { 1 << 30 } else { 1 << n.trailing_zeros() };
    let steps = gep_steps(module, gep).into_iter().map(|(index, step)| match (index.as_const_int(), step) {
        (_, Step::Field(offset)) => lowest(offset),
        (Some(n), Step::Element(size)) => lowest(n.wrapping_mul(size)),
        (None, Step::Element(size)) => lowest(size),
    });
    steps.min().unwrap_or(1 << 30)
}

enum Step {
    /// The offset of a struct's field.
    Field(u64),
    /// Elements of this many bytes.
    Element(u64),
}

fn gep_steps(module: &Module, gep: Value) -> Vec<(Value, Step)> {
    let mut ty = gep.gep_source_type();
    let mut steps = Vec::new();
    for (i, index) in gep.operands().skip(1).enumerate() {
        if i == 0 {
            steps.push((index, Step::Element(module.size_of(ty))));
        } else if ty.is_struct() {
            let field = index.as_const_int().expect("fields are constants") as u32;
            steps.push((index, Step::Field(module.offset_of(ty, field))));
            ty = ty.struct_fields()[field as usize];
        } else {
            ty = ty.element();
            steps.push((index, Step::Element(module.size_of(ty))));
        }
    }
    steps
}
