//! Kernels over slices, on every device.

use lanewise::{Context, Device, Error, Kernel, Local, NdRange, Pod, Program, Scalar, args};

fn devices() -> [Device; 2] {
    ["cpu", "threads"].map(|name| Device::named(name).unwrap())
}

/// The kernel `k` of a source, on each device.
fn kernels(source: &str) -> impl Iterator<Item = Kernel> {
    devices().into_iter().map(move |device| {
        let context = Context::without_disk_cache();
        Program::builder().device(device).context(&context).source(source).unwrap().kernel("k").unwrap()
    })
}

#[test]
fn slices_are_worked_on_in_place() {
    for k in kernels(
        "kernel void k(float a, global const float *x, global float *y) {
        size_t i = get_global_id(0); y[i] += a * x[i]; }",
    ) {
        for n in [1, 31, 64, 997] {
            let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let mut y = vec![1.0f32; n];
            let start = y.as_ptr();
            // SAFETY: each work-item accesses its own elements.
            let launched = unsafe { k.launch([n], args![2.0f32, &x, &mut y]) }.unwrap();
            assert!((0..n).all(|i| y[i] == 1.0 + 2.0 * i as f32), "{n}");
            assert_eq!(start, y.as_ptr());
            assert!(launched.local_size[0] >= 1 && launched.local_size[1..] == [1, 1]);
        }
    }
}

#[test]
fn a_part_of_a_slice_leaves_the_rest_alone() {
    for k in kernels("kernel void k(global int *p) { p[get_global_id(0)] = 7; }") {
        let mut data = [0i32; 100];
        // SAFETY: the slice has as many elements as there are work-items.
        unsafe { k.launch([13], args![&mut data[5..18]]) }.unwrap();
        assert!(data.iter().enumerate().all(|(i, &v)| v == if (5..18).contains(&i) { 7 } else { 0 }));
    }
}

#[test]
fn ranges_have_dimensions_offsets_and_local_sizes() {
    for k in kernels(
        "kernel void k(global uint *p, uint width) {
        p[get_global_id(1) * width + get_global_id(0)] = get_local_size(0) * 100 + get_local_id(1); }",
    ) {
        let (width, height) = (11usize, 7usize);
        let mut data = vec![u32::MAX; width * height];
        let range = NdRange::new([5, 3]).offset([4, 2]).local([2, 2]);
        // SAFETY: the range ends at 9 of 11 and 5 of 7.
        let launched = unsafe { k.launch(range, args![&mut data, width as u32]) }.unwrap();
        assert_eq!(launched.local_size, [2, 2, 1]);
        for y in 0..height {
            for x in 0..width {
                let expected = if (4..9).contains(&x) && (2..5).contains(&y) {
                    (if x == 8 { 1 } else { 2 }) * 100 + (y as u32 - 2) % 2
                } else {
                    u32::MAX
                };
                assert_eq!(data[y * width + x], expected, "{x} {y}");
            }
        }
    }
    for k in kernels(
        "kernel void k(global uint *p) {
        p[(get_global_id(2) * 3 + get_global_id(1)) * 2 + get_global_id(0)] = get_work_dim(); }",
    ) {
        let mut data = [0u32; 24];
        // SAFETY: one element for each work-item.
        unsafe { k.launch([2, 3, 4], args![&mut data]) }.unwrap();
        assert_eq!(data, [3; 24]);
    }
}

#[test]
fn an_empty_range_does_nothing_and_an_empty_slice_is_null() {
    for k in kernels("kernel void k(global int *p, global const int *q) { if (!q) p[get_global_id(0)] = 1; }")
    {
        let mut data = [0i32; 8];
        let none: &[i32] = &[];
        // SAFETY: nothing runs.
        unsafe { k.launch([0], args![&mut data, none]) }.unwrap();
        assert_eq!(data, [0; 8]);
        // SAFETY: the empty slice is compared with null only.
        unsafe { k.launch([8], args![&mut data, none]) }.unwrap();
        assert_eq!(data, [1; 8]);
    }
}

#[test]
fn work_groups_share_local_memory() {
    for k in kernels(
        "kernel void k(global const int *in, global int *sums, local int *part) {
        size_t l = get_local_id(0);
        part[l] = in[get_global_id(0)];
        for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < step) part[l] += part[l + step];
        }
        if (l == 0) sums[get_group_id(0)] = part[0]; }",
    ) {
        let input: Vec<i32> = (0..64).collect();
        let mut sums = [0i32; 4];
        let range = NdRange::new([64]).local([16]);
        // SAFETY: local memory has an element for each work-item of a work-group.
        unsafe { k.launch(range, args![&input, &mut sums, Local(16 * size_of::<i32>())]) }.unwrap();
        assert_eq!(sums, std::array::from_fn(|g| (0..16).map(|l| (16 * g + l) as i32).sum()));
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Pair {
    count: u32,
    weight: f32,
}
// SAFETY: two numbers without padding.
unsafe impl Pod for Pair {}

#[test]
fn structures_are_elements_and_values() {
    for k in kernels(
        "typedef struct { uint count; float weight; } pair;
        kernel void k(global pair *p, pair add) {
            size_t i = get_global_id(0); p[i].count += add.count; p[i].weight *= add.weight; }",
    ) {
        let mut data: Vec<_> = (0..50).map(|count| Pair { count, weight: 2.0 }).collect();
        let add = Pair { count: 5, weight: 0.5 };
        // SAFETY: each work-item accesses a structure of its own, with the layout of Rust's.
        unsafe { k.launch([50], args![&mut data, add]) }.unwrap();
        assert!(data.iter().enumerate().all(|(i, p)| *p == Pair { count: i as u32 + 5, weight: 1.0 }));
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
struct Float4([f32; 4]);
// SAFETY: four floats.
unsafe impl Pod for Float4 {
    const SCALAR: Option<Scalar> = Some(Scalar::Float);
}

#[test]
fn vectors_are_arrays() {
    for k in kernels(
        "kernel void k(global float4 *p, float3 v, float2 w) {
        p[get_global_id(0)] += (float4)(v, w.x * w.y); }",
    ) {
        let mut wide = [Float4([1.0; 4]); 8];
        // SAFETY: one vector for each work-item, here and below.
        unsafe { k.launch([8], args![&mut wide, [1.0f32, 2.0, 3.0], [2.0f32, 5.0]]) }.unwrap();
        assert_eq!(wide, [Float4([2.0, 3.0, 4.0, 11.0]); 8]);
        // SAFETY: a slice of floats over the same memory.
        let floats = unsafe { std::slice::from_raw_parts_mut(wide.as_mut_ptr().cast::<f32>(), 32) };
        // SAFETY: as above.
        unsafe { k.launch([8], args![floats, [1.0f32, 2.0, 3.0, 99.0], [0.0f32; 2]]) }.unwrap();
        assert_eq!(wide, [Float4([3.0, 5.0, 7.0, 11.0]); 8]);
    }
}

#[test]
fn pictures_are_bytes() {
    for k in kernels(
        "kernel void k(global const uchar *in, global uchar4 *out) {
        size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
        out[i] = (uchar4)(in[i], 255 - in[i], 0, 255); }",
    ) {
        let grey: Vec<u8> = (0..17 * 13).map(|i| i as u8).collect();
        let mut colour = vec![[0u8; 4]; grey.len()];
        // SAFETY: a pixel for each work-item.
        unsafe { k.launch([17, 13], args![&grey, &mut colour]) }.unwrap();
        assert!(colour.iter().zip(&grey).all(|(c, &g)| *c == [g, 255 - g, 0, 255]));
    }
}

#[test]
fn every_scalar_type_is_passed_and_stored() {
    type Check = fn(&Kernel);
    let types: [(&str, Check); 11] = [
        ("char", |k| check(k, -5i8)),
        ("uchar", |k| check(k, 250u8)),
        ("short", |k| check(k, -500i16)),
        ("ushort", |k| check(k, 65_000u16)),
        ("int", |k| check(k, i32::MIN)),
        ("uint", |k| check(k, u32::MAX)),
        ("long", |k| check(k, i64::MIN)),
        ("ulong", |k| check(k, u64::MAX)),
        ("half", |k| check(k, 0x3c00u16)),
        ("float", |k| check(k, 1.5f32)),
        ("double", |k| check(k, -2.5f64)),
    ];
    fn check<T: Pod + PartialEq + Default + std::fmt::Debug>(k: &Kernel, value: T) {
        let mut out = [T::default(); 3];
        // SAFETY: one element for each work-item.
        unsafe { k.launch([3], args![&mut out, value]) }.unwrap();
        assert_eq!(out, [value; 3]);
    }
    for (name, check) in types {
        let source = format!(
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
            kernel void k(global {name} *p, {name} v) {{ p[get_global_id(0)] = v; }}"
        );
        kernels(&source).for_each(|k| check(&k));
    }
}

#[test]
fn constant_memory_and_program_variables() {
    let source = "global int calls = 0;
        kernel void k(constant int *table, global int *out) {
            size_t i = get_global_id(0);
            out[i] = table[i] + calls;
            if (i == 0) calls++; }";
    for device in devices() {
        let program = Program::builder().device(device).options("-cl-std=CL3.0").source(source).unwrap();
        let mut out = [0i32];
        for calls in 0..3 {
            let k = program.kernel("k").unwrap();
            // SAFETY: one element for one work-item.
            unsafe { k.launch([1], args![&[10i32], &mut out]) }.unwrap();
            assert_eq!(out, [10 + calls]);
        }
    }
}

const COPY: &str = "
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int64
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k \"k\" %id
    OpDecorate %id BuiltIn GlobalInvocationId
    DECORATIONS
    %void = OpTypeVoid
    %int = OpTypeInt 32 0
    %long = OpTypeInt 64 0
    %long3 = OpTypeVector %long 3
    %in_long3 = OpTypePointer Input %long3
    %g_int = OpTypePointer CrossWorkgroup %int
    %id = OpVariable %in_long3 Input
    %type = OpTypeFunction %void %g_int %g_int %int
    %k = OpFunction %void None %type
    %from = OpFunctionParameter %g_int
    %to = OpFunctionParameter %g_int
    %add = OpFunctionParameter %int
    %entry = OpLabel
    %ids = OpLoad %long3 %id
    %x = OpCompositeExtract %long %ids 0
    %at_from = OpInBoundsPtrAccessChain %g_int %from %x
    %value = OpLoad %int %at_from Aligned 4
    %sum = OpIAdd %int %value %add
    %at_to = OpInBoundsPtrAccessChain %g_int %to %x
    OpStore %at_to %sum Aligned 4
    OpReturn
    OpFunctionEnd";

#[test]
fn spirv_has_kernels_that_ask_for_mut() {
    let assemble = |decorations| spirv::assemble(&COPY.replace("DECORATIONS", decorations)).unwrap();
    for device in devices() {
        let plain = assemble("");
        let bytes: Vec<u8> = plain.iter().flat_map(|word| word.to_le_bytes()).collect();
        let swapped: Vec<u8> = plain.iter().flat_map(|word| word.to_be_bytes()).collect();
        for bytes in [bytes, swapped] {
            let k = Program::builder().device(device).spirv(&bytes).unwrap().kernel("k").unwrap();
            let (mut from, mut to) = ([1u32, 2, 3], [0u32; 3]);
            // SAFETY: refused, as nothing says that the kernel only reads `from`.
            let error = unsafe { k.launch([3], args![&from, &mut to, 10u32]) }.unwrap_err();
            assert!(matches!(error, Error::Argument { index: 0, .. }), "{error}");
            // SAFETY: one element for each work-item, here and below.
            unsafe { k.launch([3], args![&mut from, &mut to, 10u32]) }.unwrap();
            assert_eq!(to, [11, 12, 13]);
            let mut signed = [0i32; 3];
            // SAFETY: as above.
            unsafe { k.launch([3], args![&mut from, &mut signed, -10i32]) }.unwrap();
            assert_eq!(signed, [-9, -8, -7]);
        }
        let noted: Vec<u8> =
            assemble("OpDecorate %from Constant").iter().flat_map(|w| w.to_le_bytes()).collect();
        let k = Program::builder().device(device).spirv(&noted).unwrap().kernel("k").unwrap();
        let mut to = [0u32; 3];
        // SAFETY: as above.
        unsafe { k.launch([3], args![&[1u32, 2, 3], &mut to, 1u32]) }.unwrap();
        assert_eq!(to, [2, 3, 4]);
    }
}

#[test]
fn threads_launch_the_same_kernel_at_once() {
    fn assert_shareable<T: Send + Sync>() {}
    assert_shareable::<Program>();
    assert_shareable::<Kernel>();
    assert_shareable::<Device>();
    assert_shareable::<Error>();
    let k = kernels("kernel void k(global int *p, int v) { p[get_global_id(0)] += v; }").next().unwrap();
    std::thread::scope(|scope| {
        for v in 0..4 {
            let k = &k;
            scope.spawn(move || {
                let mut data = vec![0i32; 1009];
                for _ in 0..50 {
                    // SAFETY: one element for each work-item.
                    unsafe { k.launch([1009], args![&mut data, v]) }.unwrap();
                }
                assert!(data.iter().all(|&d| d == 50 * v));
            });
        }
    });
}

#[test]
fn kernels_outlive_their_program() {
    let k = kernels("kernel void k(global int *p) { *p = 3; }").next().unwrap();
    let mut out = [0i32];
    // SAFETY: there is one work-item and one element.
    unsafe { k.launch([1], args![&mut out]) }.unwrap();
    assert_eq!(out, [3]);
}
