//! The options of the vectorizer for a kernel, which [`crate::RunVecz`] asks the backend for.
//!
//! A backend gives a [`Query`]: the description of its machine, and for each kernel a list of
//! [`VeczPassOptions`], of which the first that succeeds is taken, or `None` if the kernel is to
//! stay scalar. [`FixedRegisters`] is the answer for machines with vector registers of one size.

use crate::Stopped;
use crate::vector_unit::VectorUnit;
use ir::metadata::{self, Vectorization};
use ir::{Builtin, attributes};
use llvm::{Function, Module, Opcode, Value, Width};
use passes::{Options, PassError};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// The most lanes that the vectorizer gives a kernel; of scalable vectors for each `vscale`.
pub(crate) const MOST_LANES: u32 = 64;

/// Whether the vectorizer has code of this width.
pub(crate) fn is_possible(width: Width) -> bool {
    (if width.scalable { 1 } else { 2 }..=MOST_LANES).contains(&width.lanes)
}

/// How many work-items run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    Fixed(u32),
    /// A multiple of `vscale`, as in scalable vectors.
    Scalable(u32),
}

/// Options that a target turns on or off, by the specification's names. The default set is
/// [`VectorizationChoices::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorizationChoice {
    /// Integer division may trap: inactive lanes divide by one. Always on, since division by zero
    /// is undefined behaviour in LLVM on any target.
    DivisionExceptions,
    /// BOSCC: a region with expensive masks gets a second version, without masks, that runs when
    /// all lanes are active. (A region is always skipped if no lane is active.)
    LinearizeBoscc,
    /// Vectors of the source stay vectors: those of all lanes are concatenated to one. Good for
    /// elementwise operations, bad for kernels that access single elements.
    PartialScalarization,
    /// The target has no vectors of doubles: kernels with doubles stay scalar.
    NoDoubleSupport,
}

impl VectorizationChoice {
    pub const ALL: [VectorizationChoice; 4] = [
        VectorizationChoice::DivisionExceptions,
        VectorizationChoice::LinearizeBoscc,
        VectorizationChoice::PartialScalarization,
        VectorizationChoice::NoDoubleSupport,
    ];

    pub fn name(self) -> &'static str {
        match self {
            VectorizationChoice::DivisionExceptions => "division-exceptions",
            VectorizationChoice::LinearizeBoscc => "linearize-boscc",
            VectorizationChoice::PartialScalarization => "partial-scalarization",
            VectorizationChoice::NoDoubleSupport => "no-double-support",
        }
    }

    pub fn from_name(name: &str) -> Option<VectorizationChoice> {
        VectorizationChoice::ALL.into_iter().find(|choice| choice.name() == name)
    }
}

/// A set of [`VectorizationChoice`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorizationChoices(u32);

impl Default for VectorizationChoices {
    fn default() -> Self {
        let mut choices = VectorizationChoices(0);
        choices.enable(VectorizationChoice::DivisionExceptions);
        choices.enable(VectorizationChoice::LinearizeBoscc);
        choices
    }
}

impl VectorizationChoices {
    pub fn enable(&mut self, choice: VectorizationChoice) {
        self.0 |= 1 << choice as u32;
    }

    pub fn disable(&mut self, choice: VectorizationChoice) {
        self.0 &= !(1 << choice as u32);
    }

    pub fn is_enabled(self, choice: VectorizationChoice) -> bool {
        self.0 & 1 << choice as u32 != 0
    }
}

/// Whether a kernel is vectorized wherever possible, or only where that is expected to pay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    Always,
    #[default]
    Auto,
}

/// One way to vectorize a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VeczPassOptions {
    pub factor: Factor,
    /// The dimension along which lanes are consecutive work-items, or [`Vectorization::LINEAR`].
    pub dimension: u32,
    /// Lanes beyond the end of the dimension are masked off, so that there is no tail.
    pub predicated: bool,
    /// The tail is run by a predicated version, not by the scalar kernel.
    pub predicated_tail: bool,
    /// The scalar kernel may run the tail, where there is no predicated version.
    pub scalar_rest: bool,
    pub choices: VectorizationChoices,
    pub mode: Mode,
    /// The largest interleave count (see `interleaving`): 1, 2 or 4.
    pub most_registers: u32,
    /// A large or interleaved kernel is predicated, so that there is no tail: two versions would
    /// take twice as long to compile, and the masks cost little in such a kernel.
    pub predicated_if_large: bool,
    /// The lanes may be along y instead, if that is estimated to be much faster.
    pub may_turn: bool,
}

impl Factor {
    fn of(width: Width) -> Factor {
        if width.scalable { Factor::Scalable(width.lanes) } else { Factor::Fixed(width.lanes) }
    }

    pub fn width(self) -> Width {
        match self {
            Factor::Fixed(lanes) => Width::fixed(lanes),
            Factor::Scalable(lanes) => Width::scalable(lanes),
        }
    }
}

impl VeczPassOptions {
    /// `width` lanes along x, with a scalar tail.
    pub fn fixed(width: u32, mode: Mode) -> Self {
        Self::along_x(Width::fixed(width), mode)
    }

    /// The lanes of a width along x. Scalable vectors are predicated, so that there is no tail;
    /// otherwise there is a scalar one.
    fn along_x(width: Width, mode: Mode) -> Self {
        VeczPassOptions {
            factor: Factor::of(width),
            dimension: 0,
            predicated: width.scalable,
            predicated_tail: false,
            scalar_rest: true,
            choices: VectorizationChoices::default(),
            mode,
            most_registers: 1,
            predicated_if_large: false,
            may_turn: false,
        }
    }

    /// The vectorization that these options ask for: width, dimension, predication.
    pub fn how(&self) -> Vectorization {
        Vectorization { width: self.factor.width(), dimension: self.dimension, predicated: self.predicated }
    }

    /// Refuses options that the vectorizer does not support, and kernels that the choices exclude.
    pub fn check(&self, kernel: Function) -> Result<(), Stopped> {
        match self.factor {
            Factor::Fixed(2..=MOST_LANES) => {}
            Factor::Fixed(width) => {
                return Err(Stopped::new(format!("the width {width} is not from 2 to {MOST_LANES}")));
            }
            Factor::Scalable(1..=MOST_LANES) => {}
            Factor::Scalable(width) => {
                return Err(Stopped::new(format!(
                    "the width {width} * vscale is not from 1 to {MOST_LANES} times vscale"
                )));
            }
        }
        if matches!(self.factor, Factor::Scalable(_))
            && self.choices.is_enabled(VectorizationChoice::PartialScalarization)
        {
            return Err(Stopped::new("vectors of the kernel's own have no place in scalable ones"));
        }
        if self.dimension > Vectorization::LINEAR {
            return Err(Stopped::new(format!("there is no dimension {}", self.dimension)));
        }
        if !self.choices.is_enabled(VectorizationChoice::DivisionExceptions) {
            let name = VectorizationChoice::DivisionExceptions.name();
            return Err(Stopped::new(format!("{name} cannot be turned off")));
        }
        if self.choices.is_enabled(VectorizationChoice::NoDoubleSupport)
            && let Some(double) = kernel.instructions().into_iter().find(|i| has_double(*i))
        {
            return Err(Stopped::at(double, "the target has no vectors of doubles"));
        }
        Ok(())
    }
}

fn is_double(value: Value) -> bool {
    value.ty().scalar().float_bits() == Some(64)
}

fn has_double(instruction: Value) -> bool {
    is_double(instruction) || instruction.operands().any(is_double)
}

type Answer = dyn Fn(&Module, Function) -> Option<Vec<VeczPassOptions>> + Send + Sync;

/// A backend's answer to how a kernel is to be vectorized: the ways to try in turn, or `None` to
/// leave it scalar.
#[derive(Clone)]
pub struct Query {
    answer: Arc<Answer>,
    /// The vector unit that the answers are for.
    pub unit: VectorUnit,
    /// The options of `run-vecz` that make an equal query.
    options: Options,
}

impl Query {
    /// A query by any function. Without [`Query::with_options`], a textual pipeline cannot make an
    /// equal one.
    pub fn new(
        unit: VectorUnit,
        answer: impl Fn(&Module, Function) -> Option<Vec<VeczPassOptions>> + Send + Sync + 'static,
    ) -> Self {
        let options = Options::default().with_flag("custom-query", true);
        Query { answer: Arc::new(answer), unit, options }
    }

    /// The same query, with the options of `run-vecz` that make an equal one in a textual pipeline.
    pub fn with_options(self, options: Options) -> Self {
        Query { options, ..self }
    }

    /// The options of `run-vecz` that make an equal query in a textual pipeline.
    pub fn options(&self) -> Options {
        self.options.clone()
    }

    pub fn ask(&self, module: &Module, kernel: Function) -> Option<Vec<VeczPassOptions>> {
        (self.answer)(module, kernel)
    }
}

/// How kernels are to be vectorized, for any pass of the pipeline: [`crate::RunVecz`] provides it
/// (`Analyses::provided`), before and after it has run.
#[derive(Clone, Debug)]
pub struct VeczPassOptionsAnalysis {
    pub query: Query,
}

impl VeczPassOptionsAnalysis {
    /// The ways to vectorize a kernel, which are tried in turn; `None` if it is to stay scalar.
    pub fn options(&self, module: &Module, kernel: Function) -> Option<Vec<VeczPassOptions>> {
        self.query.ask(module, kernel)
    }
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").field("unit", &self.unit).finish_non_exhaustive()
    }
}

/// The answer for a machine with vector registers of a fixed size.
#[derive(Clone, Copy, Debug)]
pub struct FixedRegisters {
    /// The number of lanes; chosen for the kernel if `None`.
    pub width: Option<Width>,
    pub unit: VectorUnit,
    /// Lanes are consecutive in the linear order of the work-group, and there is no scalar tail.
    pub linear: bool,
    /// The vectors that kernels are written with stay whole; otherwise only where that is expected
    /// to pay.
    pub whole_vectors: bool,
    /// Leaves all kernels scalar except those that require a sub-group size.
    pub only_required: bool,
    pub mode: Mode,
}

/// The defaults of a textual pipeline.
impl Default for FixedRegisters {
    fn default() -> Self {
        FixedRegisters {
            width: None,
            unit: VectorUnit::default(),
            linear: false,
            whole_vectors: false,
            only_required: false,
            mode: Mode::Auto,
        }
    }
}

impl FixedRegisters {
    pub fn query(self) -> Query {
        let options = self.options().with_value("width", self.width);
        Query::new(self.unit, move |module, kernel| self.ways(module, kernel)).with_options(options)
    }

    /// The options of `run-vecz` for this answer with any width; [`FixedRegisters::take_from`] is
    /// the reverse.
    pub(crate) fn options(self) -> Options {
        self.unit
            .options()
            .with_flag("linear", self.linear)
            .with_flag("whole-vectors", self.whole_vectors)
            .with_flag("only-required", self.only_required)
            .with_value("mode", (self.mode == Mode::Always).then_some("always"))
    }

    pub(crate) fn take_from(options: &mut Options) -> Result<Self, PassError> {
        let mode = match options.value("mode")?.as_deref() {
            None | Some("auto") => Mode::Auto,
            Some("always") => Mode::Always,
            Some(other) => return Err(format!("'{other}' is not a mode: there are always and auto").into()),
        };
        Ok(FixedRegisters {
            width: None,
            unit: VectorUnit::take_from(options)?,
            linear: options.flag("linear")?,
            whole_vectors: options.flag("whole-vectors")?,
            only_required: options.flag("only-required")?,
            mode,
        })
    }

    /// The ways to vectorize a kernel. A kernel that computes with vectors is tried with partial
    /// scalarization first: where that pays, no shuffles are needed. Then it is scalarized, as all
    /// other kernels are.
    pub(crate) fn ways(self, module: &Module, kernel: Function) -> Option<Vec<VeczPassOptions>> {
        let way = self.choose(module, kernel)?;
        if matches!(way.factor, Factor::Scalable(_)) {
            // A kernel that has no scalable form gets vectors of a fixed size.
            let unit = VectorUnit { scalable: false, ..self.unit };
            let fixed = FixedRegisters { unit, width: self.width.filter(|w| !w.scalable), ..self };
            return Some([way].into_iter().chain(fixed.choose(module, kernel)).collect());
        }
        let mut whole = VeczPassOptions { most_registers: 1, ..way };
        whole.choices.enable(VectorizationChoice::PartialScalarization);
        Some(match self.whole_vectors {
            true => vec![whole],
            false
                if way.mode == Mode::Auto && way.scalar_rest && is_made_of_vectors(kernel, way.dimension) =>
            {
                vec![whole, way]
            }
            false => vec![way],
        })
    }

    /// As many lanes as a register holds of the widest floating-point type, or of 32-bit integers,
    /// along x, or along the first dimension in which a work-group has more than one work-item. If
    /// the local size is known, there are no more lanes than work-items. `None` if that leaves one
    /// lane.
    pub fn choose(self, module: &Module, kernel: Function) -> Option<VeczPassOptions> {
        let own = self.unit.register_bytes / widest_type(kernel);
        let lanes = self.width.unwrap_or(Width { lanes: own, scalable: self.unit.scalable });
        let way = VeczPassOptions::along_x(lanes, self.mode);
        let required = metadata::reqd_sub_group_size(module, kernel);
        if required.is_some() || !self.only_required && uses_sub_groups(kernel) {
            return sub_groups(module, kernel, required, lanes);
        }
        if self.only_required {
            return None;
        }
        if lanes.scalable && !self.linear {
            let known = metadata::reqd_work_group_size(module, kernel);
            let along = known.filter(|_| !attributes::is_group_agnostic(kernel));
            let dimension = along.and_then(|size| (0..3).find(|d| size[*d as usize] > 1)).unwrap_or(0);
            return along
                .is_none_or(|size| size.iter().any(|n| *n > 1))
                .then_some(VeczPassOptions { dimension, ..way });
        }
        if self.linear {
            let linear = VeczPassOptions {
                dimension: Vectorization::LINEAR,
                predicated: false,
                predicated_tail: true,
                scalar_rest: false,
                ..way
            };
            return (lanes != Width::ONE).then_some(linear);
        }
        let narrow = self.width.is_none().then(|| small_data(module, kernel, way.dimension)).flatten();
        let lanes = narrow.map_or(lanes.lanes, |bytes| (self.unit.register_bytes / bytes).min(MOST_LANES));
        let way = VeczPassOptions { factor: Factor::Fixed(lanes), ..way };
        let known = metadata::reqd_work_group_size(module, kernel);
        let agnostic = attributes::is_group_agnostic(kernel);
        let Some(size) = known.filter(|_| !agnostic) else {
            // Interleaving needs long rows, and those of work-groups of unknown size may be shorter
            // than one register.
            let most_registers = if self.width.is_some() || !agnostic { 1 } else { 4 };
            return (lanes > 1).then_some(VeczPassOptions {
                most_registers,
                predicated_if_large: true,
                may_turn: agnostic && attributes::has_long_columns(kernel),
                ..way
            });
        };
        let dimension = (0..3).find(|d| size[*d] > 1)?;
        let along = size[dimension];
        let width = match self.width {
            Some(width) => width.lanes,
            None => lanes.min(along.next_power_of_two().min(MOST_LANES.into()) as u32),
        };
        let (rest, predicated) = (along % u64::from(width), along < u64::from(width));
        // A tail of one or two work-items is faster in scalar code than under a mask.
        (width > 1).then_some(VeczPassOptions {
            factor: Factor::Fixed(width),
            dimension: dimension as u32,
            predicated,
            predicated_tail: !predicated && rest > 2,
            most_registers: match self.width {
                Some(_) => 1,
                None => [4, 2, 1].into_iter().find(|n| along % u64::from(width * n) == 0).unwrap_or(1),
            },
            ..way
        })
    }
}

/// Whether the kernel computes with whole vectors, and seldom accesses single elements. What is the
/// same for all lanes does not count: an element of a uniform vector is loaded for all of them.
fn is_made_of_vectors(kernel: Function, dimension: u32) -> bool {
    use Opcode::*;
    let varying = varying(kernel, dimension);
    let is_vector = |v: Value| v.ty().is_vector() && varying.contains(&v);
    let vectors = |i: &Value| is_vector(*i) || i.is_store() && is_vector(i.operand(0));
    let moves = |i: &Value| {
        let moves = matches!(i.opcode(), Some(LLVMExtractElement | LLVMInsertElement | LLVMShuffleVector));
        moves && i.operands().any(|v| varying.contains(&v))
    };
    let (moves, whole): (Vec<Value>, Vec<Value>) =
        kernel.instructions().into_iter().filter(|i| vectors(i) || moves(i)).partition(moves);
    !whole.is_empty() && moves.len() * 4 <= whole.len()
}

/// The values that may differ between work-items along a dimension, as far as they follow from IDs:
/// an estimate, before the kernel is prepared and its shapes are known.
fn varying(kernel: Function, dimension: u32) -> HashSet<Value> {
    let is_root = |i: &Value| match i.opcode() {
        Some(Opcode::LLVMCall) => match Builtin::called_by(*i) {
            Some(Builtin::GetGlobalId | Builtin::GetLocalId) => {
                let of = i.operand(0).as_const_int();
                dimension == Vectorization::LINEAR || of.is_none_or(|d| d == u64::from(dimension))
            }
            Some(Builtin::GetGlobalLinearId | Builtin::GetLocalLinearId | Builtin::GetSubGroupLocalId) => {
                true
            }
            Some(builtin) => !builtin.is_work_group_uniform(),
            None => !i.called_function().is_some_and(|f| f.is_intrinsic()),
        },
        Some(Opcode::LLVMAlloca | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => true,
        _ => false,
    };
    let mut stack: Vec<Value> = kernel.instructions().into_iter().filter(is_root).collect();
    let mut found: HashSet<Value> = stack.iter().copied().collect();
    while let Some(value) = stack.pop() {
        for user in value.users() {
            if user.is_instruction() && found.insert(user) {
                stack.push(user);
            }
        }
    }
    found
}

/// Whether the kernel, or a function it calls, uses sub-group builtins.
pub(crate) fn uses_sub_groups(kernel: Function) -> bool {
    let uses = |f: Function| Builtin::of(f).is_some_and(Builtin::uses_sub_groups);
    !attributes::has_no_subgroups(kernel) && passes::reachable_functions(kernel).into_iter().any(uses)
}

/// How to vectorize a kernel with sub-groups. A sub-group is a vector of consecutive work-items in
/// the linear order of the work-group: as many as are required, or as a register holds, but no more
/// than the work-group has. Only the last sub-group of a work-group may be smaller, so that the
/// tail is predicated. Along one dimension the linear order comes for free.
fn sub_groups(
    module: &Module,
    kernel: Function,
    required: Option<u32>,
    lanes: Width,
) -> Option<VeczPassOptions> {
    let known = metadata::reqd_work_group_size(module, kernel);
    let items = known.map_or(u64::MAX, |size| size.iter().product::<u64>());
    let width = required.map_or(lanes, Width::fixed);
    let width = match u32::try_from(items) {
        Ok(items) if required.is_none() && !lanes.scalable && items < lanes.lanes => {
            Width::fixed(1 << items.ilog2())
        }
        _ => width,
    };
    let fits = |items: u64| width.known().is_some_and(|width| items.is_multiple_of(width.into()));
    let whole_rows = known.is_some_and(|size| fits(size[0]));
    let one_row = metadata::max_work_dim(module, kernel) == 1 || known.is_some_and(|s| s[0] == items);
    let exact = known.is_some() && fits(items);
    (width != Width::ONE).then_some(VeczPassOptions {
        predicated: false,
        dimension: if whole_rows || one_row { 0 } else { Vectorization::LINEAR },
        predicated_tail: !exact,
        scalar_rest: false,
        ..VeczPassOptions::along_x(width, Mode::Always)
    })
}

/// The size of all data of a kernel that computes with bytes or 16-bit integers alone: what it
/// loads, and what follows from that. Counters, IDs and addresses do not count.
fn small_data(module: &Module, kernel: Function, dimension: u32) -> Option<u32> {
    let varying = varying(kernel, dimension);
    let is_datum = |i: &Value| i.is_load() || i.is_atomic();
    let mut stack: Vec<Value> = kernel.instructions().into_iter().filter(is_datum).collect();
    let mut found: HashSet<Value> = stack.iter().copied().collect();
    let mut most = None;
    while let Some(value) = stack.pop() {
        let ty = value.ty();
        let is_mask = ty.is_int() && ty.int_bits() == 1;
        if varying.contains(&value) && !ty.is_void() && !is_mask {
            let is_small = ty.is_int() && ty.int_bits() <= 16;
            if !is_small {
                return None;
            }
            most = most.max(Some(module.size_of(ty) as u32));
        }
        let users = value.users().into_iter().filter(|user| user.is_instruction());
        stack.extend(users.filter(|user| found.insert(*user)));
    }
    most
}

/// The size of the type that decides how many lanes a register has. A few doubles among floats do
/// not count: they take two registers each.
fn widest_type(kernel: Function) -> u32 {
    let instructions = kernel.instructions();
    let count = |bits: u32| {
        let computes = |i: &&Value| {
            let moves = matches!(i.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMPHI | Opcode::LLVMLoad));
            !moves && i.ty().scalar().float_bits() == Some(bits)
        };
        instructions.iter().filter(computes).count()
    };
    let (doubles, floats) = (count(64), count(32));
    if doubles > 0 && doubles * 4 >= floats { 8 } else { 4 }
}
