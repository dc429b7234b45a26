//! RunVecz: gives each kernel a vector version, which becomes the entry point.
//!
//! ```text
//! define spir_kernel void @k() #entry
//! ───►
//! define spir_kernel void @k() !codeplay_ca_vecz.base !0
//! define spir_kernel void @__vecz_v16_k() #entry !codeplay_ca_vecz.derived !1
//! ```
//!
//! The backend's [`Query`] gives a list of options for each kernel ([`VeczPassOptionsAnalysis`]),
//! of which the first that succeeds is taken. A kernel that cannot be vectorized stays the entry
//! point, with metadata for each attempt (`!codeplay_ca_vecz.base.fail`). Needs PrepareBarriers,
//! whose IDs the vector version keeps. Changes no other function.

use crate::options::{
    FixedRegisters, MOST_LANES, Mode, Query, VectorizationChoice, VeczPassOptions, VeczPassOptionsAnalysis,
    is_possible, uses_sub_groups,
};
use crate::remarks::KernelRemarks;
use crate::vector_unit::VectorUnit;
use crate::{Stopped, vectorize};
use analysis::{Analyses, Preserved};
use ir::attributes::{self, BarrierSchedule};
use ir::metadata::{self, Vectorization};
use ir::{Builtin, GroupScope, Width};
use llvm::{Function, Module};
use passes::{Options, Pass, PassContext, PassError, Registry, Remarks, entry_points};

#[derive(Clone, Debug)]
pub struct RunVecz {
    /// The backend's options for each kernel, and its vector unit.
    pub query: Query,
    /// The only kernel to vectorize; all of them if `None`.
    pub kernel: Option<String>,
}

pub fn register(registry: &mut Registry) {
    let summary = "vectorize kernels: width=N|nxvN[:N…];register-bytes=N;scalable;registers=N;\
        no-mask-registers;memory=NAME;linear;whole-vectors;only-required;mode=always|auto;\
        kernel=NAME;CHOICE;no-CHOICE";
    registry.register("run-vecz", summary, |options| {
        Ok(RunVecz { kernel: options.value("kernel")?, query: query(options)? })
    });
}

/// The query of a textual pipeline. Several widths are tried in turn. Without a width, a kernel has
/// as many lanes as a register of the described unit holds.
fn query(options: &mut Options) -> Result<Query, PassError> {
    if options.flag("custom-query")? {
        return Err("the target's query is a function, which has no text".to_owned().into());
    }
    let registers = FixedRegisters::take_from(options)?;
    let width = options.value("width")?;
    let widths = match &width {
        None => vec![None],
        Some(text) => {
            let width = |part: &str| match Width::parse(part) {
                Some(width) if is_possible(width) => Ok(Some(width)),
                _ => {
                    Err(format!("'{part}' is not a width from 2 to {MOST_LANES}, or nxv1 to nxv{MOST_LANES}"))
                }
            };
            text.split(':').map(width).collect::<Result<_, _>>()?
        }
    };
    let mut own_options = registers.options().with_value("width", width);
    let mut changes = Vec::new();
    for choice in VectorizationChoice::ALL {
        for (name, on) in [(choice.name().to_owned(), true), (format!("no-{}", choice.name()), false)] {
            if options.flag(&name)? {
                changes.push((choice, on));
                own_options = own_options.with_flag(&name, true);
            }
        }
    }
    let query = Query::new(registers.unit, move |module, kernel| {
        let ways_of = |&width| FixedRegisters { width, ..registers }.ways(module, kernel);
        let mut ways: Vec<VeczPassOptions> = widths.iter().filter_map(ways_of).flatten().collect();
        for way in &mut ways {
            for &(choice, on) in &changes {
                if on { way.choices.enable(choice) } else { way.choices.disable(choice) }
            }
        }
        Some(ways).filter(|ways| !ways.is_empty())
    });
    Ok(query.with_options(own_options))
}

impl Pass for RunVecz {
    fn name(&self) -> &'static str {
        "run-vecz"
    }

    fn options(&self) -> Options {
        self.query.options().with_value("kernel", self.kernel.as_ref())
    }

    fn provide(&self, analyses: &mut Analyses) {
        analyses.provide(VeczPassOptionsAnalysis { query: self.query.clone() });
    }

    fn run(&self, cx: &mut PassContext<'_>) -> Result<Preserved, PassError> {
        self.provide(cx.analyses);
        let options = cx.analyses.provided::<VeczPassOptionsAnalysis>();
        let is_wanted = |kernel: &Function| self.kernel.as_ref().is_none_or(|name| kernel.name() == *name);
        let kernels: Vec<Function> = entry_points(cx.module).into_iter().filter(is_wanted).collect();
        if let (Some(name), []) = (&self.kernel, kernels.as_slice()) {
            return Err(PassError::new(format!("the module defines no kernel '{name}'")));
        }
        for kernel in kernels {
            // Of the two versions that SplitLargeRanges makes, only the one for small ranges is
            // remarked on.
            let silent = Remarks::default();
            let told = if attributes::is_for_large_range(kernel) { &silent } else { cx.remarks };
            let remarks = KernelRemarks::new(told, cx.module, kernel);
            let ways = options.as_ref().and_then(|options| options.options(cx.module, kernel));
            // Sub-groups stay vectors, whose lanes arrive at barriers one by one.
            if attributes::has_divergent_barriers(kernel) && !uses_sub_groups(kernel) {
                remarks.stopped(None, &Stopped::new("work-items may miss a barrier, which is checked"));
                continue;
            }
            if attributes::has_messages(kernel) && !uses_sub_groups(kernel) {
                remarks.stopped(None, &Stopped::new("work-items send messages, which are checked"));
                continue;
            }
            let Some(ways) = ways else {
                remarks.stopped(None, &Stopped::new("the target or the options ask for no vector version"));
                continue;
            };
            for (i, way) in ways.iter().enumerate() {
                // Remarks are dropped if the vectorization fails.
                let own = Remarks::new(told.wanted());
                let refused = way.check(kernel).and_then(|()| check_schedules(cx.module, kernel, way));
                let refused = refused.inspect_err(|stopped| {
                    metadata::note_vectorization_failure(cx.module, kernel, way.how(), &stopped.to_string());
                });
                // The predicated tail is made first if the wide version cannot be used without it.
                let needs_rest = way.predicated_tail && !way.scalar_rest;
                // The width is the sub-group size, which the kernel can observe: it is not for the
                // cost model to decide.
                let mode = if needs_rest { Mode::Always } else { way.mode };
                let own_way = VeczPassOptions { mode, ..*way };
                let rest = |remarks: &Remarks| {
                    let rest = VeczPassOptions { predicated: true, mode: Mode::Always, ..*way };
                    make_version(cx, kernel, &rest, &self.query.unit, remarks)
                        .inspect(|(rest, _)| attributes::drop_is_kernel(*rest))
                };
                let made = refused
                    .and_then(|()| if needs_rest { rest(&Remarks::default()).map(|_| ()) } else { Ok(()) })
                    .and_then(|()| make_version(cx, kernel, &own_way, &self.query.unit, &own));
                let (wide, how) = match made {
                    Ok(made) => made,
                    Err(stopped) => {
                        remarks.stopped((i + 1 < ways.len()).then_some(way.how().width), &stopped);
                        continue;
                    }
                };
                remarks.vectorized(how);
                own.take().into_iter().for_each(|remark| told.add(remark));
                if way.predicated_tail && !needs_rest {
                    // If there is no predicated tail, the scalar kernel runs it.
                    let _ = rest(&Remarks::default());
                }
                attributes::set_work_width(wide, how.width);
                attributes::drop_is_kernel(kernel);
                break;
            }
        }
        Ok(Preserved::None)
    }
}

/// Refuses kernels whose barriers ask for an order of the work-items that vector code cannot keep.
fn check_schedules(module: &Module, kernel: Function, way: &VeczPassOptions) -> Result<(), Stopped> {
    for call in kernel.instructions().into_iter().filter(|i| i.is_call()) {
        let schedule = attributes::barrier_schedule(call);
        if schedule == BarrierSchedule::Once {
            return Err(Stopped::at(call, "what follows a barrier runs once for the work-group"));
        }
        let is_scan = matches!(Builtin::called_by(call), Some(Builtin::Group(group))
            if group.scope == GroupScope::Work && group.op.is_scan());
        let ordered = is_scan || schedule == BarrierSchedule::Linear;
        if ordered && !passes::is_linear_along(module, kernel, way.dimension) {
            return Err(Stopped::at(call, "work-items run in linear order, and the vectors are not along x"));
        }
    }
    Ok(())
}

/// Vectorizes a kernel with one set of options, and links the two by metadata, which also records a
/// failure.
fn make_version(
    cx: &PassContext<'_>,
    kernel: Function,
    way: &VeczPassOptions,
    unit: &VectorUnit,
    remarks: &Remarks,
) -> Result<(Function, Vectorization), Stopped> {
    let remarks = KernelRemarks::new(remarks, cx.module, kernel);
    let made = vectorize(cx.module, kernel, way, unit, cx.machine, remarks).and_then(|(wide, how)| {
        if barriers(wide) == barriers(kernel) {
            return Ok((wide, how));
        }
        wide.erase_body_and_uses();
        Err(Stopped::new("its barriers did not stay as they were"))
    });
    match &made {
        Ok((wide, how)) => metadata::link_vectorized(cx.module, kernel, *wide, *how),
        Err(stopped) => {
            metadata::note_vectorization_failure(cx.module, kernel, way.how(), &stopped.to_string())
        }
    }
    made
}

/// The IDs of the barriers of a kernel.
fn barriers(f: Function) -> Vec<u64> {
    let is_barrier = |i: &llvm::Value| Builtin::called_by(*i).is_some_and(Builtin::is_work_group_barrier);
    let mut ids: Vec<u64> =
        f.instructions().into_iter().filter(is_barrier).filter_map(|i| i.operand(0).as_const_int()).collect();
    ids.sort_unstable();
    ids
}
