//! Atomics of all kinds from many work-groups at once, where the result does not depend on their
//! order.

mod common;

use common::{BUILDS, Data, Plain, fits, kernel, launch_once};
use compiler::NdRange;
use lanewise_difftest::on_cpu;

const ITEMS: usize = 20_000;

/// Runs over many groups on all threads, in groups that do and do not divide the range.
fn run<T: Plain>(source: &str, initial: &[T], check: impl Fn(&[T])) {
    for build in BUILDS {
        let k = kernel(source, "k", build);
        for local in [1, 64, 100, 333].into_iter().filter(|local| fits(*local)) {
            let cells = Data::of(initial);
            launch_once(&k, NdRange::new(&[ITEMS], &[local]), &[cells.arg()]);
            check(&cells.get());
        }
    }
}

/// The cells after the operations of OpenCL 1.x by every `i` below [`ITEMS`], but for exchanges.
fn cells() -> [i64; 9] {
    let n = ITEMS as i64;
    let xor = (0..n).fold(0, |x, i| x ^ (i * 7 + 1));
    [n * (n - 1) / 2, -(n * (n - 1) / 2), n, -n, -(n - 1), n - 1, 0x0f, 0x7ff, xor]
}

fn old(ty: &str, prefix: &str) -> String {
    format!(
        "kernel void k(global {ty} *c) {{
            {ty} i = ({ty})get_global_id(0);
            {prefix}add(c, i); {prefix}sub(c + 1, i); {prefix}inc(c + 2); {prefix}dec(c + 3);
            {prefix}min(c + 4, -i); {prefix}max(c + 5, i);
            {prefix}and(c + 6, ~(({ty})1 << (4 + i % 20))); {prefix}or(c + 7, ({ty})1 << (i % 11));
            {prefix}xor(c + 8, i * 7 + 1);
        }}"
    )
}

/// What `and` begins with: the 24 lowest bits.
const ALL: i64 = 0xff_ffff;

#[test]
fn operations_on_global_integers() {
    let initial = [0, 0, 0, 0, 0, 0, ALL, 0, 0];
    let small = |cells: &[i64]| cells.iter().map(|c| *c as i32).collect::<Vec<_>>();
    run(&old("int", "atomic_"), &small(&initial), |c| assert_eq!(c, small(&cells())));
    run(&old("long", "atom_"), &initial, |c| assert_eq!(c, cells()));
}

#[test]
fn unsigned_minimum_and_maximum() {
    let source = "kernel void k(global uint *c) {
            uint i = get_global_id(0);
            atomic_min(c, 0x80000000u + i * 3); atomic_max(c + 1, 0x80000000u - i);
            atomic_min(c + 2, 5 + i); atomic_max(c + 3, i);
        }";
    run(source, &[u32::MAX, 1, u32::MAX, 0], |c| {
        assert_eq!(c, [0x8000_0000, 0x8000_0000, 5, ITEMS as u32 - 1]);
    });
}

#[test]
fn operations_on_local_integers() {
    for (ty, prefix) in [("int", "atomic_"), ("long", "atom_")] {
        let source = format!(
            "kernel void k(global {ty} *c) {{
                local {ty} s[4];
                if (get_local_id(0) < 4) s[get_local_id(0)] = 0;
                if (get_local_size(0) < 4 && get_local_id(0) == 0) for (int i = 0; i < 4; i++) s[i] = 0;
                barrier(CLK_LOCAL_MEM_FENCE);
                {ty} i = ({ty})get_global_id(0);
                {prefix}add(s, i); {prefix}inc(s + 1); {prefix}max(s + 2, i); {prefix}xor(s + 3, i * 7 + 1);
                barrier(CLK_LOCAL_MEM_FENCE);
                if (get_local_id(0) == 0) {{
                    {prefix}add(c, s[0]); {prefix}add(c + 1, s[1]); {prefix}max(c + 2, s[2]); \
                    {prefix}xor(c + 3, s[3]);
                }}
            }}"
        );
        let [sum, _, count, .., last, _, _, xor] = cells();
        let expected = [sum, count, last, xor];
        if ty == "int" {
            run(&source, &[0i32; 4], |c| assert_eq!(c, expected.map(|v| v as i32)));
        } else {
            run(&source, &[0i64; 4], |c| assert_eq!(c, expected));
        }
    }
}

#[test]
fn exchanges_lose_nothing() {
    // Each item puts its number into the cell and adds what it got: all but the last number are
    // added.
    let source = "kernel void k(global ulong *c) {
            ulong old = atom_xchg(c, (ulong)get_global_id(0) + 1);
            atom_add(c + 1, old);
        }";
    let n = ITEMS as u64;
    run(source, &[0u64; 2], |c| assert_eq!(c[0] + c[1], n * (n + 1) / 2));
    let floats = "kernel void k(global uint *c) {
            float old = atomic_xchg((global float *)c, (float)(get_global_id(0) + 1));
            atomic_add(c + 1, (uint)old);
        }";
    run(floats, &[0u32; 2], |c| {
        assert_eq!(f32::from_bits(c[0]) as u32 + c[1], ITEMS as u32 * (ITEMS as u32 + 1) / 2);
    });
}

#[test]
fn compare_and_exchange_in_a_loop() {
    let source = "kernel void k(global uint *c) {
            uint old = *(volatile global uint *)c, seen;
            while ((seen = atomic_cmpxchg(c, old, old + 3)) != old) old = seen;
            volatile global atomic_uint *p = (volatile global atomic_uint *)(c + 1);
            uint expected = atomic_load_explicit(p, memory_order_relaxed);
            while (!atomic_compare_exchange_weak_explicit(p, &expected, expected + 5, memory_order_acq_rel,
                                                          memory_order_relaxed, memory_scope_device)) {}
            p++;
            expected = atomic_load(p);
            while (!atomic_compare_exchange_strong(p, &expected, expected + 7)) {}
        }";
    run(source, &[0u32; 3], |c| assert_eq!(c, [3, 5, 7].map(|step| step * ITEMS as u32)));
}

#[test]
fn operations_of_c11() {
    for (ty, atomic) in [("int", "atomic_int"), ("long", "atomic_long")] {
        let source = format!(
            "kernel void k(global {ty} *cells) {{
                volatile global {atomic} *c = (volatile global {atomic} *)cells;
                {ty} i = ({ty})get_global_id(0);
                atomic_fetch_add(c, i);
                atomic_fetch_sub_explicit(c + 1, i, memory_order_relaxed, memory_scope_device);
                atomic_fetch_add_explicit(c + 2, 1, memory_order_seq_cst);
                atomic_fetch_sub(c + 3, 1);
                atomic_fetch_min(c + 4, -i);
                atomic_fetch_max_explicit(c + 5, i, memory_order_acq_rel, memory_scope_all_svm_devices);
                atomic_fetch_and(c + 6, ~(({ty})1 << (4 + i % 20)));
                atomic_fetch_or(c + 7, ({ty})1 << (i % 11));
                atomic_fetch_xor(c + 8, i * 7 + 1);
            }}"
        );
        let initial = [0, 0, 0, 0, 0, 0, ALL, 0, 0];
        let small = |cells: &[i64]| cells.iter().map(|c| *c as i32).collect::<Vec<_>>();
        if ty == "int" {
            run(&source, &small(&initial), |c| assert_eq!(c, small(&cells())));
        } else {
            run(&source, &initial, |c| assert_eq!(c, cells()));
        }
    }
}

#[test]
fn a_flag_is_a_lock() {
    // Only one work-item of a group tries: items of one group need not make progress independently.
    let source = "kernel void k(global uint *c) {
            if (get_local_id(0) == 0) {
                volatile global atomic_flag *lock = (volatile global atomic_flag *)c;
                while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device)) {}
                c[1] = c[1] + 1;
                atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_device);
            }
            atomic_inc(c + 2);
        }";
    let k = kernel(source, "k", "");
    for local in [1, 64, 100] {
        let cells = Data::of(&[0u32; 3]);
        launch_once(&k, NdRange::new(&[ITEMS], &[local]), &[cells.arg()]);
        assert_eq!(cells.get(), [0, ITEMS.div_ceil(local) as u32, ITEMS as u32]);
    }
}

#[test]
fn the_last_group_sees_what_all_others_wrote() {
    // Every group writes its part, then counts itself; the last one adds up the parts.
    let source = "kernel void k(global uint *out, global uint *parts, global atomic_uint *done) {
            local uint sum, last;
            uint l = get_local_id(0);
            if (l == 0) sum = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            atomic_add(&sum, (uint)get_global_id(0));
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l == 0) {
                parts[get_group_id(0)] = sum;
                FENCE;
                last = atomic_fetch_add_explicit(done, 1, memory_order_relaxed) == get_num_groups(0) - 1;
                FENCE;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (last && l == 0) {
                uint total = 0;
                for (uint i = 0; i < get_num_groups(0); i++) total += parts[i];
                *out = total;
            }
        }";
    for fence in [
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)",
        "mem_fence(CLK_GLOBAL_MEM_FENCE)",
    ] {
        let k = kernel(&source.replace("FENCE;", &format!("{fence};")), "k", "");
        // Where each work-item is a thread, barriers are slow: fewer rounds.
        for _ in 0..if on_cpu() { 20 } else { 3 } {
            let (out, parts, done) =
                (Data::<u32>::zeros(1), Data::<u32>::zeros(ITEMS), Data::<u32>::zeros(1));
            launch_once(&k, NdRange::new(&[ITEMS], &[32]), &[out.arg(), parts.arg(), done.arg()]);
            assert_eq!(out.get(), [(ITEMS * (ITEMS - 1) / 2) as u32]);
        }
    }
}

#[test]
fn strong_orders_of_ir_are_lowered() {
    let text = r#"target triple = "spir64-unknown-unknown"
        declare spir_func i64 @_Z13get_global_idj(i32)
        define spir_kernel void @k(ptr addrspace(1) %c) {
          %i = call spir_func i64 @_Z13get_global_idj(i32 0)
          %a = atomicrmw add ptr addrspace(1) %c, i64 %i seq_cst
          %p1 = getelementptr i64, ptr addrspace(1) %c, i64 1
          %b = atomicrmw umax ptr addrspace(1) %p1, i64 %i syncscope("workgroup") acq_rel
          %p2 = getelementptr i64, ptr addrspace(1) %c, i64 2
          %l = load atomic i64, ptr addrspace(1) %p2 acquire, align 8
          %x = cmpxchg ptr addrspace(1) %p2, i64 %l, i64 7 seq_cst seq_cst
          fence syncscope("subgroup") acq_rel
          %p3 = getelementptr i64, ptr addrspace(1) %c, i64 3
          store atomic i64 9, ptr addrspace(1) %p3 release, align 8
          ret void
        }"#;
    let n = ITEMS as u64;
    for build in BUILDS {
        let cells = Data::of(&[0u64; 4]);
        launch_once(&common::ir_kernel(text, build), NdRange::new(&[ITEMS], &[50]), &[cells.arg()]);
        assert_eq!(cells.get(), [n * (n - 1) / 2, n - 1, 7, 9]);
    }
}
