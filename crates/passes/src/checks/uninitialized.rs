//! Uninitialized values: each value that may be undefined has a shadow, with a bit set for each of
//! its bits that nobody has defined.
//!
//! ```text
//! %v = load float, ptr %p                %v = load float, ptr %p
//! %w = fadd float %v, 1.0                %v.shadow = load i32, ptr %p.shadow
//! store float %w, ptr addrspace(1) %q    %w = fadd float %v, 1.0
//!                                   ───► %w.shadow = select (%v.shadow != 0), -1, 0
//!                                        if (%w.shadow != 0) call @__mux_check(…)
//!                                        store float %w, ptr addrspace(1) %q
//! ```
//!
//! The scheme is that of MemorySanitizer (Stepanov and Serebryany, CGO 2015). Variables begin
//! undefined: those that become values by a marker ([`mark_variables`]) whose shadow is all ones,
//! others by a second variable for the shadows of their bytes. Local memory is undefined when a
//! work-group begins (`begin_group`), and a launch says where the shadows of its buffers are
//! (`ArgumentField::Shadow`). A mistake is reported where an undefined value decides a branch, is
//! an address, or reaches memory that others read; moving it through private memory is none.

use super::accesses::{self, Bytes, MemoryAccess};
use super::bounds::Told;
use super::images::ImageAccess;
use super::provenance::{Provenance, Use, walk_uses};
use super::sites::{Sites, What};
use super::versions::Quiet;
use crate::is_image_function;
use ir::Builtin;
use ir::address_space::{GENERIC, GLOBAL, LOCAL, PRIVATE};
use ir::check::{Access, ArgumentField, Event, Memory, Root};
use llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Type, Value};
use std::collections::{HashMap, HashSet};

/// The functions whose results are the undefined values of variables.
const MARKER: &str = "check.undefined.";
/// The ends of the names of local variables that are shadows.
pub const SHADOW: &str = ".check.shadow";
/// The most bytes of a copy whose shadows are looked at.
const MOST_COPIED: u64 = 512;

/// Stores a marker to each variable of a simple type where its life begins. When variables become
/// values, the marker is what a variable is before it has a value.
pub fn mark_variables(module: &Module, kernel: Function) {
    let context = module.context();
    for variable in kernel.instructions().into_iter().filter(|i| i.is_alloca()) {
        let ty = variable.allocated_type();
        if shadow_type(module, ty).is_none() || variable.operand(0).as_const_int() != Some(1) {
            continue;
        }
        let mut starts: Vec<Value> = lifetime_starts(variable).into_iter().filter_map(Value::next).collect();
        if starts.is_empty() {
            // Variables stay together.
            let block = variable.block().expect("an instruction is in a block");
            starts.extend(block.instructions().into_iter().find(|i| !i.is_alloca()));
        }
        for next in starts {
            let b = Builder::before(context, next);
            b.store(marker(module, &b, ty), variable);
        }
    }
}

fn lifetime_starts(variable: Value) -> Vec<Value> {
    let is_start =
        |user: &Value| user.called_function().is_some_and(|f| f.name().starts_with("llvm.lifetime.start"));
    variable.users().into_iter().filter(is_start).collect()
}

fn marker(module: &Module, b: &Builder, ty: Type) -> Value {
    let name = format!("{MARKER}{ty}");
    let f = module.function(&name).unwrap_or_else(|| {
        let f = module.add_function(&name, ty.function(&[]));
        f.set_memory_none();
        ["nounwind", "willreturn"].into_iter().for_each(|flag| f.set_flag(flag));
        f
    });
    b.call(f, &[], "")
}

pub fn is_marker(value: Value) -> bool {
    value.called_function().is_some_and(|f| f.name().starts_with(MARKER))
}

/// Gives the markers of all kernels a value: what is undefined is zero.
pub fn remove_markers(module: &Module) {
    for f in module.functions().into_iter().filter(|f| f.name().starts_with(MARKER)) {
        for call in f.uses().calls {
            call.replace_all_uses_with(call.ty().zero());
            call.erase();
        }
        f.erase();
    }
}

/// The type of the shadow of a value; `None` for types whose values count as defined.
fn shadow_type(module: &Module, ty: Type) -> Option<Type> {
    let context = module.context();
    let scalar = match ty.scalar() {
        t if t.is_int() => t,
        t if t.is_ptr() => context.i64(),
        t if t.is_float() => context.int(t.float_bits()?),
        _ => return None,
    };
    Some(if ty.is_vector() { scalar.vector(ty.len() as u32) } else { scalar })
}

fn ones(ty: Type) -> Value {
    let one = ty.scalar().const_signed(-1);
    if ty.is_vector() { llvm::const_vector(&vec![one; ty.len() as usize]) } else { one }
}

/// Where the shadows of a root are.
#[derive(Clone, Copy, Debug)]
enum Home {
    /// At an address, with an offset.
    At(Value),
    /// The shadows of an argument, at an address that may be 0.
    Argument(u32),
}

struct Shadows<'a, 'p> {
    module: &'a Module,
    kernel: Function,
    sites: &'a Sites<'a>,
    provenance: &'p mut Provenance<'a>,
    /// Instructions of the program; others are checks.
    own: HashSet<Value>,
    /// The calls of the runtime for accesses that are out of bounds.
    told: Told,
    homes: HashMap<Value, Home>,
    /// The variables and arguments that a pointer of unknown root may point to, by its address
    /// space.
    reachable: HashMap<u32, Vec<(Value, Root)>>,
    /// Instructions of the version in which all arguments are defined.
    quiet: HashSet<Value>,
    tainted: HashSet<Value>,
    shadows: HashMap<Value, Value>,
}

/// The conditions under which all that arguments point to is defined.
pub fn quiet(module: &Module, kernel: Function, provenance: &mut Provenance<'_>) -> Vec<Value> {
    let arguments = kernel.params().into_iter().enumerate().filter(|(i, p)| has_shadows(kernel, *i, *p));
    let is_defined = |(i, _): (usize, Value)| {
        let shadow = provenance.field(i as u32, ArgumentField::Shadow);
        let b = Builder::before(module.context(), shadow.next().expect("a load is no terminator"));
        b.icmp(IntPredicate::LLVMIntEQ, shadow, b.i64(0), "")
    };
    arguments.filter(|(_, p)| p.ty().address_space() == GLOBAL).map(is_defined).collect()
}

/// Whether a launch says where the shadows of an argument are.
fn has_shadows(kernel: Function, i: usize, param: Value) -> bool {
    let by_value = kernel.param_byref_type(i as u32).or_else(|| kernel.param_byval_type(i as u32));
    let ty = param.ty();
    ty.is_ptr() && by_value.is_none() && matches!(ty.address_space(), GLOBAL | LOCAL)
}

/// Adds shadows to a kernel. `own` are the instructions that were there before the other checks,
/// `told` the calls of the runtime for accesses.
pub fn check<'a>(
    module: &'a Module,
    kernel: Function,
    (mut own, told): (HashSet<Value>, Told),
    version: Option<&Quiet>,
    sites: &'a Sites<'a>,
    provenance: &mut Provenance<'a>,
) {
    let (homes, reachable, tainted, shadows) = Default::default();
    own.extend(&told.cleared);
    let copies = version.into_iter().flat_map(|version| &version.copies);
    let quiet: HashSet<Value> = copies.clone().map(|(_, copy)| *copy).collect();
    own.extend(copies.filter(|(i, _)| own.contains(i)).map(|(_, copy)| *copy).collect::<Vec<_>>());
    let mut all =
        Shadows { module, kernel, sites, provenance, own, told, homes, reachable, quiet, tainted, shadows };
    all.make_homes();
    all.find_reachable();
    all.taint();
    all.write();
}

impl Shadows<'_, '_> {
    fn context(&self) -> &llvm::Context {
        self.module.context()
    }

    /// Makes the shadows of variables.
    fn make_homes(&mut self) {
        let (module, context) = (self.module, self.module.context());
        for variable in self.kernel.entry().instructions().into_iter().filter(|i| i.is_alloca()) {
            if !self.own.contains(&variable)
                || variable.operand(0).as_const_int() != Some(1)
                || !is_tracked(variable)
            {
                continue;
            }
            let bytes = module.size_of(variable.allocated_type());
            let next = variable.next().expect("a variable is no terminator");
            let b = Builder::before(context, next);
            let name = format!("{}{SHADOW}", variable.name());
            let shadow = b.alloca(context.i8().array(bytes), variable.alignment(), &name);
            let mut starts = lifetime_starts(variable);
            starts.retain(|start| self.own.contains(start));
            if starts.is_empty() {
                starts.push(shadow);
            }
            for start in starts {
                let b = Builder::before(context, start.next().expect("no terminator"));
                fill(module, &b, shadow, bytes);
            }
            self.homes.insert(variable, Home::At(shadow));
        }
        for global in module.globals() {
            if global.address_space() != LOCAL || global.name().ends_with(SHADOW) {
                continue;
            }
            let name = format!("{}{SHADOW}", global.name());
            let shadow = module.global(&name).unwrap_or_else(|| {
                let ty = context.i8().array(module.size_of(global.value_type()));
                let shadow = module.add_global_in(&name, ty, LOCAL);
                shadow.set_initializer(ty.undef());
                shadow.set_linkage(llvm::Linkage::LLVMInternalLinkage);
                shadow.set_alignment(global.alignment().max(1));
                shadow
            });
            self.homes.insert(global.into(), Home::At(shadow.into()));
        }
        for (i, param) in self.kernel.params().into_iter().enumerate() {
            if has_shadows(self.kernel, i, param) {
                self.homes.insert(param, Home::Argument(i as u32));
            }
        }
    }

    /// Finds what pointers that were read from memory may point to.
    fn find_reachable(&mut self) {
        for space in [PRIVATE, GLOBAL, LOCAL, GENERIC] {
            let mut found = self.provenance.escaped_variables(space);
            if matches!(space, GLOBAL | GENERIC) {
                for param in self.kernel.params().into_iter().filter(|p| self.homes.contains_key(p)) {
                    let roots = self.provenance.roots_of(param).unwrap_or_default();
                    found.extend(roots.into_iter().filter(|(_, root)| root.memory == Memory::Argument));
                }
            }
            found.retain(|(value, _)| self.homes.contains_key(value));
            self.reachable.insert(space, found);
        }
    }

    /// The memory with shadows that an access of an instruction may be to; whether it is the only
    /// one.
    fn homes_of(&mut self, at: Value, pointer: Value) -> (Vec<(Value, Root, Home)>, bool) {
        let roots = self.provenance.roots_of(pointer);
        let is_only = roots.as_ref().is_some_and(|roots| roots.len() == 1);
        let space = pointer.ty().address_space();
        let roots = roots.unwrap_or_else(|| self.reachable.get(&space).cloned().unwrap_or_default());
        let quiet = self.quiet.contains(&at);
        let homes = roots.into_iter().filter(|(_, root)| root.memory != Memory::Argument || !quiet);
        let homes = homes.filter_map(|(value, root)| Some((value, root, *self.homes.get(&value)?)));
        (homes.collect(), is_only)
    }

    /// Finds the values that may be undefined.
    fn taint(&mut self) {
        let mut work = Vec::new();
        for i in self.kernel.instructions() {
            let reads = i.is_load() && self.own.contains(&i) && !self.homes_of(i, i.operand(0)).0.is_empty();
            if (is_marker(i) || reads) && shadow_type(self.module, i.ty()).is_some() {
                work.push(i);
            }
        }
        while let Some(value) = work.pop() {
            if !self.tainted.insert(value) {
                continue;
            }
            for user in value.users() {
                let propagates = match user.opcode() {
                    Some(
                        Opcode::LLVMStore
                        | Opcode::LLVMLoad
                        | Opcode::LLVMAtomicRMW
                        | Opcode::LLVMAtomicCmpXchg,
                    ) => false,
                    Some(Opcode::LLVMCall) => user.called_function().is_some_and(depends_on_operands),
                    Some(_) => !user.is_terminator(),
                    None => false,
                };
                if propagates && shadow_type(self.module, user.ty()).is_some() {
                    work.push(user);
                }
            }
        }
    }

    /// The shadow of a value; `None` if it is defined.
    fn get(&self, value: Value) -> Option<Value> {
        self.shadows.get(&value).copied()
    }

    fn get_or_zero(&self, value: Value) -> Value {
        let ty = || shadow_type(self.module, value.ty()).expect("only such values are looked at");
        self.get(value).unwrap_or_else(|| ty().zero())
    }

    fn write(&mut self) {
        let blocks = analysis::Cfg::of(self.kernel).blocks;
        let mut phis = Vec::new();
        for block in &blocks {
            for phi in block.phis() {
                if self.tainted.contains(&phi) {
                    let ty = shadow_type(self.module, phi.ty()).expect("it is tainted");
                    let shadow =
                        Builder::before(self.context(), phi).phi(ty, &format!("{}.shadow", phi.name()));
                    self.shadows.insert(phi, shadow);
                    phis.push((phi, shadow));
                }
            }
        }
        let instructions: Vec<Value> = blocks.iter().flat_map(|b| b.instructions()).collect();
        for i in instructions {
            if self.own.contains(&i) {
                self.before(i);
            }
            if self.tainted.contains(&i) && !i.is_phi() {
                let b = Builder::before(self.context(), i.next().expect("it is no terminator"));
                if let Some(shadow) = self.propagate(&b, i) {
                    self.shadows.insert(i, shadow);
                }
            }
            if self.own.contains(&i) {
                self.after(i);
            }
        }
        for (phi, shadow) in phis {
            for (value, block) in phi.incoming() {
                shadow.add_incoming(self.get_or_zero(value), block);
            }
        }
    }

    /// A shadow of a vector or scalar: whether any bit is set.
    fn any(&self, b: &Builder, shadow: Value) -> Value {
        let ty = shadow.ty();
        let whole = match ty.is_vector() {
            false => shadow,
            true => {
                let bits = ty.len() as u32 * ty.element().int_bits();
                b.cast(Opcode::LLVMBitCast, shadow, self.context().int(bits), "")
            }
        };
        b.icmp(IntPredicate::LLVMIntNE, whole, whole.ty().zero(), "")
    }

    /// For each element whose shadow has a bit set, all ones; of another type with as many
    /// elements.
    fn spread(&self, b: &Builder, shadow: Value, to: Type) -> Value {
        let ty = shadow.ty();
        let bit = match (ty.is_vector(), to.is_vector()) {
            (true, true) if ty.len() == to.len() => b.icmp(IntPredicate::LLVMIntNE, shadow, ty.zero(), ""),
            (_, true) => b.splat(self.any(b, shadow), to.len() as u32, ""),
            _ => self.any(b, shadow),
        };
        if to.scalar().int_bits() == 1 { bit } else { b.cast(Opcode::LLVMSExt, bit, to, "") }
    }

    /// The shadow of an operation's result.
    fn propagate(&mut self, b: &Builder, i: Value) -> Option<Value> {
        let module = self.module;
        let ty = shadow_type(module, i.ty())?;
        if is_marker(i) {
            return Some(ones(ty));
        }
        let op = i.opcode()?;
        let shadow = |n: u32| self.get_or_zero(i.operand(n));
        let or = |x: Value, y: Value| b.binary(Opcode::LLVMOr, x, y, "");
        Some(match op {
            Opcode::LLVMLoad => return self.load(b, i, ty),
            Opcode::LLVMAnd => {
                let (x, y, sx, sy) = (i.operand(0), i.operand(1), shadow(0), shadow(1));
                or(b.and(sx, sy, ""), or(b.and(sx, y, ""), b.and(x, sy, "")))
            }
            Opcode::LLVMOr => {
                let not = |v: Value| b.binary(Opcode::LLVMXor, v, ones(v.ty()), "");
                let (x, y, sx, sy) = (i.operand(0), i.operand(1), shadow(0), shadow(1));
                or(b.and(sx, sy, ""), or(b.and(sx, not(y), ""), b.and(not(x), sy, "")))
            }
            Opcode::LLVMXor => or(shadow(0), shadow(1)),
            // A carry goes up from the lowest undefined bit.
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul => {
                let both = or(shadow(0), shadow(1));
                or(both, b.sub(ty.zero(), both, ""))
            }
            Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => {
                let moved = b.binary(op, shadow(0), i.operand(1), "");
                match self.get(i.operand(1)) {
                    None => moved,
                    Some(amount) => or(moved, self.spread(b, amount, ty)),
                }
            }
            Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt => b.cast(op, shadow(0), ty, ""),
            Opcode::LLVMBitCast if !i.ty().is_ptr() && !i.operand(0).ty().is_ptr() => {
                b.cast(Opcode::LLVMBitCast, shadow(0), ty, "")
            }
            Opcode::LLVMFreeze | Opcode::LLVMAddrSpaceCast | Opcode::LLVMFNeg => shadow(0),
            Opcode::LLVMICmp => self.compare(b, i, ty),
            Opcode::LLVMSelect => {
                let (yes, no) = (shadow(1), shadow(2));
                let chosen = b.select(i.operand(0), yes, no, "");
                // What checks choose is not the program's affair.
                match self.get(i.operand(0)).filter(|_| self.own.contains(&i)) {
                    None => chosen,
                    Some(condition) => or(chosen, self.spread(b, condition, ty)),
                }
            }
            Opcode::LLVMExtractElement => {
                let element = b.extract_element(shadow(0), i.operand(1), "");
                match self.get(i.operand(1)) {
                    None => element,
                    Some(index) => or(element, self.spread(b, index, ty)),
                }
            }
            Opcode::LLVMInsertElement => {
                let inserted = b.insert_element(shadow(0), shadow(1), i.operand(2), "");
                match self.get(i.operand(2)) {
                    None => inserted,
                    Some(index) => or(inserted, self.spread(b, index, ty)),
                }
            }
            Opcode::LLVMShuffleVector => {
                let mask: Vec<u32> = i.shuffle_mask().into_iter().map(|lane| lane.max(0) as u32).collect();
                b.shuffle(shadow(0), shadow(1), &mask, "")
            }
            // Everything else is undefined if any operand is, element by element.
            _ => {
                let operands = match op {
                    Opcode::LLVMCall => i.call_args(),
                    _ => i.operands().collect(),
                };
                let known: Vec<Value> = operands.into_iter().filter_map(|v| self.get(v)).collect();
                let spread = known.into_iter().map(|s| self.spread(b, s, ty)).collect::<Vec<_>>();
                spread.into_iter().reduce(or)?
            }
        })
    }

    fn compare(&self, b: &Builder, i: Value, ty: Type) -> Value {
        let (x, y) = (i.operand(0), i.operand(1));
        let both = b.binary(Opcode::LLVMOr, self.get_or_zero(x), self.get_or_zero(y), "");
        let predicate = i.int_predicate();
        let is_zero = y.is_zero();
        match predicate {
            // Only the sign counts.
            IntPredicate::LLVMIntSLT | IntPredicate::LLVMIntSGE if is_zero && !x.ty().scalar().is_ptr() => {
                b.icmp(IntPredicate::LLVMIntSLT, both, both.ty().zero(), "")
            }
            // Two that differ in a defined bit are different.
            IntPredicate::LLVMIntEQ | IntPredicate::LLVMIntNE if !x.ty().scalar().is_ptr() => {
                let differ = b.binary(Opcode::LLVMXor, x, y, "");
                let defined = b.binary(Opcode::LLVMXor, both, ones(both.ty()), "");
                let certain =
                    b.icmp(IntPredicate::LLVMIntNE, b.and(differ, defined, ""), both.ty().zero(), "");
                let known = b.binary(Opcode::LLVMXor, certain, ones(certain.ty()), "");
                b.and(b.icmp(IntPredicate::LLVMIntNE, both, both.ty().zero(), ""), known, "")
            }
            _ => self.spread(b, both, ty),
        }
    }

    /// The address of the shadow of an access, where there is one: with the condition that there
    /// is.
    fn shadow_address(
        &mut self,
        b: &Builder,
        at: Value,
        pointer: Value,
        bytes: Bytes,
    ) -> Option<(Value, Option<Value>)> {
        let context = self.module.context();
        let (homes, is_only) = self.homes_of(at, pointer);
        let [(value, root, home)] = homes.as_slice() else {
            return self.shadow_of_one(b, pointer, bytes, &homes);
        };
        if !is_only {
            return self.shadow_of_one(b, pointer, bytes, &homes);
        }
        let offset = self.provenance.place(pointer).offset;
        Some(match (*home, root.memory) {
            (Home::At(shadow), _) => (b.gep_anywhere(context.i8(), shadow, &[offset], ""), None),
            // The shadows of local memory follow it.
            (Home::Argument(index), Memory::LocalArgument) => {
                let size = self.provenance.field(index, ArgumentField::Readable);
                (b.gep_anywhere(context.i8(), *value, &[b.add(size, offset, "")], ""), None)
            }
            (Home::Argument(index), _) => {
                let start = self.provenance.field(index, ArgumentField::Shadow);
                let there = b.icmp(IntPredicate::LLVMIntNE, start, b.i64(0), "");
                let address = b.add(start, offset, "");
                (b.cast(Opcode::LLVMIntToPtr, address, context.ptr(GLOBAL), ""), Some(there))
            }
        })
    }

    /// As [`Self::shadow_address`], of a pointer into one of some memories: the address says which.
    fn shadow_of_one(
        &mut self,
        b: &Builder,
        pointer: Value,
        bytes: Bytes,
        homes: &[(Value, Root, Home)],
    ) -> Option<(Value, Option<Value>)> {
        let context = self.module.context();
        let word = context.i64();
        let number = |value: Value| b.cast(Opcode::LLVMPtrToInt, value, word, "");
        let address = number(pointer);
        let bytes = bytes.span(b);
        let mut found: Option<(Value, Value)> = None;
        for (value, root, home) in homes {
            let [readable, writable] = self.provenance.sizes(*value);
            let (start, size, shadow) = match (*home, root.memory) {
                (Home::At(shadow), _) => (number(*value), readable, number(shadow)),
                (Home::Argument(_), Memory::LocalArgument) => {
                    let start = number(*value);
                    (start, readable, b.add(start, readable, ""))
                }
                (Home::Argument(index), _) => {
                    let mut field = |field| self.provenance.field(index, field);
                    let start = b.sub(field(ArgumentField::Address), field(ArgumentField::Before), "");
                    let unreadable = b.icmp(IntPredicate::LLVMIntEQ, readable, b.i64(0), "");
                    let size = b.select(unreadable, writable, readable, "");
                    let shadow = field(ArgumentField::Shadow);
                    let known = b.icmp(IntPredicate::LLVMIntNE, shadow, b.i64(0), "");
                    (start, b.select(known, size, b.i64(0), ""), shadow)
                }
            };
            let offset = b.sub(address, start, "");
            let starts = b.icmp(IntPredicate::LLVMIntULT, offset, size, "");
            let ends = b.icmp(IntPredicate::LLVMIntULE, bytes, b.sub(size, offset, ""), "");
            let inside = b.and(starts, ends, "check.inside");
            let shadow = b.add(shadow, offset, "");
            found = Some(match found {
                None => (shadow, inside),
                Some((other, there)) => {
                    (b.select(inside, shadow, other, ""), b.binary(Opcode::LLVMOr, there, inside, ""))
                }
            });
        }
        let (shadow, there) = found?;
        Some((b.cast(Opcode::LLVMIntToPtr, shadow, context.ptr(GENERIC), ""), Some(there)))
    }

    /// Does something under a condition, before `next`.
    fn under(
        &self,
        condition: Option<Value>,
        next: Value,
        f: impl FnOnce(&Builder) -> Option<Value>,
    ) -> Option<Value> {
        let context = self.module.context();
        let Some(condition) = condition else { return f(&Builder::before(context, next)) };
        let before = next.block().expect("an instruction is in a block");
        let after = Block::split_before(next, "check.on");
        let inside = self.kernel.append_block("check.shadow");
        inside.move_before(after);
        before.terminator().expect("the block was split").erase();
        let b = Builder::at_end(context, before);
        b.set_place_of(next);
        b.cond_br(condition, inside, after);
        let b = Builder::at_end(context, inside);
        b.set_place_of(next);
        let value = f(&b);
        b.br(after);
        value.map(|value| {
            let first = after.first().expect("a block has a terminator");
            let phi = Builder::before(context, first).phi(value.ty(), "");
            phi.add_incoming(value.ty().zero(), before);
            phi.add_incoming(value, inside);
            phi
        })
    }

    fn load(&mut self, b: &Builder, i: Value, ty: Type) -> Option<Value> {
        let bytes = Bytes::Constant(self.module.store_size_of(i.ty()));
        let (address, there) = self.shadow_address(b, i, i.operand(0), bytes)?;
        let next = i.next().map(|_| self.position(b))?;
        self.under(there, next, |b| {
            let shadow = b.load(ty, address, &format!("{}.shadow", i.name()));
            shadow.set_alignment(1);
            Some(shadow)
        })
    }

    /// The instruction that a builder stands before.
    fn position(&self, b: &Builder) -> Value {
        b.insertion_point().expect("the builder stands before an instruction")
    }

    /// Reports what an instruction must not be given.
    fn before(&mut self, i: Value) {
        for access in accesses::of(self.module, i) {
            if let Some(shadow) = self.get(access.pointer) {
                let what = ir::check::UNDEFINED_ADDRESS;
                self.report(i, shadow, None, access.access, what);
                self.tell_instead(i, shadow, access.access, what);
            }
        }
        match i.opcode() {
            Some(Opcode::LLVMBr | Opcode::LLVMSwitch) => {
                if let Some(shadow) = i.condition().and_then(|condition| self.get(condition)) {
                    self.report(
                        i,
                        shadow,
                        None,
                        Access::Read,
                        "a branch is decided by a value that is not initialized",
                    );
                }
            }
            Some(Opcode::LLVMStore) => {
                let (value, pointer) = (i.operand(0), i.operand(1));
                let Some(shadow) = self.get(value) else { return };
                if !self.is_private(pointer) {
                    self.report(
                        i,
                        shadow,
                        Some(pointer),
                        Access::Write,
                        "a value that is not initialized is written",
                    );
                }
            }
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => {
                self.atomic(i);
                for n in 1..i.num_operands() {
                    if let Some(shadow) = self.get(i.operand(n)) {
                        let what = "an atomic operation is given a value that is not initialized";
                        self.report(i, shadow, Some(i.operand(0)), Access::Atomic, what);
                    }
                }
            }
            Some(Opcode::LLVMCall) => {
                if let Some(access) = ImageAccess::of_call(i) {
                    self.pixel(&access);
                }
                let f = i.called_function();
                let is_group = f.and_then(Builtin::of).is_some_and(|b| matches!(b, Builtin::Group(_)));
                let prints = f.is_some_and(|f| f.name().starts_with("printf.call"));
                if is_group || prints {
                    let what = match prints {
                        true => "a value that is not initialized is printed",
                        false => "a value that is not initialized is given to other work-items",
                    };
                    for shadow in
                        i.call_args().into_iter().filter_map(|arg| self.get(arg)).collect::<Vec<_>>()
                    {
                        self.report(i, shadow, None, Access::Read, what);
                    }
                }
            }
            _ => {}
        }
    }

    /// Reports coordinates of a pixel that nobody has defined, and what is written there.
    fn pixel(&mut self, access: &ImageAccess) {
        let call = access.call;
        let kind = if access.writes { Access::Write } else { Access::Read };
        for shadow in access.coordinates.iter().filter_map(|v| self.get(*v)).collect::<Vec<_>>() {
            self.report(call, shadow, None, kind, ir::check::UNDEFINED_ADDRESS);
        }
        let color = call.call_args().last().copied().filter(|_| access.writes);
        let Some(shadow) = color.and_then(|color| self.get(color)) else { return };
        let b = Builder::before(self.context(), call);
        let shadow = match shadow.ty().is_vector() {
            false => shadow,
            true => {
                let ty = shadow.ty();
                let used = used_channels(&b, access.word);
                let lanes: Vec<Value> = (0..ty.len()).map(|n| b.i32(1 << n)).collect();
                let own = b.and(b.splat(used, ty.len() as u32, ""), llvm::const_vector(&lanes), "");
                let own = b.icmp(IntPredicate::LLVMIntNE, own, own.ty().zero(), "");
                b.select(own, shadow, ty.zero(), "")
            }
        };
        self.report(call, shadow, None, Access::Write, "a value that is not initialized is written");
    }

    /// Reports an atomic operation on memory that nobody has defined; an exchange only if its
    /// result is used.
    fn atomic(&mut self, i: Value) {
        let exchanges = i.opcode() == Some(Opcode::LLVMAtomicRMW)
            && i.atomic_op() == llvm::AtomicOp::LLVMAtomicRMWBinOpXchg;
        let pointer = i.operand(0);
        let b = Builder::before(self.context(), i);
        let Some(ty) = shadow_type(self.module, i.operand(1).ty()).filter(|_| i.is_used() || !exchanges)
        else {
            return;
        };
        let bytes = Bytes::Constant(self.module.store_size_of(i.operand(1).ty()));
        let Some((address, there)) = self.shadow_address(&b, i, pointer, bytes) else { return };
        let shadow = self.under(there, i, |b| {
            let shadow = b.load(ty, address, "atomic.shadow");
            shadow.set_alignment(1);
            Some(shadow)
        });
        if let Some(shadow) = shadow {
            let what = "an atomic operation on memory that is not initialized";
            self.report(i, shadow, Some(pointer), Access::Atomic, what);
        }
    }

    /// Tells of an undefined address in place of what is wrong with the access by it.
    fn tell_instead(&mut self, i: Value, shadow: Value, access: Access, note: &str) {
        let what = What { access, ..What::event(Event::Undefined, note) };
        for call in self.told.calls.get(&i).cloned().unwrap_or_default() {
            let site = self.sites.site(self.kernel, i, what.clone());
            let b = Builder::before(self.context(), call);
            let undefined = self.any(&b, shadow);
            let site = b.address_space_cast(site, call.operand(0).ty(), "");
            call.set_operand(0, b.select(undefined, site, call.operand(0), ""));
        }
    }

    /// Whether a pointer is to private memory only, as far as is known.
    fn is_private(&mut self, pointer: Value) -> bool {
        match self.provenance.roots_of(pointer) {
            Some(roots) => roots.iter().all(|(_, root)| root.memory == Memory::Private),
            None => !matches!(pointer.ty().address_space(), GLOBAL | LOCAL),
        }
    }

    /// Writes the shadows of what an instruction writes.
    fn after(&mut self, i: Value) {
        let all = accesses::of(self.module, i);
        if let [from, to] = all.as_slice() {
            return self.copy(*from, *to);
        }
        let Some(access) = all.first().copied().filter(|a| a.access != Access::Read) else { return };
        if i.is_load() {
            return;
        }
        let Some(next) = i.next() else { return };
        let b = Builder::before(self.context(), next);
        let Some((address, there)) = self.shadow_address(&b, i, access.pointer, access.bytes) else {
            return self.define_unknown(&b, i, access);
        };
        let private = self.is_private(access.pointer);
        let value = if i.is_store() { Some(i.operand(0)) } else { None };
        let shadow = value.filter(|_| private).and_then(|v| self.get(v));
        let position = self.position(&b);
        let module = self.module;
        self.under(there, position, |b| {
            match (access.bytes, value) {
                (Bytes::Constant(_), Some(value)) if shadow_type(module, value.ty()).is_some() => {
                    let ty = shadow_type(module, value.ty()).expect("it has one");
                    b.store(shadow.unwrap_or_else(|| ty.zero()), address).set_alignment(1);
                }
                (Bytes::Constant(n), _) => zero(module, b, address, b.i64(n)),
                (bytes, _) => zero(module, b, address, bytes.span(b)),
            }
            None
        });
    }

    /// A copy: of shadows, if both sides have some of known size. Undefined bytes that reach memory
    /// of others are reported, but for the padding of a struct.
    fn copy(&mut self, from: MemoryAccess, to: MemoryAccess) {
        let i = from.instruction;
        let context = self.module.context();
        let Some(next) = i.next() else { return };
        let b = Builder::before(context, next);
        let source = self.shadow_address(&b, i, from.pointer, from.bytes);
        let target = self.shadow_address(&b, i, to.pointer, to.bytes);
        // Defined memory is looked at for what is written there.
        if target.is_none() && !self.quiet.contains(&i) {
            return self.define_unknown(&b, i, to);
        }
        let Bytes::Constant(n @ 1..=MOST_COPIED) = from.bytes else {
            return self.copy_many(from, to, source, target, self.position(&b));
        };
        let ty = context.i8().vector(n as u32);
        let position = self.position(&b);
        let shadow = source.and_then(|(address, there)| {
            self.under(there, position, |b| {
                let shadow = b.load(ty, address, "copied.shadow");
                shadow.set_alignment(1);
                Some(shadow)
            })
        });
        let private = self.is_private(to.pointer);
        let b = Builder::before(context, position);
        let kept = match shadow {
            Some(shadow) if !private => {
                let used = b.and(shadow, self.used_bytes(from.pointer, n), "");
                let what = "bytes that are not initialized are written";
                self.report_at(position, i, used, Some(to.pointer), Access::Write, what);
                ty.zero()
            }
            Some(shadow) => shadow,
            None => ty.zero(),
        };
        if let Some((target, there)) = target {
            self.under(there, position, |b| {
                b.store(kept, target).set_alignment(1);
                None
            });
        }
    }

    /// A copy of many bytes, or of a number that is not known.
    fn copy_many(
        &mut self,
        from: MemoryAccess,
        to: MemoryAccess,
        source: Option<(Value, Option<Value>)>,
        target: Option<(Value, Option<Value>)>,
        position: Value,
    ) {
        let (module, i) = (self.module, from.instruction);
        if let Some((address, there)) = source
            && !self.is_private(to.pointer)
        {
            let site = self.sites.site(self.kernel, i, What::event(Event::Scan, ""));
            let sites = self.sites;
            let found = self.under(there, position, |b| {
                let address = b.address_space_cast(address, b.context().ptr(0), "");
                let address = b.cast(Opcode::LLVMPtrToInt, address, b.context().i64(), "");
                let [line, lines, stride] = from.bytes.lines(b);
                let high = b.binary(Opcode::LLVMShl, stride, b.i64(32), "");
                Some(sites.call(b, site, [address, line, b.binary(Opcode::LLVMOr, high, lines, "")]))
            });
            if let Some(found) = found {
                let what = "bytes that are not initialized are written";
                self.report_at(position, i, found, Some(to.pointer), Access::Write, what);
            }
        }
        let bytes = self.told.targets.get(&i).copied();
        let Some((target, there)) = target else { return };
        self.under(there, position, |b| {
            zero(module, b, target, bytes.unwrap_or_else(|| to.bytes.span(b)));
            None
        });
    }

    /// For each byte of a variable that is copied, ones unless it is padding.
    fn used_bytes(&self, pointer: Value, n: u64) -> Value {
        let module = self.module;
        let mut used = vec![false; n as usize];
        let ty = super::provenance::origin(pointer);
        let known = ty.is_alloca() && module.size_of(ty.allocated_type()) == n;
        match known {
            true => mark_used(module, ty.allocated_type(), 0, &mut used),
            false => used.fill(true),
        }
        let byte = |used: &bool| self.context().i8().const_int(if *used { 0xff } else { 0 });
        llvm::const_vector(&used.iter().map(byte).collect::<Vec<_>>())
    }

    /// Tells the runtime that memory of an unknown root is written.
    fn define_unknown(&mut self, b: &Builder, i: Value, access: MemoryAccess) {
        let is_local = access.pointer.ty().address_space() == LOCAL;
        if self.quiet.contains(&i) || self.is_private(access.pointer) || is_local {
            return;
        }
        let bytes = access.bytes.span(b);
        let site = self.sites.site(self.kernel, i, What::event(Event::Define, ""));
        let address = b.cast(Opcode::LLVMPtrToInt, access.pointer, b.context().i64(), "");
        self.sites.call(b, site, [address, bytes, b.i64(0)]);
    }

    /// Reports a shadow that is not zero, before an instruction.
    fn report(&mut self, at: Value, shadow: Value, pointer: Option<Value>, access: Access, note: &str) {
        self.report_at(at, at, shadow, pointer, access, note);
    }

    /// Reports a shadow that is not zero before an instruction, about another one.
    fn report_at(
        &mut self,
        at: Value,
        about: Value,
        shadow: Value,
        pointer: Option<Value>,
        access: Access,
        note: &str,
    ) {
        let context = self.module.context();
        let roots = pointer.and_then(|p| self.provenance.roots_of(p)).unwrap_or_default();
        let place = pointer.filter(|_| roots.len() == 1).map(|p| self.provenance.place(p));
        let what = What {
            access,
            roots: roots.into_iter().map(|(_, root)| root).collect(),
            size: self.module.size_of(shadow.ty()) as u32,
            ..What::event(Event::Undefined, note)
        };
        let site = self.sites.site(self.kernel, about, what);
        let before = at.block().expect("an instruction is in a block");
        let next = Block::split_before(at, "check.next");
        before.terminator().expect("the block was split").erase();
        let tell = self.kernel.append_block("check.bad");
        tell.move_before(next);
        let b = Builder::at_end(context, before);
        b.set_place_of(at);
        let bad = self.any(&b, shadow);
        b.cond_br(bad, tell, next);
        b.position_at_end(tell);
        let (offset, number) = place.map_or((b.i64(0), b.i64(u64::MAX)), |p| (p.offset, p.number));
        self.sites.call(&b, site, [offset, number, b.i64(0)]);
        b.br(next);
    }
}

/// Whether all that happens to a variable can be seen. Where its address is stored, it is among
/// those that pointers of unknown root are compared with.
fn is_tracked(variable: Value) -> bool {
    use Opcode::*;
    let is_known =
        |f: Function| ["llvm.mem", "llvm.lifetime.", "llvm.dbg."].iter().any(|k| f.name().starts_with(k));
    walk_uses(variable, |user, pointer| match user.opcode() {
        Some(LLVMLoad | LLVMICmp | LLVMStore | LLVMPtrToInt | LLVMInsertValue | LLVMInsertElement) => {
            Use::Ignore
        }
        Some(LLVMAtomicRMW | LLVMAtomicCmpXchg) if user.operand(0) == pointer => Use::Ignore,
        Some(LLVMGetElementPtr | LLVMAddrSpaceCast | LLVMBitCast) => Use::Follow,
        Some(LLVMPHI | LLVMSelect | LLVMFreeze) => Use::Follow,
        Some(LLVMCall) if user.called_function().is_some_and(is_known) => Use::Ignore,
        // A use that nothing is known of.
        _ => Use::Stop,
    })
}

/// The channels of a color that an image keeps, a bit for each of x, y, z, w, from the first word
/// of its description: the order of its channels counts from `CL_R` on.
fn used_channels(b: &Builder, word: Value) -> Value {
    /// Four bits for each of the first sixteen orders.
    const CHANNELS: u64 = 0x7117_3111_fff7_9381;
    let order =
        b.and(b.binary(Opcode::LLVMLShr, word, word.ty().const_int(8), ""), word.ty().const_int(255), "");
    let order = b.int_cast(order, b.context().i64(), "");
    let shift = b.and(b.mul(order, b.i64(4), ""), b.i64(63), "");
    let known = b.binary(Opcode::LLVMLShr, b.i64(CHANNELS), shift, "");
    let is_known = b.icmp(IntPredicate::LLVMIntULT, order, b.i64(16), "");
    b.int_cast(b.select(is_known, known, b.i64(15), ""), b.context().i32(), "check.channels")
}

/// Whether the result of a function is made of its operands alone: those of the library that get no
/// pointers.
fn depends_on_operands(f: Function) -> bool {
    let has_pointer = || f.function_type().params().iter().any(|param| param.is_ptr());
    let is_library = || !f.is_declaration() && !f.has_subprogram() && !has_pointer();
    // Coordinates of pixels are looked at where they are read.
    Builtin::of(f).is_none()
        && !is_image_function(f)
        && !f.name().starts_with("printf.call")
        && (f.is_memory_none() || f.is_intrinsic() || is_library())
}

/// Marks the bytes of a type that hold something.
fn mark_used(module: &Module, ty: Type, at: u64, used: &mut [bool]) {
    if ty.is_struct() {
        for (i, field) in ty.struct_fields().into_iter().enumerate() {
            mark_used(module, field, at + module.offset_of(ty, i as u32), used);
        }
    } else if ty.is_array() {
        let size = module.size_of(ty.element());
        for n in 0..ty.len() {
            mark_used(module, ty.element(), at + n * size, used);
        }
    } else {
        let bytes = match ty.is_vector() {
            true => ty.len() * module.size_of(ty.element()),
            false => module.size_of(ty),
        };
        used.iter_mut().skip(at as usize).take(bytes as usize).for_each(|byte| *byte = true);
    }
}

/// Makes all bytes at an address undefined.
fn fill(module: &Module, b: &Builder, address: Value, bytes: u64) {
    set(module, b, address, b.i64(bytes), 0xff);
}

fn zero(module: &Module, b: &Builder, address: Value, bytes: Value) {
    set(module, b, address, bytes, 0);
}

fn set(module: &Module, b: &Builder, address: Value, bytes: Value, value: u64) {
    let f = module.intrinsic("llvm.memset", &[address.ty(), b.context().i64()]);
    let value = b.context().i8().const_int(value);
    b.call(f, &[address, value, bytes, b.context().i1().zero()], "");
}

/// Makes the local memory of a kernel undefined, where a work-group begins. `params` are those of
/// the function that runs the work-group, `record` is that of the launch.
pub fn begin_group(module: &Module, b: &Builder, kernel: Function, params: &[Value], record: Value) {
    let context = module.context();
    for global in module.globals().into_iter().filter(|g| g.name().ends_with(SHADOW)) {
        fill(module, b, global.into(), module.size_of(global.value_type()));
    }
    let locals: Vec<(usize, Value)> = params
        .iter()
        .copied()
        .enumerate()
        .filter(|(i, p)| *i < kernel.params().len() && p.ty().is_ptr() && p.ty().address_space() == LOCAL)
        .collect();
    for (i, param) in locals {
        let index = i as u32 * ir::check::ARGUMENT_WORDS + ArgumentField::Readable as u32;
        let size = b.load(context.i64(), b.gep(context.i64(), record, &[b.i32(index)], ""), "");
        let shadow = b.gep_anywhere(context.i8(), param, &[size], "");
        set(module, b, shadow, size, 0xff);
    }
}
