//! Whole programs: memories, helpers, the kernel, and the launch.

use super::data::{constant_bits, data_bits};
use super::{Context, Generator, HelperInfo, LoopContext, Phase};
use crate::ast::{
    Ast, AtomicOp, Expr, ExprKind, Function, Loop, LoopKind, MemDecl, Place, Role, Stmt, VarId, WorkItem,
    walk_exprs,
};
use crate::config::Config;
use crate::types::{BinOp, CmpOp, Scalar, Type};
use crate::{Launch, MAX_GROUP, Program};

/// The first input has room for indices of so many times an ID.
pub(super) const STRIDES: usize = 4;

/// Makes the program of a seed. The same seed and configuration give the same program.
pub fn generate(seed: u64, config: &Config) -> Program {
    let mut g = Generator::new(seed, config);
    let launch = g.launch();
    let items: usize = launch.global.iter().product();
    g.items = items;
    let barriers = config.features.barriers && g.rng.chance(config.barrier_percent);
    g.sub_groups = barriers && config.features.sub_groups && g.rng.chance(config.sub_group_percent);
    let mems = g.memories(items, barriers);
    g.images();
    if config.features.helpers {
        for k in 0..g.rng.range(0, config.max_helpers) {
            let with_barriers = barriers && config.features.barrier_helpers && g.rng.chance(60);
            g.helper(k, &mems, with_barriers);
        }
    }
    let (kernel, scalars) = g.kernel(mems, barriers);
    let Generator { helpers, images, samplers, .. } = g;
    let mut ast = Ast { helpers, kernel, scalars, images, samplers };
    ast.drop_uncalled_helpers();
    Program::from_ast(seed, ast, launch)
}

impl Generator<'_> {
    fn launch(&mut self) -> Launch {
        let config = self.config;
        let dims = self.rng.range(1, config.max_dims.clamp(1, 3) as usize);
        let mut global = [1; 3];
        // Sizes with factors of many kinds; the last dimension fills up to the least number of
        // items.
        loop {
            for size in &mut global[..dims] {
                *size = match dims {
                    1 => self.rng.range(config.min_items, config.max_items),
                    2 => self.rng.range(2, 40),
                    _ => self.rng.range(1, 14),
                };
            }
            if (config.min_items..=config.max_items).contains(&global.iter().product()) {
                break;
            }
        }
        let mut offset = [0; 3];
        if config.features.offsets && self.rng.chance(40) {
            for o in &mut offset[..dims] {
                *o = self.rng.below(20);
            }
        }
        let uneven = config.features.uneven_groups && self.rng.chance(50);
        let limit = config.max_group.clamp(1, MAX_GROUP);
        let mut local = [1; 3];
        for d in 0..dims {
            let room = limit / local.iter().product::<usize>();
            let fits: Vec<usize> =
                (1..=room.min(global[d])).filter(|l| uneven || global[d] % *l == 0).collect();
            // Groups of one item are the dull case.
            let big = &fits[fits.len() / 3..];
            local[d] = *self.rng.pick(big);
        }
        Launch { work_dim: dims as u32, global, offset, local, sub_group: 8 }
    }

    fn memory(&mut self, name: String, ty: Type, role: Role, len: usize) -> MemDecl {
        let local = matches!(role, Role::Slots { .. } | Role::LocalAtomic);
        let init = if local { vec![] } else { self.contents(ty, len) };
        MemDecl { name, ty, role, len, init, generic: false, dropped: false }
    }

    /// The type of a memory for atomics.
    fn word(&mut self) -> Type {
        let f = &self.config.features;
        let long = f.explicit_atomics && f.longs && self.rng.chance(25);
        let scalars = if long { [Scalar::I64, Scalar::U64] } else { [Scalar::I32, Scalar::U32] };
        Type::scalar(*self.rng.pick(&scalars))
    }

    fn memories(&mut self, items: usize, barriers: bool) -> Vec<MemDecl> {
        let f = self.config.features.clone();
        let atomics =
            [AtomicOp::Add, AtomicOp::Or, AtomicOp::And, AtomicOp::Xor, AtomicOp::Min, AtomicOp::Max];
        let mut mems = vec![];
        // All inputs have room for every item, rounded up so that an index can be masked; and for
        // some times as many, so that an index can be a multiple of an ID.
        for k in 0..self.rng.range(1, 3) {
            let ty = self.any_type();
            let room = items.next_power_of_two() * if k == 0 { STRIDES } else { 1 };
            mems.push(self.memory(format!("in{k}"), ty, Role::Input, room));
        }
        // The first output takes the digest of everything at the end.
        mems.push(self.memory(
            "out0".to_string(),
            Type::UINT,
            Role::Output { per_item: 1, reversed: false },
            items,
        ));
        for k in 1..self.rng.range(1, 3) {
            let ty = self.whole_type();
            let per_item = *self.rng.pick(&[1, 1, 2, 2, 4, 4, 8]);
            let role = Role::Output { per_item, reversed: self.rng.chance(20) };
            mems.push(self.memory(format!("out{k}"), ty, role, items * per_item));
        }
        if f.atomics && self.rng.chance(30) {
            let (op, ty) = (*self.rng.pick(&atomics), self.word());
            mems.push(self.memory("total".to_string(), ty, Role::GlobalAtomic(op), 8));
        }
        if barriers && self.rng.chance(30) {
            let ty = self.whole_type();
            mems.push(self.memory("exchange".to_string(), ty, Role::Exchange, items));
        }
        if barriers && f.local_memory {
            for k in 0..self.rng.range(1, 3) {
                let ty = if self.rng.chance(40) { Type::UINT } else { self.any_type() };
                let dynamic = f.dynamic_local && self.rng.chance(45);
                let name = format!("{}{k}", if dynamic { "shared" } else { "local" });
                mems.push(self.memory(name, ty, Role::Slots { dynamic }, MAX_GROUP));
            }
            if f.atomics && self.rng.chance(40) {
                let ty = self.word();
                let len = *self.rng.pick(&[1, 4, 8]);
                mems.push(self.memory("sums".to_string(), ty, Role::LocalAtomic, len));
            }
        }
        mems
    }

    /// Begins a function: nothing is in scope but the variables with a fixed meaning.
    fn start_function(&mut self, mems: Vec<MemDecl>, ret: Option<Type>, budget: usize) {
        self.vars.clear();
        self.scope.clear();
        for (name, uniform) in
            [("gid", false), ("lid", false), ("group_size", true), ("local_x", false), ("size_x", true)]
        {
            let id = self.new_var("", Type::UINT, None, true);
            self.vars[id].name = name.to_string();
            self.enter_scope(id, uniform, false);
        }
        self.phases = mems
            .iter()
            .map(|m| match m.role {
                Role::Input => Phase::Shared,
                Role::GlobalAtomic(op) => Phase::Atomic(op),
                Role::LocalAtomic => Phase::Closed,
                Role::Output { .. } | Role::Exchange | Role::Slots { .. } => Phase::Own,
            })
            .collect();
        self.mems = mems;
        self.ret = ret;
        self.budget = budget as i32;
    }

    /// The declarations of those variables with a fixed meaning that are used.
    fn prologue(&self, body: &[Stmt]) -> Vec<Stmt> {
        let mut used = vec![false; self.vars.len()];
        walk_exprs(body, &mut |e| {
            if let ExprKind::Var(id) = e.kind {
                used[id] = true;
            }
        });
        let item = |w: WorkItem| Expr::new(Type::UINT, ExprKind::WorkItem(w));
        let mul = |a, b| Expr::binary(BinOp::Mul, a, b);
        let add = |a, b| Expr::binary(BinOp::Add, a, b);
        let size = |d| item(WorkItem::LocalSize(d));
        let linear = self.config.features.linear_ids;
        let k = self.known;
        let relative =
            |d| Expr::binary(BinOp::Sub, item(WorkItem::GlobalId(d)), item(WorkItem::GlobalOffset(d)));
        let wide = |d| item(WorkItem::GlobalSize(d));
        let local = |d| item(WorkItem::LocalId(d));
        let gid = if linear {
            item(WorkItem::GlobalLinearId)
        } else {
            add(mul(add(mul(relative(2), wide(1)), relative(1)), wide(0)), relative(0))
        };
        let lid = if linear {
            item(WorkItem::LocalLinearId)
        } else {
            add(mul(add(mul(local(2), size(1)), local(1)), size(0)), local(0))
        };
        let all = [
            (k.gid, gid),
            (k.lid, lid),
            (k.group_size, mul(mul(size(0), size(1)), size(2))),
            (k.lx, local(0)),
            (k.size_x, size(0)),
        ];
        all.into_iter().filter(|(id, _)| used[*id]).map(|(id, e)| Stmt::Decl(id, vec![e])).collect()
    }

    fn helper(&mut self, number: usize, kernel_mems: &[MemDecl], barriers: bool) {
        // Pointers to some memories of the kernel; a helper with barriers uses one to pass values
        // around.
        let mut mems: Vec<MemDecl> = vec![];
        for mem in kernel_mems {
            let wanted = match mem.role {
                Role::Input => mems.is_empty() && self.rng.chance(40),
                Role::Slots { .. } => barriers && self.rng.chance(70),
                _ => false,
            };
            if wanted {
                let role = if mem.role == Role::Input { Role::Input } else { Role::Slots { dynamic: true } };
                let name = format!("{}{}", if role == Role::Input { "data" } else { "slots" }, mems.len());
                let generic = self.config.features.generic_pointers && self.rng.chance(35);
                mems.push(mem.as_parameter(name, role, generic));
            }
        }
        let ret = self.any_type();
        let by_struct = self.config.features.structs && self.rng.chance(25);
        let budget = self.rng.range(2, 8);
        self.start_function(mems, Some(ret), budget);
        self.in_kernel = false;
        let mut params = vec![];
        let mut ids = vec![];
        for _ in 0..self.rng.range(1, 3) {
            let ty = self.any_type();
            let uniform = barriers && self.rng.chance(50);
            let id = self.new_var(if by_struct { "args.p" } else { "p" }, ty, None, false);
            self.enter_scope(id, uniform, true);
            params.push((ty, uniform));
            ids.push(id);
        }
        let context = Context {
            together: barriers,
            depth: 1,
            in_loop: LoopContext::None,
            can_break: false,
            can_return: !barriers,
            loops: 1,
        };
        let mark = self.phases.clone();
        let mut body = vec![];
        if barriers {
            for m in self.mems_where(|m, _| matches!(m.role, Role::Slots { .. })) {
                body.push(self.store_to(m));
            }
            self.barrier(&mut body);
        }
        body.extend(self.block(&context, budget));
        self.restore(&mark, &mut body);
        let value = self.expr(ret, false);
        body.push(Stmt::Return(Some(value)));
        let mut whole = self.prologue(&body);
        whole.append(&mut body);
        let noinline = self.config.features.noinline && self.rng.chance(50);
        let function = Function {
            name: format!("helper{number}"),
            noinline,
            by_struct,
            ret: Some(ret),
            params: ids,
            mems: std::mem::take(&mut self.mems),
            vars: std::mem::take(&mut self.vars),
            body: whole,
        };
        self.infos.push(HelperInfo { ret, params, mems: function.mems.clone(), barriers });
        self.helpers.push(function);
    }

    fn kernel(&mut self, mems: Vec<MemDecl>, barriers: bool) -> (Function, Vec<u64>) {
        let statements = self.config.statements;
        let budget = self.rng.range(statements / 2, statements + statements / 2);
        self.start_function(mems, None, budget);
        self.in_kernel = true;
        let by_struct = self.config.features.structs && self.rng.chance(20);
        let mut params: Vec<VarId> = vec![];
        let mut scalars = vec![];
        for _ in 0..self.rng.range(0, 3) {
            let mut ty = self.any_type().element();
            if self.rng.chance(40) {
                ty = Type::UINT;
            }
            let id = self.new_var(if by_struct { "args.a" } else { "arg" }, ty, None, false);
            self.enter_scope(id, true, true);
            params.push(id);
            let s = ty.scalar;
            let random = self.rng.chance(50);
            scalars.push(if random { data_bits(&mut self.rng, s) } else { constant_bits(&mut self.rng, s) });
        }
        let mut body = self.initialise_local();
        let mut context = Context {
            together: barriers,
            depth: 0,
            in_loop: LoopContext::None,
            can_break: false,
            can_return: !barriers,
            loops: 0,
        };
        // Some values and an array that live through everything that follows.
        if self.config.features.private_arrays && self.rng.chance(self.config.array_percent) {
            self.declare_array(&mut body);
        }
        // Early, so that most programs have one that no condition or return keeps from being
        // reached.
        if barriers && self.rng.chance(50) {
            self.barrier(&mut body);
        }
        // The tail check (`if (id >= n) return`) of kernels whose range was rounded up.
        if !barriers && self.rng.chance(15) {
            let range = self.id_range();
            body.push(Stmt::If(range, vec![Stmt::Return(None)], vec![]));
        }
        // Not `block`, as the variables stay in scope for the digest.
        while self.budget > 0 {
            self.stmt(&context, &mut body);
        }
        if barriers && self.rng.chance(60) {
            // No barrier follows from here on, so single items may return.
            context.together = false;
            context.can_return = true;
            self.budget = 5;
            while self.budget > 0 {
                self.stmt(&context, &mut body);
            }
        }
        self.digest(&mut body);
        let mut whole = self.prologue(&body);
        whole.append(&mut body);
        let function = Function {
            name: "generated".to_string(),
            noinline: false,
            by_struct,
            ret: None,
            params,
            mems: std::mem::take(&mut self.mems),
            vars: std::mem::take(&mut self.vars),
            body: whole,
        };
        (function, scalars)
    }

    /// Every item writes its slots; the first one sets up what atomics work on.
    fn initialise_local(&mut self) -> Vec<Stmt> {
        let mut out = vec![];
        for mem in 0..self.mems.len() {
            match self.mems[mem].role {
                Role::Slots { .. } => {
                    let value = self.expr(self.mems[mem].ty, false);
                    // Not from any slots, as they hold nothing yet.
                    let mut loads = false;
                    value.walk(&mut |e| loads |= e.mems().into_iter().any(|m| self.mems[m].is_local()));
                    let value = if loads { self.constant(self.mems[mem].ty) } else { value };
                    let index = self.own_index(mem);
                    out.push(Stmt::Assign(Place::Memory(mem, index), value));
                }
                Role::LocalAtomic => {
                    let first = Expr::compare(CmpOp::Eq, self.var(self.known.lid), Expr::uint(0));
                    let body = (0..self.mems[mem].len)
                        .map(|k| {
                            let value = self.constant(self.mems[mem].ty);
                            Stmt::Assign(Place::Memory(mem, Expr::uint(k)), value)
                        })
                        .collect();
                    out.push(Stmt::If(first, body, vec![]));
                }
                _ => {}
            }
        }
        out
    }

    /// Stores a digest of all variables in scope, so that every wrong value shows in the output.
    fn digest(&mut self, out: &mut Vec<Stmt>) {
        let hash = self.new_var("digest", Type::UINT, None, false);
        self.vars[hash].name = "digest".to_string();
        out.push(Stmt::Decl(hash, vec![Expr::uint(17)]));
        let scope = self.scope.clone();
        for info in scope.into_iter().filter(|v| v.mutable) {
            let values: Vec<Expr> = match info.len {
                // A large array in a loop.
                Some(len) if len * info.ty.count() > 8 || self.rng.chance(30) => {
                    let var = self.new_var("k", Type::INT, None, false);
                    let index = Box::new(self.convert(self.var(var), Type::UINT));
                    let part = self.digest_part(Expr::new(info.ty, ExprKind::Element(info.id, index)));
                    let old = Expr::binary(BinOp::Mul, self.var(hash), Expr::uint(31));
                    let body = vec![Stmt::Assign(Place::Var(hash), Expr::binary(BinOp::Xor, old, part))];
                    let bound = Expr::int(len as i32);
                    out.push(Stmt::Loop(Loop { kind: LoopKind::For, var, bound, cond: None, body }));
                    continue;
                }
                Some(len) => (0..len)
                    .map(|k| Expr::new(info.ty, ExprKind::Element(info.id, Box::new(Expr::uint(k)))))
                    .collect(),
                None => vec![self.var(info.id)],
            };
            for value in values {
                let part = self.digest_part(value);
                let old = Expr::binary(BinOp::Mul, self.var(hash), Expr::uint(31));
                out.push(Stmt::Assign(Place::Var(hash), Expr::binary(BinOp::Xor, old, part)));
            }
        }
        // The digest includes the values of shared memory.
        for mem in self.mems_where(|m, _| matches!(m.role, Role::Slots { .. } | Role::Exchange)) {
            let value = self.load_from(mem, false);
            let part = self.digest_part(value);
            let old = Expr::binary(BinOp::Mul, self.var(hash), Expr::uint(31));
            out.push(Stmt::Assign(Place::Var(hash), Expr::binary(BinOp::Xor, old, part)));
        }
        if !self.images.is_empty() {
            self.write_image(out);
        }
        let outputs = self.mems_where(|m, _| matches!(m.role, Role::Output { .. }));
        for (k, mem) in outputs.into_iter().enumerate() {
            if k == 0 {
                let index = self.own_index(mem);
                out.push(Stmt::Assign(Place::Memory(mem, index), self.var(hash)));
            } else if self.rng.chance(50) {
                out.push(self.store_to(mem));
            }
        }
    }

    /// A `uint` that depends on every lane.
    fn digest_part(&mut self, value: Expr) -> Expr {
        let ty = value.ty;
        (0..ty.lanes)
            .map(|lane| {
                let one = if ty.is_vector() { value.clone().lane(lane) } else { value.clone() };
                let bits = |ty| Expr::new(ty, ExprKind::Bitcast(Box::new(one.clone().canonical())));
                let one = match ty.scalar {
                    Scalar::F32 if self.config.features.bitcasts => bits(Type::UINT),
                    Scalar::F16 if self.config.features.bitcasts => {
                        self.convert(bits(Type::scalar(Scalar::U16)), Type::UINT)
                    }
                    _ => self.convert(one, Type::UINT),
                };
                (lane, one)
            })
            .map(|(lane, one)| Expr::binary(BinOp::Mul, one, Expr::uint(2 * lane as usize + 1)))
            .reduce(|a, b| Expr::binary(BinOp::Add, a, b))
            .expect("a type has a lane")
    }
}
