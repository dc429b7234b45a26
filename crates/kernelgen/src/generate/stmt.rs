//! Statements.

use super::{Context, Generator, LoopContext, Phase, VarInfo};
use crate::ast::{
    AtomicForm, AtomicOp, AtomicScope, Case, Collective, Expr, ExprKind, Fence, Loop, LoopKind, MemDecl,
    MemId, Move, Order, Place, Role, Run, Scope, Stmt, VarId, WorkItem,
};
use crate::types::{BinOp, CmpOp, Scalar, Type};

const ATOMICS: [AtomicOp; 6] =
    [AtomicOp::Add, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor, AtomicOp::Min, AtomicOp::Max];

impl Generator<'_> {
    /// A block of about `count` statements. Its variables leave the scope at its end.
    pub(super) fn block(&mut self, context: &Context, count: usize) -> Vec<Stmt> {
        let mark = self.scope.len();
        let mut out = vec![];
        for _ in 0..count {
            if self.budget <= 0 {
                break;
            }
            self.stmt(context, &mut out);
        }
        if out.is_empty() {
            self.assign(context, &mut out);
        }
        self.scope.truncate(mark);
        out
    }

    /// A block inside a statement that all items go through together: it ends in the phases it
    /// began with, so that the way taken does not matter afterwards.
    fn together_block(&mut self, context: &Context, count: usize) -> Vec<Stmt> {
        let before = self.phases.clone();
        let mut out = self.block(context, count);
        self.restore(&before, &mut out);
        out
    }

    pub(super) fn restore(&mut self, phases: &[Phase], out: &mut Vec<Stmt>) {
        if self.phases != phases {
            let fence = self.fence_between(phases);
            out.push(Stmt::Barrier(fence));
            self.phases = phases.to_vec();
        }
    }

    /// The fences without which the change to these phases would be a race, and maybe more.
    fn fence_between(&mut self, phases: &[Phase]) -> Fence {
        let mut fence = Fence { local: self.rng.chance(50), global: self.rng.chance(30) };
        for (k, mem) in self.mems.iter().enumerate() {
            if self.phases[k] != phases[k] {
                fence.local |= mem.is_local();
                fence.global |= !mem.is_local();
            }
        }
        fence.local |= !fence.global;
        fence
    }

    pub(super) fn stmt(&mut self, context: &Context, out: &mut Vec<Stmt>) {
        self.budget -= 1;
        if self.in_kernel && !self.images.is_empty() && self.rng.chance(12) {
            return self.write_image(out);
        }
        let f = &self.config.features;
        let together = context.together;
        let nest = context.depth < self.config.block_depth;
        let when = |on: bool, weight: u32| if on { weight } else { 0 };
        let weights = [
            12,
            20,
            when(f.private_arrays && self.scope.iter().filter(|v| v.len.is_some()).count() < 3, 4),
            when(f.private_arrays, 6),
            10,
            when(together, 15),
            when(together && nest, 6),
            when(together && nest && context.loops < 2, if context.loops == 1 { 20 } else { 12 }),
            when(together && nest && f.switches, 4),
            when(nest, 8),
            when(nest && context.loops < 3, 6),
            when(nest && f.switches, 3),
            when(together && context.depth < 3, 4),
            when(!self.infos.is_empty(), 9),
            when(f.atomics, 5),
            when(context.in_loop != LoopContext::None, 5),
            when(context.can_return && !together, 2),
            when(together && nest && context.loops < 2, 4),
            when(together, 6),
            when(together && f.collectives, if self.sub_groups { 24 } else { 8 }),
            when(together && f.async_copies, 3),
            when(f.printf, 8),
        ];
        match self.rng.weighted(&weights) {
            0 => self.declare(context, out),
            1 => self.assign(context, out),
            2 => self.declare_array(out),
            3 => self.assign_element(context, out),
            4 => self.store(out),
            5 => self.barrier(out),
            6 => {
                let cond = self.group_condition();
                let inner = Context { depth: context.depth + 1, ..context.clone() };
                let (n, m) = (self.rng.range(1, 5), self.rng.range(1, 4));
                let then = self.together_block(&inner, n);
                let otherwise = if self.rng.chance(40) { self.together_block(&inner, m) } else { vec![] };
                out.push(Stmt::If(cond, then, otherwise));
            }
            7 => self.together_loop(context, out),
            8 => self.switch(context, true, out),
            9 => {
                let cond = self.condition(2, false);
                let inner = Context { together: false, depth: context.depth + 1, ..context.clone() };
                let (n, m) = (self.rng.range(1, 4), self.rng.range(1, 3));
                let then = self.block(&inner, n);
                let otherwise = if self.rng.chance(45) { self.block(&inner, m) } else { vec![] };
                out.push(Stmt::If(cond, then, otherwise));
            }
            10 => self.divergent_loop(context, out),
            11 => self.switch(context, false, out),
            12 => self.group_return(out),
            13 => self.call(context, out),
            14 => self.atomic(out),
            15 => self.leave_loop(context, out),
            17 => self.tree(out),
            18 => self.ranged(out),
            19 => self.collective(out),
            20 => self.async_copy(out),
            21 => self.print(out),
            _ => {
                let cond = self.condition(1, false);
                let back = self.return_stmt();
                out.push(Stmt::If(cond, vec![back], vec![]));
            }
        }
    }

    /// A condition on which the group agrees; often one that differs between groups or items of a
    /// loop.
    fn group_condition(&mut self) -> Expr {
        self.condition(1, true)
    }

    fn declare(&mut self, context: &Context, out: &mut Vec<Stmt>) {
        let ty = self.any_type();
        let uniform = context.together && self.rng.chance(40);
        let init = self.expr(ty, uniform);
        let id = self.new_var(if uniform { "u" } else { "v" }, ty, None, false);
        out.push(Stmt::Decl(id, vec![init]));
        self.enter_scope(id, uniform, true);
    }

    pub(super) fn declare_array(&mut self, out: &mut Vec<Stmt>) {
        let ty = self.any_type();
        let len = *self.rng.pick(&[2, 4, 4, 8]);
        let init = (0..len).map(|_| self.expr_of(ty, 1, false)).collect();
        let id = self.new_var("a", ty, Some(len), false);
        out.push(Stmt::Decl(id, init));
        self.enter_scope(id, false, true);
    }

    fn assign(&mut self, context: &Context, out: &mut Vec<Stmt>) {
        let fits = |v: &&VarInfo| v.mutable && v.len.is_none() && (context.together || !v.uniform);
        let targets: Vec<VarInfo> = self.scope.iter().filter(fits).copied().collect();
        if targets.is_empty() {
            return self.declare(context, out);
        }
        let VarInfo { id, ty, uniform, .. } = *self.rng.pick(&targets);
        if ty.is_vector() && self.rng.chance(35) {
            let part = *self.rng.pick(&[1, 1, 2]);
            let mut lanes: Vec<u8> = (0..ty.lanes).collect();
            while lanes.len() > part {
                let gone = self.rng.below(lanes.len());
                lanes.remove(gone);
            }
            let value = self.expr(Type::vector(ty.scalar, part as u8), uniform);
            out.push(Stmt::Assign(Place::Lanes(id, lanes), value));
        } else {
            let value = self.expr(ty, uniform);
            out.push(Stmt::Assign(Place::Var(id), value));
        }
    }

    fn assign_element(&mut self, context: &Context, out: &mut Vec<Stmt>) {
        let arrays: Vec<VarInfo> = self.scope.iter().filter(|v| v.len.is_some()).copied().collect();
        if arrays.is_empty() {
            return self.assign(context, out);
        }
        let array = *self.rng.pick(&arrays);
        let index = self.masked_index(array.len.unwrap_or(1), false);
        let value = self.expr(array.ty, false);
        out.push(Stmt::Assign(Place::Element(array.id, index), value));
    }

    /// A store to an element that belongs to the work-item: of an output, or of memory that others
    /// read later.
    fn store(&mut self, out: &mut Vec<Stmt>) {
        let mems = self.mems_where(|m, phase| phase == Phase::Own && m.role != Role::Input);
        if mems.is_empty() {
            return;
        }
        let mem = *self.rng.pick(&mems);
        out.push(self.store_to(mem));
    }

    pub(super) fn store_to(&mut self, mem: MemId) -> Stmt {
        if self.config.features.vector_accesses
            && self.rng.chance(40)
            && let Some(store) = self.vector_store(mem)
        {
            return store;
        }
        let index = self.own_index(mem);
        let value = self.expr(self.mems[mem].ty, false);
        let value = if self.mems[mem].is_buffer() { value.canonical() } else { value };
        Stmt::Assign(Place::Memory(mem, index), value)
    }

    /// `vstoreN` to elements of the work-item's own; `None` if it has too few in this memory.
    fn vector_store(&mut self, mem: MemId) -> Option<Stmt> {
        let MemDecl { ty, role: Role::Output { per_item, reversed: false }, .. } = self.mems[mem] else {
            return None;
        };
        let lanes: Vec<u8> = [2, 3, 4, 8].into_iter().filter(|n| usize::from(*n) <= per_item).collect();
        if ty.is_vector() || lanes.is_empty() || !self.config.features.vectors {
            return None;
        }
        let lanes = *self.rng.pick(&lanes);
        let count = usize::from(lanes);
        let value = self.expr(Type::vector(ty.scalar, lanes), false).canonical();
        let own = |by: usize, plus: usize, gid: Expr| {
            Expr::binary(BinOp::Add, Expr::binary(BinOp::Mul, gid, Expr::uint(by)), Expr::uint(plus))
        };
        let gid = self.var(self.known.gid);
        let (index, first) = if per_item % count == 0 && self.rng.chance(60) {
            let vectors = per_item / count;
            (own(vectors, self.rng.below(vectors), gid), Expr::uint(0))
        } else {
            (Expr::uint(0), own(per_item, self.rng.below(per_item - count + 1), gid))
        };
        let run = Run { index: Box::new(index), first: Box::new(first) };
        Some(Stmt::Assign(Place::Vector(mem, run), value))
    }

    /// The group copies part of an input to a memory of its own.
    fn async_copy(&mut self, out: &mut Vec<Stmt>) {
        let slots = self.mems_where(|m, _| matches!(m.role, Role::Slots { .. }));
        let pairs: Vec<(MemId, MemId)> = slots
            .into_iter()
            .flat_map(|to| {
                let ty = self.mems[to].ty;
                self.mems_where(|m, _| m.role == Role::Input && m.ty == ty)
                    .into_iter()
                    .map(move |from| (to, from))
            })
            .collect();
        // Pointers of helpers may be generic, or to memory of a size that is not known here.
        if !self.in_kernel || pairs.is_empty() {
            return self.barrier(out);
        }
        let (to, from) = *self.rng.pick(&pairs);
        let len = self.mems[from].len;
        let stride = self.rng.range(1, (len / self.items).clamp(1, 3));
        let spare = len - stride * self.items;
        let first = match spare.checked_ilog2() {
            Some(bits) if self.rng.chance(60) => self.masked_index(1 << bits, true),
            _ => Expr::uint(self.rng.below(spare + 1)),
        };
        let fence = Fence { local: true, global: self.rng.chance(20) };
        out.push(Stmt::Barrier(fence));
        out.push(Stmt::AsyncCopy { to, from, first, stride });
        out.push(Stmt::Barrier(fence));
        self.phases[to] = Phase::Shared;
    }

    fn print(&mut self, out: &mut Vec<Stmt>) {
        let values = (0..self.rng.range(1, 3)).map(|_| {
            loop {
                let ty = self.any_type();
                if !ty.scalar.is_float() {
                    break self.expr(ty, false);
                }
            }
        });
        let values = values.collect();
        self.prints += 1;
        out.push(Stmt::Print(self.prints, values));
    }

    /// A barrier, at which the phases of memories change.
    pub(super) fn barrier(&mut self, out: &mut Vec<Stmt>) {
        let mut next = self.phases.clone();
        for (k, phase) in next.iter_mut().enumerate() {
            let change = self.rng.chance(60);
            *phase = match (self.mems[k].role, *phase) {
                (Role::Slots { .. } | Role::Exchange, Phase::Own) if change => Phase::Shared,
                (Role::Slots { .. } | Role::Exchange, Phase::Shared) if change => Phase::Own,
                (Role::LocalAtomic, Phase::Closed) => Phase::Atomic(*self.rng.pick(&ATOMICS)),
                (Role::LocalAtomic, Phase::Atomic(_)) if change => Phase::Shared,
                (Role::LocalAtomic, Phase::Shared) if change => Phase::Atomic(*self.rng.pick(&ATOMICS)),
                (_, same) => same,
            };
        }
        let fence = self.fence_between(&next);
        out.push(Stmt::Barrier(fence));
        self.phases = next;
    }

    /// A collective operation. It is no fence: memories keep their phases.
    fn collective(&mut self, out: &mut Vec<Stmt>) {
        let f = &self.config.features;
        let mut scalars = vec![Scalar::I32, Scalar::U32];
        if f.longs {
            scalars.extend([Scalar::I64, Scalar::U64]);
        }
        let mut any = scalars.clone();
        any.extend(f.floats.then_some(Scalar::F32));
        any.extend(f.doubles.then_some(Scalar::F64));
        let scope = if self.sub_groups && self.rng.chance(60) { Scope::Sub } else { Scope::Work };
        let shuffles = scope == Scope::Sub && f.shuffles;
        let (op, scalar) = match self.rng.below(if shuffles { 14 } else { 8 }) {
            8 | 9 => (Collective::Shuffle, *self.rng.pick(&any)),
            10 | 11 => {
                let way = *self.rng.pick(&[Move::Xor, Move::Up, Move::Down]);
                (Collective::Move(way), *self.rng.pick(&any))
            }
            12 => (Collective::Ballot, Scalar::U32),
            13 => (Collective::BallotBefore, Scalar::U32),
            0 => (Collective::Any, Scalar::I32),
            1 => (Collective::All, Scalar::I32),
            2 => (Collective::Broadcast, *self.rng.pick(&any)),
            kind => {
                let scalar = *self.rng.pick(&scalars);
                let folds = [BinOp::Min, BinOp::Max, BinOp::Add, BinOp::Add];
                let fold = *self.rng.pick(if scalar.is_signed() { &folds[..2] } else { &folds });
                let op = match kind {
                    3 | 4 => Collective::ScanInclusive(fold),
                    5 | 6 => Collective::ScanExclusive(fold),
                    _ => Collective::Reduce(fold),
                };
                (op, scalar)
            }
        };
        let ty = Type::scalar(scalar);
        let mut values = vec![self.expr(ty, false)];
        match op {
            Collective::Shuffle => {
                let size = Expr::new(Type::UINT, ExprKind::WorkItem(WorkItem::SubGroupSize));
                let some = self.expr_of(Type::UINT, 1, false);
                values.push(Expr::binary(BinOp::Rem, some, size));
            }
            Collective::Move(_) => {
                let some = self.expr_of(Type::UINT, 1, false);
                values.push(Expr::binary(BinOp::And, some, Expr::uint(*self.rng.pick(&[3, 7, 31]))));
            }
            _ => {}
        }
        if op == Collective::Broadcast {
            match scope {
                Scope::Work => values.extend((0..3).map(|d| self.some_id(WorkItem::LocalSize(d)))),
                Scope::Sub => values.push(self.some_id(WorkItem::SubGroupSize)),
            }
        }
        let uniform = scope == Scope::Work && op.is_uniform();
        let id = self.new_var(if uniform { "u" } else { "v" }, ty, None, false);
        out.push(Stmt::Collective(id, scope, op, values));
        self.enter_scope(id, uniform, true);
    }

    /// The ID of one of so many, the same for all that have the same number.
    fn some_id(&mut self, of: WorkItem) -> Expr {
        let size = || Expr::new(Type::UINT, ExprKind::WorkItem(of));
        match self.rng.below(3) {
            0 => Expr::uint(0),
            1 => Expr::binary(BinOp::Sub, size(), Expr::uint(1)),
            _ => Expr::binary(BinOp::Shr, size(), Expr::uint(1)),
        }
    }

    /// Between two barriers, only items in a range of IDs have something to do.
    fn ranged(&mut self, out: &mut Vec<Stmt>) {
        if self.mems_where(|m, phase| phase == Phase::Own && m.role != Role::Input).is_empty() {
            return self.barrier(out);
        }
        let same = self.phases.clone();
        let fence = self.fence_between(&same);
        out.push(Stmt::Barrier(fence));
        let (mut then, mut otherwise) = (vec![], vec![]);
        let range = self.id_range();
        self.store(&mut then);
        if self.rng.chance(20) {
            self.atomic(&mut then);
        }
        if self.rng.chance(15) {
            self.store(&mut otherwise);
        }
        out.push(Stmt::If(range, then, otherwise));
        if self.rng.chance(25) {
            let (range, mut more) = (self.id_range(), vec![]);
            self.store(&mut more);
            out.push(Stmt::If(range, more, vec![]));
        }
        out.push(Stmt::Barrier(fence));
    }

    /// A tree reduction in `__local` memory: half of the group, then a quarter, and so on, adds the
    /// values of the other half.
    fn tree(&mut self, out: &mut Vec<Stmt>) {
        let fits = |m: &MemDecl, phase| matches!(m.role, Role::Slots { .. }) && phase == Phase::Own;
        let mems = self.mems_where(fits);
        if mems.is_empty() {
            return self.barrier(out);
        }
        let mem = *self.rng.pick(&mems);
        let ty = self.mems[mem].ty;
        let fence = Fence { local: true, global: self.rng.chance(20) };
        out.push(Stmt::Barrier(fence));
        let var = self.new_var("i", Type::INT, None, false);
        let half = self.new_var("d", Type::UINT, None, false);
        let counter = self.var(var);
        let counter = self.convert(counter, Type::UINT);
        let first = 1 << self.rng.range(3, 7);
        let distance = Expr::binary(BinOp::Shr, Expr::uint(first), counter);
        let (lid, d) = (self.var(self.known.lid), self.var(half));
        let other = Expr::binary(BinOp::Add, lid.clone(), d.clone());
        let load = |index: &Expr| Expr::new(ty, ExprKind::Load(mem, Box::new(index.clone())));
        let op = match ty.scalar {
            s if s.is_float() => BinOp::Add,
            s if s.is_signed() => *self.rng.pick(&[BinOp::Xor, BinOp::Max, BinOp::Min]),
            _ => *self.rng.pick(&[BinOp::Add, BinOp::Max, BinOp::Min, BinOp::Xor]),
        };
        let sum = Expr::binary(op, load(&lid), load(&other));
        let take = Stmt::Assign(Place::Memory(mem, lid.clone()), sum);
        let there = Expr::compare(CmpOp::Lt, other, self.var(self.known.group_size));
        let near = Expr::compare(CmpOp::Lt, lid, d.clone());
        let mut inner = Stmt::If(near, vec![Stmt::If(there, vec![take], vec![])], vec![]);
        if self.rng.chance(50) {
            // No ID in a row is larger than that in the group.
            let in_row = Expr::compare(CmpOp::Lt, self.var(self.known.lx), d);
            inner = Stmt::If(in_row, vec![inner], vec![]);
        }
        let body = vec![Stmt::Decl(half, vec![distance]), inner, Stmt::Barrier(fence)];
        let bound = Expr::int(self.rng.range(2, 8) as i32);
        out.push(Stmt::Loop(Loop { kind: LoopKind::For, var, bound, cond: None, body }));
    }

    /// An `int` from 0 or 1 to `max`, which may change while a loop runs: it bounds the loop all
    /// the same.
    fn trip_count(&mut self, max: usize, uniform: bool) -> Expr {
        if uniform && self.rng.chance(40) {
            return Expr::int(self.rng.range(1, max) as i32);
        }
        let e = self.expr_of(Type::INT, 1, uniform);
        let e = Expr::binary(BinOp::And, e, Expr::int(if max >= 4 { 3 } else { 1 }));
        Expr::binary(BinOp::AddExact, e, Expr::int(self.rng.below(2) as i32))
    }

    fn loop_kind(&mut self) -> LoopKind {
        *self.rng.pick(&[LoopKind::For, LoopKind::For, LoopKind::While, LoopKind::DoWhile])
    }

    fn together_loop(&mut self, context: &Context, out: &mut Vec<Stmt>) {
        let max = if context.loops == 0 { 4 } else { 3 };
        let bound = self.trip_count(max, true);
        let cond = if self.rng.chance(15) { Some(self.group_condition()) } else { None };
        let kind = self.loop_kind();
        let var = self.new_var("i", Type::INT, None, false);
        let mark = self.scope.len();
        self.enter_scope(var, true, false);
        let inner = Context {
            depth: context.depth + 1,
            in_loop: LoopContext::Together(self.phases.clone()),
            can_break: true,
            loops: context.loops + 1,
            ..context.clone()
        };
        let count = self.rng.range(2, 6);
        let body = self.together_block(&inner, count);
        self.scope.truncate(mark);
        out.push(Stmt::Loop(Loop { kind, var, bound, cond, body }));
    }

    fn divergent_loop(&mut self, context: &Context, out: &mut Vec<Stmt>) {
        let bound = self.trip_count(if context.loops == 0 { 4 } else { 2 }, false);
        let cond = if self.rng.chance(40) { Some(self.condition(1, false)) } else { None };
        let kind = self.loop_kind();
        let var = self.new_var("i", Type::INT, None, false);
        let mark = self.scope.len();
        self.enter_scope(var, false, false);
        let inner = Context {
            together: false,
            depth: context.depth + 1,
            in_loop: LoopContext::Divergent,
            can_break: true,
            loops: context.loops + 1,
            ..context.clone()
        };
        let count = self.rng.range(1, 4);
        let body = self.block(&inner, count);
        self.scope.truncate(mark);
        out.push(Stmt::Loop(Loop { kind, var, bound, cond, body }));
    }

    fn switch(&mut self, context: &Context, together: bool, out: &mut Vec<Stmt>) {
        let e = self.expr_of(Type::INT, 1, together);
        let value = Expr::binary(BinOp::And, e, Expr::int(3));
        let inner = Context { together, depth: context.depth + 1, can_break: false, ..context.clone() };
        let mut cases = vec![];
        for label in 0..self.rng.range(1, 3) {
            let count = self.rng.range(1, 3);
            let body = if together { self.together_block(&inner, count) } else { self.block(&inner, count) };
            cases.push(Case { label: label as i32, body, falls_through: self.rng.chance(25) });
        }
        let default = if self.rng.chance(60) {
            if together { self.together_block(&inner, 2) } else { self.block(&inner, 2) }
        } else {
            vec![]
        };
        out.push(Stmt::Switch(value, cases, default));
    }

    fn return_stmt(&mut self) -> Stmt {
        let value = self.ret.map(|ty| self.expr_of(ty, 1, false));
        Stmt::Return(value)
    }

    /// The whole group leaves the kernel, or a helper whose memories are as the caller expects
    /// them.
    fn group_return(&mut self, out: &mut Vec<Stmt>) {
        if !self.in_kernel && self.phases.contains(&Phase::Shared) {
            return self.barrier(out);
        }
        let cond = self.group_condition();
        let mut body = vec![];
        if self.rng.chance(50) {
            self.store(&mut body);
        }
        body.push(self.return_stmt());
        out.push(Stmt::If(cond, body, vec![]));
    }

    /// A `break` or `continue` under a condition; of the whole group where the loop is the group's.
    fn leave_loop(&mut self, context: &Context, out: &mut Vec<Stmt>) {
        let leave = if context.can_break && self.rng.chance(50) { Stmt::Break } else { Stmt::Continue };
        match &context.in_loop {
            LoopContext::Together(phases) => {
                if !context.together {
                    return self.assign(context, out);
                }
                let phases = phases.clone();
                self.restore(&phases, out);
                let cond = self.group_condition();
                out.push(Stmt::If(cond, vec![leave], vec![]));
            }
            _ => {
                let cond = self.condition(1, false);
                out.push(Stmt::If(cond, vec![leave], vec![]));
            }
        }
    }

    fn call(&mut self, context: &Context, out: &mut Vec<Stmt>) {
        let fits = |g: &Self, callee: usize| -> Option<Vec<MemId>> {
            let info = &g.infos[callee];
            if info.barriers && !context.together {
                return None;
            }
            let mut taken = vec![];
            for wanted in &info.mems {
                let found = (0..g.mems.len()).find(|&m| {
                    let mem = &g.mems[m];
                    let same_role = match wanted.role {
                        Role::Slots { .. } => {
                            matches!(mem.role, Role::Slots { .. }) && g.phases[m] == Phase::Own
                        }
                        role => mem.role == role && mem.len >= wanted.len,
                    };
                    // A generic pointer cannot be passed on as one with an address space.
                    let space = wanted.generic || !mem.generic;
                    same_role && space && mem.ty == wanted.ty && !taken.contains(&m)
                });
                taken.push(found?);
            }
            Some(taken)
        };
        let callees: Vec<(usize, Vec<MemId>)> =
            (0..self.infos.len()).filter_map(|c| fits(self, c).map(|m| (c, m))).collect();
        if callees.is_empty() {
            return self.assign(context, out);
        }
        let barriers = |c: &usize| self.infos[*c].barriers;
        let with: Vec<_> = callees.iter().filter(|(c, _)| barriers(c)).cloned().collect();
        let callees = if with.is_empty() || self.rng.chance(35) { callees } else { with };
        let (callee, mems) = self.rng.pick(&callees).clone();
        let params = self.infos[callee].params.clone();
        let values = params.into_iter().map(|(ty, uniform)| self.expr_of(ty, 1, uniform)).collect();
        let ret = self.infos[callee].ret;
        let id: VarId = self.new_var("r", ret, None, false);
        out.push(Stmt::Decl(id, vec![Expr::constant(ret, 0)]));
        self.enter_scope(id, false, true);
        out.push(Stmt::Call(Some(id), callee, mems, values));
    }

    fn atomic(&mut self, out: &mut Vec<Stmt>) {
        let mems = self.mems_where(|_, phase| matches!(phase, Phase::Atomic(_)));
        if mems.is_empty() {
            return;
        }
        let mem = *self.rng.pick(&mems);
        let Phase::Atomic(op) = self.phases[mem] else { return };
        let index = self.masked_index(self.mems[mem].len, false);
        let value = self.expr_of(self.mems[mem].ty, 2, false);
        let form = self.atomic_form(mem);
        out.push(Stmt::Atomic(op, form, mem, index, value));
    }

    fn atomic_form(&mut self, mem: MemId) -> AtomicForm {
        // OpenCL 1.2 has none of 64 bits by these names.
        let wide = self.mems[mem].ty.scalar.bits() == 64;
        if !self.config.features.explicit_atomics || (!wide && self.rng.chance(40)) {
            return AtomicForm::Plain;
        }
        let scopes = [AtomicScope::Group, AtomicScope::Device, AtomicScope::AllDevices];
        let scope = *self.rng.pick(if self.mems[mem].is_local() { &scopes } else { &scopes[1..] });
        let orders = [
            Order::Relaxed,
            Order::Relaxed,
            Order::Acquire,
            Order::Release,
            Order::AcquireRelease,
            Order::Sequential,
        ];
        let order = *self.rng.pick(&orders);
        match self.rng.chance(70) {
            true => AtomicForm::Explicit(order, scope),
            false => AtomicForm::Exchange { weak: self.rng.chance(50), order, scope },
        }
    }
}
