//! The checks of the interpreter, tested on programs that are broken on purpose.

use crate::ast::{Ast, Expr, ExprKind, Place, Stmt, WorkItem};
use crate::types::{
    BinOp, CmpOp, Scalar, Type, UnOp, binary, canonical, cast, compare, f64_of_half, half_of, to_int, unary,
};
use crate::{Config, Features, ItemOrder, Program, ViolationKind, generate};

/// Calls `f` for every block of the kernel and the helpers.
fn each_block(ast: &mut Ast, f: &mut dyn FnMut(&mut Vec<Stmt>)) {
    fn visit(block: &mut Vec<Stmt>, f: &mut dyn FnMut(&mut Vec<Stmt>)) {
        // From the inside out, so that what `f` adds is not visited again.
        for inner in block.iter_mut().flat_map(Stmt::blocks_mut) {
            visit(inner, f);
        }
        f(block);
    }
    for function in ast.functions_mut() {
        visit(&mut function.body, f);
    }
}

/// How many of 300 programs end in one of these ways after the change.
fn count(kinds: &[ViolationKind], change: &mut dyn FnMut(&mut Ast)) -> usize {
    let mut ends_so = |seed: u64| {
        let program = generate(seed, &Config::default());
        let mut ast = program.ast.clone();
        change(&mut ast);
        let broken = Program::from_ast(seed, ast, program.launch);
        broken.check(&broken.launch, ItemOrder::Forward).is_err_and(|v| kinds.contains(&v.kind))
    };
    (0..300).filter(|&seed| ends_so(seed)).count()
}

#[test]
fn races_are_seen_without_barriers() {
    // The first item to read may find nothing written yet.
    let found = count(&[ViolationKind::Race, ViolationKind::Uninitialised], &mut |ast| {
        each_block(ast, &mut |block| block.retain(|s| !matches!(s, Stmt::Barrier(_))));
    });
    assert!(found > 80, "{found}");
}

#[test]
fn races_are_seen_without_the_right_fence() {
    let found = count(&[ViolationKind::Race], &mut |ast| {
        each_block(ast, &mut |block| {
            for stmt in block {
                if let Stmt::Barrier(fence) = stmt {
                    std::mem::swap(&mut fence.local, &mut fence.global);
                }
            }
        });
    });
    assert!(found > 40, "{found}");
}

#[test]
fn divergent_barriers_are_seen() {
    // Items that do not wait may also race ahead, which is seen first.
    let kinds = [ViolationKind::BarrierDivergence, ViolationKind::Race, ViolationKind::Uninitialised];
    let found = count(&kinds, &mut |ast| {
        each_block(ast, &mut |block| {
            for stmt in block {
                if matches!(stmt, Stmt::Barrier(_)) {
                    let id = Expr::new(Type::UINT, ExprKind::WorkItem(WorkItem::LocalId(0)));
                    let first = Expr::compare(CmpOp::Eq, id, Expr::uint(0));
                    *stmt = Stmt::If(first, vec![stmt.clone()], vec![]);
                }
            }
        });
    });
    assert!(found > 150, "{found}");
}

/// Items that meet at one barrier in different iterations of a loop, the same number of times in
/// all.
#[test]
fn barriers_in_different_iterations_are_seen() {
    let features = Features { helpers: false, ..Features::default() };
    let config = Config { features, statements: 0, barrier_percent: 100, ..Config::default() };
    let program = generate(1, &config);
    let mut ast = program.ast.clone();
    let var = ast.kernel.vars.len();
    ast.kernel.vars.push(crate::ast::VarDecl { name: "i".into(), ty: Type::INT, len: None, constant: false });
    let parity = Expr::binary(
        BinOp::And,
        Expr::new(Type::INT, ExprKind::WorkItem(WorkItem::LocalId(0))),
        Expr::constant(Type::INT, 1),
    );
    let cond = Expr::compare(CmpOp::Eq, Expr::new(Type::INT, ExprKind::Var(var)), parity);
    let barrier = Stmt::Barrier(crate::ast::Fence { local: true, global: true });
    ast.kernel.body = vec![Stmt::Loop(crate::ast::Loop {
        kind: crate::ast::LoopKind::For,
        var,
        bound: Expr::int(2),
        cond: None,
        body: vec![Stmt::If(cond, vec![barrier], vec![])],
    })];
    let broken = Program::from_ast(1, ast, program.with_local([2, 1, 1]));
    let kind = broken.check(&broken.launch, ItemOrder::Forward).err().map(|v| v.kind);
    assert_eq!(kind, Some(ViolationKind::BarrierDivergence));
}

#[test]
fn bad_indices_are_seen() {
    let found = count(&[ViolationKind::OutOfRange], &mut |ast| {
        each_block(ast, &mut |block| {
            for stmt in block {
                if let Stmt::Assign(Place::Memory(_, index) | Place::Element(_, index), _) = stmt {
                    *index = Expr::uint(1 << 20);
                }
            }
        });
    });
    assert!(found > 250, "{found}");
}

#[test]
fn stores_of_all_items_to_one_place_are_seen() {
    let found = count(&[ViolationKind::Race], &mut |ast| {
        each_block(ast, &mut |block| {
            for stmt in block {
                if let Stmt::Assign(Place::Memory(_, index), _) = stmt {
                    *index = Expr::uint(0);
                }
            }
        });
    });
    assert!(found > 200, "{found}");
}

#[test]
fn division_by_zero_is_seen() {
    let found = count(&[ViolationKind::DivisionByZero], &mut |ast| {
        let zero = Expr::binary(BinOp::Rem, Expr::uint(1), Expr::uint(0));
        ast.kernel
            .body
            .insert(0, Stmt::If(Expr::new(Type::INT, ExprKind::Cast(Box::new(zero))), vec![], vec![]));
    });
    assert_eq!(found, 300);
}

#[test]
fn arithmetic_of_a_lane() {
    let s = Scalar::I8;
    assert_eq!(binary(BinOp::Add, s, 0x7f, 1), Ok(0x80));
    assert_eq!(binary(BinOp::Shr, s, 0x80, 9), Ok(0xc0));
    assert_eq!(binary(BinOp::Div, s, 0xf9, 2), Ok(0xfd));
    assert_eq!(binary(BinOp::Rem, s, 0xf9, 2), Ok(0xff));
    assert!(binary(BinOp::Div, s, 0x80, 0xff).is_err());
    assert!(binary(BinOp::AddExact, s, 0x7f, 1).is_err());
    assert!(compare(CmpOp::Lt, s, 0xff, 0) && !compare(CmpOp::Lt, Scalar::U8, 0xff, 0));
    assert_eq!(unary(UnOp::Neg, Scalar::U16, 1), 0xffff);
    assert_eq!(cast(Scalar::I8, Scalar::U32, 0xff), 0xffff_ffff);
    assert_eq!(cast(Scalar::U8, Scalar::I64, 0xff), 0xff);
    assert_eq!(cast(Scalar::U64, Scalar::F32, u64::MAX), u64::from(f32::to_bits(1.844_674_4e19)));
    assert_eq!(to_int(Scalar::F32, u64::from(f32::to_bits(-2.75))), 0xffff_fffe);
    assert_eq!(to_int(Scalar::F32, u64::from(f32::to_bits(f32::NAN))), 0);
    assert_eq!(to_int(Scalar::F64, f64::to_bits(1e300)), 0);
    assert_eq!(canonical(Scalar::F32, 0xffff_ffff), 0x7fc0_0000);
}

#[test]
fn halves() {
    for bits in (0..=0x7c00).chain(0x8000..=0xfc00) {
        assert_eq!(half_of(f64_of_half(bits)), bits, "{bits:04x}");
    }
    // Between two of them the even one is taken, also where numbers become subnormal or infinite.
    for (x, bits) in [(2049.0, 0x6800), (2051.0, 0x6802), (65519.0, 0x7bff), (65520.0, 0x7c00)] {
        assert_eq!((half_of(x), half_of(-x)), (bits, bits | 0x8000), "{x}");
    }
    let least = 2f64.powi(-24);
    for (x, bits) in [(0.5, 0), (0.6, 1), (1.5, 2), (2.5, 2), (1023.5, 0x400)] {
        assert_eq!(half_of(x * least), bits, "{x}");
    }
    assert!(f64_of_half(half_of(f64::NAN)).is_nan());
    assert_eq!(cast(Scalar::I64, Scalar::F16, i64::MIN as u64), 0xfc00);
    assert_eq!(binary(BinOp::Mul, Scalar::F16, 0x0001, 0x3800), Ok(0));
    assert_eq!(to_int(Scalar::F16, 0x7c00), 0);
    assert_eq!(to_int(Scalar::F16, 0xc500), -5i64 as u32 as u64);
}
