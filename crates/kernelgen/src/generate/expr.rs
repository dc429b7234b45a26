//! Expressions. `uniform` asks for one on whose value all work-items of a group agree.

use super::program::STRIDES;
use super::{Generator, Phase, VarInfo};
use crate::ast::{Expr, ExprKind, MemId, Role, Run, VarId, WorkItem};
use crate::builtins::{OF_FLOATS, OF_INTEGERS};
use crate::types::{BinOp, Class, CmpOp, Scalar, Type, UnOp, signed_min, truncate};

const COMPARISONS: [CmpOp; 6] = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge];

/// Whether a compiler can see that the value is 0 or 1.
fn is_boolean(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Compare(..) | ExprKind::Logic(..) => true,
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Xor, a, b) | ExprKind::Select(_, a, b) => {
            is_boolean(a) || is_boolean(b)
        }
        _ => false,
    }
}

impl Generator<'_> {
    /// An expression as deep as the configuration allows.
    pub(super) fn expr(&mut self, ty: Type, uniform: bool) -> Expr {
        let depth = self.rng.range(0, self.config.expr_depth as usize) as u32;
        self.expr_of(ty, depth, uniform)
    }

    fn scalar_type(&mut self) -> Type {
        let scalars = self.config.scalars();
        Type::scalar(*self.rng.pick(&scalars))
    }

    fn integer_type(&mut self) -> Type {
        loop {
            let ty = self.scalar_type();
            if !ty.scalar.is_float() {
                return ty;
            }
        }
    }

    pub(super) fn expr_of(&mut self, ty: Type, depth: u32, uniform: bool) -> Expr {
        if depth == 0 || self.rng.chance(10) {
            return self.leaf(ty, uniform);
        }
        if ty.is_vector() {
            self.vector_expr(ty, depth - 1, uniform)
        } else if ty.scalar.is_float() {
            self.float_expr(ty, depth - 1, uniform)
        } else {
            self.integer_expr(ty, depth - 1, uniform)
        }
    }

    fn two(&mut self, op: BinOp, ty: Type, depth: u32, uniform: bool) -> Expr {
        let (a, b) = (self.expr_of(ty, depth, uniform), self.expr_of(ty, depth, uniform));
        Expr::binary(op, a, b)
    }

    fn integer_expr(&mut self, ty: Type, depth: u32, uniform: bool) -> Expr {
        let f = &self.config.features;
        let int = ty.scalar == Scalar::I32;
        // What has the bits of this type.
        let alike: &[Scalar] = match ty.scalar.bits() {
            32 if f.floats => &[Scalar::U32, Scalar::I32, Scalar::F32],
            32 => &[Scalar::U32, Scalar::I32],
            16 if f.halves => &[Scalar::U16, Scalar::I16, Scalar::F16],
            _ => &[],
        };
        let weights = [
            30,
            8,
            if f.division { 5 } else { 0 },
            5,
            7,
            12,
            if int { 8 } else { 0 },
            if !alike.is_empty() && f.bitcasts { 4 } else { 0 },
            if int && f.floats { 4 } else { 0 },
            if ty.scalar.is_signed() { 6 } else { 0 },
            if f.vectors { 4 } else { 0 },
            if f.builtins { 8 } else { 0 },
            if f.tables { 5 } else { 0 },
            if int && f.builtins && f.floats { 3 } else { 0 },
        ];
        match self.rng.weighted(&weights) {
            0 => {
                use BinOp::*;
                let op = *self.rng.pick(&[Add, Sub, Mul, And, Or, Xor, Add, Sub, Mul, And, Min, Max]);
                self.two(op, ty, depth, uniform)
            }
            1 => {
                let op = *self.rng.pick(&[BinOp::Shl, BinOp::Shr]);
                self.two(op, ty, depth, uniform)
            }
            2 => self.division(ty, depth, uniform),
            3 => {
                let op = *self.rng.pick(&[UnOp::Neg, UnOp::Not]);
                Expr::new(ty, ExprKind::Unary(op, Box::new(self.expr_of(ty, depth, uniform))))
            }
            4 => self.ternary(ty, depth, uniform),
            5 => {
                let from = self.integer_type();
                let a = self.expr_of(from, depth, uniform);
                self.convert(a, ty)
            }
            6 => self.condition(depth, uniform),
            7 => {
                let from = Type::scalar(*self.rng.pick(alike));
                let a = self.expr_of(from, depth, uniform).canonical();
                Expr::new(ty, ExprKind::Bitcast(Box::new(a)))
            }
            8 => {
                let from = match self.rng.below(10) {
                    0..=2 if f.doubles => Scalar::F64,
                    3 | 4 if f.halves => Scalar::F16,
                    _ => Scalar::F32,
                };
                let from = Type::scalar(from);
                Expr::new(ty, ExprKind::ToInt(Box::new(self.expr_of(from, depth, uniform))))
            }
            9 => self.exact(ty, depth, uniform),
            10 => self.lane_of_vector(ty, depth, uniform),
            11 => self.builtin(ty, depth, uniform),
            12 => {
                let index = self.expr_of(Type::UINT, depth, uniform);
                Expr::new(ty, ExprKind::Table(Box::new(index)))
            }
            _ => {
                let others = [(f.floats, Scalar::F32), (f.halves, Scalar::F16), (f.doubles, Scalar::F64)];
                let of: Vec<Scalar> = others.into_iter().filter_map(|(has, s)| has.then_some(s)).collect();
                let of = Type::scalar(*self.rng.pick(&of));
                let class = *self.rng.pick(&Class::ALL);
                Expr::new(ty, ExprKind::IsOf(class, Box::new(self.expr_of(of, depth, uniform))))
            }
        }
    }

    fn float_expr(&mut self, ty: Type, depth: u32, uniform: bool) -> Expr {
        let f = &self.config.features;
        let others: Vec<Scalar> =
            [(f.halves, Scalar::F16), (f.floats, Scalar::F32), (f.doubles, Scalar::F64)]
                .into_iter()
                .filter_map(|(has, scalar)| (has && scalar != ty.scalar).then_some(scalar))
                .collect();
        let bits = match ty.scalar {
            Scalar::F32 => Some(Scalar::U32),
            Scalar::F16 => Some(Scalar::U16),
            _ => None,
        };
        let weights = [
            35,
            4,
            8,
            10,
            if others.is_empty() { 0 } else { 5 },
            if bits.is_some() && f.bitcasts { 2 } else { 0 },
            if f.vectors { 5 } else { 0 },
            if f.builtins { 10 } else { 0 },
        ];
        match self.rng.weighted(&weights) {
            0 => {
                let op = *self.rng.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul]);
                self.two(op, ty, depth, uniform)
            }
            1 => Expr::new(ty, ExprKind::Unary(UnOp::Neg, Box::new(self.expr_of(ty, depth, uniform)))),
            2 => self.ternary(ty, depth, uniform),
            3 => {
                let from = self.integer_type();
                let a = self.expr_of(from, depth, uniform);
                self.convert(a, ty)
            }
            4 => {
                let from = Type::scalar(*self.rng.pick(&others));
                let a = self.expr_of(from, depth, uniform);
                self.convert(a, ty)
            }
            5 => {
                let from = Type::scalar(bits.unwrap_or(Scalar::U32));
                Expr::new(ty, ExprKind::Bitcast(Box::new(self.expr_of(from, depth, uniform))))
            }
            6 => self.lane_of_vector(ty, depth, uniform),
            _ => self.builtin(ty, depth, uniform),
        }
    }

    fn vector_expr(&mut self, ty: Type, depth: u32, uniform: bool) -> Expr {
        let s = ty.scalar;
        let signed = s.is_signed();
        let integer = !s.is_float();
        let f = &self.config.features;
        let weights = [
            30,
            if integer { 8 } else { 0 },
            if integer && f.division { 4 } else { 0 },
            5,
            6,
            8,
            8,
            8,
            if signed { 8 } else { 0 },
            5,
            if f.builtins { 8 } else { 0 },
            if f.vector_accesses { 8 } else { 0 },
        ];
        match self.rng.weighted(&weights) {
            0 if signed && self.rng.chance(50) => self.exact(ty, depth, uniform),
            0 if signed => {
                let op = *self.rng.pick(&[BinOp::And, BinOp::Or, BinOp::Xor]);
                self.two(op, ty, depth, uniform)
            }
            0 if integer => {
                let ops = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::And, BinOp::Or, BinOp::Xor];
                let op = *self.rng.pick(&ops);
                self.two(op, ty, depth, uniform)
            }
            0 => {
                let op = *self.rng.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul]);
                self.two(op, ty, depth, uniform)
            }
            1 => {
                let op = if signed || self.rng.chance(50) { BinOp::Shr } else { BinOp::Shl };
                self.two(op, ty, depth, uniform)
            }
            2 => self.division(ty, depth, uniform),
            3 => {
                let op = if integer { UnOp::Not } else { UnOp::Neg };
                Expr::new(ty, ExprKind::Unary(op, Box::new(self.expr_of(ty, depth, uniform))))
            }
            4 => Expr::new(ty, ExprKind::Splat(Box::new(self.expr_of(ty.element(), depth, uniform)))),
            5 => {
                let parts =
                    (0..ty.lanes).map(|_| self.expr_of(ty.element(), depth.min(1), uniform)).collect();
                Expr::new(ty, ExprKind::Build(parts))
            }
            6 => {
                let from = Type::vector(s, *self.rng.pick(&[2, 3, 4, 8]));
                let a = self.expr_of(from, depth, uniform);
                let lanes = (0..ty.lanes).map(|_| self.rng.below(from.count()) as u8).collect();
                Expr::new(ty, ExprKind::Swizzle(Box::new(a), lanes))
            }
            7 => {
                let cond = self.vector_condition(ty, depth, uniform);
                let (a, b) = (self.expr_of(ty, depth, uniform), self.expr_of(ty, depth, uniform));
                Expr::new(ty, ExprKind::Select(Box::new(cond), Box::new(a), Box::new(b)))
            }
            8 => self.vector_condition(ty, depth, uniform),
            9 => self.ternary(ty, depth, uniform),
            10 => self.builtin(ty, depth, uniform),
            _ => self.vector_load(ty, uniform),
        }
    }

    /// A function whose result is exactly specified.
    fn builtin(&mut self, ty: Type, depth: u32, uniform: bool) -> Expr {
        let builtins = match ty.scalar {
            Scalar::F16 => &OF_FLOATS[..OF_FLOATS.len() - 1],
            scalar if scalar.is_float() => OF_FLOATS,
            _ => OF_INTEGERS,
        };
        let builtin = *self.rng.pick(builtins);
        let operands = (0..builtin.operands()).map(|_| self.expr_of(ty, depth, uniform)).collect();
        Expr::new(ty, ExprKind::Builtin(builtin, operands))
    }

    /// `vloadN` of an input with elements of this type; a constant if there is none.
    fn vector_load(&mut self, ty: Type, uniform: bool) -> Expr {
        let inputs = self.mems_where(|m, _| m.role == Role::Input && m.ty == ty.element());
        if inputs.is_empty() {
            return self.constant(ty);
        }
        let mem = *self.rng.pick(&inputs);
        // Not from the first element on, so that a vector need not be aligned.
        let first = if self.rng.chance(40) { self.rng.below(8) } else { 0 };
        let vectors = self.mems[mem].len.saturating_sub(first) / ty.count();
        // The largest power of two below, so that the index can be masked.
        let room = vectors.checked_ilog2().map_or(0, |bits| 1 << bits);
        if room == 0 {
            return self.constant(ty);
        }
        let index = Box::new(self.masked_index(room, uniform));
        Expr::new(ty, ExprKind::VectorLoad(mem, Run { index, first: Box::new(Expr::uint(first)) }))
    }

    /// A comparison of vectors whose result has the lanes and the width of `ty`.
    fn vector_condition(&mut self, ty: Type, depth: u32, uniform: bool) -> Expr {
        let scalars = self.config.scalars();
        let fitting: Vec<Scalar> = scalars.into_iter().filter(|s| s.bits() == ty.scalar.bits()).collect();
        let from = Type::vector(*self.rng.pick(&fitting), ty.lanes);
        let op = *self.rng.pick(&COMPARISONS);
        let (a, b) = (self.expr_of(from, depth, uniform), self.expr_of(from, depth, uniform));
        self.comparison(op, a, b)
    }

    /// A comparison; operands are replaced where compilers would warn that its outcome is known.
    fn comparison(&mut self, op: CmpOp, mut a: Expr, mut b: Expr) -> Expr {
        let ty = a.ty;
        for e in [&mut a, &mut b] {
            if !ty.is_vector() && is_boolean(e) {
                *e = Expr::new(ty, ExprKind::WorkItem(WorkItem::GroupId(0)));
            }
        }
        if a == b {
            b = self.constant(ty);
        }
        // A widened float is never equal to a double that is no float.
        for e in [&mut a, &mut b] {
            let number = match ty.scalar {
                Scalar::F64 => 3.75f64.to_bits(),
                Scalar::F32 => u64::from(3.75f32.to_bits()),
                _ => continue,
            };
            if matches!(e.kind, ExprKind::Const(_)) {
                *e = Expr::constant(ty, number);
            }
        }
        Expr::compare(op, a, b)
    }

    fn lane_of_vector(&mut self, ty: Type, depth: u32, uniform: bool) -> Expr {
        let from = Type::vector(ty.scalar, *self.rng.pick(&[2, 3, 4, 8]));
        let lane = self.rng.below(from.count()) as u8;
        self.expr_of(from, depth, uniform).lane(lane)
    }

    fn ternary(&mut self, ty: Type, depth: u32, uniform: bool) -> Expr {
        let cond = self.condition(depth, uniform);
        let (a, b) = (self.expr_of(ty, depth, uniform), self.expr_of(ty, depth, uniform));
        Expr::new(ty, ExprKind::Select(Box::new(cond), Box::new(a), Box::new(b)))
    }

    /// Signed arithmetic without casts, on operands made too small to overflow.
    fn exact(&mut self, ty: Type, depth: u32, uniform: bool) -> Expr {
        let (a, b) = (self.expr_of(ty, depth, uniform), self.expr_of(ty, depth, uniform));
        let half = |e: Expr| Expr::binary(BinOp::Shr, e, Expr::constant(ty, 1));
        let low =
            |e: Expr| Expr::binary(BinOp::And, e, Expr::constant(ty, (1 << (ty.scalar.bits() / 2 - 1)) - 1));
        match self.rng.below(3) {
            0 => Expr::binary(BinOp::AddExact, half(a), half(b)),
            1 => Expr::binary(BinOp::SubExact, half(a), half(b)),
            _ => Expr::binary(BinOp::MulExact, low(a), low(b)),
        }
    }

    /// A division by something that is neither 0 nor -1.
    fn division(&mut self, ty: Type, depth: u32, uniform: bool) -> Expr {
        let (a, b) = (self.expr_of(ty, depth, uniform), self.expr_of(ty, depth, uniform));
        let s = ty.scalar;
        let bits = |value: i64| Expr::constant(ty, truncate(s, value as u64));
        let b = if !s.is_signed() {
            Expr::binary(BinOp::Or, b, bits(1))
        } else if self.rng.chance(70) {
            // Positive.
            Expr::binary(BinOp::Or, Expr::binary(BinOp::And, b, bits(!signed_min(s))), bits(1))
        } else {
            // Negative and even.
            Expr::binary(BinOp::And, Expr::binary(BinOp::Or, b, bits(signed_min(s))), bits(!1))
        };
        Expr::binary(*self.rng.pick(&[BinOp::Div, BinOp::Rem]), a, b)
    }

    /// An `int` that is mostly 0 or 1.
    pub(super) fn condition(&mut self, depth: u32, uniform: bool) -> Expr {
        match self.rng.weighted(&[70, if depth > 0 { 20 } else { 0 }, if uniform { 0 } else { 15 }]) {
            2 => self.id_range(),
            0 => {
                let ty = self.scalar_type();
                let op = *self.rng.pick(&COMPARISONS);
                let a = self.expr_of(ty, depth, uniform);
                // Few bits on one side, so that both outcomes happen.
                if !ty.scalar.is_float() && self.rng.chance(50) {
                    let mask = self.rng.range(1, 7) as u64;
                    let a = Expr::binary(BinOp::And, a, Expr::constant(ty, mask));
                    let limit = Expr::constant(ty, self.rng.range(0, 4) as u64);
                    return self.comparison(op, a, limit);
                }
                let b = self.expr_of(ty, depth, uniform);
                self.comparison(op, a, b)
            }
            _ => {
                let and = self.rng.chance(50);
                let (a, b) = (self.condition(depth - 1, uniform), self.condition(depth - 1, uniform));
                Expr::new(Type::INT, ExprKind::Logic(and, Box::new(a), Box::new(b)))
            }
        }
    }

    /// Whether an ID is on this side of a limit that the group agrees on, or between two.
    pub(super) fn id_range(&mut self) -> Expr {
        if self.rng.chance(60) {
            return self.one_id_range();
        }
        let d = *self.rng.pick(&[0, 0, 0, 1, 2]);
        let range = self.raw_id_range(d);
        if self.rng.chance(60) {
            return range;
        }
        let d = if self.rng.chance(70) { d } else { self.rng.below(3) as u32 };
        let other = self.raw_id_range(d);
        Expr::new(Type::INT, ExprKind::Logic(self.rng.chance(80), Box::new(range), Box::new(other)))
    }

    /// Compares an ID of any type, plus a uniform value, with an arbitrary limit.
    fn raw_id_range(&mut self, d: u32) -> Expr {
        let ty = loop {
            let ty = self.integer_type();
            if ty.scalar.bits() >= 32 || self.rng.chance(10) {
                break ty;
            }
        };
        let id = *self.rng.pick(&[WorkItem::LocalId(d), WorkItem::LocalId(d), WorkItem::GlobalId(d)]);
        let mut id = Expr::new(ty, ExprKind::WorkItem(id));
        if self.rng.chance(40) {
            let term = if self.rng.chance(60) { self.constant(ty) } else { self.expr_of(ty, 1, true) };
            id = Expr::binary(*self.rng.pick(&[BinOp::Add, BinOp::Sub]), id, term);
        }
        if self.rng.chance(15) {
            let wider = self.integer_type();
            id = self.convert(id, wider);
        }
        let ty = id.ty;
        let limit = match self.rng.below(5) {
            0 => self.constant(ty),
            1 => Expr::new(ty, ExprKind::WorkItem(WorkItem::LocalSize(d))),
            2 => self.expr_of(ty, 1, true),
            3 => {
                let few = self.expr_of(ty, 1, true);
                Expr::binary(BinOp::And, few, Expr::constant(ty, 31))
            }
            _ => Expr::constant(ty, self.rng.below(40) as u64),
        };
        let op = *self.rng.pick(&COMPARISONS);
        self.comparison(op, id, limit)
    }

    fn one_id_range(&mut self) -> Expr {
        let id = *self.rng.pick(&[self.known.gid, self.known.lid, self.known.lx]);
        let limit = match self.variable(Type::UINT, true) {
            Some(v) if self.rng.chance(40) => {
                let v = self.convert(v, Type::UINT);
                Expr::binary(BinOp::And, v, Expr::uint(63))
            }
            _ => Expr::uint(self.rng.range(1, 64)),
        };
        let op = *self.rng.pick(&[CmpOp::Lt, CmpOp::Lt, CmpOp::Le, CmpOp::Ge, CmpOp::Gt]);
        Expr::compare(op, self.var(id), limit)
    }

    /// The same value, or as much of it as makes sense, in another type.
    pub(super) fn convert(&mut self, e: Expr, ty: Type) -> Expr {
        if e.ty == ty {
            return e;
        }
        if e.ty.is_vector() {
            let lane = self.rng.below(e.ty.count()) as u8;
            return self.convert(e.lane(lane), ty);
        }
        if ty.is_vector() {
            let one = self.convert(e, ty.element());
            return Expr::new(ty, ExprKind::Splat(Box::new(one)));
        }
        if e.ty.scalar.is_float() && !ty.scalar.is_float() {
            let int = Expr::new(Type::INT, ExprKind::ToInt(Box::new(e)));
            return self.convert(int, ty);
        }
        Expr::new(ty, ExprKind::Cast(Box::new(e)))
    }

    pub(super) fn var(&self, id: VarId) -> Expr {
        Expr::new(self.vars[id].ty, ExprKind::Var(id))
    }

    fn leaf(&mut self, ty: Type, uniform: bool) -> Expr {
        // Helpers have no images.
        if self.in_kernel
            && !self.images.is_empty()
            && self.rng.chance(15)
            && let Some(e) = self.read_image(uniform)
        {
            return self.convert(e, ty);
        }
        if self.config.features.generic_pointers
            && self.rng.chance(4)
            && let Some(e) = self.load_either(ty, uniform)
        {
            return self.convert(e, ty);
        }
        for _ in 0..4 {
            let e = match self.rng.weighted(&[12, 45, 8, 18, 22, 12]) {
                0 => Some(self.constant(ty)),
                1 => self.variable(ty, uniform),
                2 => Some(self.work_item(uniform)),
                3 => self.load_input(ty, uniform),
                4 => self.load_shared(ty, uniform),
                _ => self.load_private(ty, uniform),
            };
            if let Some(e) = e {
                return self.convert(e, ty);
            }
        }
        self.constant(ty)
    }

    /// A random variable, preferably of this type.
    fn variable(&mut self, ty: Type, uniform: bool) -> Option<Expr> {
        let fits = |v: &&VarInfo| v.len.is_none() && (v.uniform || !uniform);
        let all: Vec<VarInfo> = self.scope.iter().filter(fits).copied().collect();
        let same: Vec<VarInfo> = all.iter().filter(|v| v.ty == ty).copied().collect();
        let from = if same.is_empty() || self.rng.chance(20) { all } else { same };
        if from.is_empty() {
            return None;
        }
        let id = self.rng.pick(&from).id;
        Some(self.var(id))
    }

    fn work_item(&mut self, uniform: bool) -> Expr {
        let d = self.rng.below(3) as u32;
        if self.sub_groups && self.rng.chance(30) {
            let of_group = [WorkItem::NumSubGroups, WorkItem::MaxSubGroupSize];
            let own = [WorkItem::SubGroupId, WorkItem::SubGroupLocalId, WorkItem::SubGroupSize];
            let function = if uniform { *self.rng.pick(&of_group) } else { *self.rng.pick(&own) };
            return Expr::new(Type::UINT, ExprKind::WorkItem(function));
        }
        let function = match self.rng.below(if uniform { 6 } else { 10 }) {
            0 => WorkItem::GroupId(d),
            1 => WorkItem::LocalSize(d),
            2 => WorkItem::GlobalSize(d),
            3 => WorkItem::NumGroups(d),
            4 => WorkItem::GlobalOffset(d),
            5 => WorkItem::WorkDim,
            6 | 7 => WorkItem::GlobalId(d),
            _ => WorkItem::LocalId(d),
        };
        let long = self.config.features.longs && self.rng.chance(30);
        Expr::new(Type::scalar(if long { Scalar::U64 } else { Scalar::U32 }), ExprKind::WorkItem(function))
    }

    /// A small `uint` expression to compute an index from.
    fn index_base(&mut self, uniform: bool) -> Expr {
        if !uniform && self.rng.chance(40) {
            let id = *self.rng.pick(&[self.known.gid, self.known.lid]);
            let add = Expr::uint(self.rng.below(9));
            return Expr::binary(BinOp::Add, self.var(id), add);
        }
        let variable = self.variable(Type::UINT, uniform);
        match variable {
            Some(v) if self.rng.chance(60) => self.convert(v, Type::UINT),
            Some(v) => {
                let v = self.convert(v, Type::UINT);
                let c = Expr::uint(self.rng.range(1, 13));
                Expr::binary(*self.rng.pick(&[BinOp::Add, BinOp::Mul, BinOp::Xor]), v, c)
            }
            None => Expr::uint(self.rng.below(64)),
        }
    }

    /// An index below `len`, a power of two.
    pub(super) fn masked_index(&mut self, len: usize, uniform: bool) -> Expr {
        debug_assert!(len.is_power_of_two());
        if self.rng.chance(25) {
            return Expr::uint(self.rng.below(len));
        }
        Expr::binary(BinOp::And, self.index_base(uniform), Expr::uint(len - 1))
    }

    fn load(&self, mem: MemId, index: Expr) -> Expr {
        Expr::new(self.mems[mem].ty, ExprKind::Load(mem, Box::new(index)))
    }

    /// One of the memories, rather one of this type.
    fn choose_mem(&mut self, mems: &[MemId], ty: Type) -> Option<MemId> {
        let same: Vec<MemId> = mems.iter().copied().filter(|&m| self.mems[m].ty == ty).collect();
        let from = if same.is_empty() || self.rng.chance(20) { mems } else { &same };
        if from.is_empty() { None } else { Some(*self.rng.pick(from)) }
    }

    fn load_input(&mut self, ty: Type, uniform: bool) -> Option<Expr> {
        let mems = self.mems_where(|m, _| m.role == Role::Input);
        let mem = self.choose_mem(&mems, ty)?;
        let index = if !uniform && self.mems[mem].len >= STRIDES * self.items && self.rng.chance(45) {
            self.strided_index(self.mems[mem].len)
        } else if !uniform && self.rng.chance(45) {
            self.var(self.known.gid)
        } else {
            self.masked_index(self.mems[mem].len, uniform)
        };
        Some(self.load(mem, index))
    }

    /// A strided index: it grows or falls from work-item to work-item by a constant or by a uniform
    /// value; or one that is kept in its range by `min` and `max`. Below `len`, which is at least
    /// [`STRIDES`] times the items.
    fn strided_index(&mut self, len: usize) -> Expr {
        let mut types = vec![Type::UINT, Type::INT];
        if self.config.features.longs {
            types.extend([Type::scalar(Scalar::U64), Type::scalar(Scalar::I64)]);
        }
        let ty = *self.rng.pick(&types);
        let (add, sub, mul) = if ty.scalar.is_signed() {
            (BinOp::AddExact, BinOp::SubExact, BinOp::MulExact)
        } else {
            (BinOp::Add, BinOp::Sub, BinOp::Mul)
        };
        let number = |n: usize| Expr::constant(ty, n as u64);
        // An ID along one dimension may begin with an offset: it is multiplied by two at most.
        let (id, most) = if self.config.features.linear_ids && self.rng.chance(70) {
            (Expr::new(ty, ExprKind::WorkItem(WorkItem::GlobalLinearId)), STRIDES)
        } else if self.items >= 64 && self.rng.chance(50) {
            let d = self.rng.below(2) as u32;
            (Expr::new(ty, ExprKind::WorkItem(WorkItem::GlobalId(d))), 2)
        } else {
            let gid = self.var(self.known.gid);
            (self.convert(gid, ty), STRIDES)
        };
        match self.rng.below(6) {
            0 | 1 => {
                let by = self.rng.range(2, most);
                let plus = self.rng.below(by);
                let product = Expr::binary(mul, id, number(by));
                if plus == 0 { product } else { Expr::binary(add, product, number(plus)) }
            }
            2 => Expr::binary(sub, number(len - 1), id),
            3 => {
                let by = Expr::binary(mul, id, number(2));
                Expr::binary(sub, number(len - 1), by)
            }
            4 => {
                let agreed = self.variable(Type::UINT, true).unwrap_or_else(|| Expr::uint(3));
                let agreed = self.convert(agreed, ty);
                let by = Expr::binary(BinOp::And, agreed, number(most - 1));
                Expr::binary(mul, id, by)
            }
            _ => {
                let near = Expr::binary(add, id, number(self.rng.below(9)));
                let high = self.rng.range(self.items / 2, len - 1);
                let below = Expr::binary(BinOp::Min, near, number(high));
                if self.rng.chance(50) {
                    return below;
                }
                Expr::binary(BinOp::Max, below, number(self.rng.below(self.items / 2 + 1)))
            }
        }
    }

    /// From a memory written at run time: any element where all may read, else only one's own.
    fn load_shared(&mut self, ty: Type, uniform: bool) -> Option<Expr> {
        let mems = self.mems_where(|m, phase| match m.role {
            Role::Input | Role::GlobalAtomic(_) => false,
            Role::Exchange => !uniform,
            Role::Output { .. } => !uniform,
            Role::Slots { .. } | Role::LocalAtomic => {
                phase == Phase::Shared || (phase == Phase::Own && !uniform)
            }
        });
        let mem = self.choose_mem(&mems, ty)?;
        Some(self.load_from(mem, uniform))
    }

    /// A load from an input or another memory of the same type, as a condition says.
    fn load_either(&mut self, ty: Type, uniform: bool) -> Option<Expr> {
        let (a, b) = (self.load_input(ty, uniform)?, self.load_shared(ty, uniform)?);
        let ty = a.ty;
        match (a.kind, b.kind) {
            (ExprKind::Load(m, i), ExprKind::Load(n, j)) if b.ty == ty => {
                let cond = Box::new(self.condition(1, uniform));
                Some(Expr::new(ty, ExprKind::LoadEither(cond, [(m, i), (n, j)])))
            }
            _ => None,
        }
    }

    /// Loads from a memory whose phase allows it.
    pub(super) fn load_from(&mut self, mem: MemId, uniform: bool) -> Expr {
        let index = if self.phases[mem] == Phase::Own {
            self.own_index(mem)
        } else {
            self.shared_index(mem, uniform)
        };
        self.load(mem, index)
    }

    /// The index of an element that belongs to the work-item.
    pub(super) fn own_index(&mut self, mem: MemId) -> Expr {
        match self.mems[mem].role {
            Role::Exchange => self.var(self.known.gid),
            Role::Output { per_item, reversed } => {
                let mut index = self.var(self.known.gid);
                if per_item > 1 {
                    let base = Expr::binary(BinOp::Mul, index, Expr::uint(per_item));
                    let offset = self.masked_index(per_item, false);
                    index = Expr::binary(BinOp::Add, base, offset);
                }
                if reversed {
                    index = Expr::binary(BinOp::Sub, Expr::uint(self.mems[mem].len - 1), index);
                }
                index
            }
            _ => self.var(self.known.lid),
        }
    }

    /// The index of any element of the group.
    fn shared_index(&mut self, mem: MemId, uniform: bool) -> Expr {
        let len = self.mems[mem].len;
        match self.mems[mem].role {
            Role::Exchange => {
                // Another item of the same row: rows lie one after the other in the buffer.
                let row = Expr::binary(BinOp::Sub, self.var(self.known.gid), self.var(self.known.lx));
                let base = self.index_base(false);
                let column = Expr::binary(BinOp::Rem, base, self.var(self.known.size_x));
                Expr::binary(BinOp::Add, row, column)
            }
            Role::LocalAtomic => self.masked_index(len, uniform),
            _ => {
                let size = self.var(self.known.group_size);
                if !uniform && self.rng.chance(20) {
                    let last = Expr::binary(BinOp::Sub, size, Expr::uint(1));
                    return Expr::binary(BinOp::Sub, last, self.var(self.known.lid));
                }
                let base = self.index_base(uniform);
                Expr::binary(BinOp::Rem, base, size)
            }
        }
    }

    fn load_private(&mut self, ty: Type, uniform: bool) -> Option<Expr> {
        if uniform {
            return None;
        }
        let arrays: Vec<VarInfo> = self.scope.iter().filter(|v| v.len.is_some()).copied().collect();
        let same: Vec<VarInfo> = arrays.iter().filter(|v| v.ty == ty).copied().collect();
        let from = if same.is_empty() { arrays } else { same };
        if from.is_empty() {
            return None;
        }
        let array = *self.rng.pick(&from);
        let index = self.masked_index(array.len.unwrap_or(1), false);
        Some(Expr::new(array.ty, ExprKind::Element(array.id, Box::new(index))))
    }
}
