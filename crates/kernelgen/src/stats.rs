//! What a program contains, to see that the generator makes what it should.

use crate::Program;
use crate::ast::{
    Ast, AtomicForm, Collective, ExprKind, Loop, Place, Role, Scope, Stmt, VarId, has_barrier, walk,
    walk_exprs,
};
use crate::types::{BinOp, Scalar};

/// Interesting constructs of one program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    pub barriers: usize,
    pub barrier_in_loop: bool,
    pub barrier_in_nested_loop: bool,
    pub barrier_in_if: bool,
    pub barrier_in_switch: bool,
    /// The kernel may return while a barrier is still to come.
    pub group_return: bool,
    /// A single work-item may return early.
    pub item_return: bool,
    pub private_array: bool,
    /// A private array is used before and after a barrier.
    pub array_across_barrier: bool,
    /// A private scalar or vector is used before and after a barrier.
    pub value_across_barrier: bool,
    pub static_local: bool,
    pub dynamic_local: bool,
    pub helper: bool,
    pub barrier_helper: bool,
    pub noinline_barrier_helper: bool,
    pub atomics: bool,
    /// An operation over the work-group.
    pub collective: bool,
    /// An operation over a sub-group.
    pub sub_group: bool,
    pub exchange: bool,
    /// Shuffles and ballots of a sub-group.
    pub shuffle: bool,
    pub async_copy: bool,
    /// An atomic with an order and a scope, and a loop that compares and exchanges.
    pub explicit_atomic: bool,
    pub exchange_loop: bool,
    /// Structures by value.
    pub structs: bool,
    /// A pointer without an address space, as a parameter or as one of two.
    pub generic_pointer: bool,
    pub vector_load: bool,
    pub vector_store: bool,
    pub printf: bool,
    pub halves: bool,
    /// Images are read with a sampler, without one, filtered, and written.
    pub sampled: bool,
    pub unsampled: bool,
    pub filtered: bool,
    pub image_written: bool,
    /// A load from an input at a multiple of an ID, or backwards.
    pub strided: bool,
    /// A reduction of `__local` memory in a tree.
    pub tree: bool,
    pub min_max: bool,
    /// A divergent loop inside another, one of them with a `break` or `continue`.
    pub nested_divergent_loops: bool,
    pub vectors: bool,
    pub floats: bool,
    pub work_dim: u32,
    pub offset: bool,
    /// The local size does not divide the global size.
    pub uneven: bool,
}

struct Collector<'a> {
    ast: &'a Ast,
    barriers: Vec<bool>,
    stats: Stats,
    /// For each variable of the function, at how many barriers before it was declared.
    declared_at: Vec<Option<usize>>,
    seen: usize,
}

pub(crate) fn collect(program: &Program) -> Stats {
    let ast = &program.ast;
    let launch = &program.launch;
    let mut c = Collector {
        ast,
        barriers: ast.helpers_with_barriers(),
        stats: Stats::default(),
        declared_at: vec![],
        seen: 0,
    };
    for function in ast.functions() {
        c.declared_at = vec![None; function.vars.len()];
        c.seen = 0;
        c.block(&function.body, 0, false, false);
        walk_exprs(&function.body, &mut |e| {
            c.stats.vectors |= e.ty.is_vector();
            c.stats.floats |= e.ty.scalar.is_float();
            c.stats.halves |= e.ty.scalar == Scalar::F16;
            match &e.kind {
                ExprKind::Binary(BinOp::Min | BinOp::Max, ..) => c.stats.min_max = true,
                ExprKind::Load(mem, index) => {
                    let ops = [BinOp::Mul, BinOp::MulExact, BinOp::Sub, BinOp::SubExact];
                    let input = function.mems[*mem].role == Role::Input;
                    c.stats.strided |=
                        input && matches!(&index.kind, ExprKind::Binary(op, ..) if ops.contains(op));
                }
                ExprKind::VectorLoad(..) => c.stats.vector_load = true,
                ExprKind::LoadEither(..) => c.stats.generic_pointer = true,
                ExprKind::ReadImage(reading, _) => {
                    c.stats.sampled |= reading.sampler.is_some();
                    c.stats.unsampled |= reading.sampler.is_none();
                    c.stats.filtered |= reading.sampler.is_some_and(|s| ast.samplers[s].sampler.linear);
                }
                _ => {}
            }
        });
        c.stats.structs |= function.by_struct && !function.params.is_empty();
        c.stats.generic_pointer |= function.mems.iter().any(|m| m.generic);
        c.stats.private_array |= function.vars.iter().any(|v| v.len.is_some());
    }
    // Returns of the kernel: early where a barrier is in the same list of statements, or any list
    // around it, later on.
    let kernel = &ast.kernel;
    let (before, after) = c.returns(&kernel.body, false);
    let mut stats = c.stats;
    stats.group_return = before;
    stats.item_return = after;
    let role = |wanted: fn(Role) -> bool| kernel.mems.iter().any(|m| !m.dropped && wanted(m.role));
    stats.static_local = role(|r| r == Role::Slots { dynamic: false });
    stats.dynamic_local = role(|r| r == Role::Slots { dynamic: true });
    stats.exchange = role(|r| r == Role::Exchange);
    stats.work_dim = launch.work_dim;
    stats.offset = launch.offset != [0; 3];
    stats.uneven = (0..3).any(|d| !launch.global[d].is_multiple_of(launch.local[d]));
    stats
}

impl Collector<'_> {
    fn block(&mut self, stmts: &[Stmt], loops: u32, in_if: bool, in_switch: bool) {
        for stmt in stmts {
            for e in stmt.exprs() {
                e.walk(&mut |e| {
                    if let ExprKind::Var(v) | ExprKind::Element(v, _) = e.kind {
                        self.used(v, matches!(e.kind, ExprKind::Element(..)));
                    }
                });
            }
            if let Stmt::Loop(l) = stmt {
                self.stats.tree |= matches!(&l.body[..], [Stmt::Decl(..), Stmt::If(..), Stmt::Barrier(_)]);
                self.stats.nested_divergent_loops |= self.nests(l);
            }
            match stmt {
                Stmt::Decl(v, _) => self.declared_at[*v] = Some(self.seen),
                Stmt::Collective(v, scope, op, _) => {
                    use Collective::{Ballot, BallotBefore, Move, Shuffle};
                    self.stats.shuffle |= matches!(op, Shuffle | Move(_) | Ballot | BallotBefore);
                    self.declared_at[*v] = Some(self.seen + 1);
                    self.stats.collective |= *scope == Scope::Work;
                    self.stats.sub_group |= *scope == Scope::Sub;
                }
                Stmt::Assign(Place::Element(v, _), _) => self.used(*v, true),
                Stmt::Atomic(_, form, ..) => {
                    self.stats.atomics = true;
                    self.stats.explicit_atomic |= matches!(form, AtomicForm::Explicit(..));
                    self.stats.exchange_loop |= matches!(form, AtomicForm::Exchange { .. });
                }
                Stmt::Assign(Place::Vector(..), _) => self.stats.vector_store = true,
                Stmt::AsyncCopy { .. } => self.stats.async_copy = true,
                Stmt::Print(..) => self.stats.printf = true,
                Stmt::WriteImage(..) => self.stats.image_written = true,
                Stmt::Call(_, callee, ..) => {
                    self.stats.helper = true;
                    self.stats.barrier_helper |= self.barriers[*callee];
                    self.stats.noinline_barrier_helper |=
                        self.barriers[*callee] && self.ast.helpers[*callee].noinline;
                }
                _ => {}
            }
            let stops = match stmt {
                Stmt::Barrier(_) | Stmt::Collective(_, Scope::Work, ..) => true,
                Stmt::Call(_, callee, ..) => self.barriers[*callee],
                _ => false,
            };
            if stops {
                self.seen += 1;
                let s = &mut self.stats;
                s.barriers += 1;
                s.barrier_in_loop |= loops > 0;
                s.barrier_in_nested_loop |= loops > 1;
                s.barrier_in_if |= in_if;
                s.barrier_in_switch |= in_switch;
            }
            for inner in stmt.blocks() {
                match stmt {
                    Stmt::Loop(_) => self.block(inner, loops + 1, in_if, in_switch),
                    Stmt::Switch(..) => self.block(inner, loops, in_if, true),
                    _ => self.block(inner, loops, true, in_switch),
                }
            }
        }
    }

    /// Whether a loop without barriers holds another loop, and a `break` or `continue`.
    fn nests(&self, outer: &Loop) -> bool {
        let (mut inner, mut leaves) = (false, false);
        walk(&outer.body, &mut |stmt| match stmt {
            Stmt::Loop(_) => inner = true,
            Stmt::Break | Stmt::Continue => leaves = true,
            _ => {}
        });
        inner && leaves && !has_barrier(&outer.body, &self.barriers)
    }

    fn used(&mut self, var: VarId, array: bool) {
        if self.declared_at[var].is_some_and(|at| at < self.seen) {
            if array {
                self.stats.array_across_barrier = true;
            } else {
                self.stats.value_across_barrier = true;
            }
        }
    }

    /// Whether there are returns with a barrier still to come, and returns without.
    fn returns(&self, stmts: &[Stmt], barrier_later: bool) -> (bool, bool) {
        let mut found = (false, false);
        for (k, stmt) in stmts.iter().enumerate() {
            let around = matches!(stmt, Stmt::Loop(l) if has_barrier(&l.body, &self.barriers));
            let later = barrier_later || around || has_barrier(&stmts[k + 1..], &self.barriers);
            if matches!(stmt, Stmt::Return(_)) {
                if later {
                    found.0 = true;
                } else {
                    found.1 = true;
                }
            }
            for inner in stmt.blocks() {
                let (early, late) = self.returns(inner, later);
                found = (found.0 | early, found.1 | late);
            }
        }
        found
    }
}
