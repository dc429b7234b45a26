//! What is the same for all work-items of a work-group, and what is not.

use lanewise_analysis::{Analyses, Cfg, Uniformity};
use llvm::{Context, Module, Value};
use std::rc::Rc;

const BUILTINS: &str = "
declare i64 @__mux_get_local_id(i32) memory(none)
declare i64 @__mux_get_global_id(i32) memory(none)
declare i64 @__mux_get_group_id(i32) memory(none)
declare i64 @__mux_get_local_size(i32) memory(none)
declare i64 @__mux_get_global_linear_id() memory(none)
declare i32 @__mux_get_sub_group_local_id() memory(none)
declare float @llvm.sqrt.f32(float)
declare void @llvm.assume(i1)
declare i32 @user(i32)
";

struct Analysed {
    module: Module,
    uniformity: Rc<Uniformity>,
}

fn analyse(body: &str) -> Analysed {
    let text = format!(
        "define void @k(ptr addrspace(1) %p, ptr addrspace(3) %l, ptr addrspace(4) %g, \
         i32 %n, i1 %c, float %f, ptr byref([8 x i32]) %fields) {{\n{body}\n}}\n{BUILTINS}"
    );
    let module = Module::parse(&Context::new(), text.as_bytes(), "test.ll").expect("parses");
    module.verify().expect("well-formed");
    let f = module.function("k").expect("it is there");
    let uniformity = Analyses::default().get::<Uniformity>(&module, f);
    Analysed { module, uniformity }
}

impl Analysed {
    fn value(&self, name: &str) -> Value {
        let f = self.module.function("k").expect("it is there");
        let mut all = f.instructions().into_iter().chain(f.params());
        all.find(|v| v.name() == name).unwrap_or_else(|| panic!("no %{name}"))
    }

    /// Checks the values named, separated by spaces.
    fn expect(&self, uniform: &str, varying: &str) {
        for name in uniform.split_whitespace() {
            assert!(
                self.uniformity.is_uniform(self.value(name)),
                "%{name} should be uniform\n{}",
                self.module
            );
        }
        for name in varying.split_whitespace() {
            assert!(!self.uniformity.is_uniform(self.value(name)), "%{name} should vary\n{}", self.module);
        }
    }

    fn expect_blocks(&self, uniform: &str, divergent: &str) {
        let cfg = Cfg::of(self.module.function("k").expect("it is there"));
        let is_uniform = |name: &str| {
            let number = cfg.blocks.iter().position(|b| b.name() == name).expect("the block is reached");
            self.uniformity.is_block_uniform(number)
        };
        uniform.split_whitespace().for_each(|name| assert!(is_uniform(name), "%{name} should be uniform"));
        divergent.split_whitespace().for_each(|name| assert!(!is_uniform(name), "%{name} should diverge"));
    }
}

#[test]
fn ids_vary_and_arguments_do_not() {
    let a = analyse(
        "  %lid = call i64 @__mux_get_local_id(i32 0)
  %gid = call i64 @__mux_get_global_id(i32 0)
  %lin = call i64 @__mux_get_global_linear_id()
  %sub = call i32 @__mux_get_sub_group_local_id()
  %group = call i64 @__mux_get_group_id(i32 0)
  %size = call i64 @__mux_get_local_size(i32 0)
  %base = mul i64 %group, %size
  %own = add i64 %base, %lid
  %n2 = add i32 %n, 1
  %root = call float @llvm.sqrt.f32(float %f)
  %dim = trunc i64 %lid to i32
  %odd = call i64 @__mux_get_group_id(i32 %dim)
  ret void",
    );
    a.expect("p n c f group size base n2 root", "lid gid lin sub own dim odd");
}

#[test]
fn loads_are_as_uniform_as_their_address_and_memory() {
    let a = analyse(
        "  %id = call i64 @__mux_get_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %id
  %private = alloca i32
  store i32 %n, ptr %private
  %from.global = load i32, ptr addrspace(1) %p
  %from.local = load i32, ptr addrspace(3) %l
  %from.generic = load i32, ptr addrspace(4) %g
  %from.private = load i32, ptr %private
  %gathered = load i32, ptr addrspace(1) %at
  %volatile = load volatile i32, ptr addrspace(1) %p
  %atomic = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  ret void",
    );
    a.expect("from.global from.local", "private from.generic from.private gathered volatile atomic at");
}

#[test]
fn fields_of_arguments_by_value_are_uniform() {
    let a = analyse(
        "  %id = call i64 @__mux_get_local_id(i32 0)
  %first = load i32, ptr %fields
  %field = getelementptr i8, ptr %fields, i64 8
  %third = load i32, ptr %field
  %own = getelementptr i32, ptr %fields, i64 %id
  %element = load i32, ptr %own
  ret void",
    );
    a.expect("first third", "own element");
}

#[test]
fn atomics_calls_and_freeze_vary() {
    let a = analyse(
        "  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %pair = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic
  %first = extractvalue { i32, i1 } %pair, 0
  %called = call i32 @user(i32 %n)
  %frozen = freeze i32 undef
  ret void",
    );
    a.expect("", "old pair first called frozen");
}

#[test]
fn a_phi_of_a_uniform_branch_is_uniform() {
    let a = analyse(
        "entry:
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %n, %then ]
  ret void",
    );
    a.expect("r", "");
    a.expect_blocks("entry then join", "");
}

#[test]
fn a_phi_where_divergent_paths_meet_varies() {
    let a = analyse(
        "entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %odd = trunc i64 %id to i1
  br i1 %odd, label %then, label %join
then:
  %inside = add i32 %n, 1
  %read = load i32, ptr addrspace(1) %p
  br i1 %c, label %more, label %last
more:
  br label %last
last:
  %inner = phi i32 [ 0, %then ], [ 1, %more ]
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ %n, %last ]
  %after = add i32 %n, 2
  %later = load i32, ptr addrspace(1) %p
  ret void",
    );
    a.expect("inside after later", "id odd r read");
    a.expect_blocks("entry join", "then more last");
}

#[test]
fn a_switch_diverges_too() {
    let a = analyse(
        "entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  switch i64 %id, label %join [ i64 0, label %join
                                i64 1, label %one ]
one:
  br label %join
join:
  %r = phi i32 [ 0, %entry ], [ 0, %entry ], [ 1, %one ]
  ret void",
    );
    a.expect("", "r");
    a.expect_blocks("entry join", "one");
}

#[test]
fn a_uniform_loop_keeps_its_values_uniform() {
    let a = analyse(
        "entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  %r = add i32 %i, 0
  ret void",
    );
    a.expect("i next more r", "");
    a.expect_blocks("loop exit", "");
}

#[test]
fn a_value_of_a_loop_that_is_left_at_different_times_varies_outside() {
    let a = analyse(
        "entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %more = icmp ult i64 %i, %id
  br i1 %more, label %loop, label %exit
exit:
  %r = add i64 %next, 0
  %s = add i32 %n, 1
  ret void",
    );
    a.expect("s", "more r next");
    a.expect_blocks("entry exit", "loop");
}

#[test]
fn paths_that_never_meet_diverge_to_their_ends() {
    let a = analyse(
        "entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %odd = trunc i64 %id to i1
  br i1 %odd, label %out, label %stay
out:
  ret void
stay:
  %x = load i32, ptr addrspace(1) %p
  ret void",
    );
    a.expect("", "x");
    a.expect_blocks("entry", "out stay");
}

#[test]
fn a_divergent_branch_in_a_loop_does_not_outlast_the_iteration() {
    let a = analyse(
        "entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %odd = trunc i64 %id to i1
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br i1 %odd, label %then, label %latch
then:
  br label %latch
latch:
  %v = phi i32 [ 0, %loop ], [ 1, %then ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void",
    );
    a.expect("i next more", "v");
    a.expect_blocks("loop latch exit", "then");
}

#[test]
fn divergence_that_depends_on_divergence_is_found() {
    // The inner branch becomes varying only by the PHI of the outer one.
    let a = analyse(
        "entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %odd = trunc i64 %id to i1
  br i1 %odd, label %a, label %b
a:
  br label %b
b:
  %t = phi i1 [ true, %entry ], [ false, %a ]
  br i1 %t, label %x, label %y
x:
  br label %y
y:
  %r = phi i32 [ 0, %b ], [ 1, %x ]
  ret void",
    );
    a.expect("", "t r");
    a.expect_blocks("b y", "a x");
}

#[test]
fn an_infinite_loop_beside_the_way_out() {
    let a = analyse(
        "entry:
  %id = call i64 @__mux_get_local_id(i32 0)
  %odd = trunc i64 %id to i1
  br i1 %odd, label %forever, label %out
forever:
  %i = phi i32 [ 0, %entry ], [ %j, %forever ]
  %j = add i32 %i, 1
  br label %forever
out:
  %r = add i32 %n, 1
  ret void",
    );
    a.expect("r", "i");
    a.expect_blocks("entry", "forever");
}
