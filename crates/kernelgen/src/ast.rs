//! The programs as trees. Everything is typed explicitly, so that no implicit conversion of C is
//! relied on.

use crate::builtins::Builtin;
use crate::picture::{Channel, Picture, Sampler};
use crate::types::{BinOp, Class, CmpOp, Type, UnOp, Value};

/// Index of a variable in its function.
pub(crate) type VarId = usize;
/// Index of a memory (buffer, `__local` array) in the table of its function. A helper's table holds
/// its pointer parameters; a call says which memories of the caller they stand for.
pub(crate) type MemId = usize;

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Expr {
    pub(crate) ty: Type,
    pub(crate) kind: ExprKind,
}

/// The work-item functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WorkItem {
    GlobalId(u32),
    LocalId(u32),
    GroupId(u32),
    LocalSize(u32),
    GlobalSize(u32),
    NumGroups(u32),
    GlobalOffset(u32),
    WorkDim,
    GlobalLinearId,
    LocalLinearId,
    SubGroupId,
    SubGroupLocalId,
    SubGroupSize,
    NumSubGroups,
    MaxSubGroupSize,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ExprKind {
    Const(Value),
    Var(VarId),
    /// An element of a private array.
    Element(VarId, Box<Expr>),
    Load(MemId, Box<Expr>),
    /// `vloadN` of a memory of scalars: so many elements, from so many times the index on.
    VectorLoad(MemId, Run),
    /// A load through a pointer to one of two elements, which a condition chooses: the pointer is
    /// generic.
    LoadEither(Box<Expr>, [(MemId, Box<Expr>); 2]),
    Builtin(Builtin, Vec<Expr>),
    WorkItem(WorkItem),
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `int` 0 or 1 of scalars; 0 or -1 in each lane of vectors.
    Compare(CmpOp, Box<Expr>, Box<Expr>),
    /// `&&` (true) or `||`, of `int`s.
    Logic(bool, Box<Expr>, Box<Expr>),
    /// `c ? a : b`. A vector condition chooses lane by lane, by the top bit.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A C cast of a scalar.
    Cast(Box<Expr>),
    /// The guarded conversion of a floating-point scalar to `int`.
    ToInt(Box<Expr>),
    /// An element of the constant table of integers of this type; the index is masked.
    Table(Box<Expr>),
    /// Whether a floating-point number is of a class: 0 or 1.
    IsOf(Class, Box<Expr>),
    /// `as_uint`, `as_int`, `as_float`. A float operand is a `Canonical`.
    Bitcast(Box<Expr>),
    /// NaNs made all alike.
    Canonical(Box<Expr>),
    Splat(Box<Expr>),
    Build(Vec<Expr>),
    Swizzle(Box<Expr>, Vec<u8>),
    /// A reading of an image, as integers, at `int` coordinates.
    ReadImage(Reading, Vec<Expr>),
}

/// Where the elements of a `vloadN` or `vstoreN` begin.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Run {
    /// In vectors, from `first` on.
    pub(crate) index: Box<Expr>,
    /// In elements; vectors are no more aligned than it says.
    pub(crate) first: Box<Expr>,
}

/// How an image is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reading {
    pub(crate) image: usize,
    pub(crate) sampler: Option<usize>,
    /// Coordinates are floats: parts of pixels (see [`ImageDecl::steps`]), of the image if they are
    /// normalized.
    pub(crate) real: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Read,
    /// Each work-item writes its own pixel.
    Write,
    /// Each work-item reads and writes its own pixel.
    ReadWrite,
}

/// An image of the kernel, with its first contents.
#[derive(Clone, Debug)]
pub(crate) struct ImageDecl {
    pub(crate) name: String,
    pub(crate) picture: Picture,
    pub(crate) access: Access,
    /// The minimiser removed it.
    pub(crate) dropped: bool,
}

impl ImageDecl {
    /// What makes whole numbers of the values of a format: channels of different sizes have a
    /// common multiple.
    pub(crate) fn scale(&self) -> f64 {
        match self.picture.channel {
            Channel::Unorm8 => 255.0,
            Channel::Snorm8 => 127.0,
            Channel::Unorm16 => 65535.0,
            Channel::Snorm16 => 32767.0,
            Channel::Unorm565 => 31.0 * 63.0,
            Channel::Unorm555 => 31.0,
            Channel::Unorm101010 | Channel::Unorm101010_2 => 1023.0,
            _ => 1.0,
        }
    }

    /// The parts of a pixel that coordinates are made of. Fewer for formats with many bits, so that
    /// the result of a filter can be told from its neighbours.
    pub(crate) fn steps(&self) -> usize {
        if matches!(self.picture.channel, Channel::Unorm16 | Channel::Snorm16) { 2 } else { 4 }
    }

    /// What a reading is multiplied by to be whole.
    pub(crate) fn factor(&self, is_linear: bool) -> f64 {
        let weights = self.steps().pow(self.picture.kind.dimensions() as u32);
        self.scale() * if is_linear { weights as f64 } else { 1.0 }
    }
}

/// A sampler: an argument of the kernel, or a constant of the program.
#[derive(Clone, Debug)]
pub(crate) struct SamplerDecl {
    pub(crate) name: String,
    pub(crate) sampler: Sampler,
    pub(crate) is_argument: bool,
}

/// The function that an atomic operation is written with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomicForm {
    /// `atomic_add` of OpenCL 1.2.
    Plain,
    /// `atomic_fetch_add_explicit`.
    Explicit(Order, AtomicScope),
    /// A loop that ends when `atomic_compare_exchange_…_explicit` succeeds.
    Exchange { weak: bool, order: Order, scope: AtomicScope },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    Sequential,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomicScope {
    Group,
    Device,
    AllDevices,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomicOp {
    Add,
    And,
    Or,
    Xor,
    Min,
    Max,
}

/// The group of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    Work,
    Sub,
}

/// An operation over a group. Only operations whose result does not depend on the order are used:
/// unsigned sums, minimum, maximum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Collective {
    Any,
    All,
    /// A broadcast: the value, and the ID of the work-item to take it from: three local IDs, or the
    /// ID in a sub-group.
    Broadcast,
    Reduce(BinOp),
    ScanInclusive(BinOp),
    ScanExclusive(BinOp),
    /// Of a sub-group: the value of the work-item with this ID, which is one of the sub-group's.
    Shuffle,
    /// The value of the work-item whose ID differs in these bits, of one so far before or after, or
    /// so far around; the own value where there is none.
    Move(Move),
    /// How many work-items of the sub-group bring a number that is not zero.
    Ballot,
    /// As many of them before this one.
    BallotBefore,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Move {
    Xor,
    Up,
    Down,
}

impl Collective {
    /// Whether the result is the same for all work-items of the group.
    pub(crate) fn is_uniform(self) -> bool {
        matches!(self, Self::Any | Self::All | Self::Broadcast | Self::Reduce(_) | Self::Ballot)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Place {
    Var(VarId),
    Lanes(VarId, Vec<u8>),
    Element(VarId, Expr),
    Memory(MemId, Expr),
    /// `vstoreN` to a memory of scalars.
    Vector(MemId, Run),
}

/// The fences of a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fence {
    pub(crate) local: bool,
    pub(crate) global: bool,
}

/// The form of a loop; all count `var` up by one and end at `bound`, so that all end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LoopKind {
    For,
    While,
    DoWhile,
}

#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) kind: LoopKind,
    pub(crate) var: VarId,
    pub(crate) bound: Expr,
    pub(crate) cond: Option<Expr>,
    pub(crate) body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) label: i32,
    pub(crate) body: Vec<Stmt>,
    pub(crate) falls_through: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// One initialiser, or one for each element of an array.
    Decl(VarId, Vec<Expr>),
    Assign(Place, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    Loop(Loop),
    Switch(Expr, Vec<Case>, Vec<Stmt>),
    Break,
    Continue,
    Return(Option<Expr>),
    Barrier(Fence),
    /// Declares a variable with the result.
    Collective(VarId, Scope, Collective, Vec<Expr>),
    /// The variable for the result, the function, the memories and the values passed.
    Call(Option<VarId>, usize, Vec<MemId>, Vec<Expr>),
    Atomic(AtomicOp, AtomicForm, MemId, Expr, Expr),
    /// `async_work_group_copy` to a memory of the group, of as many elements as it has work-items,
    /// every so many elements of another one from an element on; and the wait for it.
    AsyncCopy {
        to: MemId,
        from: MemId,
        first: Expr,
        stride: usize,
    },
    /// `printf` of a number of the statement and some values.
    Print(u32, Vec<Expr>),
    /// The image, `int` coordinates, and four integers.
    WriteImage(usize, Vec<Expr>, Expr),
    /// A line that breaks the contract (`mistakes.rs`). The interpreter notes who comes to it.
    Mistake(String),
}

#[derive(Clone, Debug)]
pub(crate) struct VarDecl {
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// The length of an array.
    pub(crate) len: Option<usize>,
    pub(crate) constant: bool,
}

/// The purpose of a memory, from which follow its size and which work-items may access it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// `__global const`, `len` elements.
    Input,
    /// `__global`, so many elements for each work-item, touched by it alone; those of the last one
    /// first if it is reversed.
    Output { per_item: usize, reversed: bool },
    /// `__global`, one element for each work-item, which others of the group read after a barrier.
    Exchange,
    /// `__global`, touched by one kind of atomic only.
    GlobalAtomic(AtomicOp),
    /// `__local`, one element for each work-item of the group: an argument, or declared in the
    /// kernel.
    Slots { dynamic: bool },
    /// `__local` in the kernel, for atomics.
    LocalAtomic,
}

#[derive(Clone, Debug)]
pub(crate) struct MemDecl {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) role: Role,
    /// Elements (the maximum, for dynamic slots).
    pub(crate) len: usize,
    /// First contents of a buffer.
    pub(crate) init: Vec<u8>,
    /// A parameter of a helper: a pointer without an address space.
    pub(crate) generic: bool,
    /// The minimiser removed it: it is neither printed nor passed.
    pub(crate) dropped: bool,
}

impl MemDecl {
    /// The same memory as a parameter of a helper.
    pub(crate) fn as_parameter(&self, name: String, role: Role, generic: bool) -> Self {
        Self { name, role, generic, ty: self.ty, len: self.len, init: vec![], dropped: false }
    }

    pub(crate) fn is_local(&self) -> bool {
        matches!(self.role, Role::Slots { .. } | Role::LocalAtomic)
    }

    pub(crate) fn is_buffer(&self) -> bool {
        !self.is_local()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) noinline: bool,
    /// The parameters are the fields of a structure that is passed by value; and so is the result
    /// of a helper.
    pub(crate) by_struct: bool,
    pub(crate) ret: Option<Type>,
    /// Parameters passed by value. They come after the pointers in the source.
    pub(crate) params: Vec<VarId>,
    pub(crate) mems: Vec<MemDecl>,
    pub(crate) vars: Vec<VarDecl>,
    pub(crate) body: Vec<Stmt>,
}

/// A whole program: helpers (which call only earlier ones), the kernel, the values of its scalar
/// arguments.
#[derive(Clone, Debug)]
pub(crate) struct Ast {
    pub(crate) helpers: Vec<Function>,
    pub(crate) kernel: Function,
    pub(crate) scalars: Vec<u64>,
    /// The images and samplers of the kernel.
    pub(crate) images: Vec<ImageDecl>,
    pub(crate) samplers: Vec<SamplerDecl>,
}

impl Ast {
    /// The helpers and then the kernel.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.helpers.iter().chain(std::iter::once(&self.kernel))
    }

    pub(crate) fn functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.helpers.iter_mut().chain(std::iter::once(&mut self.kernel))
    }

    /// Removes the helpers that nothing calls: the last first, as they call earlier ones only.
    pub(crate) fn drop_uncalled_helpers(&mut self) {
        for helper in (0..self.helpers.len()).rev() {
            if !self.functions().any(|f| calls(&f.body, helper)) {
                self.remove_helper(helper);
            }
        }
    }

    /// Removes a helper that nothing calls.
    pub(crate) fn remove_helper(&mut self, helper: usize) {
        self.helpers.remove(helper);
        for function in self.functions_mut() {
            renumber_calls(&mut function.body, helper);
        }
    }

    /// For each helper, whether a call of it may reach a barrier.
    pub(crate) fn helpers_with_barriers(&self) -> Vec<bool> {
        let mut result: Vec<bool> = Vec::new();
        for helper in &self.helpers {
            let found = has_barrier(&helper.body, &result);
            result.push(found);
        }
        result
    }
}

/// Whether the statements hold a barrier or the call of a helper that does.
pub(crate) fn has_barrier(stmts: &[Stmt], helpers: &[bool]) -> bool {
    let mut found = false;
    walk(stmts, &mut |stmt| match stmt {
        Stmt::Barrier(_) | Stmt::Collective(..) | Stmt::AsyncCopy { .. } => found = true,
        Stmt::Call(_, callee, ..) => found |= helpers[*callee],
        _ => {}
    });
    found
}

/// Whether the statements call a helper.
pub(crate) fn calls(stmts: &[Stmt], helper: usize) -> bool {
    let mut found = false;
    walk(stmts, &mut |s| found |= matches!(s, Stmt::Call(_, callee, ..) if *callee == helper));
    found
}

fn renumber_calls(stmts: &mut [Stmt], gone: usize) {
    for stmt in stmts {
        if let Stmt::Call(_, callee, ..) = stmt {
            *callee -= usize::from(*callee > gone);
        }
        for block in stmt.blocks_mut() {
            renumber_calls(block, gone);
        }
    }
}

/// The operands of an expression, by reference of either kind.
macro_rules! children {
    ($kind:expr, $iter:ident) => {
        match $kind {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::WorkItem(_) => vec![],
            ExprKind::Element(_, a)
            | ExprKind::Load(_, a)
            | ExprKind::Unary(_, a)
            | ExprKind::Cast(a)
            | ExprKind::ToInt(a)
            | ExprKind::Table(a)
            | ExprKind::IsOf(_, a)
            | ExprKind::Bitcast(a)
            | ExprKind::Canonical(a)
            | ExprKind::Splat(a)
            | ExprKind::Swizzle(a, _) => vec![a],
            ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Logic(_, a, b) => vec![a, b],
            ExprKind::Select(c, a, b) => vec![c, a, b],
            ExprKind::VectorLoad(_, Run { index, first }) => vec![index, first],
            ExprKind::LoadEither(c, [(_, a), (_, b)]) => vec![c, a, b],
            ExprKind::Build(parts) | ExprKind::Builtin(_, parts) | ExprKind::ReadImage(_, parts) => {
                parts.$iter().collect()
            }
        }
    };
}

impl Expr {
    pub(crate) fn new(ty: Type, kind: ExprKind) -> Self {
        Self { ty, kind }
    }

    pub(crate) fn constant(ty: Type, bits: u64) -> Self {
        Self::new(ty, ExprKind::Const(Value::splat(ty, bits)))
    }

    pub(crate) fn uint(value: usize) -> Self {
        Self::constant(Type::UINT, value as u64)
    }

    pub(crate) fn int(value: i32) -> Self {
        Self::constant(Type::INT, u64::from(value as u32))
    }

    pub(crate) fn binary(op: BinOp, a: Self, b: Self) -> Self {
        debug_assert_eq!(a.ty, b.ty);
        Self::new(a.ty, ExprKind::Binary(op, Box::new(a), Box::new(b)))
    }

    pub(crate) fn compare(op: CmpOp, a: Self, b: Self) -> Self {
        debug_assert_eq!(a.ty, b.ty);
        let ty = if a.ty.is_vector() { Type::vector(a.ty.scalar.to_signed(), a.ty.lanes) } else { Type::INT };
        Self::new(ty, ExprKind::Compare(op, Box::new(a), Box::new(b)))
    }

    pub(crate) fn lane(self, lane: u8) -> Self {
        Self::new(self.ty.element(), ExprKind::Swizzle(Box::new(self), vec![lane]))
    }

    pub(crate) fn canonical(self) -> Self {
        if self.ty.scalar.is_float() { Self::new(self.ty, ExprKind::Canonical(Box::new(self))) } else { self }
    }

    pub(crate) fn children(&self) -> Vec<&Self> {
        children!(&self.kind, iter)
    }

    pub(crate) fn children_mut(&mut self) -> Vec<&mut Self> {
        children!(&mut self.kind, iter_mut)
    }

    /// The memories that the expression itself reads, not its operands.
    pub(crate) fn mems(&self) -> Vec<MemId> {
        match &self.kind {
            ExprKind::Load(mem, _) | ExprKind::VectorLoad(mem, _) => vec![*mem],
            ExprKind::LoadEither(_, [(a, _), (b, _)]) => vec![*a, *b],
            _ => vec![],
        }
    }

    /// Calls `f` for the expression and all its operands.
    pub(crate) fn walk(&self, f: &mut dyn FnMut(&Self)) {
        f(self);
        for child in self.children() {
            child.walk(f);
        }
    }
}

impl Stmt {
    pub(crate) fn blocks(&self) -> Vec<&Vec<Self>> {
        match self {
            Self::If(_, a, b) => vec![a, b],
            Self::Loop(l) => vec![&l.body],
            Self::Switch(_, cases, default) => cases.iter().map(|c| &c.body).chain([default]).collect(),
            _ => vec![],
        }
    }

    pub(crate) fn blocks_mut(&mut self) -> Vec<&mut Vec<Self>> {
        match self {
            Self::If(_, a, b) => vec![a, b],
            Self::Loop(l) => vec![&mut l.body],
            Self::Switch(_, cases, default) => {
                cases.iter_mut().map(|c| &mut c.body).chain([default]).collect()
            }
            _ => vec![],
        }
    }

    /// The expressions of the statement itself, not of the blocks inside it.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match self {
            Self::Decl(_, init) => init.iter().collect(),
            Self::Assign(Place::Element(_, i) | Place::Memory(_, i), e) => vec![i, e],
            Self::Assign(Place::Vector(_, run), e) => vec![&run.index, &run.first, e],
            Self::Assign(_, e) | Self::If(e, ..) | Self::Switch(e, ..) => vec![e],
            Self::Loop(l) => std::iter::once(&l.bound).chain(&l.cond).collect(),
            Self::Return(e) => e.iter().collect(),
            Self::Call(.., values) | Self::Collective(.., values) => values.iter().collect(),
            Self::Atomic(.., i, e) => vec![i, e],
            Self::AsyncCopy { first, .. } => vec![first],
            Self::Print(_, values) => values.iter().collect(),
            Self::WriteImage(_, c, e) => c.iter().chain([e]).collect(),
            Self::Break | Self::Continue | Self::Barrier(_) | Self::Mistake(_) => vec![],
        }
    }

    pub(crate) fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Self::Decl(_, init) => init.iter_mut().collect(),
            Self::Assign(Place::Element(_, i) | Place::Memory(_, i), e) => vec![i, e],
            Self::Assign(Place::Vector(_, run), e) => vec![&mut run.index, &mut run.first, e],
            Self::Assign(_, e) | Self::If(e, ..) | Self::Switch(e, ..) => vec![e],
            Self::Loop(l) => std::iter::once(&mut l.bound).chain(&mut l.cond).collect(),
            Self::Return(e) => e.iter_mut().collect(),
            Self::Call(.., values) | Self::Collective(.., values) => values.iter_mut().collect(),
            Self::Atomic(.., i, e) => vec![i, e],
            Self::AsyncCopy { first, .. } => vec![first],
            Self::Print(_, values) => values.iter_mut().collect(),
            Self::WriteImage(_, c, e) => c.iter_mut().chain([e]).collect(),
            Self::Break | Self::Continue | Self::Barrier(_) | Self::Mistake(_) => vec![],
        }
    }
}

/// Calls `f` for each statement, the outer before the inner.
pub(crate) fn walk(stmts: &[Stmt], f: &mut dyn FnMut(&Stmt)) {
    for stmt in stmts {
        f(stmt);
        for block in stmt.blocks() {
            walk(block, f);
        }
    }
}

/// Calls `f` for each expression in the statements, the outer before the inner.
pub(crate) fn walk_exprs(stmts: &[Stmt], f: &mut dyn FnMut(&Expr)) {
    walk(stmts, &mut |stmt| {
        for expr in stmt.exprs() {
            expr.walk(f);
        }
    });
}
