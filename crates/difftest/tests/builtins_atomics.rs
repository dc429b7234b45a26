//! Atomic functions of many work-groups at once: nothing is lost, in any type, order, scope and
//! address space.

mod builtins_common;

use builtins_common::*;
use compiler::NdRange;

const GROUPS: usize = 64;
const LOCAL: usize = 37;
const COUNT: usize = GROUPS * LOCAL;

/// Runs a kernel that finds its numbers in `a`, of a type, with these initial values.
fn totals(ty: Scalar, source: &str, initial: &[u64]) -> Vec<u64> {
    let source = source.replace("TYPE", ty.name);
    let program = build(&source);
    let kernel = program.kernel("k").unwrap();
    let buffer = lanewise_difftest::buffer(&pack(ty, initial)).unwrap();
    let args = [runtime::ArgValue::Buffer(buffer.clone(), 0)];
    lanewise_difftest::run(&kernel, NdRange::new(&[COUNT], &[LOCAL]), &args).unwrap();
    unpack(ty, &lanewise_difftest::contents(&buffer).unwrap())
}

fn integers() -> impl Iterator<Item = Scalar> {
    INTEGERS.into_iter().filter(|ty| ty.bits >= 32)
}

/// The totals of what each work-item adds and the like.
fn expected(ty: Scalar) -> Vec<u64> {
    let ids = || 0..COUNT as u64;
    let sum: u64 = ids().sum();
    vec![
        sum,
        sum.wrapping_neg() & ty.mask(),
        COUNT as u64,
        (COUNT as u64).wrapping_neg() & ty.mask(),
        ids().map(|i| i * 7919 % 4099).min().unwrap(),
        ids().map(|i| i * 7919 % 4099).max().unwrap(),
        ids().fold(ty.mask(), |bits, i| bits & !(1 << (i % 31))),
        ids().fold(0, |bits, i| bits | 1 << (i % 31)),
        ids().fold(0, |bits, i| bits ^ (i * i)),
        COUNT as u64,
        ids().map(|i| i + 1).sum(),
    ]
}

fn initial(ty: Scalar) -> Vec<u64> {
    vec![0, 0, 0, 0, ty.mask() >> 1, 0, ty.mask(), 0, 0, 0, 0, 0]
}

/// `a[11]` is exchanged; what comes out, and what is left, is all that was put in.
fn check(ty: Scalar, source: &str) {
    let mut found = totals(ty, source, &initial(ty));
    let left = found.pop().unwrap();
    found[10] = found[10].wrapping_add(left) & ty.mask();
    assert_eq!(found, expected(ty), "{}: {source}", ty.name);
}

#[test]
fn of_opencl_1() {
    let body = "PREFIX_add(a, x); PREFIX_sub(a + 1, x); PREFIX_inc(a + 2); PREFIX_dec(a + 3);
        PREFIX_min(a + 4, x * 7919 % 4099); PREFIX_max(a + 5, x * 7919 % 4099);
        PREFIX_and(a + 6, ~((TYPE)1 << (i % 31))); PREFIX_or(a + 7, (TYPE)1 << (i % 31));
        PREFIX_xor(a + 8, x * x);
        TYPE old = a[9], seen;
        while ((seen = PREFIX_cmpxchg(a + 9, old, old + 1)) != old) old = seen;
        PREFIX_add(a + 10, PREFIX_xchg(a + 11, x + 1));";
    let global = "kernel void k(volatile global TYPE *a) { int i = get_global_id(0); TYPE x = i; BODY }";
    for ty in integers() {
        let prefix = if ty.bits == 32 { "atomic" } else { "atom" };
        check(ty, &global.replace("BODY", &body.replace("PREFIX", prefix)));
        check(ty, &global.replace("BODY", &body.replace("PREFIX", "atom")));
    }
}

#[test]
fn of_opencl_1_in_local_memory() {
    let source = "kernel void k(volatile global TYPE *a) {
            volatile local TYPE l[4];
            int i = get_global_id(0);
            if (get_local_id(0) < 4) l[get_local_id(0)] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            atom_add(l, (TYPE)i); atom_inc(l + 1); atom_max(l + 2, (TYPE)(i * 7919 % 4099)); atom_xor(l \
            + 3, (TYPE)i * i);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) == 0) {
                atom_add(a, l[0]); atom_add(a + 1, l[1]); atom_max(a + 2, l[2]); atom_xor(a + 3, l[3]);
            }
        }";
    for ty in integers() {
        let all = expected(ty);
        assert_eq!(totals(ty, source, &[0; 4]), [all[0], all[2], all[5], all[8]], "{}", ty.name);
    }
}

#[test]
fn of_c11_with_orders_and_scopes() {
    let source = "kernel void k(volatile global atomic_TYPE *a) {
            int i = get_global_id(0); TYPE x = i;
            atomic_fetch_addEND(a, x, ARGS); atomic_fetch_subEND(a + 1, x, ARGS);
            atomic_fetch_addEND(a + 2, (TYPE)1, ARGS); atomic_fetch_subEND(a + 3, (TYPE)1, ARGS);
            atomic_fetch_minEND(a + 4, x * 7919 % 4099, ARGS); atomic_fetch_maxEND(a + 5, x * 7919 % \
            4099, ARGS);
            atomic_fetch_andEND(a + 6, ~((TYPE)1 << (i % 31)), ARGS);
            atomic_fetch_orEND(a + 7, (TYPE)1 << (i % 31), ARGS); atomic_fetch_xorEND(a + 8, x * x, ARGS);
            TYPE old = atomic_load(a + 9);
            while (!COMPARE(a + 9, &old, old + 1)) {}
            atomic_fetch_add(a + 10, atomic_exchangeEND(a + 11, x + 1, ARGS));
        }";
    let compare = "atomic_compare_exchange_strong";
    let weak = "atomic_compare_exchange_weak";
    let with =
        |order: &str| source.replace("END", "_explicit").replace("ARGS", order).replace("COMPARE", weak);
    for ty in integers() {
        check(ty, &source.replace("END", "").replace(", ARGS", "").replace("COMPARE", compare));
        check(ty, &with("memory_order_relaxed"));
        check(ty, &with("memory_order_acq_rel, memory_scope_all_svm_devices"));
    }
    for order in ["acquire", "release", "seq_cst"] {
        for scope in ["device", "all_svm_devices"] {
            check(INTEGERS[4], &with(&format!("memory_order_{order}, memory_scope_{scope}")));
        }
    }
}

#[test]
fn orders_that_are_not_constant() {
    let source = "kernel void k(volatile global atomic_TYPE *a) {
            const memory_order orders[] = { memory_order_relaxed, memory_order_acquire, memory_order_release,
                                            memory_order_acq_rel, memory_order_seq_cst };
            int i = get_global_id(0);
            atomic_fetch_add_explicit(a, (TYPE)i, orders[i % 5], memory_scope_device);
            TYPE old = atomic_load_explicit(a + 1, orders[i % 2], memory_scope_device);
            while (!atomic_compare_exchange_strong_explicit(a + 1, &old, old + 1, orders[i % 5], \
            memory_order_relaxed)) {}
        }";
    for ty in integers() {
        let all = expected(ty);
        assert_eq!(totals(ty, source, &[0, 0]), [all[0], all[2]], "{}", ty.name);
    }
}

#[test]
fn floats() {
    let source = "kernel void k(SPACE) {
            int i = get_global_id(0); TYPE x = i % 2;
            BEGIN
            atomic_fetch_add(a, x); atomic_fetch_sub_explicit(a + 1, x, memory_order_relaxed);
            atomic_fetch_min(a + 2, (TYPE)(i * 7919 % 2039) - (TYPE)1000);
            atomic_fetch_max_explicit(a + 3, (TYPE)(i * 7919 % 2039) - (TYPE)1000, memory_order_acq_rel, \
            memory_scope_device);
            atomic_store(a + 4, (TYPE)3);
            atomic_exchange(a + 5, atomic_load(a + 4));
            FINISH
        }";
    let global =
        source.replace("SPACE", "volatile global atomic_TYPE *a").replace("BEGIN", "").replace("FINISH", "");
    let generic = source
        .replace("SPACE", "volatile global atomic_TYPE *p")
        .replace("BEGIN", "volatile atomic_TYPE *a = p;")
        .replace("FINISH", "");
    // Local totals, brought together.
    let local = source
        .replace("SPACE", "volatile global atomic_TYPE *p")
        .replace(
            "BEGIN",
            "local atomic_TYPE a[6]; if (get_local_id(0) < 6) atomic_store(a + get_local_id(0), (TYPE)0);
            barrier(CLK_LOCAL_MEM_FENCE);",
        )
        .replace(
            "FINISH",
            "barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) == 0) {
                atomic_fetch_add(p, atomic_load(a)); atomic_fetch_add(p + 1, atomic_load(a + 1));
                atomic_fetch_min(p + 2, atomic_load(a + 2)); atomic_fetch_max(p + 3, atomic_load(a + 3));
                atomic_store(p + 4, atomic_load(a + 4)); atomic_store(p + 5, atomic_load(a + 5));
            }",
        );
    for ty in FLOATS {
        let number = |value: i128| round_to(ty, Exact::Integer(value), Rounding::Nearest);
        let half = (COUNT / 2) as i128;
        let ids = || (0..COUNT as i128).map(|i| i * 7919 % 2039 - 1000);
        let expected = [half, -half, ids().min().unwrap(), ids().max().unwrap(), 3, 3].map(number);
        for source in [&global, &generic, &local] {
            assert_eq!(totals(ty, source, &[0; 6]), expected, "{}: {source}", ty.name);
        }
    }
}

#[test]
fn one_work_item_finds_a_flag_clear() {
    let source = "kernel void k(volatile global atomic_int *a) {
            volatile global atomic_flag *flags = (volatile global atomic_flag *)(a + 2);
            if (!atomic_flag_test_and_set(flags)) atomic_fetch_add(a, 1);
            if (!atomic_flag_test_and_set_explicit(flags + 1, memory_order_acquire)) {
                atomic_fetch_add(a + 1, 1);
                atomic_flag_clear_explicit(flags + 2, memory_order_release, memory_scope_device);
            }
        }";
    assert_eq!(totals(INTEGERS[4], source, &[0, 0, 0, 0, 1])[..2], [1, 1]);
    assert_eq!(totals(INTEGERS[4], source, &[0, 0, 0, 0, 1])[4], 0);
}

#[test]
fn pointers_as_integers() {
    let source = "kernel void k(volatile global atomic_uintptr_t *a) {
            atomic_fetch_add(a, (ptrdiff_t)2);
            atomic_fetch_sub_explicit(a + 1, (ptrdiff_t)1, memory_order_relaxed, memory_scope_device);
        }";
    let n = COUNT as u64;
    assert_eq!(totals(INTEGERS[7], source, &[0, n]), [2 * n, 0]);
}
