//! Cutting a failing program down.
//!
//! Every candidate is checked by the interpreter before it is tried: one that breaks the contract
//! could "fail" for no fault of the compiler's.

use crate::ast::{Ast, Expr, ExprKind, Place, Stmt, calls, walk, walk_exprs};
use crate::check::well_formed;
use crate::{ItemOrder, Launch, Program};

/// Removes statements and simplifies expressions and the launch as long as `still_fails` says so of
/// the result. The program given is taken to fail.
pub fn minimize(program: &Program, still_fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut minimizer = Minimizer { best: program.clone(), still_fails };
    loop {
        let before = minimizer.best.source.clone();
        let launch = minimizer.best.launch;
        minimizer.remove_statements();
        minimizer.unwrap_statements();
        minimizer.simplify_expressions();
        minimizer.drop_unused();
        minimizer.simplify_launch();
        if minimizer.best.source == before && minimizer.best.launch == launch {
            return minimizer.best;
        }
    }
}

struct Minimizer<'a> {
    best: Program,
    still_fails: &'a mut dyn FnMut(&Program) -> bool,
}

impl Minimizer<'_> {
    /// Keeps the candidate if it is a program, keeps the contract, and fails.
    fn attempt(&mut self, ast: Ast, launch: Launch) -> bool {
        if !well_formed(&ast) {
            return false;
        }
        let candidate = Program::from_ast(self.best.seed, ast, launch);
        let (Ok(forward), Ok(backward)) =
            (candidate.check(&launch, ItemOrder::Forward), candidate.check(&launch, ItemOrder::Backward))
        else {
            return false;
        };
        if forward != backward || !(self.still_fails)(&candidate) {
            return false;
        }
        self.best = candidate;
        true
    }

    fn attempt_ast(&mut self, change: impl FnOnce(&mut Ast) -> bool) -> bool {
        let mut ast = self.best.ast.clone();
        change(&mut ast) && self.attempt(ast, self.best.launch)
    }

    /// Takes runs of statements out of each block, long runs first.
    fn remove_statements(&mut self) {
        let mut block = 0;
        while let Some(len) = with_block(&mut self.best.ast.clone(), block, |b| b.len()) {
            let mut chunk = len.next_power_of_two();
            while chunk > 0 {
                let mut at = with_block(&mut self.best.ast.clone(), block, |b| b.len()).unwrap_or(0);
                while at > 0 {
                    let start = at.saturating_sub(chunk);
                    self.attempt_ast(|ast| {
                        with_block(ast, block, |b| {
                            let end = at.min(b.len());
                            start < end && b.drain(start..end).count() > 0
                        })
                        .unwrap_or(false)
                    });
                    at = start;
                }
                chunk /= 2;
            }
            block += 1;
        }
    }

    /// Puts the insides of ifs, loops and switches in their places.
    fn unwrap_statements(&mut self) {
        let mut block = 0;
        while let Some(mut len) = with_block(&mut self.best.ast.clone(), block, |b| b.len()) {
            let mut at = 0;
            while at < len {
                let ways =
                    with_block(&mut self.best.ast.clone(), block, |b| b[at].blocks().len()).unwrap_or(0);
                for way in 0..ways {
                    let done = self.attempt_ast(|ast| {
                        with_block(ast, block, |b| {
                            let inner = std::mem::take(b[at].blocks_mut().swap_remove(way));
                            b.splice(at..=at, inner);
                        })
                        .is_some()
                    });
                    if done {
                        break;
                    }
                }
                self.attempt_ast(|ast| with_block(ast, block, |b| shrink(&mut b[at..])).unwrap_or(false));
                at += 1;
                len = with_block(&mut self.best.ast.clone(), block, |b| b.len()).unwrap_or(0);
            }
            block += 1;
        }
    }

    /// Puts constants, or operands of the same type, in the place of expressions.
    fn simplify_expressions(&mut self) {
        let mut number = 0;
        loop {
            let mut ast = self.best.ast.clone();
            let Some(options) = with_expr(&mut ast, number, |e| simpler(e)) else { return };
            for option in options {
                let done = self.attempt_ast(|ast| with_expr(ast, number, |e| *e = option).is_some());
                if done {
                    break;
                }
            }
            number += 1;
        }
    }

    /// Removes helpers, buffers, `__local` arrays and scalars that nothing mentions, each if the
    /// failure can do without it.
    fn drop_unused(&mut self) {
        for helper in (0..self.best.ast.helpers.len()).rev() {
            self.attempt_ast(|ast| {
                let uncalled = !ast.functions().any(|f| calls(&f.body, helper));
                if uncalled {
                    ast.remove_helper(helper);
                }
                uncalled
            });
        }
        for mem in 0..self.best.ast.kernel.mems.len() {
            self.attempt_ast(|ast| {
                let unused = !ast.kernel.mems[mem].dropped && !mentions_mem(&ast.kernel.body, mem);
                ast.kernel.mems[mem].dropped |= unused;
                unused
            });
        }
        for image in 0..self.best.ast.images.len() {
            self.attempt_ast(|ast| {
                let unused = !ast.images[image].dropped && !mentions_image(&ast.kernel.body, image);
                ast.images[image].dropped |= unused;
                unused
            });
        }
        for k in (0..self.best.ast.kernel.params.len()).rev() {
            self.attempt_ast(|ast| {
                let unused = !mentions_var(&ast.kernel.body, ast.kernel.params[k]);
                if unused {
                    ast.kernel.params.remove(k);
                    ast.scalars.remove(k);
                }
                unused
            });
        }
    }

    fn simplify_launch(&mut self) {
        self.attempt(self.best.ast.clone(), Launch { offset: [0; 3], ..self.best.launch });
        for d in 0..3 {
            for by in [8, 4, 2] {
                let mut launch = self.best.launch;
                launch.global[d] = (launch.global[d] / by).max(1);
                launch.local[d] = launch.local[d].min(launch.global[d]);
                if launch != self.best.launch {
                    self.attempt(self.best.ast.clone(), launch);
                }
                let mut launch = self.best.launch;
                launch.local[d] = (launch.local[d] / by).max(1);
                if launch != self.best.launch {
                    self.attempt(self.best.ast.clone(), launch);
                }
            }
        }
        let launch = self.best.launch;
        let flat = (1..=3).find(|&d| launch.global[d..] == [1, 1, 1][d..]).unwrap_or(3);
        if launch.offset[flat..] == [0; 3][flat..] && (flat as u32) < launch.work_dim {
            self.attempt(self.best.ast.clone(), Launch { work_dim: flat as u32, ..launch });
        }
    }
}

/// A small change inside the first statement: no second loop condition, one case less, or no
/// result. True if something changed.
fn shrink(stmts: &mut [Stmt]) -> bool {
    match stmts.first_mut() {
        Some(Stmt::Loop(l)) => l.cond.take().is_some(),
        Some(Stmt::Switch(_, cases, _)) => cases.pop().is_some(),
        Some(Stmt::Call(result, ..)) => result.take().is_some(),
        Some(Stmt::Print(_, values)) => values.pop().is_some(),
        _ => false,
    }
}

/// Calls `f` with the block of this number, in a fixed order.
fn with_block<R>(ast: &mut Ast, number: usize, f: impl FnOnce(&mut Vec<Stmt>) -> R) -> Option<R> {
    fn find<'a>(block: &'a mut Vec<Stmt>, rest: &mut usize) -> Option<&'a mut Vec<Stmt>> {
        if *rest == 0 {
            return Some(block);
        }
        *rest -= 1;
        block.iter_mut().flat_map(Stmt::blocks_mut).find_map(|inner| find(inner, rest))
    }
    // The kernel first: most of what the helpers do becomes dead with it.
    let mut rest = number;
    let Ast { helpers, kernel, .. } = ast;
    let mut bodies = std::iter::once(&mut kernel.body).chain(helpers.iter_mut().map(|h| &mut h.body));
    bodies.find_map(|body| find(body, &mut rest)).map(f)
}

/// Calls `f` with the expression of this number; outer ones come before their operands.
fn with_expr<R>(ast: &mut Ast, number: usize, f: impl FnOnce(&mut Expr) -> R) -> Option<R> {
    fn find<'a>(e: &'a mut Expr, rest: &mut usize) -> Option<&'a mut Expr> {
        if *rest == 0 {
            return Some(e);
        }
        *rest -= 1;
        e.children_mut().into_iter().find_map(|child| find(child, rest))
    }
    fn search<'a>(block: &'a mut [Stmt], rest: &mut usize) -> Option<&'a mut Expr> {
        block.iter_mut().find_map(|stmt| search_stmt(stmt, rest))
    }
    fn search_stmt<'a>(stmt: &'a mut Stmt, rest: &mut usize) -> Option<&'a mut Expr> {
        // Counted first, because a borrow that may be returned cannot be given up again.
        let mut own = 0;
        for e in stmt.exprs() {
            e.walk(&mut |_| own += 1);
        }
        if *rest < own {
            return stmt.exprs_mut().into_iter().find_map(|e| find(e, rest));
        }
        *rest -= own;
        stmt.blocks_mut().into_iter().find_map(|block| search(block, rest))
    }
    let mut rest = number;
    ast.functions_mut().find_map(|function| search(&mut function.body, &mut rest)).map(f)
}

/// What may stand in the place of an expression, the simplest first.
fn simpler(e: &Expr) -> Vec<Expr> {
    // A float operand of a cast of bits stays canonical, and so does what is stored.
    if matches!(e.kind, ExprKind::Const(_) | ExprKind::Canonical(_)) {
        return vec![];
    }
    let mut options = vec![Expr::constant(e.ty, 0)];
    if !e.ty.scalar.is_float() {
        options.push(Expr::constant(e.ty, 1));
    }
    options.extend(e.children().into_iter().filter(|c| c.ty == e.ty).cloned());
    options
}

fn mentions_mem(stmts: &[Stmt], mem: usize) -> bool {
    let mut found = false;
    walk(stmts, &mut |s| match s {
        Stmt::Assign(Place::Memory(m, _) | Place::Vector(m, _), _) | Stmt::Atomic(_, _, m, ..) => {
            found |= *m == mem;
        }
        Stmt::AsyncCopy { to, from, .. } => found |= [*to, *from].contains(&mem),
        Stmt::Call(_, _, mems, _) => found |= mems.contains(&mem),
        _ => {}
    });
    walk_exprs(stmts, &mut |e| found |= e.mems().contains(&mem));
    found
}

fn mentions_image(stmts: &[Stmt], image: usize) -> bool {
    let mut found = false;
    walk(stmts, &mut |s| found |= matches!(s, Stmt::WriteImage(i, ..) if *i == image));
    walk_exprs(stmts, &mut |e| found |= matches!(e.kind, ExprKind::ReadImage(r, _) if r.image == image));
    found
}

fn mentions_var(stmts: &[Stmt], var: usize) -> bool {
    let mut found = false;
    walk(stmts, &mut |s| {
        if let Stmt::Assign(Place::Var(v) | Place::Lanes(v, _) | Place::Element(v, _), _) = s {
            found |= *v == var;
        }
        found |= matches!(s, Stmt::Call(Some(v), ..) if *v == var);
    });
    walk_exprs(stmts, &mut |e| {
        found |= matches!(e.kind, ExprKind::Var(v) | ExprKind::Element(v, _) if v == var)
    });
    found
}
