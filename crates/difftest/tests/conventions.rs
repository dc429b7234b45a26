//! What mux IR allows beyond what clang writes: odd integers, remainders, generic pointers,
//! alignments.

mod common;

use common::{BUILDS, Data, bytes, ir_kernel, kernel, launch, value};
use compiler::NdRange;
use lanewise_difftest::{Program, buffer, contents};
use runtime::ArgValue;

const LAYOUT: &str = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-\
    n8:16:32:64";

/// IR with the declarations that all kernels here use.
fn ir(text: &str) -> String {
    format!(
        r#"target datalayout = "{LAYOUT}"
target triple = "spir64-unknown-unknown"
declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func i64 @_Z14get_local_sizej(i32)
declare spir_func void @_Z7barrierj(i32)
{text}"#
    )
}

/// Numbers that make carries and signs show.
fn wide(n: usize) -> Vec<i128> {
    let step = |v: &i128| {
        Some(v.wrapping_mul(0x2d99_7879_26d4_6932_a4c1_f326_80f7_0c55).wrapping_add(0x1234_5678_9abc))
    };
    let all = std::iter::successors(Some(0x7fff_0123_4567_89ab_cdef_fedc_ba98_7654), step);
    all.enumerate().map(|(i, v)| if i % 5 == 4 { v >> 90 } else { v }).take(n).collect()
}

#[test]
fn four_bit_integers() {
    let text = ir("define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {
           %i = call spir_func i64 @_Z13get_global_idj(i32 0)
           %p = getelementptr i8, ptr addrspace(1) %in, i64 %i
           %v = load i8, ptr addrspace(1) %p
           %a = trunc i8 %v to i4
           %h = lshr i8 %v, 4
           %b = trunc i8 %h to i4
           %m = mul i4 %a, %b
           %s = add i4 %m, 5
           %d = or i4 %b, 1
           %q = udiv i4 %s, %d
           %r = srem i4 %a, 3
           %x = xor i4 %q, %r
           switch i4 %a, label %other [ i4 3, label %three i4 -1, label %last ]
         three:
           br label %join
         last:
           %n = sub i4 0, %x
           br label %join
         other:
           br label %join
         join:
           %z = phi i4 [ 7, %three ], [ %n, %last ], [ %x, %other ]
           call spir_func void @_Z7barrierj(i32 1)
           %w = sext i4 %z to i8
           %o = getelementptr i8, ptr addrspace(1) %out, i64 %i
           store i8 %w, ptr addrspace(1) %o
           ret void
         }");
    let input: Vec<u8> = (0..=255).collect();
    let expected = input.iter().map(|v| {
        let (a, b) = (v & 15, v >> 4);
        let signed = |x: u8| ((x << 4) as i8) >> 4;
        let q = ((a * b + 5) & 15) / (b | 1);
        let x = (q ^ (signed(a) % 3) as u8) & 15;
        signed(match a {
            3 => 7,
            15 => x.wrapping_neg() & 15,
            _ => x,
        })
    });
    let expected: Vec<i8> = expected.collect();
    for build in BUILDS {
        let k = ir_kernel(&text, build);
        for local in [1, 16, 17, 64] {
            let out = Data::<i8>::zeros(256);
            launch(&k, NdRange::new(&[256], &[local]), &[out.arg(), Data::of(&input).arg()]);
            assert_eq!(out.get(), expected, "'{build}', {local}");
        }
    }
}

#[test]
fn arithmetic_of_128_bits() {
    type Op = (&'static str, fn(i128, i128) -> i128);
    let ops: [Op; 10] = [
        ("add", i128::wrapping_add),
        ("sub", i128::wrapping_sub),
        ("mul", i128::wrapping_mul),
        ("sdiv", |a, b| a.wrapping_div(b)),
        ("srem", |a, b| a.wrapping_rem(b)),
        ("udiv", |a, b| (a as u128 / b as u128) as i128),
        ("urem", |a, b| (a as u128 % b as u128) as i128),
        ("xor", |a, b| a ^ b),
        ("and", |a, b| a & b),
        ("or", |a, b| a | b),
    ];
    let (a, b) = (wide(100), wide(200)[100..].iter().map(|v| v | 1).collect::<Vec<_>>());
    for (name, op) in ops {
        let text = ir(&format!(
            "define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a, ptr addrspace(1) %b) {{
               %i = call spir_func i64 @_Z13get_global_idj(i32 0)
               %pa = getelementptr i128, ptr addrspace(1) %a, i64 %i
               %pb = getelementptr i128, ptr addrspace(1) %b, i64 %i
               %va = load i128, ptr addrspace(1) %pa
               %vb = load i128, ptr addrspace(1) %pb
               %v = {name} i128 %va, %vb
               %o = getelementptr i128, ptr addrspace(1) %out, i64 %i
               store i128 %v, ptr addrspace(1) %o
               ret void
             }}"
        ));
        let expected: Vec<i128> = a.iter().zip(&b).map(|(a, b)| op(*a, *b)).collect();
        for build in ["", "-cl-opt-disable"] {
            let out = Data::<i128>::zeros(100);
            let args = [out.arg(), Data::of(&a).arg(), Data::of(&b).arg()];
            launch(&ir_kernel(&text, build), NdRange::new(&[100], &[16]), &args);
            assert_eq!(out.get(), expected, "'{build}', {name}");
        }
    }
}

#[test]
fn odd_types_across_a_barrier() {
    let text = ir("@s = internal addrspace(3) global [128 x i128] undef, align 16
         define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {
           %i = call spir_func i64 @_Z13get_global_idj(i32 0)
           %l = call spir_func i64 @_Z12get_local_idj(i32 0)
           %n = call spir_func i64 @_Z14get_local_sizej(i32 0)
           %p = getelementptr i128, ptr addrspace(1) %in, i64 %i
           %v = load i128, ptr addrspace(1) %p
           %t = trunc i128 %v to i24
           %u = trunc i128 %v to i65
           %bit = trunc i128 %v to i1
           %b0 = insertelement <3 x i1> poison, i1 %bit, i32 0
           %b1 = insertelement <3 x i1> %b0, i1 true, i32 1
           %b2 = insertelement <3 x i1> %b1, i1 %bit, i32 2
           %agg = insertvalue { i1, i128, [2 x i24] } undef, i24 %t, 2, 1
           %agg2 = insertvalue { i1, i128, [2 x i24] } %agg, i128 %v, 1
           %here = getelementptr [128 x i128], ptr addrspace(3) @s, i64 0, i64 %l
           store i128 %v, ptr addrspace(3) %here
           call spir_func void @_Z7barrierj(i32 1)
           %l1 = add i64 %l, 1
           %next = urem i64 %l1, %n
           %there = getelementptr [128 x i128], ptr addrspace(3) @s, i64 0, i64 %next
           %w = load i128, ptr addrspace(3) %there
           call spir_func void @_Z7barrierj(i32 1)
           %t2 = extractvalue { i1, i128, [2 x i24] } %agg2, 2, 1
           %v2 = extractvalue { i1, i128, [2 x i24] } %agg2, 1
           %tz = zext i24 %t2 to i128
           %uz = sext i65 %u to i128
           %e = extractelement <3 x i1> %b2, i32 2
           %x1 = add i128 %w, %tz
           %x2 = xor i128 %x1, %uz
           %x3 = sub i128 %x2, %v2
           %x4 = select i1 %e, i128 %x3, i128 %x2
           %o = getelementptr i128, ptr addrspace(1) %out, i64 %i
           store i128 %x4, ptr addrspace(1) %o
           ret void
         }");
    for build in BUILDS {
        let k = ir_kernel(&text, build);
        for (global, local) in [(64, 16), (100, 17), (128, 128), (7, 1)] {
            let input = wide(global);
            let out = Data::<i128>::zeros(global);
            launch(&k, NdRange::new(&[global], &[local]), &[out.arg(), Data::of(&input).arg()]);
            let expected: Vec<i128> = (0..global)
                .map(|i| {
                    let base = i / local * local;
                    let size = local.min(global - base);
                    let (v, w) = (input[i], input[base + (i - base + 1) % size]);
                    let x = w.wrapping_add(v & 0xff_ffff) ^ (v << 63 >> 63);
                    if v & 1 == 1 { x.wrapping_sub(v) } else { x }
                })
                .collect();
            assert_eq!(out.get(), expected, "'{build}', {global} {local}");
        }
    }
}

#[test]
fn remainders_of_floats() {
    let values: Vec<f64> =
        vec![5.5, -5.5, 0.0, -0.0, 1e30, 3.0, 0.1, 7.25, -123.456, 1e-30, 2.0, 1e300, 4.0, -1.0, 1e15, 8.0];
    let source = |ty: &str, bits: &str| {
        ir(&format!(
            "define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a, ptr addrspace(1) %b) {{
               %i = call spir_func i64 @_Z13get_global_idj(i32 0)
               %pa = getelementptr {ty}, ptr addrspace(1) %a, i64 %i
               %pb = getelementptr {ty}, ptr addrspace(1) %b, i64 %i
               %po = getelementptr {ty}, ptr addrspace(1) %out, i64 %i
               %va = load {ty}, ptr addrspace(1) %pa, align {bits}
               %vb = load {ty}, ptr addrspace(1) %pb, align {bits}
               %v = frem {ty} %va, %vb
               store {ty} %v, ptr addrspace(1) %po, align {bits}
               ret void
             }}"
        ))
    };
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for x in &values {
        for y in values.iter().filter(|y| **y != 0.0) {
            a.push(*x);
            b.push(*y);
        }
    }
    let n = a.len();
    assert_eq!(n % 8, 0, "the vectors fill the data");
    for (ty, lanes) in [("double", 1), ("<2 x double>", 2), ("<8 x double>", 8)] {
        let out = Data::<f64>::zeros(n);
        let args = [out.arg(), Data::of(&a).arg(), Data::of(&b).arg()];
        launch(&ir_kernel(&source(ty, "8"), ""), NdRange::new(&[n / lanes], &[14]), &args);
        let expected: Vec<u64> = a.iter().zip(&b).map(|(a, b)| (a % b).to_bits()).collect();
        assert_eq!(out.get().iter().map(|v| v.to_bits()).collect::<Vec<_>>(), expected, "{ty}");
    }
    let single = |v: &[f64]| v.iter().map(|v| *v as f32).collect::<Vec<_>>();
    let (a, b): (Vec<f32>, Vec<f32>) =
        single(&a).into_iter().zip(single(&b)).filter(|(a, b)| a.is_finite() && *b != 0.0).unzip();
    let n = a.len() / 4 * 4;
    for (ty, lanes) in [("float", 1), ("<4 x float>", 4)] {
        for build in BUILDS {
            let out = Data::<f32>::zeros(a.len());
            let args = [out.arg(), Data::of(&a).arg(), Data::of(&b).arg()];
            launch(&ir_kernel(&source(ty, "4"), build), NdRange::new(&[n / lanes], &[16]), &args);
            let expected: Vec<u32> = a.iter().zip(&b).take(n).map(|(a, b)| (a % b).to_bits()).collect();
            let actual: Vec<u32> = out.get()[..n].iter().map(|v| v.to_bits()).collect();
            assert_eq!(actual, expected, "{ty}");
        }
    }
}

#[test]
fn generic_pointers() {
    let source =
        "int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
        __attribute__((noinline)) void bump(int *p, int by) { *p += by; }
        kernel void k(global int *out, global int *in, local int *s) {
            int g = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
            int own[3] = {g, 2 * g, 3};
            s[l] = l;
            int *p = l % 3 == 0 ? (int *)in : l % 3 == 1 ? (int *)own : (int *)s;
            global int *o = out + g;
            int *q = o;
            barrier(CLK_LOCAL_MEM_FENCE);
            bump(own, 1);
            int r = sum(p, l % 3 == 2 ? n : 3);
            barrier(CLK_LOCAL_MEM_FENCE);
            *q = r;
            bump(q, 100);
            bump(s + l, 5);
            barrier(CLK_LOCAL_MEM_FENCE);
            *o += s[n - 1 - l];
        }";
    for build in BUILDS {
        let k = kernel(source, "k", build);
        for (global, local) in [(64, 16), (50, 17), (9, 1)] {
            let out = Data::<i32>::zeros(global);
            let args = [out.arg(), Data::of(&[1000, 2000, 3000]).arg(), ArgValue::Local(4 * local)];
            launch(&k, NdRange::new(&[global], &[local]), &args);
            let expected = (0..global).map(|g| {
                let (base, l) = (g / local * local, g % local);
                let n = local.min(global - base);
                let r = match l % 3 {
                    0 => 6000,
                    1 => 3 * g + 4,
                    _ => n * (n - 1) / 2,
                };
                (r + 100 + n - 1 - l + 5) as i32
            });
            assert_eq!(out.get(), expected.collect::<Vec<_>>(), "'{build}', {global} {local}");
        }
    }
}

#[test]
fn address_space_casts_in_ir() {
    let text = ir("define internal spir_func i32 @get(ptr addrspace(4) %p) noinline {
           %v = load i32, ptr addrspace(4) %p
           ret i32 %v
         }
         define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(2) %in) {
           %i = call spir_func i64 @_Z13get_global_idj(i32 0)
           %own = alloca i32
           %own4 = addrspacecast ptr %own to ptr addrspace(4)
           %back = addrspacecast ptr addrspace(4) %own4 to ptr
           %t = trunc i64 %i to i32
           store i32 %t, ptr %back
           %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
           %o4 = addrspacecast ptr addrspace(1) %o to ptr addrspace(4)
           call spir_func void @_Z7barrierj(i32 1)
           %a = call spir_func i32 @get(ptr addrspace(4) %own4)
           %p = getelementptr i32, ptr addrspace(2) %in, i32 1
           %c = load i32, ptr addrspace(2) %p
           %s = add i32 %a, %c
           store i32 %s, ptr addrspace(4) %o4
           ret void
         }");
    for build in BUILDS {
        let out = Data::<i32>::zeros(40);
        let args = [out.arg(), Data::of(&[5, 7]).arg()];
        launch(&ir_kernel(&text, build), NdRange::new(&[40], &[8]), &args);
        assert_eq!(out.get(), (7..47).collect::<Vec<_>>());
    }
}

#[test]
fn private_objects_keep_their_alignment() {
    // The addresses go through memory, so that no pass can know their low bits.
    let source = "typedef struct __attribute__((aligned(128))) { int a; } Wide;
        __attribute__((noinline)) uint low(volatile private void *p, uint mask) {
            volatile size_t address = (size_t)p;
            return address & mask;
        }
        kernel void k(global uint *out, int n) {
            uint g = get_global_id(0);
            char odd[3]; long16 wide[3]; double8 d; Wide w; short s;
            odd[g % 3] = g; s = g;
            for (int i = 0; i < 3; i++) wide[i] = (long16)(g + i);
            d = (double8)(g); w.a = g;
            uint bad = low(wide, 127) | low(&d, 63) | low(&w, 127) | low(&s, 1);
            SYNC;
            bad |= low(wide, 127) | low(&d, 63) | low(&w, 127) | low(&s, 1);
            out[2 * g] = bad;
            out[2 * g + 1] = wide[n].s3 + (uint)d.s5 + w.a + s + odd[g % 3];
        }";
    for sync in ["", "barrier(CLK_LOCAL_MEM_FENCE)"] {
        for build in BUILDS {
            let k = kernel(&source.replace("SYNC", sync), "k", build);
            for local in [1, 3, 16, 17] {
                let out = Data::<u32>::zeros(100);
                launch(&k, NdRange::new(&[50], &[local]), &[out.arg(), common::value(2i32)]);
                let expected: Vec<u32> = (0..50).flat_map(|g| [0, 5 * g + 2]).collect();
                assert_eq!(out.get(), expected, "'{build}', '{sync}', {local}");
            }
        }
    }
}

#[test]
fn local_and_argument_memory_is_aligned() {
    let source = "typedef struct __attribute__((aligned(256))) { int a; char b; } Wide;
        __attribute__((noinline)) uint low(volatile local void *p, uint mask) {
            volatile size_t address = (size_t)p;
            return address & mask;
        }
        kernel void k(global uint *out, local char *first, local long16 *second) {
            local char c[3]; local Wide w[2]; local long16 l;
            if (get_local_id(0) == 0) { c[0] = 1; w[1].a = 2; l.s0 = 3; first[0] = 4; second[0].s0 = 5; }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint bad = low(w, 255) | low(&l, 127) | low(second, 127);
            out[get_global_id(0)] = bad * 1000 + c[0] + w[1].a + l.s0 + first[0] + second[0].s0;
        }";
    for build in BUILDS {
        let k = kernel(source, "k", build);
        for _ in 0..4 {
            // A new thread has new memory.
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let out = Data::<u32>::zeros(64);
                    let args = [out.arg(), ArgValue::Local(13), ArgValue::Local(128)];
                    launch(&k, NdRange::new(&[64], &[16]), &args);
                    assert_eq!(out.get(), vec![15; 64], "'{build}'");
                });
            });
        }
    }
}

#[test]
fn unaligned_accesses_stay_unaligned() {
    let source = "typedef struct __attribute__((packed)) { char c; int i; double d; long l; } Packed;
        kernel void k(global Packed *out, global const Packed *in, uint n) {
            uint g = get_global_id(0);
            Packed own[2];
            own[0] = in[g]; own[1] = in[(g + 1) % n];
            own[g & 1].i += 1;
            SYNC;
            out[g].c = own[0].c + own[1].c;
            out[g].i = own[0].i * 2 + own[1].i;
            out[g].d = own[0].d + own[1].d;
            out[g].l = own[0].l - own[1].l;
        }";
    // Begins at an odd address too.
    let (n, size) = (100usize, 21);
    let packed =
        |c: u8, i: i32, d: f64, l: i64| [bytes(&[c]), bytes(&[i]), bytes(&[d]), bytes(&[l])].concat();
    let input: Vec<u8> =
        (0..n as i32).flat_map(|g| packed(g as u8, g * 1000, f64::from(g) * 0.5, 1 << (g % 60))).collect();
    let expected: Vec<u8> = (0..n as i32)
        .flat_map(|g| {
            let h = (g + 1) % n as i32;
            let i = g * 2000 + h * 1000 + if g & 1 == 0 { 2 } else { 1 };
            packed(
                (g + h) as u8,
                i,
                f64::from(g) * 0.5 + f64::from(h) * 0.5,
                (1 << (g % 60)) - (1 << (h % 60)),
            )
        })
        .collect();
    for sync in ["", "barrier(CLK_LOCAL_MEM_FENCE)"] {
        for build in BUILDS {
            let k = kernel(&source.replace("SYNC", sync), "k", build);
            let shifted = buffer(&[&[0][..], &input].concat()).unwrap();
            let out = buffer(&vec![0; n * size + 3]).unwrap();
            let args =
                [ArgValue::Buffer(out.clone(), 3), ArgValue::Buffer(shifted, 1), common::value(n as u32)];
            launch(&k, NdRange::new(&[n], &[20]), &args);
            assert_eq!(contents(&out).unwrap()[3..], expected, "'{build}', '{sync}'");
        }
    }
}

#[test]
fn vectorized_accesses_do_not_gain_alignment() {
    // LLVM vectorizes the loop over the work-items; the data begins at an odd address.
    let text = ir("define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {
           %i = call spir_func i64 @_Z13get_global_idj(i32 0)
           %p = getelementptr i32, ptr addrspace(1) %in, i64 %i
           %v = load i32, ptr addrspace(1) %p, align 1
           %w = mul i32 %v, 3
           %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
           store i32 %w, ptr addrspace(1) %o, align 1
           ret void
         }");
    let input: Vec<u32> = (0..1000).map(|i| i * 77).collect();
    let expected: Vec<u32> = input.iter().map(|v| v * 3).collect();
    for build in BUILDS {
        let k = ir_kernel(&text, build);
        for offset in [1, 2, 3] {
            let data = buffer(&[&vec![0; offset][..], &bytes(&input)].concat()).unwrap();
            let out = buffer(&vec![0; 4 * 1000 + 1]).unwrap();
            launch(
                &k,
                NdRange::new(&[1000], &[250]),
                &[ArgValue::Buffer(out.clone(), 1), ArgValue::Buffer(data, offset)],
            );
            assert_eq!(contents(&out).unwrap()[1..], bytes(&expected), "'{build}', {offset}");
        }
    }
}

#[test]
fn constant_tables_of_the_program() {
    let source = "constant uint table[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
        constant char name[] = \"lanewise\";
        constant struct { float f; constant uint *row; } rows[2] = {{0.5f, table[1]}, {1.5f, table[3]}};
        uint look(constant uint *row, uint i) { return row[i]; }
        kernel void k(global float *out) {
            uint g = get_global_id(0);
            barrier(CLK_LOCAL_MEM_FENCE);
            out[g] = look(table[g % 4], g % 3) + name[g % 8] + rows[g & 1].f + rows[g & 1].row[g % 3];
        }";
    for build in BUILDS {
        let out = Data::<f32>::zeros(30);
        launch(&kernel(source, "k", build), NdRange::new(&[30], &[7]), &[out.arg()]);
        let table = |r: usize, c: usize| (r * 3 + c + 1) as f32;
        let expected = (0..30).map(|g| {
            let (f, row) = if g & 1 == 0 { (0.5, 1) } else { (1.5, 3) };
            table(g % 4, g % 3) + f32::from(b"lanewise"[g % 8]) + f + table(row, g % 3)
        });
        assert_eq!(out.get(), expected.collect::<Vec<f32>>(), "'{build}'");
    }
}

#[test]
fn half_as_storage_and_as_a_number() {
    let source = "kernel void k(global half *out, global const half *in, global float *wide) {
            uint g = get_global_id(0);
            float f = vload_half(g, in);
            barrier(CLK_LOCAL_MEM_FENCE);
            wide[g] = f;
            vstore_half(f * 2.0f, g, out);
        }";
    // 1.0, -2.5, 65504, the least normal and subnormal, infinity.
    let input: Vec<u16> = [0x3c00, 0xc100, 0x7bff, 0x0400, 0x0001, 0x7c00, 0x3555, 0x8000].repeat(8);
    let wide =
        [1.0, -2.5, 65504.0, 6.103_515_6e-5, 5.960_464_5e-8, f32::INFINITY, 0.333_251_95, -0.0].repeat(8);
    let doubled: Vec<u16> = [0x4000, 0xc500, 0x7c00, 0x0800, 0x0002, 0x7c00, 0x3955, 0x8000].repeat(8);
    for build in BUILDS {
        let (out, floats) = (Data::<u16>::zeros(64), Data::<f32>::zeros(64));
        let args = [out.arg(), Data::of(&input).arg(), floats.arg()];
        launch(&kernel(source, "k", build), NdRange::new(&[64], &[16]), &args);
        assert_eq!(out.get(), doubled, "'{build}'");
        assert_eq!(floats.get(), wide, "'{build}'");
    }
    // Arithmetic, and the conversion from double, which few CPUs have an instruction for.
    let source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void k(global half *out, global const half *in, double by) {
            uint g = get_global_id(0);
            half h = in[g], one = 1.0h;
            half4 v = (half4)(h, one, h * h, one);
            barrier(CLK_LOCAL_MEM_FENCE);
            out[2 * g] = v.x * 2.0h;
            vstore_half((double)vload_half(g, in) * by, 2 * g + 1, out);
        }";
    for build in BUILDS {
        let out = Data::<u16>::zeros(128);
        let args = [out.arg(), Data::of(&input).arg(), common::value(2.0f64)];
        launch(&kernel(source, "k", build), NdRange::new(&[64], &[16]), &args);
        assert_eq!(out.get(), doubled.iter().flat_map(|h| [*h; 2]).collect::<Vec<_>>(), "'{build}'");
    }
    // As a value of the IR it only moves.
    let text = ir("define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {
           %i = call spir_func i64 @_Z13get_global_idj(i32 0)
           %p = getelementptr half, ptr addrspace(1) %in, i64 %i
           %h = load half, ptr addrspace(1) %p
           %v0 = insertelement <3 x half> poison, half %h, i32 0
           %v1 = insertelement <3 x half> %v0, half 1.0, i32 2
           call spir_func void @_Z7barrierj(i32 1)
           %e = extractelement <3 x half> %v1, i32 0
           %o = getelementptr half, ptr addrspace(1) %out, i64 %i
           store half %e, ptr addrspace(1) %o
           ret void
         }");
    let out = Data::<u16>::zeros(64);
    launch(&ir_kernel(&text, ""), NdRange::new(&[64], &[16]), &[out.arg(), Data::of(&input).arg()]);
    assert_eq!(out.get(), input);
}

#[test]
fn what_is_missing_is_named() {
    let error = |source: &str| Program::build(source, "-cl-std=CL3.0").err().expect(source);
    let undefined = error("int nowhere(int); kernel void k(global int *a) { a[0] = nowhere(1); }");
    assert!(
        undefined.to_string().contains("nowhere") && undefined.to_string().contains("'k'"),
        "{undefined}"
    );
    let overloaded = "float4 __attribute__((overloadable)) absent(float4 v, int n);
        kernel void k(global float4 *a) { a[0] = absent(a[1], 2); }";
    let undefined = error(overloaded);
    assert!(
        undefined.to_string().contains("'absent'") && undefined.to_string().contains("<4 x float>"),
        "{undefined}"
    );
}

#[test]
fn vectors_of_three_are_read_as_they_were_written() {
    let source = "kernel void k(global uint *out, uint a, uint at) {
        long3 v[2] = { (long3)(0l), (long3)((long)a) };
        int2 r = (int2)(0);
        switch ((int)v[at].s2) {
        case 0: r = (int2)((int)v[1u].s0); break;
        default: out[0u] = 77; break;
        }
        out[get_global_id(0)] = (uint)r.s1;
    }";
    let all = ["", "-cl-wfv=never", "--lanes 2", "--lanes 8"];
    for options in all.into_iter().filter(|options| lanewise_difftest::understands(options)) {
        let out = Data::<u32>::zeros(2);
        let k = kernel(source, "k", options);
        launch(&k, NdRange::new(&[2], &[2]), &[out.arg(), value(9u32), value(0u32)]);
        assert_eq!(out.get(), [9, 9], "{options}");
    }
}

/// A pointer that was read from memory is known by its address: private, also across a barrier;
/// local, as a variable or an argument; global, also in memory of a struct.
#[test]
fn pointers_that_were_read_know_their_address_space() {
    let source = "uint which(void *p) {
             return (to_global(p) != 0) | (to_local(p) != 0) << 1 | (to_private(p) != 0) << 2 | \
             get_fence(p) << 4; }
         typedef struct { int a[5]; } S;
         kernel void k(global uint *out, local int *argument, global int *p, S byvalue) {
             local int variable[3], other[2]; int own[4]; S copy = byvalue;
             void *pointers[8] = {p + 3, &variable[2], &own[1], argument + get_local_size(0) - 1, \
             &copy.a[4], other, 0, own};
             size_t i = get_global_id(0), l = get_local_id(0);
             own[l % 4] = i; variable[l % 3] = l; other[l % 2] = l;
             BARRIER
             uint n = i % 8;
             out[i] = which(pointers[n]);
             if (n == 7) out[i] += *(int *)pointers[n] & 0;
         }";
    for barrier in ["", "barrier(CLK_LOCAL_MEM_FENCE);"] {
        for options in ["", "-cl-wfv=always", "-cl-opt-disable", "-cl-wfv=never"] {
            let k = kernel(&source.replace("BARRIER", barrier), "k", options);
            let (out, p) = (Data::<u32>::zeros(64), Data::<i32>::zeros(8));
            let args = [out.arg(), ArgValue::Local(4 * 16), p.arg(), ArgValue::Bytes(vec![0; 20])];
            launch(&k, NdRange::new(&[64], &[16]), &args);
            let (global, local, private) = (1 | 2 << 4, 2 | 1 << 4, 4);
            let expected = [global, local, private, local, private, local, 0, private];
            let expected: Vec<u32> = (0..64).map(|i| expected[i % 8]).collect();
            assert_eq!(out.get(), expected, "'{options}' '{barrier}'");
        }
    }
}

/// Functions of SPIR-V in LLVM IR: IDs, a barrier, operations over groups, and one of the library.
#[test]
fn functions_of_spirv() {
    let text = ir("@s = internal addrspace(3) global [64 x i32] undef, align 4
         declare spir_func i64 @_Z28__spirv_GlobalInvocationId_xv()
         declare spir_func i64 @_Z27__spirv_LocalInvocationId_xv()
         declare spir_func i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32)
         declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)
         declare spir_func i32 @_Z17__spirv_GroupIAddjji(i32, i32, i32)
         declare spir_func i32 @_Z17__spirv_ocl_s_maxii(i32, i32)
         define spir_kernel void @k(ptr addrspace(1) %out) {
           %g = call spir_func i64 @_Z28__spirv_GlobalInvocationId_xv()
           %l = call spir_func i64 @_Z27__spirv_LocalInvocationId_xv()
           %n = call spir_func i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32 0)
           %v = trunc i64 %g to i32
           %at = getelementptr [64 x i32], ptr addrspace(3) @s, i64 0, i64 %l
           store i32 %v, ptr addrspace(3) %at
           call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)
           %last = sub i64 %n, 1
           %from = sub i64 %last, %l
           %other = getelementptr [64 x i32], ptr addrspace(3) @s, i64 0, i64 %from
           %w = load i32, ptr addrspace(3) %other
           %sum = call spir_func i32 @_Z17__spirv_GroupIAddjji(i32 2, i32 0, i32 %w)
           %most = call spir_func i32 @_Z17__spirv_ocl_s_maxii(i32 %w, i32 30)
           %r = add i32 %sum, %most
           %o = getelementptr i32, ptr addrspace(1) %out, i64 %g
           store i32 %r, ptr addrspace(1) %o
           ret void
         }");
    for build in BUILDS {
        let out = Data::<i32>::zeros(64);
        launch(&ir_kernel(&text, build), NdRange::new(&[64], &[16]), &[out.arg()]);
        let expected = (0..64).map(|i| {
            let (first, own) = (i / 16 * 16, i / 16 * 16 + 15 - i % 16);
            (first..first + 16).sum::<i32>() + own.max(30)
        });
        assert_eq!(out.get(), expected.collect::<Vec<_>>(), "'{build}'");
    }
}

#[test]
fn recursion_is_refused_with_the_names_of_the_cycle() {
    let source = "int odd(int n);
        int even(int n) { return n == 0 ? 1 : odd(n - 1); }
        int odd(int n) { return n == 0 ? 0 : even(n - 1); }
        kernel void k(global int *p) { p[0] = even(p[1]); }";
    let error = Program::build(source, "").err().unwrap().to_string();
    assert!(error.contains("recursion is not supported: 'even' calls 'odd', which calls 'even'"), "{error}");
    let source = "int f(int n) { barrier(CLK_LOCAL_MEM_FENCE); return n > 0 ? f(n - 1) : 0; }
        kernel void k(global int *p) { p[0] = f(p[1]); }";
    let error = Program::build(source, "").err().unwrap().to_string();
    assert!(error.contains("recursion is not supported: 'f' calls itself"), "{error}");
}

/// LLVM IR that was compiled for another CPU becomes code for this one.
#[test]
fn the_cpu_of_ir_does_not_matter() {
    let ir = "target triple = \"spir64-unknown-unknown\"
        declare i64 @__mux_get_global_id(i32)
        define double @twice(double %x) noinline #0 { %y = fmul double %x, 2.0 ret double %y }
        define spir_kernel void @k(ptr addrspace(1) %p) #0 {
          %i = call i64 @__mux_get_global_id(i32 0)
          %a = getelementptr double, ptr addrspace(1) %p, i64 %i
          %v = load double, ptr addrspace(1) %a
          %w = call double @twice(double %v)
          store double %w, ptr addrspace(1) %a
          ret void
        }
        attributes #0 = { \"target-cpu\"=\"i386\" \"target-features\"=\"-sse,-sse2\" \"tune-cpu\"=\"i386\" }";
    for build in BUILDS {
        let data = Data::of(&[1.5f64, 2.0, -3.0, 0.25]);
        launch(&ir_kernel(ir, build), NdRange::new(&[4], &[4]), &[data.arg()]);
        assert_eq!(data.get(), [3.0, 4.0, -6.0, 0.5], "'{build}'");
    }
}
