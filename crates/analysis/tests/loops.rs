//! Loops and liveness of small functions.

use lanewise_analysis::{Analyses, Liveness, Loops};
use llvm::{Block, Context, Function, Module};
use std::collections::BTreeSet;

fn parse(text: &str) -> (Module, Function) {
    let module = Module::parse(&Context::new(), text.as_bytes(), "test.ll").expect("parses");
    module.verify().expect("well-formed");
    let f = module.function("f").expect("it is there");
    (module, f)
}

fn names<'a>(blocks: impl IntoIterator<Item = &'a Block>) -> Vec<String> {
    blocks.into_iter().map(|b| b.name()).collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn nested_loops_contain_their_inner_ones() {
    let (module, f) = parse(
        "define void @f(i1 %c) {
entry:
  br label %outer
outer:
  br label %inner
inner:
  br i1 %c, label %inner, label %latch
latch:
  br i1 %c, label %outer, label %exit
exit:
  ret void
}",
    );
    let loops = Analyses::default().get::<Loops>(&module, f);
    let found: Vec<(String, String, Vec<String>)> =
        loops.iter().map(|l| (l.header.name(), l.latch.name(), names(&l.blocks))).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0], ("inner".into(), "inner".into(), vec!["inner".into()]));
    assert_eq!(found[1].2, ["inner", "latch", "outer"]);
    assert!(loops.iter().all(|l| l.is_natural));
    let exiting = |name: &str| {
        let block = f.blocks().into_iter().find(|b| b.name() == name).expect("it is there");
        loops.iter().nth(1).expect("there are two").is_exiting(block)
    };
    assert!(exiting("latch") && !exiting("inner"));
}

#[test]
fn an_irreducible_cycle_is_a_loop_but_not_a_natural_one() {
    let (module, f) = parse(
        "define void @f(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  br i1 %c, label %a, label %exit
exit:
  ret void
}",
    );
    let loops = Analyses::default().get::<Loops>(&module, f);
    let found: Vec<_> = loops.iter().map(|l| (names(&l.blocks), l.is_natural)).collect();
    assert_eq!(found, [(vec!["a".to_owned(), "b".to_owned()], false)]);
}

#[test]
fn a_value_is_live_from_its_definition_to_its_last_use_on_every_path() {
    let (module, f) = parse(
        "define i32 @f(i1 %c, i32 %x) {
entry:
  %a = add i32 %x, 1
  %b = add i32 %x, 2
  br label %loop
loop:
  %i = phi i32 [ %b, %entry ], [ %n, %loop ]
  %n = add i32 %i, %a
  br i1 %c, label %loop, label %exit
exit:
  ret i32 %n
}",
    );
    let live = Analyses::default().get::<Liveness>(&module, f);
    let block = |name: &str| f.blocks().into_iter().find(|b| b.name() == name).expect("it is there");
    let named = |values: Vec<llvm::Value>| -> BTreeSet<String> { values.iter().map(|v| v.name()).collect() };
    let expect = |names: &[&str]| -> BTreeSet<String> { names.iter().map(|n| (*n).to_owned()).collect() };
    assert_eq!(named(live.live_out(block("entry")).collect()), expect(&["a", "b"]));
    assert_eq!(named(live.live_in(block("loop")).collect()), expect(&["a"]));
    assert_eq!(named(live.live_out(block("loop")).collect()), expect(&["a", "n"]));
    assert_eq!(named(live.live_in(block("exit")).collect()), expect(&["n"]));
}
