//! Bounds and alignment: an access is done only if it lies within its memory.
//!
//! The test of an access is `offset < size - (bytes - 1)`, on the offset of its pointer from its
//! root (`provenance.rs`), where a size that is too small counts as 0. Memory that may not be read
//! or written has the size 0 for that. Accesses of constant offset to variables need no test if
//! they are inside. A pointer without a known root is looked up by the runtime.

use super::accesses::{self, Bytes, MemoryAccess};
use super::linear::{self, Counters, Linear, Prologue, Range};
use super::provenance::{self, Place, Provenance};
use super::sites::{Sites, What};
use super::versions::{self, Quiet};
use analysis::{Cfg, Dominators};
use ir::address_space::{LOCAL, PRIVATE};
use ir::check::{Access, ArgumentField, Checks, Event, Memory, Root};
use llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A test of an access, and what to tell the runtime if it fails.
struct Test {
    ok: Value,
    /// A condition for the whole range under which the test is passed.
    safe: Option<Value>,
    access: MemoryAccess,
    /// The descriptor of what went wrong, and three numbers; none if the test itself has told.
    report: Option<(What, [Value; 3])>,
}

/// The tests of a kernel's accesses that its whole range may prove.
pub struct Plan<'a> {
    provable: Vec<(Value, Vec<Test>)>,
    /// The condition under which all of them are passed.
    safe: Option<Value>,
    limits: HashMap<(Value, u64), Value>,
    told: Told,
    checks: Checks,
    sites: &'a Sites<'a>,
}

/// Guards the accesses of a kernel, but for those that the range may prove to be right.
pub fn plan<'a>(
    module: &'a Module,
    kernel: Function,
    own: &HashSet<Value>,
    checks: Checks,
    sites: &'a Sites<'a>,
    provenance: &mut Provenance<'a>,
) -> Plan<'a> {
    // Blocks are split as checks are added: where instructions were before.
    let blocks = kernel.instructions().into_iter().filter_map(|i| Some((i, i.block()?))).collect();
    let dominators = Dominators::of(Rc::new(Cfg::of(kernel)));
    let counters = linear::counters(kernel);
    let limits = HashMap::new();
    let mut bounds = Bounds {
        module,
        kernel,
        checks,
        sites,
        provenance,
        limits,
        blocks,
        dominators,
        counters,
        told: Told::default(),
    };
    let mut plan = Vec::new();
    for instruction in kernel.instructions() {
        let tests: Vec<Test> =
            accesses::of(module, instruction).into_iter().filter_map(|access| bounds.test(access)).collect();
        if !tests.is_empty() {
            plan.push((instruction, tests));
        }
    }
    let conditions: Vec<Value> =
        plan.iter().flat_map(|(_, tests)| tests).filter_map(|test| test.safe).collect();
    let safe = versions::all(module, kernel, own, &conditions);
    let is_provable = |tests: &[Test]| safe.is_some() && tests.iter().all(|test| test.safe.is_some());
    let (provable, others): (Vec<_>, Vec<_>) = plan.into_iter().partition(|(_, tests)| is_provable(tests));
    for (instruction, tests) in others {
        bounds.protect(instruction, &tests);
    }
    let Bounds { limits, told, .. } = bounds;
    Plan { provable, safe, limits, told, checks, sites }
}

impl<'a> Plan<'a> {
    /// The condition under which no further tests are needed.
    pub fn safe(&self) -> Option<Value> {
        self.safe
    }

    /// Guards the other accesses, of which the kernel's second version has copies.
    pub fn finish(
        self,
        module: &'a Module,
        kernel: Function,
        provenance: &mut Provenance<'a>,
        quiet: Option<&Quiet>,
    ) -> Told {
        let Plan { provable, limits, mut told, checks, sites, .. } = self;
        if let Some(Quiet { copies, .. }) = quiet {
            let copy = |v: &Value| copies.get(v).copied();
            let calls = told.calls.iter();
            let calls: Vec<_> = calls
                .filter_map(|(i, calls)| Some((copy(i)?, calls.iter().filter_map(copy).collect())))
                .collect();
            told.calls.extend(calls);
            let targets = told.targets.iter();
            let targets: Vec<_> =
                targets.filter_map(|(i, n)| Some((copy(i)?, copy(n).unwrap_or(*n)))).collect();
            told.targets.extend(targets);
        }
        let dominators = Dominators::of(Rc::new(Cfg::of(kernel)));
        let (blocks, counters) = Default::default();
        let mut bounds =
            Bounds { module, kernel, checks, sites, provenance, limits, blocks, dominators, counters, told };
        for (instruction, tests) in provable {
            bounds.protect(instruction, &tests);
        }
        bounds.told
    }
}

/// What other checks have to know of the tests.
#[derive(Default)]
pub struct Told {
    /// The calls of the runtime for each access.
    pub calls: HashMap<Value, Vec<Value>>,
    /// Of an asynchronous copy that may be too long: the bytes of its target that count as written.
    pub targets: HashMap<Value, Value>,
    /// What writes zeros in place of copies that read what is not there.
    pub cleared: Vec<Value>,
}

/// The note of descriptors that nothing is to be reported of: tests for the sake of other checks.
const QUIET: &str = ir::check::QUIET;

struct Bounds<'a, 'p> {
    module: &'a Module,
    kernel: Function,
    checks: Checks,
    sites: &'a Sites<'a>,
    provenance: &'p mut Provenance<'a>,
    /// The number of offsets at which so many bytes of a size can be accessed.
    limits: HashMap<(Value, u64), Value>,
    blocks: HashMap<Value, Block>,
    dominators: Dominators,
    counters: Counters,
    told: Told,
}

impl Bounds<'_, '_> {
    /// The note of descriptors: nothing is said if bounds were not asked for.
    fn note(&self) -> String {
        match self.checks.has(Checks::BOUNDS) || self.checks.has(Checks::ALIGNMENT) {
            true => String::new(),
            false => QUIET.to_owned(),
        }
    }

    /// The test of an access; `None` if it needs none.
    fn test(&mut self, access: MemoryAccess) -> Option<Test> {
        if let Bytes::Constant(0) = access.bytes {
            return None;
        }
        match self.provenance.roots_of(access.pointer) {
            Some(roots) => self.test_known(access, roots),
            None => Some(self.test_unknown(access)),
        }
    }

    fn test_known(&mut self, access: MemoryAccess, roots: Vec<(Value, Root)>) -> Option<Test> {
        let writes = access.access != Access::Read;
        let place = self.provenance.place(access.pointer);
        let size = place.sizes[usize::from(writes)];
        let b = Builder::before(self.module.context(), access.instruction);
        let mut tests = Vec::new();
        let mut bytes = None;
        if self.checks.has(Checks::BOUNDS) || self.checks.has(Checks::UNINITIALIZED) {
            let inside = match access.bytes {
                Bytes::Constant(n) => self.inside_constant(&b, place, size, n),
                Bytes::Dynamic(_) | Bytes::Lines(..) => {
                    let n = access.bytes.span(&b);
                    bytes = Some(n);
                    Some(inside_dynamic(&b, place.offset, size, n))
                }
            };
            tests.extend(inside);
        }
        if self.checks.has(Checks::ALIGNMENT) && access.align > 1 {
            tests.extend(self.aligned(&b, access, place, &roots));
        }
        let ok = tests.into_iter().reduce(|x, y| b.and(x, y, "check.ok"))?;
        if ok.as_const_int() == Some(1) {
            return None;
        }
        let n = match access.bytes {
            Bytes::Constant(n) => b.i64(n),
            _ => bytes.unwrap_or_else(|| b.i64(0)),
        };
        let what = What {
            event: Event::Access,
            access: access.access,
            local: false,
            narrow: false,
            size: if let Bytes::Constant(n) = access.bytes { n as u32 } else { 0 },
            align: access.align,
            note: self.note(),
            roots: roots.into_iter().map(|(_, root)| root).collect(),
        };
        let safe = self.safe(access, place, size);
        Some(Test { ok, safe, access, report: Some((what, [place.offset, place.number, n])) })
    }

    /// Whether the ranges of IDs and counters keep an access inside, computed where the kernel
    /// begins; `None` if they do not say. The alignment must be known then.
    fn safe(&mut self, access: MemoryAccess, place: Place, size: Value) -> Option<Value> {
        let Bytes::Constant(n) = access.bytes else { return None };
        let aligned = !self.checks.has(Checks::ALIGNMENT)
            || self.provenance.known_multiple(access.pointer) >= u64::from(access.align);
        let sum = Linear::of(place.offset, &self.counters).filter(|_| aligned)?;
        let is_early = |v: Value| v.is_constant() || v.is_load() && v.name().starts_with("check.");
        if !is_early(size) || sum.terms.is_empty() {
            return None;
        }
        let at = *self.blocks.get(&access.instruction)?;
        let prologue = Prologue { module: self.module, b: self.provenance.after_fields() };
        let dominates = |a: Block, b: Block| self.dominators.block_dominates(a, b);
        let Range { low, high, right } = prologue.range(&sum, &self.counters, at, &dominates)?;
        let b = &prologue.b;
        let starts = b.icmp(IntPredicate::LLVMIntSGE, low, b.i64(0), "");
        let end = b.add(high, b.i64(n), "");
        let ends = b.icmp(IntPredicate::LLVMIntSLE, end, size, "");
        // So that indices of 32 bits cannot have wrapped.
        let small = b.icmp(IntPredicate::LLVMIntSLT, end, b.i64(1 << 31), "");
        let mut safe = b.and(b.and(starts, ends, ""), b.and(small, right, ""), "check.safe");
        if self.checks.has(Checks::ALIGNMENT) && access.align > 1 {
            for (_, root) in self.provenance.roots_of(access.pointer)? {
                if root.memory == Memory::Argument {
                    let address = self.provenance.field(root.number, ArgumentField::Address);
                    let low = b.and(address, b.i64(u64::from(access.align) - 1), "");
                    safe = b.and(safe, b.icmp(IntPredicate::LLVMIntEQ, low, b.i64(0), ""), "check.safe");
                }
            }
        }
        Some(safe)
    }

    /// Whether `n` bytes lie within the size; `None` if they are known to.
    fn inside_constant(&mut self, b: &Builder, place: Place, size: Value, n: u64) -> Option<Value> {
        if let (Some(offset), Some(size)) = (place.offset.as_const_int(), size.as_const_int()) {
            let inside = offset.checked_add(n).is_some_and(|end| end <= size);
            return (!inside).then(|| b.context().i1().zero());
        }
        let limit = match size.as_const_int() {
            Some(size) => b.i64(size.saturating_sub(n - 1)),
            None if n == 1 => size,
            None => self.limit(size, n),
        };
        Some(b.icmp(IntPredicate::LLVMIntULT, place.offset, limit, "check.ok"))
    }

    /// The size minus the bytes beyond the first, at least 0, computed where the size is.
    fn limit(&mut self, size: Value, n: u64) -> Value {
        let module = self.module;
        *self.limits.entry((size, n)).or_insert_with(|| {
            let mut next = size.next().expect("a block has a terminator");
            while next.is_phi() {
                next = next.next().expect("a block has a terminator");
            }
            let b = Builder::before(module.context(), next);
            let subtract = module.intrinsic("llvm.usub.sat", &[b.context().i64()]);
            b.call(subtract, &[size, b.i64(n - 1)], "check.limit")
        })
    }

    /// Whether an access is aligned; `None` if that is known.
    fn aligned(
        &mut self,
        b: &Builder,
        access: MemoryAccess,
        place: Place,
        roots: &[(Value, Root)],
    ) -> Option<Value> {
        let low = b.i64(u64::from(access.align) - 1);
        let zero = b.i64(0);
        let is_argument = |root: &Root| root.memory == Memory::Argument;
        let multiple = self.provenance.known_multiple(access.pointer) >= u64::from(access.align);
        let mut tests = Vec::new();
        match roots {
            // The offset counts from the start of the allocation: the pointer that is passed
            // counts.
            [(_, root)] if is_argument(root) && multiple => {
                let address = self.provenance.field(root.number, ArgumentField::Address);
                tests.push(b.icmp(IntPredicate::LLVMIntEQ, b.and(address, low, ""), zero, "check.aligned"));
            }
            _ if !roots.iter().any(|(_, root)| is_argument(root)) => {
                if !multiple {
                    let bits = b.and(place.offset, low, "");
                    tests.push(b.icmp(IntPredicate::LLVMIntEQ, bits, zero, "check.aligned"));
                }
            }
            _ => {
                let address = b.cast(Opcode::LLVMPtrToInt, access.pointer, b.context().i64(), "");
                tests.push(b.icmp(IntPredicate::LLVMIntEQ, b.and(address, low, ""), zero, "check.aligned"));
            }
        }
        tests.pop()
    }

    /// Asks the runtime whether an address may be accessed; variables of the kernel it may be in
    /// are tested before.
    fn test_unknown(&mut self, access: MemoryAccess) -> Test {
        let context = self.module.context();
        let b = Builder::before(context, access.instruction);
        let writes = usize::from(access.access != Access::Read);
        let bytes = access.bytes.span(&b);
        // Private and local memory are the kernel's variables, and nothing else.
        let told = match access.pointer.ty().address_space() {
            PRIVATE | LOCAL => b.binary(Opcode::LLVMOr, bytes, b.i64(ir::check::ONLY_VARIABLES), ""),
            _ => bytes,
        };
        let address = b.cast(Opcode::LLVMPtrToInt, access.pointer, context.i64(), "check.address");
        let origin = provenance::origin(access.pointer);
        let base = b.cast(Opcode::LLVMPtrToInt, origin, context.i64(), "check.base");
        let (mut inside, mut constant): (Option<Value>, Option<Value>) = (None, None);
        let either = |one: Option<Value>, other: Value| {
            Some(one.map_or(other, |one| b.binary(Opcode::LLVMOr, one, other, "check.inside")))
        };
        // The variable that the pointer was made from, as far as its address says.
        let (mut home, mut home_start, mut strays) = (b.i64(0), base, None);
        let variables = self.provenance.escaped_variables(access.pointer.ty().address_space());
        for (variable, root) in &variables {
            let sizes = self.provenance.sizes(*variable);
            let start = b.cast(Opcode::LLVMPtrToInt, *variable, context.i64(), "");
            let within = |size: Value| inside_dynamic(&b, b.sub(address, start, ""), size, bytes);
            let (all, from) = (within(sizes[0]), b.sub(base, start, ""));
            // Rather the variable that begins there than the one that ends there.
            let holds = b.icmp(IntPredicate::LLVMIntULT, from, sizes[0], "");
            let ends = b.icmp(IntPredicate::LLVMIntEQ, from, sizes[0], "");
            let ends = b.and(ends, b.icmp(IntPredicate::LLVMIntEQ, home, b.i64(0), ""), "");
            let is_home = b.binary(Opcode::LLVMOr, holds, ends, "");
            home = b.select(is_home, b.i64((u64::from(root.number) + 1) << ir::check::HOME), home, "");
            home_start = b.select(is_home, start, home_start, "");
            // At both ends the pointer may be one to a neighbour.
            let [from, size] = [from, sizes[0]].map(|n| b.sub(n, b.i64(1), ""));
            let belongs = b.icmp(IntPredicate::LLVMIntULT, from, size, "");
            let leaves = b.binary(Opcode::LLVMXor, all, context.i1().const_int(1), "");
            strays = either(strays, b.and(belongs, leaves, ""));
            match root.constant && writes == 1 {
                true => constant = either(constant, all),
                false => inside = either(inside, if writes == 1 { within(sizes[1]) } else { all }),
            }
        }
        if let (Some(ok), Some(strays)) = (inside, strays) {
            let stays = b.binary(Opcode::LLVMXor, strays, context.i1().const_int(1), "");
            let low = b.and(address, b.i64(u64::from(access.align) - 1), "");
            let aligned = b.icmp(IntPredicate::LLVMIntEQ, low, b.i64(0), "");
            let ok = b.and(ok, stays, "check.inside");
            let tests = self.checks.has(Checks::ALIGNMENT) && access.align > 1;
            inside = Some(if tests { b.and(ok, aligned, "check.inside") } else { ok });
        }
        let told = b.binary(Opcode::LLVMOr, told, home, "");
        let base = home_start;
        for root in self.provenance.constant_arguments().into_iter().filter(|_| writes == 1) {
            let address_of = self.provenance.field(root, ArgumentField::Address);
            let before = self.provenance.field(root, ArgumentField::Before);
            let size = self.provenance.field(root, ArgumentField::Readable);
            let offset = b.sub(address, b.sub(address_of, before, ""), "");
            constant = either(constant, inside_dynamic(&b, offset, size, bytes));
        }
        let told = match constant {
            None => told,
            Some(constant) => {
                let flag = b.select(constant, b.i64(ir::check::CONSTANT), b.i64(0), "");
                b.binary(Opcode::LLVMOr, told, flag, "")
            }
        };
        let what = What {
            event: Event::Address,
            access: access.access,
            local: false,
            narrow: false,
            size: if let Bytes::Constant(n) = access.bytes { n as u32 } else { 0 },
            align: if self.checks.has(Checks::ALIGNMENT) { access.align } else { 1 },
            note: self.note(),
            roots: variables.into_iter().map(|(_, root)| root).collect(),
        };
        let site = self.sites.site(self.kernel, access.instruction, what);
        let ok = match inside {
            None => {
                let answer = self.sites.call(&b, site, [address, base, told]);
                self.told.calls.entry(access.instruction).or_default().push(answer);
                b.icmp(IntPredicate::LLVMIntNE, answer, b.i32(0), "check.ok")
            }
            Some(inside) => {
                let before = b.block().expect("the builder is in a block");
                let next = Block::split_before(access.instruction, "check.asked");
                let ask = before.function().append_block("check.ask");
                ask.move_before(next);
                before.terminator().expect("the block was split").erase();
                let at_end = Builder::at_end(context, before);
                at_end.set_place_of(access.instruction);
                at_end.cond_br(inside, next, ask);
                let b = Builder::at_end(context, ask);
                b.set_place_of(access.instruction);
                let answer = self.sites.call(&b, site, [address, base, told]);
                self.told.calls.entry(access.instruction).or_default().push(answer);
                let found = b.icmp(IntPredicate::LLVMIntNE, answer, b.i32(0), "");
                b.br(next);
                let phi = Builder::before(context, access.instruction).phi(context.i1(), "check.ok");
                phi.add_incoming(context.i1().const_int(1), before);
                phi.add_incoming(found, ask);
                phi
            }
        };
        Test { ok, safe: None, access, report: None }
    }

    /// Makes an instruction do what its tests allow.
    fn protect(&mut self, instruction: Value, tests: &[Test]) {
        match accesses::is_copy(instruction) && tests.iter().all(|test| test.report.is_some()) {
            true => self.shorten(instruction, tests),
            false => self.guard(instruction, tests),
        }
    }

    /// Does the instruction only if all tests are passed; else its result is zero.
    fn guard(&mut self, instruction: Value, tests: &[Test]) {
        let context = self.module.context();
        let next = instruction.next().expect("an access is no terminator");
        let before = Block::split_before(instruction, "check.do");
        let (start, access) = (before.predecessors()[0], before);
        let after = Block::split_before(next, "check.next");
        let bad = self.kernel.append_block("check.bad");
        bad.move_before(after);
        start.terminator().expect("the block was split").erase();
        let b = Builder::at_end(context, start);
        b.set_place_of(instruction);
        let ok = tests.iter().map(|test| test.ok).reduce(|x, y| b.and(x, y, "check.ok"));
        let ok = ok.expect("there is a test");
        b.cond_br(ok, access, bad);
        self.report(bad, after, instruction, tests);
        let ty = instruction.ty();
        if !ty.is_void() && instruction.is_used() {
            let first = after.first().expect("a block has a terminator");
            let phi = Builder::before(context, first).phi(ty, &instruction.name());
            instruction.replace_all_uses_with(phi);
            phi.add_incoming(instruction, access);
            let bad = after.predecessors().into_iter().find(|block| *block != access);
            phi.add_incoming(ty.zero(), bad.expect("there are two ways"));
        }
    }

    /// Makes an asynchronous copy one of what lies within both sides, and tells of failed tests.
    fn shorten(&mut self, call: Value, tests: &[Test]) {
        let (module, context) = (self.module, self.module.context());
        let before = call.block().expect("an instruction is in a block");
        let after = Block::split_before(call, "check.next");
        let bad = self.kernel.append_block("check.bad");
        bad.move_before(after);
        before.terminator().expect("the block was split").erase();
        let b = Builder::at_end(context, before);
        b.set_place_of(call);
        let ok = tests.iter().map(|test| test.ok).reduce(|x, y| b.and(x, y, "check.ok"));
        b.cond_br(ok.expect("there is a test"), after, bad);
        self.report(bad, after, call, tests);
        let b = Builder::before(context, call);
        let word = context.i64();
        let least = |x: Value, y: Value| b.call(module.intrinsic("llvm.umin", &[word]), &[x, y], "");
        // What is shortened: the bytes of the only line, or the number of lines.
        let operand = if call.call_args().len() > 4 { 5 } else { 2 };
        let asked = b.int_cast(call.operand(operand), word, "");
        let mut count = asked;
        for access in accesses::of(module, call) {
            let writes = usize::from(access.access != Access::Read);
            let Some(_) = self.provenance.roots_of(access.pointer) else { continue };
            let place = self.provenance.place(access.pointer);
            let left = module.intrinsic("llvm.usub.sat", &[word]);
            let left = b.call(left, &[place.sizes[writes], place.offset], "check.left");
            let room = match access.bytes {
                Bytes::Constant(_) | Bytes::Dynamic(_) => left,
                Bytes::Lines(line, _, stride) => {
                    let [line, stride] = [line, stride].map(|v| b.int_cast(v, word, ""));
                    let none = b.icmp(IntPredicate::LLVMIntULT, left, line, "");
                    let still = b.icmp(IntPredicate::LLVMIntEQ, stride, b.i64(0), "");
                    let step = b.select(still, b.i64(1), stride, "");
                    let more = b.binary(Opcode::LLVMUDiv, b.sub(left, line, ""), step, "");
                    let lines = b.select(still, asked, b.add(more, b.i64(1), ""), "");
                    b.select(none, b.i64(0), lines, "")
                }
            };
            count = least(count, room);
            if writes == 1 {
                self.told.targets.insert(call, least(access.bytes.span(&b), left));
            }
        }
        call.set_operand(operand, b.int_cast(count, call.operand(operand).ty(), "check.count"));
    }

    /// Tells the runtime of the tests that failed.
    fn report(&mut self, bad: Block, after: Block, instruction: Value, tests: &[Test]) {
        let context = self.module.context();
        let b = Builder::at_end(context, bad);
        b.set_place_of(instruction);
        let many = tests.len() > 1;
        for test in tests {
            let Some((what, numbers)) = &test.report else { continue };
            let site = self.sites.site(self.kernel, test.access.instruction, what.clone());
            if !many {
                let call = self.sites.call(&b, site, *numbers);
                self.told.calls.entry(instruction).or_default().push(call);
                continue;
            }
            // Of a copy, the source or the target may be wrong.
            let tell = self.kernel.append_block("check.tell");
            let on = self.kernel.append_block("check.on");
            tell.move_before(after);
            on.move_before(after);
            b.cond_br(test.ok, on, tell);
            b.position_at_end(tell);
            let call = self.sites.call(&b, site, *numbers);
            self.told.calls.entry(instruction).or_default().push(call);
            b.br(on);
            b.position_at_end(on);
        }
        // A copy of what is not there is one of zeros.
        let f = instruction.called_function();
        if !f.is_some_and(|f| ["llvm.memcpy.", "llvm.memmove."].iter().any(|n| f.name().starts_with(n))) {
            b.br(after);
            return;
        }
        let writes = tests.iter().filter(|test| test.access.access != Access::Read).map(|test| test.ok);
        let can_write = writes.reduce(|x, y| b.and(x, y, "")).unwrap_or_else(|| context.i1().const_int(1));
        let clear = self.kernel.append_block("check.clear");
        clear.move_before(after);
        b.cond_br(can_write, clear, after);
        let b = Builder::at_end(context, clear);
        b.set_place_of(instruction);
        let args = instruction.call_args();
        let clears = self.module.intrinsic("llvm.memset", &[args[0].ty(), args[2].ty()]);
        let cleared = b.call(clears, &[args[0], context.i8().zero(), args[2], context.i1().zero()], "");
        self.told.cleared.push(cleared);
        b.br(after);
    }
}

/// The bytes between variables whose address is in memory.
const GAP: u64 = 128;

/// The variables of a kernel whose addresses are in memory.
pub fn variables_in_memory(kernel: Function) -> Vec<Value> {
    let mut variables = kernel.entry().instructions();
    variables.retain(|i| i.is_alloca() && i.operand(0).as_const_int() == Some(1) && provenance::escapes(*i));
    variables
}

/// Keeps variables apart whose addresses are in memory: accesses by such an address are tested
/// against all of them, and the next one must not begin where one ends.
pub fn separate(module: &Module, variables: &[Value]) {
    let context = module.context();
    for variable in variables.iter().copied() {
        let b = Builder::before(context, variable);
        let ty = context.struct_type(&[variable.allocated_type(), context.i8().array(GAP)], false);
        let larger = b.alloca(ty, variable.alignment(), &variable.name());
        variable.replace_all_uses_with(larger);
        variable.erase();
    }
}

/// Whether a number of bytes that is known when it runs lies within the size.
fn inside_dynamic(b: &Builder, offset: Value, size: Value, bytes: Value) -> Value {
    let starts = b.icmp(IntPredicate::LLVMIntULE, offset, size, "");
    let ends = b.icmp(IntPredicate::LLVMIntULE, bytes, b.sub(size, offset, ""), "");
    let none = b.icmp(IntPredicate::LLVMIntEQ, bytes, b.i64(0), "");
    b.binary(Opcode::LLVMOr, none, b.and(starts, ends, ""), "check.ok")
}
