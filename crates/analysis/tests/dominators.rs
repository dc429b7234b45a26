//! Dominators and post-dominators of random graphs, against the definition: `a` dominates `b` if
//! without `a` there is no way from the entry to `b`.

use kernelgen::Rng;
use lanewise_analysis::{Cfg, Dominators, PostDominators};
use llvm::{Block, Context, Module};
use std::collections::HashSet;
use std::fmt::Write;
use std::rc::Rc;

/// A function of `n` blocks with random branches, returns and dead ends. Block `b` defines `%v<b>`.
fn random_function(random: &mut Rng, n: usize) -> String {
    let mut text = "define void @f(i32 %x) {\n".to_owned();
    for b in 0..n {
        // No branch leads to the entry.
        let mut target = || 1 + random.below(n - 1);
        let targets = [target(), target(), target()];
        let kind = random.below(8);
        let [s, t, u] = targets;
        let _ = write!(text, "b{b}:\n  %v{b} = add i32 %x, {b}\n  ");
        let _ = match kind {
            0 => writeln!(text, "ret void"),
            1 => writeln!(text, "unreachable"),
            2 | 3 => writeln!(text, "br label %b{s}"),
            4 => writeln!(
                text,
                "switch i32 %x, label %b{s} [ i32 0, label %b{t}\n i32 1, label %b{u}\n i32 2, label %b{t} ]"
            ),
            _ => writeln!(text, "br i1 true, label %b{s}, label %b{t}"),
        };
    }
    text + "}\n"
}

/// What can be reached from `start` when `without` is gone.
fn reach(start: Block, without: Option<Block>) -> HashSet<Block> {
    let mut found = HashSet::new();
    let mut work = vec![start];
    while let Some(block) = work.pop() {
        if Some(block) != without && found.insert(block) {
            work.extend(block.successors());
        }
    }
    found
}

fn for_random_functions(check: impl Fn(u64, Module)) {
    for seed in 1..=400 {
        let mut random = Rng::new(seed);
        let n = 2 + random.below(14);
        let text = random_function(&mut random, n);
        let module = Module::parse(&Context::new(), text.as_bytes(), "random.ll").expect("parses");
        check(seed, module);
    }
}

#[test]
fn dominators_are_as_defined() {
    for_random_functions(|seed, module| {
        let f = module.function("f").expect("it is there");
        let dominators = Dominators::of(Rc::new(Cfg::of(f)));
        let all = reach(f.entry(), None);
        for a in f.blocks() {
            let without = reach(f.entry(), Some(a));
            for b in f.blocks() {
                let expected = all.contains(&a) && all.contains(&b) && !without.contains(&b);
                assert_eq!(
                    dominators.block_dominates(a, b),
                    expected,
                    "seed {seed}: {a:?} over {b:?}\n{module}"
                );
            }
        }
    });
}

#[test]
fn post_dominators_are_as_defined() {
    for_random_functions(|seed, module| {
        let f = module.function("f").expect("it is there");
        let cfg = Rc::new(Cfg::of(f));
        let post = PostDominators::of(Rc::clone(&cfg));
        let reaches_exit = |from: Block, without: Option<Block>| {
            reach(from, without).iter().any(|b| b.successors().is_empty())
        };
        // All blocks but `b` itself on every way from it to an exit.
        let strict = |b: Block| -> HashSet<usize> {
            let others = cfg.blocks.iter().filter(|a| **a != b && !reaches_exit(b, Some(**a)));
            others.filter_map(|a| cfg.number(*a)).collect()
        };
        for (n, &b) in cfg.blocks.iter().enumerate() {
            // The immediate one is post-dominated by all others.
            let expected = reaches_exit(b, None)
                .then(|| {
                    let all = strict(b);
                    all.iter().copied().find(|&i| strict(cfg.blocks[i]).len() + 1 == all.len())
                })
                .flatten();
            assert_eq!(post.immediate(n), expected, "seed {seed}: {b:?}\n{module}");
        }
    });
}

#[test]
fn blocks_are_in_reverse_post_order() {
    for_random_functions(|seed, module| {
        let f = module.function("f").expect("it is there");
        let cfg = Cfg::of(f);
        let dominators = Dominators::of(Rc::new(Cfg::of(f)));
        assert_eq!(cfg.blocks[0], f.entry());
        assert_eq!(cfg.blocks.len(), reach(f.entry(), None).len(), "seed {seed}");
        for (n, &block) in cfg.blocks.iter().enumerate() {
            assert_eq!(cfg.number(block), Some(n));
            for &next in &cfg.succs[n] {
                assert!(cfg.preds[next].contains(&n), "seed {seed}");
                // An edge backwards to a dominator is a loop; one that is not is the back edge of
                // an irreducible one.
                let back = next <= n;
                let closes_loop = reach(cfg.blocks[next], None).contains(&block);
                assert!(!back || closes_loop, "seed {seed}: {block:?}");
                if dominators.block_dominates(cfg.blocks[next], block) {
                    assert!(back, "seed {seed}: {block:?}");
                }
            }
        }
    });
}

#[test]
fn a_use_is_dominated_by_what_stands_before_it() {
    let text = "define i32 @f(i1 %c, i32 %x) {\na:\n  %p = add i32 %x, 1\n  %q = add i32 %p, 1\n  \
                br i1 %c, label %b, label %c1\n\
                b:\n  %r = add i32 %q, 1\n  br label %c1\n\
                c1:\n  %s = phi i32 [ %q, %a ], [ %r, %b ]\n  ret i32 %s\n}\n";
    let module = Module::parse(&Context::new(), text.as_bytes(), "test.ll").expect("parses");
    let f = module.function("f").expect("it is there");
    let dominators = Dominators::of(Rc::new(Cfg::of(f)));
    let named = |name: &str| f.instructions().into_iter().find(|i| i.name() == name).expect("it is there");
    let (p, q, r, s) = (named("p"), named("q"), named("r"), named("s"));
    assert!(dominators.dominates_use(p, q, 0));
    assert!(!dominators.dominates_use(q, p, 0));
    assert!(!dominators.dominates_use(q, q, 0));
    // A PHI reads at the end of the block that the value comes from.
    assert!(dominators.dominates_use(r, s, 1));
    assert!(!dominators.dominates_use(r, s, 0));
    let ret = s.next().expect("the return");
    assert!(dominators.dominates_use(s, ret, 0));
    assert!(!dominators.dominates_use(r, ret, 0));
}
