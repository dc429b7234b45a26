//! The steps of the vectorizer in their order: analyses of a prepared copy of the kernel, decisions
//! (the [`Plan`]), and the wide function, which [`linearize`] writes.

use crate::Stopped;
use crate::access_plan::{self, Transposed};
use crate::boscc::BosccRegions;
use crate::cost::{Estimate, describe};
use crate::interleaving;
use crate::linearize::linearize;
use crate::lock_step;
use crate::memory::MemoryOps;
use crate::options::{Mode, VectorizationChoice, VeczPassOptions};
use crate::partial_scalarization;
use crate::prepare::{self, prepare};
use crate::private;
use crate::remarks::KernelRemarks;
use crate::row_loops::unroll_row_loops;
use crate::shape::{Shape, Shapes};
use crate::structure::Structure;
use crate::vector_unit::VectorUnit;
use ir::Builtin;
use ir::attributes::{self, GroupShape};
use ir::metadata::Vectorization;
use llvm::{Function, Module, TargetMachine, Value, Width};
use passes::may_be_made_anew;
use std::collections::HashSet;

/// The analyses of the kernel and the decisions about its wide version, complete before the first
/// instruction is written. The steps that write code only read it.
pub(crate) struct Plan<'a> {
    pub module: &'a Module,
    pub how: Vectorization,
    /// The number of lanes.
    pub width: Width,
    /// The dimension whose IDs differ from lane to lane; 0 in linear order.
    pub dimension: u32,
    pub structure: &'a Structure,
    pub shapes: &'a Shapes,
    /// The regions that get a version without masks, beside the masked one.
    pub boscc: BosccRegions,
    /// The target's code for loads and stores of all lanes.
    pub memory: &'a dyn MemoryOps,
    /// See [`VectorUnit::permutes`].
    pub permutes: u32,
}

/// Makes a version of the kernel that runs several consecutive work-items at once; the local ID
/// that is set when it is called is that of lane 0. The kernel itself is not changed.
pub fn vectorize(
    module: &Module,
    kernel: Function,
    way: &VeczPassOptions,
    unit: &VectorUnit,
    machine: Option<&TargetMachine>,
    remarks: KernelRemarks<'_>,
) -> Result<(Function, Vectorization), Stopped> {
    let ty = kernel.function_type();
    let scalar = module.add_function(&format!("{}.scalar", kernel.name()), ty);
    kernel.clone_into(scalar, &scalar.params());
    scalar.set_internal();
    let wide = module.add_function(&format!("{}.wide", kernel.name()), ty);
    let result = plan_and_write(module, [kernel, scalar, wide], way, unit, machine, remarks);
    wide.take_subprogram_from(scalar);
    scalar.erase_body_and_uses();
    match result {
        Ok((how, shape)) => {
            name_and_describe(wide, kernel, how);
            if shape != GroupShape::Rows {
                attributes::set_group_shape(wide, shape);
            }
            Ok((wide, how))
        }
        Err(stopped) => {
            wide.erase_body_and_uses();
            Err(stopped)
        }
    }
}

/// Analyses `scalar`, a copy of the kernel, decides, and writes the function `wide`. Returns how it
/// was vectorized, as the width, the dimension and the predication are among the decisions, and the
/// shape of work-groups that suits it.
fn plan_and_write(
    module: &Module,
    [kernel, scalar, wide]: [Function; 3],
    way: &VeczPassOptions,
    unit: &VectorUnit,
    machine: Option<&TargetMachine>,
    remarks: KernelRemarks<'_>,
) -> Result<(Vectorization, GroupShape), Stopped> {
    let mut how = way.how();
    let linear = how.dimension == Vectorization::LINEAR;
    // In linear order, the local ID along x is that in the whole work-group.
    let mut dimension = if linear { 0 } else { how.dimension };
    let partial = way.choices.is_enabled(VectorizationChoice::PartialScalarization);
    let whole = prepare(module, scalar, linear, partial, machine)?;
    let mut structure = Structure::of(module, scalar)?;
    let mut shapes = Shapes::of(module, &structure, dimension, HashSet::new());
    if how.width.scalable {
        check_scalable(scalar, &shapes)?;
    }
    let mut shape = GroupShape::Rows;
    let exchange = lock_step::find_exchange(module, &structure, &shapes, dimension);
    if let (Mode::Auto, Some(machine), None) = (way.mode, machine, exchange) {
        let estimate_of =
            |shapes: &Shapes| Estimate::of(module, whole, &structure, shapes, how.width, unit, machine);
        let mut estimate = estimate_of(&shapes);
        if way.may_turn && asks_for_id_along_y(scalar) {
            let turned = Shapes::of(module, &structure, 1, HashSet::new());
            let other = estimate_of(&turned);
            let transposed = access_plan::transposed(module, scalar, &shapes, &turned);
            let pays = other.as_lane < TURNED * estimate.as_lane || transposed == Some(Transposed::Stores);
            if pays && lock_step::find_exchange(module, &structure, &turned, 1).is_none() {
                let back = access_plan::transposed(module, scalar, &turned, &shapes).is_some();
                shape = if back { GroupShape::NarrowRows } else { GroupShape::Columns };
                (dimension, how.dimension) = (1, 1);
                (shapes, estimate) = (turned, other);
            } else if transposed.is_some() {
                shape = GroupShape::NarrowColumns;
            }
        }
        if estimate.is_undecided() && may_be_made_anew(kernel) {
            attributes::set_undecided(kernel);
        }
        let why = || estimate.worst.and_then(|i| describe(module, &shapes, i));
        pays(estimate, if partial { 0.6 } else { 0.85 }, why)?;
    }
    if exchange.is_none()
        && !how.width.scalable
        && unroll_row_loops(module, scalar, &structure, &shapes, machine)?
    {
        prepare::structurize(module, scalar, machine)?;
        structure = Structure::of(module, scalar)?;
        shapes = Shapes::of(module, &structure, dimension, HashSet::new());
    }
    if way.most_registers > 1 {
        let factor = interleaving::interleave_count(module, unit, &structure, &shapes, how.width.lanes)
            .min(way.most_registers);
        how.width.lanes *= factor;
        how.predicated |= factor > 1 && way.predicated_if_large;
    }
    how.predicated |= way.predicated_if_large && scalar.instructions().len() > LARGE;
    if let Some(exchange) = exchange {
        remarks.lock_step(exchange);
        how.predicated |= !way.predicated_tail && !lock_step::has_no_tail(module, kernel, how);
    }
    let shared = private::interleave(module, scalar, how.width);
    let shapes = match shared.is_empty() {
        true => shapes,
        false => Shapes::of(module, &structure, dimension, shared),
    };
    check(scalar, &shapes, partial.then_some(how.width))?;
    let boscc = match way.choices.is_enabled(VectorizationChoice::LinearizeBoscc) {
        true => BosccRegions::of(module, &structure, &shapes, how.width.lanes),
        false => BosccRegions::default(),
    };
    let plan = Plan {
        module,
        how,
        width: how.width,
        dimension,
        structure: &structure,
        shapes: &shapes,
        boscc,
        memory: unit.memory,
        permutes: unit.permutes,
    };
    linearize(&plan, wide, remarks)?;
    Ok((how, shape))
}

/// Gives the wide function its name, and the kernel's attributes, metadata and parameter names.
fn name_and_describe(wide: Function, kernel: Function, how: Vectorization) {
    let predicated = if how.predicated { "_vp" } else { "" };
    let v = if how.width.scalable { "" } else { "v" };
    wide.set_name(&format!("__vecz_{v}{}{predicated}_{}", how.width, kernel.name()));
    wide.copy_attributes_from(kernel);
    wide.copy_metadata_from(kernel);
    wide.fill_debug_locations();
    wide.set_call_conv(kernel.call_conv());
    wide.set_linkage(kernel.exported_linkage());
    for i in 0..kernel.params().len() as u32 {
        wide.copy_param_attributes_from(i, kernel, i);
        wide.param(i).set_name(&kernel.param(i).name());
    }
}

/// Lanes are along y if that costs less than this part of lanes along x: of ranges that are short
/// along y, more lanes stay empty.
const TURNED: f64 = 0.6;

/// Whether the kernel can tell the work-items along y apart.
fn asks_for_id_along_y(kernel: Function) -> bool {
    let asks = |i: Value| {
        Builtin::called_by(i) == Some(Builtin::GetGlobalId) && i.operand(0).as_const_int() == Some(1)
    };
    kernel.instructions().into_iter().any(asks)
}

/// A kernel with more instructions than this is large ([`VeczPassOptions::predicated_if_large`]).
const LARGE: usize = 200;

/// Refuses a kernel whose vector version is estimated to be slower than scalar code.
fn pays(estimate: Estimate, part: f64, why: impl Fn() -> Option<String>) -> Result<(), Stopped> {
    let Estimate { alone, as_lane, .. } = estimate;
    // The threshold is below 1: estimates are rough, and LLVM vectorizes scalar code, too.
    if as_lane <= part * alone {
        return Ok(());
    }
    let why = why().map(|what| format!(", most of all for the {what}")).unwrap_or_default();
    Err(Stopped::new(format!(
        "one work-item at a time is estimated to be faster: {alone:.0} cycles, against {as_lane:.0} in a \
         lane{why} (-cl-wfv=always vectorizes anyway)"
    )))
}

/// Refuses what LLVM makes no code for in scalable vectors, which it cannot split into lanes.
fn check_scalable(kernel: Function, shapes: &Shapes) -> Result<(), Stopped> {
    let is_long = |v: Value| v.ty().is_int() && v.ty().int_bits() > 64;
    for i in kernel.instructions().into_iter().filter(|i| shapes.get(*i) != Shape::Uniform) {
        if is_long(i) || i.operands().any(is_long) {
            return Err(Stopped::at(i, "there are no scalable vectors of integers of more than 64 bits"));
        }
    }
    Ok(())
}

/// Refuses instructions that have no wide form, before anything is written.
fn check(kernel: Function, shapes: &Shapes, whole_vectors: Option<Width>) -> Result<(), Stopped> {
    for i in kernel.instructions() {
        // Interleaved arrays of scalable vectors are made of several units.
        let own = i.is_alloca() && !i.allocated_type().is_scalable_vector();
        if own && i.operand(0).as_const_int() != Some(1) {
            return Err(Stopped::at(i, "a private array of variable size"));
        }
        let wide = |v: Value| v.ty().is_vector() || v.ty().is_array() || v.ty().is_scalable_vector();
        if shapes.get(i) != Shape::Uniform
            && (wide(i) || i.operands().any(|op| wide(op) && (!op.is_constant() || whole_vectors.is_some())))
        {
            if let Some(width) = whole_vectors {
                partial_scalarization::check(i, width.lanes)?;
                continue;
            }
            return Err(Stopped::at(i, "a vector that differs from lane to lane"));
        }
    }
    Ok(())
}
