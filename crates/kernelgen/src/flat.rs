//! Functions as flat lists of operations, so that a work-item that waits at a barrier inside of
//! loops and helpers is no more than a stack of positions.

use crate::ast::{
    Ast, AtomicOp, Collective, Expr, Fence, Function, Loop, LoopKind, MemId, Place, Scope, Stmt, VarId,
    has_barrier,
};

#[derive(Debug)]
pub(crate) enum Op<'p> {
    Decl(VarId, &'p [Expr]),
    Assign(&'p Place, &'p Expr),
    Branch { cond: &'p Expr, if_false: usize },
    Jump(usize),
    Switch { value: &'p Expr, table: Vec<(i32, usize)>, default: usize },
    SetCounter(VarId, i32),
    Increment(VarId),
    LoopTest { var: VarId, bound: &'p Expr, cond: Option<&'p Expr>, if_false: usize },
    Tick(usize),
    Barrier(Fence),
    Collective(VarId, Scope, Collective, &'p [Expr]),
    Call { result: Option<VarId>, callee: usize, mems: &'p [MemId], values: &'p [Expr] },
    Return(Option<&'p Expr>),
    Atomic { op: AtomicOp, mem: MemId, index: &'p Expr, value: &'p Expr },
    AsyncCopy { to: MemId, from: MemId, first: &'p Expr, stride: usize },
    Print(u32, &'p [Expr]),
    WriteImage { image: usize, coordinates: &'p [Expr], value: &'p Expr },
    Mistake,
}

#[derive(Debug)]
pub(crate) struct FlatFunction<'p> {
    pub(crate) ops: Vec<Op<'p>>,
    /// Where in the frame each variable begins.
    pub(crate) offsets: Vec<usize>,
    pub(crate) frame_size: usize,
    /// Loops with barriers: their iterations are counted, as all items must be in the same one.
    pub(crate) ticks: usize,
}

/// The code of the helpers, and last that of the kernel.
pub(crate) fn flatten(ast: &Ast) -> Vec<FlatFunction<'_>> {
    let barriers = ast.helpers_with_barriers();
    ast.functions().map(|f| flatten_function(f, &barriers)).collect()
}

fn flatten_function<'p>(function: &'p Function, barriers: &[bool]) -> FlatFunction<'p> {
    let mut offsets = Vec::with_capacity(function.vars.len());
    let mut frame_size = 0;
    for var in &function.vars {
        offsets.push(frame_size);
        frame_size += var.len.unwrap_or(1);
    }
    let mut flat = Flattener { ops: vec![], loops: vec![], ticks: 0, barriers };
    flat.block(&function.body);
    flat.ops.push(Op::Return(None));
    FlatFunction { ops: flat.ops, offsets, frame_size, ticks: flat.ticks }
}

/// The jumps of a loop whose targets are not known yet.
#[derive(Default)]
struct OpenLoop {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

struct Flattener<'p, 'b> {
    ops: Vec<Op<'p>>,
    loops: Vec<OpenLoop>,
    ticks: usize,
    barriers: &'b [bool],
}

impl<'p> Flattener<'p, '_> {
    fn push(&mut self, op: Op<'p>) -> usize {
        self.ops.push(op);
        self.ops.len() - 1
    }

    /// Points the jump at `at` to the next operation.
    fn land(&mut self, at: usize) {
        let here = self.ops.len();
        match &mut self.ops[at] {
            Op::Jump(target) => *target = here,
            Op::Branch { if_false, .. } | Op::LoopTest { if_false, .. } => *if_false = here,
            other => unreachable!("{other:?} does not jump"),
        }
    }

    fn block(&mut self, stmts: &'p [Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        match stmt {
            Stmt::Decl(var, init) => {
                self.push(Op::Decl(*var, init));
            }
            Stmt::Assign(place, value) => {
                self.push(Op::Assign(place, value));
            }
            Stmt::If(cond, then, otherwise) => {
                let branch = self.push(Op::Branch { cond, if_false: 0 });
                self.block(then);
                let end = self.push(Op::Jump(0));
                self.land(branch);
                self.block(otherwise);
                self.land(end);
            }
            Stmt::Loop(l) => self.loop_stmt(l),
            Stmt::Switch(value, cases, default) => {
                let at = self.push(Op::Switch { value, table: vec![], default: 0 });
                let mut table = vec![];
                let mut ends = vec![];
                for case in cases {
                    table.push((case.label, self.ops.len()));
                    self.block(&case.body);
                    if !case.falls_through {
                        ends.push(self.push(Op::Jump(0)));
                    }
                }
                let default_at = self.ops.len();
                self.block(default);
                self.ops[at] = Op::Switch { value, table, default: default_at };
                for end in ends {
                    self.land(end);
                }
            }
            Stmt::Mistake(_) => {
                self.push(Op::Mistake);
            }
            Stmt::Break => {
                let at = self.push(Op::Jump(0));
                self.loops.last_mut().expect("break in a loop").breaks.push(at);
            }
            Stmt::Continue => {
                let at = self.push(Op::Jump(0));
                self.loops.last_mut().expect("continue in a loop").continues.push(at);
            }
            Stmt::Return(value) => {
                self.push(Op::Return(value.as_ref()));
            }
            Stmt::Barrier(fence) => {
                self.push(Op::Barrier(*fence));
            }
            Stmt::Collective(var, scope, op, values) => {
                self.push(Op::Collective(*var, *scope, *op, values));
            }
            Stmt::Call(result, callee, mems, values) => {
                self.push(Op::Call { result: *result, callee: *callee, mems, values });
            }
            Stmt::Atomic(op, _, mem, index, value) => {
                self.push(Op::Atomic { op: *op, mem: *mem, index, value });
            }
            Stmt::AsyncCopy { to, from, first, stride } => {
                self.push(Op::AsyncCopy { to: *to, from: *from, first, stride: *stride });
            }
            Stmt::Print(number, values) => {
                self.push(Op::Print(*number, values));
            }
            Stmt::WriteImage(image, coordinates, value) => {
                self.push(Op::WriteImage { image: *image, coordinates, value });
            }
        }
    }

    fn loop_stmt(&mut self, l: &'p Loop) {
        let start = if l.kind == LoopKind::While { -1 } else { 0 };
        self.push(Op::SetCounter(l.var, start));
        let test = || Op::LoopTest { var: l.var, bound: &l.bound, cond: l.cond.as_ref(), if_false: 0 };
        let top = self.ops.len();
        self.loops.push(OpenLoop::default());
        if l.kind == LoopKind::While {
            self.push(Op::Increment(l.var));
        }
        let early_exit = (l.kind != LoopKind::DoWhile).then(|| self.push(test()));
        if has_barrier(&l.body, self.barriers) {
            self.push(Op::Tick(self.ticks));
            self.ticks += 1;
        }
        self.block(&l.body);
        let open = self.loops.pop().expect("the loop opened above");
        if l.kind == LoopKind::While {
            for at in open.continues {
                self.ops[at] = Op::Jump(top);
            }
        } else {
            for at in open.continues {
                self.land(at);
            }
            self.push(Op::Increment(l.var));
        }
        let exit = early_exit.unwrap_or_else(|| self.push(test()));
        self.push(Op::Jump(top));
        self.land(exit);
        for at in open.breaks {
            self.land(at);
        }
    }
}
