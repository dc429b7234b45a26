//! CheckKernels: makes kernels look for their own mistakes (checked mode).
//!
//! ```text
//! %v = load float, ptr addrspace(1) %p
//! ───►
//!   %ok = icmp ult i64 %offset, %limit
//!   br i1 %ok, label %check.do, label %check.bad
//! check.do:
//!   %w = load float, ptr addrspace(1) %p
//!   br label %check.next
//! check.bad:
//!   call i32 @__mux_check(ptr @check.site, …)
//!   br label %check.next
//! check.next:
//!   %v = phi float [ %w, %check.do ], [ 0.0, %check.bad ]
//! ```
//!
//! A kernel is instrumented as it was written, for one work-item: after library functions are
//! linked, and before LLVM simplifies, which would drop what is wrong, and before the vectorizer,
//! which makes the checks of several work-items one. A check that fails calls `__mux_check` with
//! the descriptor of its place (`ir::check::Site`): the vectorizer runs that block only if a lane
//! is in it, lane by lane. Each file here is a kind of check:
//!
//! - `bounds.rs`: accesses outside of the memory that their pointer was made from, read-only and
//!   write-only memory, freed memory, and alignment. `provenance.rs` finds that memory.
//! - `images.rs`: pixels outside of images. `texts.rs`: strings that `printf` is given.
//!   `vectors.rs`: elements that a vector does not have.
//! - `barriers.rs`: barriers that not all work-items of a group reach. `waiting.rs`: loops that
//!   wait for ever. `sub_groups.rs`: operations of sub-groups, a pass of its own (CheckSubGroups).
//! - `races.rs`: accesses of several work-items to the same memory that nothing orders.
//!   `sharing.rs` finds those that matter, `cells.rs` looks at those to local memory, `pixels.rs`
//!   at those to images, `copies.rs` says which asynchronous copies a group has waited for.
//! - `uninitialized.rs`: values that nobody has defined.
//! - `arithmetic.rs`: operations without a defined result, a pass of its own (CheckArithmetic).
//!
//! What a launch may prove to be right, by its ranges and arguments, is in one of two versions of
//! the kernel only (`versions.rs`).
//!
//! Needs the kernels marked (TransferKernelMetadata) and mux builtins (LowerToMuxBuiltins,
//! LinkBuiltins). Functions of the program, and those of the library that access memory or meet
//! other work-items, are inlined into the kernels first. Locations of instructions, if there are
//! any, say the lines.

mod accesses;
mod arithmetic;
mod barriers;
mod bounds;
mod cells;
mod copies;
mod images;
mod linear;
mod own_elements;
mod pixels;
mod provenance;
mod races;
mod sharing;
mod sites;
mod sub_groups;
mod texts;
mod uninitialized;
mod vectors;
mod versions;
mod waiting;

pub use arithmetic::CheckArithmetic;
pub(crate) use barriers::is_apart;
pub use sub_groups::CheckSubGroups;

use crate::{Options, Pass, PassContext, PassError, Registry, is_image_function, wrap};
use analysis::Preserved;
use cells::CELLS;
use ir::address_space::LOCAL;
use ir::check::Checks;
use ir::{Builtin, attributes, mangling, metadata};
use llvm::{Block, Builder, Function, Module, Opcode, Value};
use provenance::Provenance;
use sites::Sites;
use std::collections::HashSet;

#[derive(Clone, Copy, Debug, Default)]
pub struct CheckKernels {
    pub checks: Checks,
    /// The work-group is the only sub-group of kernels that use sub-groups, whose operations are
    /// then those of the work-group.
    pub degenerate: bool,
}

impl From<Checks> for CheckKernels {
    fn from(checks: Checks) -> Self {
        CheckKernels { checks, degenerate: false }
    }
}

pub(crate) fn register(registry: &mut Registry) {
    let summary = "make kernels look for their mistakes: bounds, alignment, …";
    arithmetic::register(registry);
    sub_groups::register(registry);
    registry.register("check-kernels", summary, |options| {
        let mut names = Vec::new();
        for name in Checks::ALL.names() {
            if options.flag(name)? {
                names.push(name);
            }
        }
        let degenerate = options.flag("degenerate")?;
        Ok(CheckKernels { checks: Checks::from_names(names), degenerate })
    });
}

impl Pass for CheckKernels {
    fn name(&self) -> &'static str {
        "check-kernels"
    }

    fn options(&self) -> Options {
        Checks::ALL
            .names()
            .fold(Options::default().with_flag("degenerate", self.degenerate), |options, name| {
                options.with_flag(name, self.checks.has(Checks::from_names([name])))
            })
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let module = cx.module;
        let kernels = wrap::entry_points(module);
        if kernels.is_empty() || self.checks.is_none() {
            return Ok(Preserved::All);
        }
        let undefined = self.checks.has(Checks::UNINITIALIZED);
        let mut narrow = HashSet::new();
        let is_narrow = |i: &Value| metadata::has_narrow_scope(module.context(), *i);
        for kernel in &kernels {
            narrow.extend(inline_all(module, *kernel)?);
            gather_variables(*kernel);
            narrow.extend(kernel.instructions().into_iter().filter(is_narrow));
            attributes::set_checks(*kernel, self.checks);
            if undefined {
                uninitialized::mark_variables(module, *kernel);
            }
        }
        // Pointers in variables become values, whose origin can be followed.
        module.run_passes("function(mem2reg)", cx.machine).map_err(PassError::new)?;
        module.globals().into_iter().for_each(|global| llvm::Value::from(global).expand_constant_users());
        let sites = Sites::new(module);
        for kernel in kernels {
            store_elements(module, kernel);
            let own: HashSet<Value> = kernel.instructions().into_iter().collect();
            let variables = bounds::variables_in_memory(kernel);
            if self.checks.has(Checks::BARRIERS) {
                waiting::check(cx, kernel, &sites);
                barriers::check(cx, kernel, &sites, self.degenerate);
            }
            let mut provenance = Provenance::new(module, kernel);
            let module: &Module = module;
            // Shadows are only accessed where the access itself is right.
            let tests = self.checks.has(Checks::BOUNDS) || self.checks.has(Checks::ALIGNMENT) || undefined;
            let bounds =
                tests.then(|| bounds::plan(module, kernel, &own, self.checks, &sites, &mut provenance));
            let races = self.checks.has(Checks::RACES);
            let races = races.then(|| races::Plan::new(module, kernel, &mut provenance, &narrow));
            // What has no mistakes of some kinds, as the launch says, runs without checks for them.
            let mut conditions: Vec<Value> = bounds.iter().filter_map(bounds::Plan::safe).collect();
            conditions.extend(races.iter().flat_map(|races| races.quiet(module, kernel)));
            if undefined {
                conditions.extend(uninitialized::quiet(module, kernel, &mut provenance));
            }
            let condition = versions::all(module, kernel, &own, &conditions);
            let quiet = condition.map(|condition| versions::add(module, kernel, &own, condition));
            let told = bounds
                .map(|bounds| bounds.finish(module, kernel, &mut provenance, quiet.as_ref()))
                .unwrap_or_default();
            if self.checks.has(Checks::BOUNDS) {
                images::check(module, kernel, &sites);
                texts::check(module, kernel, &sites, &mut provenance);
            }
            if let Some(races) = races {
                let quiet = quiet.as_ref();
                races::check(module, kernel, races, quiet, &sites, &mut provenance, &narrow);
            }
            if undefined {
                uninitialized::check(module, kernel, (own, told), quiet.as_ref(), &sites, &mut provenance);
            }
            if self.checks.has(Checks::BOUNDS) {
                vectors::check(module, kernel, &sites);
                bounds::separate(module, &variables);
            }
        }
        uninitialized::remove_markers(module);
        Ok(Preserved::None)
    }
}

/// Makes ready what checks keep of a work-group, where it begins. `params` are those of
/// the function that runs the work-group.
pub(crate) fn begin_group(module: &Module, b: &Builder, kernel: Function, params: &[Value]) {
    let checks = attributes::checks(kernel);
    if attributes::has_divergent_barriers(kernel) {
        barriers::begin_group(module, b, kernel);
    }
    if !checks.has(Checks::UNINITIALIZED) && !checks.has(Checks::RACES) {
        return;
    }
    let is_local = |p: &Value| p.ty().is_ptr() && p.ty().address_space() == LOCAL;
    let asks = params.iter().any(is_local) || module.globals().iter().any(|g| g.name().ends_with(CELLS));
    let record = match asks {
        true => b.call(Builtin::CheckRecord.declare(module), &[], "check.record"),
        false => module.context().ptr(0).zero(),
    };
    if checks.has(Checks::UNINITIALIZED) {
        uninitialized::begin_group(module, b, kernel, params, record);
    }
    if checks.has(Checks::RACES) && asks {
        cells::begin_group(module, b, kernel, params, record);
    }
}

/// Inlines into a kernel what can access memory or meet other work-items: functions of the program,
/// and functions of the library that take pointers or are convergent; and those whose results do
/// not depend on all of their operands, element by element. The result are the atomics whose scope
/// is the work-group or less.
fn inline_all(module: &Module, kernel: Function) -> Result<HashSet<Value>, PassError> {
    let takes_some = |f: Function| {
        let name = f.name();
        let plain = mangling::demangle(&name).map_or("", |(plain, _)| plain);
        matches!(plain, "shuffle" | "shuffle2" | "cross" | "select" | "bitselect" | "any" | "all")
    };
    let is_wanted = |f: Function| {
        !f.is_declaration()
            && !is_image_function(f)
            && (f.has_subprogram()
                || !f.has_flag("noinline")
                    && (f.has_flag("convergent")
                        || takes_some(f)
                        || f.function_type().params().iter().any(|param| param.is_ptr())))
    };
    let is_atomic = |i: &Value| i.is_atomic() && i.opcode() != Some(Opcode::LLVMFence);
    // Calls whose atomics have a narrow scope.
    let mut narrow: HashSet<Value> = HashSet::new();
    let mut found = HashSet::new();
    loop {
        let call = kernel.instructions().into_iter().find(|i| i.called_function().is_some_and(is_wanted));
        let Some(call) = call else { return Ok(found) };
        if access_three(module, call) {
            continue;
        }
        let is_narrow = narrow.remove(&call) || has_narrow_scope(call);
        let before: HashSet<Value> =
            if is_narrow { kernel.instructions().into_iter().collect() } else { HashSet::new() };
        Function::inline(call)
            .map_err(|why| PassError::at(call, format!("the call cannot be inlined: {why}")))?;
        for i in kernel.instructions().into_iter().filter(|i| is_narrow && !before.contains(i)) {
            if is_atomic(&i) {
                found.insert(i);
            } else if i.called_function().is_some_and(is_wanted) {
                narrow.insert(i);
            }
        }
    }
}

/// Moves the variables of the kernel's first block to its start: those after the copy of an
/// argument would be split off from it, and count as memory of unknown size.
fn gather_variables(kernel: Function) {
    let entry = kernel.entry().instructions();
    let Some(first) = entry.iter().copied().find(|i| !i.is_alloca()) else { return };
    let is_variable = |i: &Value| i.is_alloca() && i.operand(0).is_constant();
    let later = entry.into_iter().skip_while(|i| *i != first).filter(is_variable);
    later.for_each(|variable| variable.move_before(first));
}

/// Makes a call of `vload3`, `vstore3` or their kin for halves, which the library does element by
/// element, one access; false if it is none. Halves are rounded to the nearest only.
fn access_three(module: &Module, call: Value) -> bool {
    let context = module.context();
    let name = call.called_function().map(|f| f.name()).unwrap_or_default();
    let plain = mangling::demangle(&name).map_or("", |(plain, _)| plain);
    let args = call.call_args();
    let (vector, value, [offset, pointer]) = match args.as_slice() {
        [offset, pointer] => (call.ty(), None, [*offset, *pointer]),
        [value, offset, pointer] => (value.ty(), Some(*value), [*offset, *pointer]),
        _ => return false,
    };
    if !vector.is_vector() || vector.len() != 3 {
        return false;
    }
    let (element, stride) = match (plain, value) {
        ("vload3", None) | ("vstore3", Some(_)) => (vector.element(), 3),
        ("vload_half3", None) | ("vstore_half3" | "vstore_half3_rte", Some(_)) => (context.half(), 3),
        ("vloada_half3", None) | ("vstorea_half3" | "vstorea_half3_rte", Some(_)) => (context.half(), 4),
        _ => return false,
    };
    let b = Builder::before(context, call);
    let first = b.mul(offset, offset.ty().const_int(stride), "");
    let at = b.gep_anywhere(element, pointer, &[first], "");
    let memory = element.vector(3);
    let is_converted = element != vector.element();
    let access = match value {
        Some(value) if is_converted => b.store(b.cast(Opcode::LLVMFPTrunc, value, memory, ""), at),
        Some(value) => b.store(value, at),
        None => b.load(memory, at, &call.name()),
    };
    access.set_alignment(module.align_of(element));
    if value.is_none() {
        let loaded = if is_converted { b.cast(Opcode::LLVMFPExt, access, vector, "") } else { access };
        call.replace_all_uses_with(loaded);
    }
    call.erase();
    true
}

/// Makes `v.x = 1` and `v.yw = u`, for which clang loads, changes and stores the whole vector,
/// stores of the elements.
fn store_elements(module: &Module, kernel: Function) {
    let context = module.context();
    for store in kernel.instructions().into_iter().filter(|i| i.is_store() && !i.is_volatile()) {
        let (value, pointer) = (store.operand(0), store.operand(1));
        let is_change = matches!(value.opcode(), Some(Opcode::LLVMInsertElement | Opcode::LLVMShuffleVector));
        if !is_change || !value.is_instruction() {
            continue;
        }
        let load = value.operand(0);
        let alone = |v: Value| v.users().len() == 1;
        let same = load.is_load() && load.operand(0) == pointer && load.block() == store.block();
        let element = value.ty().element();
        if !same || !alone(value) || !alone(load) || !element.is_int() && !element.is_float() {
            continue;
        }
        let b = Builder::before(context, store);
        let elements: Vec<(Value, Value)> = match value.opcode() {
            Some(Opcode::LLVMInsertElement) => vec![(value.operand(2), value.operand(1))],
            _ => {
                let mask = value.shuffle_mask();
                let count = mask.len() as i32;
                let is_own = |(i, from): (usize, &i32)| *from == i as i32 || *from >= count;
                if load.ty() != value.ty() || !mask.iter().enumerate().all(is_own) {
                    continue;
                }
                let changed = mask.iter().enumerate().filter(|(_, from)| **from >= count);
                let new = |from: i32| b.extract_element(value.operand(1), b.i32((from - count) as u32), "");
                changed.map(|(i, from)| (b.i64(i as u64), new(*from))).collect()
            }
        };
        for (index, element) in elements {
            let at = b.gep_anywhere(element.ty(), pointer, &[index], "");
            b.store(element, at).set_alignment(module.align_of(element.ty()));
        }
        [store, value, load].into_iter().for_each(Value::erase);
    }
}

/// Whether a call of an atomic function of the library names a scope of the work-group or less.
fn has_narrow_scope(call: Value) -> bool {
    /// OpenCL C's `memory_scope_work_item`, `memory_scope_work_group`, `memory_scope_sub_group`.
    const NARROW: [u64; 3] = [0, 1, 4];
    let is_scoped = call.called_function().is_some_and(|f| f.name().ends_with("12memory_scope"));
    let scope = call.call_args().last().and_then(|scope| scope.as_const_int());
    is_scoped && scope.is_some_and(|scope| NARROW.contains(&scope))
}

/// A builder in a new block that runs under a condition, before `next`; its code is of the place
/// `at`.
fn under(module: &Module, at: Value, next: Value, condition: Value, name: &str) -> Builder {
    let context = module.context();
    let before = next.block().expect("an instruction is in a block");
    let after = Block::split_before(next, "check.on");
    let inside = before.function().append_block(name);
    inside.move_before(after);
    before.terminator().expect("the block was split").erase();
    let b = Builder::at_end(context, before);
    b.set_place_of(at);
    b.cond_br(condition, inside, after);
    let b = Builder::at_end(context, inside);
    b.set_place_of(at);
    let jump = b.br(after);
    b.position_before(jump);
    b.set_place_of(at);
    b
}

/// The name of a kernel as its source has it.
fn kernel_name(kernel: Function) -> String {
    attributes::orig_fn_name(kernel)
}
