//! WorkItemLoops: runs all work-items of a work-group in loops, region by region between barriers.
//!
//! ```text
//! define spir_kernel void @k() {            define void @k.mux-barrier-wrapper() {
//!   A                                         for z, y, x: r = k.mux-barrier-region.0(…)   ; A
//!   call @__mux_work_group_barrier(…)   →     call @__mux_mem_barrier(…)
//!   B                                         for z, y, x: r = k.mux-barrier-region.1(…)   ; B
//! }                                         }
//! ```
//!
//! A kernel without barriers is called in one loop nest. One with barriers, or with more private
//! arrays than fit the stack (`private_memory.rs`), is cut into regions, from the entry or a
//! barrier to the next barrier or return (`regions.rs`); each returns the number of the next
//! region, which is uniform. The kernel itself stays in the module, as an internal function, until
//! a target drops it (`globaldce`). Values that are live across barriers are stored in memory of
//! the work-group, per work-item or once if they are uniform (`live_values.rs`, `live_memory.rs`),
//! or rematerialized (`rematerialization.rs`). Collective operations are barriers at which the
//! loop combines the work-items' values (`collectives.rs`). Where only the work-items in a range of
//! IDs have an effect, as after `if (lid < d)`, the loops are clipped to that range (`clip.rs`,
//! `active_ranges.rs`, `bounds.rs`). Where one sub-group may wait for another, they take turns
//! (`forward_progress.rs`). Work-items that return before a barrier are not run after it
//! (`leavers.rs`).
//!
//! Needs the kernels marked (TransferKernelMetadata) and, if there are barriers, PrepareBarriers.
//! Afterwards the kernel runs once per work-group, and its local ID is state
//! (`__mux_set_local_id`): LLVM's passes must not run before DefineMuxBuiltins has made it memory.
//! Other functions are preserved.

mod active_ranges;
mod bounds;
mod clip;
mod collectives;
mod debug_records;
mod forward_progress;
mod leavers;
mod live_memory;
mod live_values;
mod loops;
mod materializer;
mod regions;
mod rematerialization;

use crate::prepare_barriers::{callers_of, is_work_group_barrier};
use crate::private_memory;
use crate::wrap::{self, KernelWrapper};
use crate::{Options, Pass, PassContext, PassError, Registry, Remarks};
use active_ranges::ActiveRanges;
use analysis::{Preserved, Uniformity};
use clip::Clipper;
use collectives::Collectives;
use ir::Builtin;
use ir::attributes::{self, BarrierSchedule, WorkItemOrder};
use ir::metadata::{self, Vectorization, WrapperLoops};
use live_memory::LiveMemory;
use llvm::{Block, Builder, Function, IntPredicate, Module, Value, Width};
use loops::{LocalSizes, Nest, Strip};
use regions::Regions;

#[derive(Clone, Copy, Debug, Default)]
pub struct WorkItemLoops {
    /// Keep source variables in memory where a debugger finds them.
    pub debug: bool,
    /// The local size is a multiple of every kernel's vector width: there is no tail.
    pub force_no_tail: bool,
}

pub(crate) fn register(registry: &mut Registry) {
    registry.register("work-item-loops", "run the work-items of a work-group in loops", |options| {
        Ok(WorkItemLoops { debug: options.flag("debug")?, force_no_tail: options.flag("force-no-tail")? })
    });
}

impl Pass for WorkItemLoops {
    fn name(&self) -> &'static str {
        "work-item-loops"
    }

    fn options(&self) -> Options {
        Options::default().with_flag("debug", self.debug).with_flag("force-no-tail", self.force_no_tail)
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        let with_barriers = callers_of(cx.module, is_work_group_barrier);
        for kernel in wrap::entry_points(cx.module) {
            if !kernel.return_type().is_void() {
                return Err(PassError::in_function(kernel, "a kernel must return void"));
            }
            for call in kernel.instructions() {
                if call.called_function().is_some_and(|f| with_barriers.contains(&f)) {
                    let message = "a barrier is inside of a called function; run prepare-barriers first";
                    return Err(PassError::at(call, message));
                }
            }
            check_sub_group_size(cx.module, kernel)?;
            let independent = forward_progress::is_wanted(kernel);
            let parts = self.parts(cx.module, kernel);
            if self.debug {
                parts.iter().for_each(|part| note_global_id(cx.module, part.kernel));
            }
            let beyond_stack =
                || parts.iter().any(|p| !private_memory::beyond_stack(cx.module, p.kernel).is_empty());
            if independent || with_barriers.contains(&kernel) || beyond_stack() {
                self.wrap_regions(cx, kernel, independent)?;
            } else {
                self.wrap_plain(cx, kernel);
            }
        }
        local_ids_become_state(cx.module);
        Ok(Preserved::None)
    }
}

/// Refuses a kernel that requires sub-groups of several work-items but was not vectorized: the
/// sub-groups of scalar code have one.
fn check_sub_group_size(module: &Module, kernel: Function) -> Result<(), PassError> {
    let Some(size) = metadata::reqd_sub_group_size(module, kernel) else { return Ok(()) };
    let width = metadata::vectorization(module, kernel).map_or(Width::ONE, |how| how.width);
    if Width::fixed(size) == width {
        return Ok(());
    }
    let why = match metadata::vectorization_failures(module, kernel).pop() {
        Some(why) => format!(": {why}"),
        None => String::new(),
    };
    let message =
        format!("the kernel requires sub-groups of {size}, but has no code for vectors of that size{why}");
    Err(PassError::in_function(kernel, message))
}

/// From now on the local ID changes while a function runs, so queries that depend on it may not be
/// moved.
fn local_ids_become_state(module: &Module) {
    use Builtin::*;
    for builtin in
        [GetLocalId, GetGlobalId, GetLocalLinearId, GetGlobalLinearId, GetSubGroupId, GetSubGroupLocalId]
    {
        if let Some(f) = module.function(&builtin.name()) {
            f.remove_flag("memory");
            f.uses().calls.iter().for_each(|call| call.remove_call_flag("memory"));
        }
    }
}

/// Keeps the global ID of the work-item, or of the first one of a vector, in a variable
/// `__global_id`, which debuggers can show: they cannot call `get_global_id`.
fn note_global_id(module: &Module, kernel: Function) {
    let first = kernel.entry().instructions().into_iter().find(|i| !i.is_alloca());
    let Some(first) = first.filter(|_| kernel.has_subprogram()) else { return };
    let b = Builder::before(module.context(), first);
    let (size, context) = (module.size_type(), module.context());
    let ids = b.alloca(context.i64().array(3), 0, "__global_id");
    for d in 0..3 {
        let id = b.call(Builtin::GetGlobalId.declare(module), &[b.i32(d)], "");
        let id = b.int_cast(id, context.i64(), "");
        // Volatile: nothing reads it, and the optimizer would drop it.
        b.store(id, b.gep(context.i64(), ids, &[size.const_int(d.into())], "")).set_volatile();
    }
    // A breakpoint at the kernel's first line comes after all three.
    first.fix_order_here();
    ids.declare_array("__global_id", 3);
    kernel.fill_debug_locations();
}

/// Keeps the code of a work-item from being inlined into the loops around it, which may be unrolled
/// and vectorized: a debugger stops in only one of several copies of a line in one function.
fn keep_apart(f: Function) {
    f.remove_flag("alwaysinline");
    f.set_flag("noinline");
}

/// A version of a kernel, and the work-items it runs.
struct Part {
    kernel: Function,
    strip: Strip,
}

/// The metadata of the wrapper about the versions that it calls.
fn loops_of(module: &Module, parts: &[Part]) -> WrapperLoops {
    let how = |part: &Part| metadata::vectorization(module, part.kernel).unwrap_or(Vectorization::SCALAR);
    WrapperLoops { main: how(&parts[0]), tail: parts.get(1).map(how) }
}

/// Makes the versions of a kernel that no wrapper calls internal functions.
fn demote_versions(module: &Module, entry: Function) {
    let Some(base) = metadata::scalar_kernel(module, entry) else { return };
    let mut wanted = false;
    for (_, version) in metadata::vectorized_to(module, base).into_iter().filter(|(_, v)| *v != entry) {
        // Another entry point, which is wrapped later, may need this version, too.
        if attributes::is_kernel_entry_point(version) {
            wanted = true;
        } else {
            wrap::demote(version);
        }
    }
    if !wanted {
        wrap::demote(base);
    }
}

/// Whether vectors go on from row to row of the work-group.
fn is_linear(module: &Module, entry: Function) -> bool {
    metadata::vectorization(module, entry).is_some_and(|how| how.dimension == Vectorization::LINEAR)
}

/// The loops around an entry point. The dimension that is vectorized is innermost.
fn nest_of(module: &Module, entry: Function) -> Nest {
    if is_linear(module, entry) {
        return Nest { order: WorkItemOrder::default(), dims: 1 };
    }
    let order = attributes::work_item_order(entry);
    let dims = metadata::max_work_dim(module, entry);
    Nest { order: vectorized_innermost(module, entry, order), dims }
}

/// An order of the loops, but with the dimension that is vectorized as the innermost one.
fn vectorized_innermost(module: &Module, entry: Function, order: WorkItemOrder) -> WorkItemOrder {
    let along = metadata::vectorization(module, entry).map(|how| how.dimension);
    let Some(inner) = along.filter(|d| *d != Vectorization::LINEAR) else { return order };
    let outer: Vec<u32> = order.0.into_iter().filter(|d| *d != inner).collect();
    WorkItemOrder([inner, outer[0], outer[1]])
}

/// Refuses barrier schedules that a vector version of a kernel cannot keep.
fn check_schedules(
    module: &Module,
    version: Function,
    regions: &Regions,
    linear_entry: bool,
) -> Result<(), PassError> {
    let Some(how) = metadata::vectorization(module, version) else { return Ok(()) };
    let has = |schedule| regions.barriers.iter().any(|b| b.schedule == schedule);
    if has(BarrierSchedule::Once) {
        let message = "what follows a barrier runs once for the work-group: there can be no vector code";
        return Err(PassError::in_function(version, message));
    }
    let is_linear = || wrap::is_linear_along(module, version, how.dimension);
    if (linear_entry || has(BarrierSchedule::Linear)) && !is_linear() {
        let message = "work-items run in linear order after a barrier, but the vectors are not along x";
        return Err(PassError::in_function(version, message));
    }
    Ok(())
}

/// The sizes of the loops around an entry point. A kernel in linear order has one loop.
fn sizes_of(module: &Module, b: &Builder, entry: Function) -> LocalSizes {
    let sizes = LocalSizes::query(module, b);
    if !is_linear(module, entry) {
        return sizes;
    }
    let [x, y, z] = sizes.0;
    let one = module.size_type().const_int(1);
    LocalSizes([b.mul(b.mul(x, y, ""), z, "size"), one, one])
}

impl WorkItemLoops {
    /// The versions of an entry point: itself, if it is scalar. A vectorized kernel runs the main
    /// loop, and the tail is left to its predicated version, if there is one, or to the scalar
    /// kernel.
    fn parts(&self, module: &Module, entry: Function) -> Vec<Part> {
        let Some(how) = metadata::vectorization(module, entry) else {
            return vec![Part { kernel: entry, strip: Strip::All }];
        };
        let width = how.width;
        if how.predicated {
            return vec![Part { kernel: entry, strip: Strip::Predicated { width } }];
        }
        let along = |size: [u64; 3]| match how.dimension {
            Vectorization::LINEAR => size.iter().product(),
            d => size[d as usize],
        };
        let only = vec![Part { kernel: entry, strip: Strip::Main { width, tail: false } }];
        // A target that has dropped the scalar kernel knows that there is no tail.
        let Some(base) = metadata::scalar_kernel(module, entry) else { return only };
        // A group-agnostic kernel runs in work-groups of another size than its metadata says.
        let size =
            metadata::reqd_work_group_size(module, entry).filter(|_| !attributes::is_group_agnostic(base));
        let fits = |items: u64| width.known().is_some_and(|width| items.is_multiple_of(width.into()));
        let exact = size.is_some_and(|s| fits(along(s)));
        if exact || self.force_no_tail {
            return only;
        }
        let sister = Vectorization { predicated: true, ..how };
        let versions = metadata::vectorized_to(module, base);
        let rest = match versions.into_iter().find(|(how, _)| *how == sister) {
            Some((_, kernel)) => Part { kernel, strip: Strip::PredicatedTail { width } },
            None => Part { kernel: base, strip: Strip::Tail { width } },
        };
        vec![Part { kernel: entry, strip: Strip::Main { width, tail: true } }, rest]
    }

    /// One loop nest around a kernel without barriers.
    fn wrap_plain(&self, cx: &PassContext<'_>, entry: Function) {
        let module = cx.module;
        let shape = nest_of(module, entry);
        let parts = self.parts(module, entry);
        let wrapper = KernelWrapper::with_same_params(module, entry, ".mux-barrier-wrapper");
        let b = Builder::at_end(module.context(), wrapper.function.append_block("entry"));
        crate::checks::begin_group(module, &b, entry, &wrapper.params());
        let sizes = sizes_of(module, &b, entry);
        let strips: Vec<Strip> = parts.iter().map(|p| p.strip).collect();
        metadata::set_wrapper_loops(module, wrapper.function, loops_of(module, &parts));
        let ranges: Vec<Option<ActiveRanges>> =
            parts.iter().map(|p| if self.debug { None } else { ActiveRanges::of(p.kernel, None) }).collect();
        let called = |part: usize| {
            let values = parts[part].kernel.params().into_iter().zip(wrapper.params()).collect();
            (ranges[part].as_ref(), values)
        };
        let clipper = Clipper { module, entry, shape, strips: &strips, remarks: cx.remarks };
        let work = clipper.clip(&b, &sizes, called);
        loops::nest(module, &b, &sizes, shape, "", &work, |b, part, _| {
            b.call(parts[part].kernel, &wrapper.params(), "");
        });
        b.ret_void();
        wrapper.function.fill_debug_locations();
        demote_versions(module, entry);
        if self.debug {
            parts.iter().for_each(|part| keep_apart(part.kernel));
        }
    }

    /// Splits a copy of one version of a kernel into regions.
    fn version(
        &self,
        cx: &mut PassContext<'_>,
        Part { kernel, strip }: Part,
        independent: bool,
    ) -> Result<Version, PassError> {
        let module = cx.module;
        let kernel = regions::copy(module, kernel);
        if independent {
            forward_progress::take_turns(cx, kernel);
        }
        let (collectives, linear_entry) = Collectives::expand(module, kernel, independent)?;
        let mut regions = Regions::split(kernel)?;
        check_schedules(module, kernel, &regions, linear_entry)?;
        cx.analyses.forget(kernel);
        let uniformity = cx.analysis::<Uniformity>(kernel);
        regions.clone_bodies(module, !collectives.is_empty());
        // Sub-groups in different regions do not share uniform values.
        let shared = (!independent).then_some(&*uniformity);
        let leaves = leavers::may_leave(&regions, &uniformity);
        let live = live_values::connect(module, &mut regions, shared, independent || leaves, self.debug)?;
        cx.analyses.forget(kernel);
        let own = kernel.params().len() as u32;
        for region in &regions.functions {
            collectives.lower(module, region.function, own);
            if self.debug {
                keep_apart(region.function);
            }
        }
        let ranges_of = |region: &regions::Region| {
            ActiveRanges::of(region.function, region.function.params().last().copied())
        };
        // Each work-item has to say whether it leaves.
        let ranges = match self.debug || leaves {
            true => regions.functions.iter().map(|_| None).collect(),
            false => regions.functions.iter().map(ranges_of).collect(),
        };
        Ok(Version { regions, ranges, linear_entry, collectives, live, strip })
    }

    /// Loops around each region of a kernel with barriers; or, if sub-groups are `independent`,
    /// turns for each of them.
    fn wrap_regions(
        &self,
        cx: &mut PassContext<'_>,
        entry: Function,
        independent: bool,
    ) -> Result<(), PassError> {
        let module = cx.module;
        let shape = nest_of(module, entry);
        let mut versions = Vec::new();
        let parts = self.parts(module, entry);
        let loops = loops_of(module, &parts);
        for part in parts {
            // Errors name the kernel, not the copy that is split.
            let name = part.kernel.name();
            let version = self.version(cx, part, independent);
            versions.push(version.map_err(|e| PassError { function: e.function.and(Some(name)), ..e })?);
        }
        let differ = |v: &Version| {
            v.regions.ids() != versions[0].regions.ids() || v.collectives != versions[0].collectives
        };
        if versions[1..].iter().any(differ) {
            return Err(PassError::in_function(
                entry,
                "the versions of the kernel do not have the same barriers",
            ));
        }

        let wrapper = KernelWrapper::with_same_params(module, entry, ".mux-barrier-wrapper");
        metadata::set_wrapper_loops(module, wrapper.function, loops);
        let has_barriers = versions[0].regions.len() > 1;
        for i in (0..entry.params().len() as u32).filter(|_| has_barriers) {
            // `restrict` holds for one work-item: after a barrier another one may access the same
            // memory.
            wrapper.function.remove_param_flag(i, "noalias");
        }
        let size = metadata::reqd_work_group_size(module, entry).map(|size| match is_linear(module, entry) {
            true => [size.iter().product(), 1, 1],
            false => size,
        });
        attributes::set_live_mem_usage(wrapper.function, usage(&versions, shape.order.0[0], size));
        let wrapper = Wrapper { module, entry, wrapper, versions, shape, remarks: cx.remarks };
        if independent {
            wrapper.emit_turns();
        } else {
            wrapper.emit();
        }
        wrapper.versions.iter().for_each(|version| version.regions.kernel.erase());
        demote_versions(module, entry);
        Ok(())
    }
}

/// The live memory of all versions together, for a work-group of this size or of any. Each
/// work-item is run by one of the versions. A vector of a predicated version may hold a single
/// work-item.
fn usage(versions: &[Version], inner: u32, size: Option<[u64; 3]>) -> attributes::LiveMemory {
    /// `__mux_alloc_work_group_memory` rounds each block up. `LiveMemory` stands for two blocks;
    /// each further version has two of its own.
    const ROUNDING: u64 = 2 * ir::WORK_GROUP_MEMORY_ALIGN;
    let mut total = attributes::LiveMemory::default();
    for (i, version) in versions.iter().enumerate() {
        let own = version.live.usage();
        total.per_group += own.per_group + if i > 0 { ROUNDING } else { 0 };
        total.scalable_per_group += own.scalable_per_group;
        match (size, version.strip) {
            (Some(size), strip) => {
                let calls = strip.most_calls(size, inner);
                total.per_group += own.per_item * calls;
                total.scalable_per_group += own.scalable_per_item * calls;
            }
            // Where `vscale` is large, there are fewer vectors.
            (None, Strip::Main { width, .. }) => {
                let all = own.per_item + own.scalable_per_item;
                total.per_item = total.per_item.max(all.div_ceil(width.lanes.into()));
            }
            (None, _) => {
                total.per_item = total.per_item.max(own.per_item);
                total.scalable_per_item = total.scalable_per_item.max(own.scalable_per_item);
            }
        }
    }
    total
}

/// One version of a kernel with barriers.
struct Version {
    regions: Regions,
    /// For each region, the work-items that may be active in it.
    ranges: Vec<Option<ActiveRanges>>,
    /// The region at the kernel's entry runs in linear order.
    linear_entry: bool,
    collectives: Collectives,
    live: LiveMemory,
    strip: Strip,
}

/// The body of the wrapper of a kernel with barriers.
struct Wrapper<'a> {
    module: &'a Module,
    entry: Function,
    wrapper: KernelWrapper,
    versions: Vec<Version>,
    shape: Nest,
    remarks: &'a Remarks,
}

impl Wrapper<'_> {
    fn emit(&self) {
        let context = self.module.context();
        let function = self.wrapper.function;
        let b = Builder::at_end(context, function.append_block("entry"));
        crate::checks::begin_group(self.module, &b, self.entry, &self.wrapper.params());
        let sizes = sizes_of(self.module, &b, self.entry);
        let inner = self.shape.order.0[0];
        let memory: Vec<live_memory::Memory> = self
            .versions
            .iter()
            .map(|v| v.live.allocate(self.module, &b, || v.strip.calls(self.module, &b, &sizes, inner)))
            .collect();
        let collectives = self.collectives().allocate(self.module, &b);
        // With several versions, the one that ran last says which region comes next; work-items
        // that left do not.
        let several = self.versions.len() > 1 || self.some_may_leave();
        let next = several.then(|| b.alloca(context.i32(), 0, "next"));

        let exit = function.append_block("exit");
        let starts: Vec<Block> =
            (0..self.regions().len()).map(|r| function.append_block(&format!("region.{r}"))).collect();
        b.br(starts[0]);
        let move_to_end = |block: Block| {
            if let Some(last) = function.blocks().last().filter(|last| **last != block) {
                block.move_after(*last);
            }
        };
        for (r, start) in starts.iter().enumerate() {
            move_to_end(*start);
            b.position_at_end(*start);
            self.fence(&b, r);
            self.finish_collective(&b, r, collectives);
            self.start_collectives(&b, r, collectives);
            for (version, memory) in self.versions.iter().zip(&memory) {
                version.live.begin(self.module, &b, *memory, r);
            }
            let next = self.run_region(&b, r, &sizes, &memory, collectives, next);
            for (version, memory) in self.versions.iter().zip(&memory) {
                version.live.end(self.module, &b, *memory, r);
            }
            if attributes::has_divergent_barriers(self.entry) {
                self.end_if_apart(&b, exit);
            }
            self.leave_region(&b, r, next, &starts, exit);
        }
        move_to_end(exit);
        b.position_at_end(exit);
        b.ret_void();
        function.fill_debug_locations();
    }

    /// Whether work-items may leave before the others come to a barrier.
    fn some_may_leave(&self) -> bool {
        self.versions.iter().any(|v| v.live.next.is_some())
    }

    /// The regions of the first version; all have the same barriers.
    fn regions(&self) -> &Regions {
        &self.versions[0].regions
    }

    /// The collectives of the first version; all have the same.
    fn collectives(&self) -> &Collectives {
        &self.versions[0].collectives
    }

    /// The IDs of the barriers that may end a region.
    fn ends(&self, region: usize) -> impl Iterator<Item = u64> {
        let nexts = self.regions().functions[region].nexts.iter().filter(|n| **n != regions::RETURN);
        nexts.map(|n| self.regions().barriers[*n as usize - 1].id)
    }

    /// Initializes the accumulators of the collectives at which a region may end.
    fn start_collectives(&self, b: &Builder, region: usize, memory: Option<Value>) {
        if let Some(memory) = memory {
            self.ends(region).for_each(|id| self.collectives().start(self.module, b, memory, id));
        }
    }

    /// Makes the result of a collective available to the region after it.
    fn finish_collective(&self, b: &Builder, region: usize, memory: Option<Value>) {
        if let (Some(memory), Some(before)) = (memory, region.checked_sub(1)) {
            self.collectives().finish(self.module, b, memory, self.regions().barriers[before].id);
        }
    }

    /// Writes the memory fence of the barrier before a region: all that is left of the barrier.
    fn fence(&self, b: &Builder, region: usize) {
        if let Some(barrier) = region.checked_sub(1).map(|i| &self.regions().barriers[i]) {
            b.call(Builtin::MemBarrier.declare(self.module), &[barrier.scope, barrier.semantics], "");
        }
    }

    /// The schedule of the barrier before a region, in each version of the kernel.
    fn schedules(&self, region: usize) -> impl Iterator<Item = BarrierSchedule> {
        let barrier = region.checked_sub(1);
        self.versions.iter().filter_map(move |v| Some(v.regions.barriers[barrier?].schedule))
    }

    fn schedule(&self, region: usize) -> BarrierSchedule {
        self.schedules(region).next().unwrap_or_default()
    }

    /// The loops over a region, in the order that it needs.
    fn shape_of(&self, region: usize) -> Nest {
        let linear = match region {
            0 => self.versions.iter().any(|v| v.linear_entry),
            _ => self.schedules(region).any(|s| s == BarrierSchedule::Linear),
        };
        let order = match linear {
            true => vectorized_innermost(self.module, self.entry, WorkItemOrder::default()),
            false => self.shape.order,
        };
        Nest { order, ..self.shape }
    }

    /// Calls a region for each work-item. The result is the region that comes next, as the last
    /// work-item said.
    fn run_region(
        &self,
        b: &Builder,
        region: usize,
        sizes: &LocalSizes,
        memory: &[live_memory::Memory],
        collectives: Option<Value>,
        slot: Option<Value>,
    ) -> Value {
        let call = |b: &Builder, version: usize, item: Value| {
            let Version { regions, live, .. } = &self.versions[version];
            let mut args = self.wrapper.params();
            args.extend(collectives);
            args.extend(live.arguments(self.module, b, memory[version], item));
            let next = b.call(regions.functions[region].function, &args, "next");
            if self.versions[version].live.next.is_some() {
                b.store(next, self.next_of(b, memory[version], version, item));
            }
            if let Some(slot) = slot {
                let decided = if self.some_may_leave() {
                    let left = b.icmp(IntPredicate::LLVMIntEQ, next, b.i32(regions::RETURN), "left");
                    b.select(left, b.load(next.ty(), slot, ""), next, "")
                } else {
                    next
                };
                b.store(decided, slot);
            }
            next
        };
        if let Some(slot) = slot.filter(|_| self.some_may_leave()) {
            b.store(b.i32(regions::RETURN), slot);
        }
        match self.schedule(region) {
            BarrierSchedule::Once => {
                let zero = self.module.size_type().zero();
                loops::set_local_ids(self.module, b, [zero; 3]);
                call(b, 0, zero)
            }
            BarrierSchedule::Unordered | BarrierSchedule::Linear => {
                let shape = self.shape_of(region);
                let strips: Vec<Strip> = self.versions.iter().map(|v| v.strip).collect();
                let called = |version: usize| {
                    let Version { regions, ranges, live, .. } = &self.versions[version];
                    let params = regions.functions[region].function.params();
                    let group = params.last().map(|last| (*last, live.group_argument(memory[version])));
                    let values = params.iter().copied().zip(self.wrapper.params()).chain(group).collect();
                    (ranges[region].as_ref(), values)
                };
                let clipper = Clipper {
                    module: self.module,
                    entry: self.entry,
                    shape,
                    strips: &strips,
                    remarks: self.remarks,
                };
                let work = clipper.clip(b, sizes, called);
                let mut next = None;
                loops::nest(
                    self.module,
                    b,
                    sizes,
                    shape,
                    &format!(".{region}"),
                    &work,
                    |b, version, item| {
                        let after = self.skip_left(b, region, memory[version], version, item);
                        next = Some(call(b, version, item));
                        if let Some(after) = after {
                            b.br(after);
                            b.position_at_end(after);
                        }
                    },
                );
                match slot {
                    Some(slot) => b.load(self.module.context().i32(), slot, "next"),
                    None => next.expect("the loop has a body"),
                }
            }
        }
    }

    /// The address of the number of a call's next region.
    fn next_of(&self, b: &Builder, memory: live_memory::Memory, version: usize, item: Value) -> Value {
        let Version { live, .. } = &self.versions[version];
        let [own, _] = live.arguments(self.module, b, memory, item);
        let offset = live.next.expect("calls of this version keep what comes next");
        b.gep(b.context().i8(), own, &[self.module.size_type().const_int(offset)], "next.at")
    }

    /// Branches around the call of a region for a work-item that has left. The result is the block
    /// after the call.
    fn skip_left(
        &self,
        b: &Builder,
        region: usize,
        memory: live_memory::Memory,
        version: usize,
        item: Value,
    ) -> Option<Block> {
        if region == 0 || self.versions[version].live.next.is_none() {
            return None;
        }
        let at = self.next_of(b, memory, version, item);
        let left = b.icmp(
            IntPredicate::LLVMIntEQ,
            b.load(b.context().i32(), at, ""),
            b.i32(regions::RETURN),
            "left",
        );
        let [run, after] =
            ["run", "ran"].map(|n| self.wrapper.function.append_block(&format!("{n}.{region}")));
        b.cond_br(left, after, run);
        b.position_at_end(run);
        Some(after)
    }

    /// Ends the work-group if its work-items went different ways: in checked mode, where barriers
    /// are watched. What follows would run on values that nobody has kept.
    fn end_if_apart(&self, b: &Builder, exit: Block) {
        let on = self.wrapper.function.append_block("together");
        b.cond_br(crate::checks::is_apart(self.module, b, self.entry), exit, on);
        b.position_at_end(on);
    }

    /// Branches to the region that comes next.
    fn leave_region(&self, b: &Builder, region: usize, next: Value, starts: &[Block], exit: Block) {
        let mut nexts = self.regions().functions[region].nexts.clone();
        if self.some_may_leave() && !nexts.contains(&regions::RETURN) {
            // All may have left.
            nexts.insert(0, regions::RETURN);
        }
        let target = |id: u32| if id == regions::RETURN { exit } else { starts[id as usize] };
        match nexts.as_slice() {
            // The region has no successor: it never ends.
            [] => {
                b.unreachable();
            }
            [only] => {
                b.br(target(*only));
            }
            [first, rest @ ..] => {
                let cases: Vec<_> = rest.iter().map(|&id| (b.i32(id), target(id))).collect();
                b.switch(next, target(*first), &cases);
            }
        }
    }
}
