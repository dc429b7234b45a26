//! Checks that a tree is a well-formed program. The generator makes only such trees; the minimiser
//! tries others.

use crate::ast::{Ast, Expr, ExprKind, Function, Place, Stmt, VarId};

/// Variables are declared before use, `break` stands in loops, functions end in a `return` of a
/// value.
pub(crate) fn well_formed(ast: &Ast) -> bool {
    ast.functions().all(|function| {
        let mut scope = vec![false; function.vars.len()];
        for &param in &function.params {
            scope[param] = true;
        }
        let returns = function.ret.is_none() || matches!(function.body.last(), Some(Stmt::Return(Some(_))));
        returns && block(function, &function.body, &mut scope, false, false)
    })
}

/// `breakable`: a `break` would leave a loop. `in_loop`: a `continue` has a loop.
fn block(f: &Function, stmts: &[Stmt], scope: &mut [bool], breakable: bool, in_loop: bool) -> bool {
    let before = scope.to_vec();
    let fine = stmts.iter().all(|stmt| {
        if !stmt.exprs().into_iter().all(|e| declared(e, scope)) {
            return false;
        }
        let known = |var: &VarId| scope[*var];
        match stmt {
            Stmt::Decl(var, _) | Stmt::Collective(var, ..) => {
                scope[*var] = true;
                true
            }
            Stmt::Assign(Place::Var(v) | Place::Lanes(v, _) | Place::Element(v, _), _) => known(v),
            Stmt::Call(result, ..) => result.as_ref().is_none_or(known),
            Stmt::Break => breakable,
            Stmt::Continue => in_loop,
            Stmt::Return(value) => value.is_some() == f.ret.is_some(),
            Stmt::Loop(l) => {
                // Seen only inside the loop, even in those forms that declare it outside.
                scope[l.var] = true;
                let fine = l.cond.iter().chain([&l.bound]).all(|e| declared(e, scope))
                    && block(f, &l.body, scope, true, true);
                scope[l.var] = false;
                fine
            }
            Stmt::Switch(..) => stmt.blocks().into_iter().all(|b| block(f, b, scope, false, in_loop)),
            Stmt::If(..) => stmt.blocks().into_iter().all(|b| block(f, b, scope, breakable, in_loop)),
            Stmt::Assign(Place::Memory(..) | Place::Vector(..), _)
            | Stmt::Barrier(_)
            | Stmt::Atomic(..)
            | Stmt::AsyncCopy { .. }
            | Stmt::Print(..)
            | Stmt::WriteImage(..)
            | Stmt::Mistake(_) => true,
        }
    });
    scope.copy_from_slice(&before);
    fine
}

fn declared(e: &Expr, scope: &[bool]) -> bool {
    let mut fine = true;
    e.walk(&mut |e| {
        if let ExprKind::Var(v) | ExprKind::Element(v, _) = e.kind {
            fine &= scope[v];
        }
    });
    fine
}
