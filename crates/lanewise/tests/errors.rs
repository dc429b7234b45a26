//! Everything that is refused, with its message.

use lanewise::{Context, Device, Error, Kernel, Local, NdRange, Pod, Program, args};

fn build(source: &str) -> Program {
    Program::builder().context(&Context::without_disk_cache()).source(source).unwrap()
}

fn kernel(source: &str) -> Kernel {
    build(source).kernel("k").unwrap()
}

/// The message of a launch over one work-item that is refused.
macro_rules! refused {
    ($kernel:expr, $($argument:expr),*) => {
        // SAFETY: it is refused before anything runs.
        unsafe { $kernel.launch([1], args![$($argument),*]) }.unwrap_err().to_string()
    };
}

#[test]
fn a_build_error_has_the_log_with_lines() {
    let error =
        Program::builder().name("wrong.cl").source("kernel void k(global int *p) {\n  p[0] = undeclared;\n}");
    let Err(Error::Build { log }) = &error else { panic!("{error:?}") };
    assert!(log.contains("wrong.cl:2:10: error: use of undeclared identifier 'undeclared'"), "{log}");
    let message = |builder: lanewise::Builder, source: &str| builder.source(source).unwrap_err().to_string();
    assert!(message(Program::builder().options("-cl-nonsense"), "").contains("-cl-nonsense"));
    assert_eq!(message(Program::builder(), "kernel\0"), "byte 6 of the source is zero");
    let unresolved = message(Program::builder(), "int f(int); kernel void k(global int *p) { *p = f(1); }");
    assert!(unresolved.contains('f'), "{unresolved}");
}

#[test]
fn spirv_that_is_none_is_refused() {
    let message = |bytes: &[u8]| Program::from_spirv(bytes).unwrap_err().to_string();
    assert_eq!(message(&[1, 2, 3]), "SPIR-V has words of four bytes, this has 3 bytes");
    assert!(!message(&[]).is_empty());
    assert!(!message(&[0; 64]).is_empty());
}

#[test]
fn warnings_are_in_the_log() {
    let program = build("kernel void k(global int *p) {\n  int unused_result = p[0] == 1;\n  p[0] == 2;\n}");
    assert!(program.log().contains("<source>:3:8: warning:"), "{}", program.log());
}

#[test]
fn unknown_kernels_and_devices_are_listed() {
    let program = build("kernel void a() {} kernel void b() {}");
    let error = program.kernel("c").unwrap_err();
    assert_eq!(error.to_string(), "there is no kernel 'c'; there are a, b");
    assert_eq!(
        build("").kernel("c").unwrap_err().to_string(),
        "there is no kernel 'c': the program has none"
    );
    assert_eq!(
        Device::named("gpu").unwrap_err(),
        Error::UnknownDevice { name: "gpu".into(), known: vec!["cpu".into(), "threads".into()] }
    );
}

#[test]
fn parameters_are_shown_as_declared() {
    let k = kernel(
        "typedef float4 colour; struct s { int i; };
        kernel void k(global const volatile float *restrict a, constant uint *b, local colour *c,
                      struct s d, ushort8 e, global void *f) {}",
    );
    assert_eq!(
        k.to_string(),
        "kernel void k(global const volatile float *a, constant uint *b, local colour *c, \
         struct s d, ushort8 e, global void *f)"
    );
    let k2 = kernel("typedef global float *floats; kernel void k(floats p) {}");
    assert_eq!(k2.to_string(), "kernel void k(global float *p)");
    let read_only: Vec<bool> = k.params().iter().map(|param| param.is_read_only()).collect();
    assert_eq!(read_only, [true, true, false, false, false, false]);
    assert_eq!((k.params()[2].name(), k.params()[2].type_name()), ("c", "colour"));
}

#[test]
fn the_number_of_arguments_is_checked() {
    let k = kernel("kernel void k(global int *p, int v) { *p = v; }");
    let mut data = [0i32];
    assert_eq!(refused!(k, &mut data), "k: 2 arguments expected, 1 given");
    assert_eq!(refused!(k, &mut data, 1i32, 2i32), "k: 2 arguments expected, 3 given");
}

#[test]
fn types_of_values_are_checked() {
    let k = kernel("kernel void k(int v) {}");
    let message = "k: argument 0, `int v`: a value of type i32 of 4 bytes expected, ";
    assert_eq!(refused!(k, 1u32), format!("{message}u32 of 4 bytes given"));
    assert_eq!(refused!(k, 1i64), format!("{message}i64 of 8 bytes given"));
    assert_eq!(refused!(k, 1.0f32), format!("{message}f32 of 4 bytes given"));
    assert_eq!(refused!(k, [1i32; 2]), format!("{message}[i32; 2] of 8 bytes given"));
    assert_eq!(refused!(k, &[1i32]), "k: argument 0, `int v`: a value of type i32 expected, &[i32] given");
    assert_eq!(refused!(k, Local(4)), "k: argument 0, `int v`: a value of type i32 expected, Local(4) given");
    let k = kernel("kernel void k(float4 v) {}");
    assert_eq!(
        refused!(k, [1.0f32; 3]),
        "k: argument 0, `float4 v`: a value of type [f32; 4] of 16 bytes expected, [f32; 3] of 12 bytes given"
    );
}

#[test]
fn types_of_elements_are_checked() {
    let k = kernel("kernel void k(global float *p) {}");
    let message = "k: argument 0, `global float *p`: &mut [f32] expected, ";
    assert_eq!(refused!(k, &mut [1i32]), format!("{message}&mut [i32] given"));
    assert_eq!(refused!(k, &mut [1f64]), format!("{message}&mut [f64] given"));
    assert_eq!(refused!(k, 1f32), format!("{message}a value of type f32 given"));
    assert_eq!(refused!(k, Local(8)), format!("{message}Local(8) given"));
    let k = kernel("kernel void k(global uchar *p) {}");
    assert!(refused!(k, &mut [1i8]).ends_with("&mut [u8] expected, &mut [i8] given"));
    let k = kernel("kernel void k(global half *p) {}");
    assert!(refused!(k, &mut [1i16]).ends_with("&mut [u16] expected, &mut [i16] given"));
}

#[test]
fn images_are_refused() {
    let k = kernel("kernel void k(read_only image2d_t i, sampler_t s) {}");
    let error = refused!(k, 1u64, 1u32);
    assert!(error.contains("image2d_t") && error.contains("programs in Rust cannot pass"), "{error}");
}

#[test]
fn a_shared_slice_is_only_for_what_is_read() {
    let k = kernel("kernel void k(global int *p, global const int *q, constant int *r) {}");
    let (p, q) = ([0i32; 2], [0i32; 2]);
    assert_eq!(refused!(k, &p, &q, &q), "k: argument 0, `global int *p`: &mut [i32] expected, &[i32] given");
    let (mut p, mut q) = (p, q);
    // SAFETY: the kernel does nothing.
    unsafe { k.launch([1], args![&mut p, &mut q, &[1i32]]) }.unwrap();
}

#[test]
fn lengths_and_alignment_are_checked() {
    let k = kernel("kernel void k(global const float4 *p) {}");
    let data = [[0f32; 4]; 4];
    let flat = data.as_flattened();
    assert_eq!(
        refused!(k, &flat[..7]),
        "k: argument 0, `global const float4 *p`: \
         a multiple of 16 bytes, the size of float4 expected, 28 bytes given"
    );
    let odd = (0..4).find(|i| flat[*i..].as_ptr().addr() % 16 != 0).unwrap();
    let message = refused!(k, &flat[odd..odd + 4]);
    assert!(
        message.contains("an address that is a multiple of 16 for float4 (#[repr(align(16))]) expected"),
        "{message}"
    );
    // An array of three is not stored as OpenCL stores a vector of three.
    let k = kernel("kernel void k(global const float3 *p) {}");
    assert_eq!(
        refused!(k, &[[0f32; 3]; 4]),
        "k: argument 0, `global const float3 *p`: elements of 16 bytes (float3 is stored so) expected, \
         [f32; 3] of 12 bytes given"
    );
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Two(u32, u32);
// SAFETY: two numbers without padding.
unsafe impl Pod for Two {}

#[test]
fn structures_are_checked_by_size() {
    let k = kernel("struct s { uint a, b, c; }; kernel void k(struct s v, global struct s *p) {}");
    let message = refused!(k, Two(1, 2), &mut [Two(1, 2)]);
    assert!(
        message
            .starts_with("k: argument 0, `struct s v`: a structure that implements Pod of 12 bytes expected"),
        "{message}"
    );
    let k = kernel("struct s { uint a, b; }; kernel void k(struct s v, global struct s *p) {}");
    let message = refused!(k, Two(1, 2), &mut [1u32, 2]);
    assert!(
        message.ends_with("&mut [T] of a structure that implements Pod expected, &mut [u32] given"),
        "{message}"
    );
    // SAFETY: the kernel does nothing.
    unsafe { k.launch([1], args![Two(1, 2), &mut [Two(3, 4)]]) }.unwrap();
    let k = kernel("kernel void k(global float *p) {}");
    assert!(refused!(k, &mut [Two(1, 2)]).contains("&mut [f32] expected"));
}

#[test]
fn local_memory_is_checked() {
    let k = kernel("kernel void k(local float4 *p) {}");
    let message =
        "k: argument 0, `local float4 *p`: local memory, more than 0 bytes in multiples of 16 expected, ";
    assert_eq!(refused!(k, Local(0)), format!("{message}Local(0) given"));
    assert_eq!(refused!(k, Local(24)), format!("{message}Local(24) given"));
    assert!(refused!(k, &mut [0f32; 4]).ends_with("Local(bytes) expected, &mut [f32] given"));
    let most = Device::default().local_memory_bytes();
    let message = refused!(k, Local(most + 16));
    assert!(message.contains("bytes of local memory") && message.contains(&most.to_string()), "{message}");
}

#[test]
fn ranges_are_checked() {
    let none = args![];
    let refused = |k: &Kernel, range: NdRange<1>| {
        // SAFETY: it is refused before anything runs.
        unsafe { k.launch(range, none) }.unwrap_err().to_string()
    };
    let k = kernel("kernel void k() {}");
    let most = Device::default().max_work_group_size();
    let too_large = refused(&k, NdRange::new([1 << 20]).local([most + 1]));
    assert!(
        too_large.contains(&format!("a work-group of {} work-items; at most {most}", most + 1)),
        "{too_large}"
    );
    assert_eq!(refused(&k, NdRange::new([8]).local([0])), "k: work-groups of [0] are empty");
    let overflow = refused(&k, NdRange::new([8]).offset([usize::MAX - 3]));
    assert!(overflow.contains("overflow"), "{overflow}");
    // SAFETY: as above.
    let too_many = unsafe { k.launch([usize::MAX, usize::MAX], none) }.unwrap_err();
    assert!(matches!(too_many, Error::Launch { .. }), "{too_many}");
    let k = kernel("kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k() {}");
    assert_eq!(k.required_local_size(), Some([4, 1, 1]));
    assert_eq!(refused(&k, NdRange::new([8]).local([8])), "k: it requires work-groups of [4, 1, 1], not [8]");
    assert_eq!(refused(&k, NdRange::new([9])), "k: work-groups of [4] do not divide a range of [9]");
    // SAFETY: the kernel does nothing.
    assert_eq!(unsafe { k.launch([8], none) }.unwrap().local_size, [4, 1, 1]);
}

#[test]
fn remarks_name_lines() {
    let program = Program::builder()
        .options("-cl-lanewise-remarks")
        .source(
            "kernel void k(global int *p,\n    global const int *at) {\n  p[at[get_global_id(0)]] = 1;\n}",
        )
        .unwrap();
    let remarks = program.kernel("k").unwrap().remarks().unwrap();
    assert!(remarks.iter().any(|remark| remark.line == Some(3)), "{remarks:?}");
    assert!(remarks.iter().any(|remark| remark.to_string().starts_with("line 3: ")), "{remarks:?}");
}
