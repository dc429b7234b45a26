//! The values of functions, without running them: the optimizer folds a kernel of constants to one
//! store.

use clc::{Options, Profile};
use llvm::Context;

/// Each line must be true.
#[track_caller]
fn all_true(checks: &str) {
    let mut wrong = Vec::new();
    for check in checks.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let source = format!(
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
             bool __mux_usefast(void) {{ return false; }}\n\
             bool __mux_isftz(void) {{ return false; }}\n\
             kernel void k(global int *p) {{ *p = ({check}) ? 4711 : 815; }}"
        );
        let context = Context::new();
        let options = Options::parse("-cl-std=CL3.0", &[]).unwrap();
        let output =
            clc::compile(&context, &source, "kernel.cl", Profile::Full, &clc::Device::FULL, &options, &[]);
        let module = output.module.unwrap_or_else(|| panic!("{}", output.log));
        lanewise_builtins::link(&module).unwrap();
        module.run_passes("default<O2>", None).unwrap();
        let text = module.to_string();
        if !text.contains("store i32 4711") {
            let store = text.lines().find(|line| line.contains("store")).unwrap_or("no store").trim();
            wrong.push(format!("{check}   [{store}]"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn small_components_of_a_direction_keep_their_bits() {
    all_true(
        "normalize((double2)(-0x1.a93c74281d362p+581, 0x1.004af8232103cp-439)).y == 0x1.349606aee5b6p-1021
        normalize((double2)(0x1p-460, 0x1p-1074)).y == 0x1p-614
        normalize((double3)(0x1p900, 0x1.8p-100, 0.0)).y == 0x1.8p-1000
        normalize((float2)(0x1p100f, 0x1.8p-20f)).y == 0x1.8p-120f",
    );
}

#[test]
fn bit_fields() {
    all_true(
        "bitfield_insert((uchar)0xff, (uchar)0, 2u, 3u) == 0xe3
        bitfield_insert(0x12345678, 0xab, 8, 8) == 0x1234ab78
        bitfield_insert(5, -1, 0, 32) == -1
        bitfield_insert(5, -1, 32, 0) == 5
        bitfield_insert(0UL, ULONG_MAX, 60, 4) == 0xf000000000000000UL
        all(bitfield_insert((short3)(1, 2, 3), (short3)(-1), 15, 1) == (short3)(-32767, -32766, -32765))
        bitfield_extract_signed(0x00000f00, 8, 4) == -1
        bitfield_extract_signed((uchar)0x70, 4, 4) == 7
        bitfield_extract_signed((char)0x80, 0, 8) == -128
        bitfield_extract_signed(-1, 7, 0) == 0
        bitfield_extract_signed(0x8000000000000000UL, 63, 1) == -1L
        all(bitfield_extract_signed((uint2)(0xf0u, 0x70u), 4, 4) == (int2)(-1, 7))
        bitfield_extract_unsigned((short)-1, 4, 4) == 15
        bitfield_extract_unsigned(-1, 0, 32) == UINT_MAX
        bitfield_extract_unsigned(-1, 32, 0) == 0
        all(bitfield_extract_unsigned((long2)(-1L, 256L), 8, 9) == (ulong2)(511, 1))
        bit_reverse((uchar)1) == 128
        bit_reverse((short)1) == SHRT_MIN
        bit_reverse(0x80000000u) == 1
        bit_reverse(2L) == 1L << 62
        all(bit_reverse((ushort4)(1, 2, 4, 8)) == (ushort4)(0x8000, 0x4000, 0x2000, 0x1000))",
    );
}

#[test]
fn integers() {
    all_true(
        "abs((char)-128) == (uchar)128
        abs(INT_MIN) == 0x80000000u
        abs(-5L) == 5UL
        abs((uchar)200) == 200
        all(abs((short4)(-1, 2, -32768, 0)) == (ushort4)(1, 2, 32768, 0))
        abs_diff((char)-128, (char)127) == 255
        abs_diff(INT_MAX, INT_MIN) == UINT_MAX
        abs_diff(3u, 5u) == 2
        abs_diff(LONG_MIN, LONG_MAX) == ULONG_MAX
        add_sat((char)100, (char)100) == 127
        add_sat((char)-100, (char)-100) == -128
        add_sat((uchar)200, (uchar)100) == 255
        add_sat((short)-30000, (short)-30000) == SHRT_MIN
        add_sat(INT_MAX, 1) == INT_MAX
        add_sat(UINT_MAX, 1u) == UINT_MAX
        add_sat(LONG_MIN, -1L) == LONG_MIN
        sub_sat((uchar)1, (uchar)2) == 0
        sub_sat((char)-128, (char)1) == -128
        sub_sat(0u, 1u) == 0
        sub_sat(INT_MIN, 1) == INT_MIN
        all(add_sat((char2)(100, -100), (char2)(100, -100)) == (char2)(127, -128))
        hadd(INT_MAX, INT_MAX) == INT_MAX
        hadd(-1, -2) == -2
        rhadd(-1, -2) == -1
        hadd((uchar)255, (uchar)254) == 254
        rhadd((uchar)255, (uchar)254) == 255
        clz((char)1) == 7
        clz((uchar)0) == 8
        clz(0) == 32
        clz(-1) == 0
        clz(1UL) == 63
        ctz((short)0) == 16
        ctz(8) == 3
        popcount((char)-1) == 8
        popcount(ULONG_MAX) == 64
        all(clz((int4)(1, 2, 0, -1)) == (int4)(31, 30, 32, 0))
        all(popcount((uchar3)(1, 3, 255)) == (uchar3)(1, 2, 8))
        min((char)-1, (char)1) == -1
        min(0xffffffffu, 1u) == 1
        max((uchar)255, (uchar)1) == 255
        max(-1L, 1L) == 1
        clamp(5, 1, 3) == 3
        clamp(-5, 1, 3) == 1
        all(max((char4)(-1, 5, 3, -128), (char)2) == (char4)(2, 5, 3, 2))
        mul_hi((char)-128, (char)-128) == 64
        mul_hi((uchar)255, (uchar)255) == 254
        mul_hi(INT_MIN, INT_MIN) == 0x40000000
        mul_hi(UINT_MAX, UINT_MAX) == UINT_MAX - 1
        mul_hi(ULONG_MAX, ULONG_MAX) == ULONG_MAX - 1
        mul_hi(LONG_MIN, LONG_MIN) == 0x4000000000000000L
        mul_hi(-1L, 1L) == -1
        mul_hi(-1L, -1L) == 0
        mul_hi(0x100000000L, -0x300000000L) == -3
        mad_hi(INT_MIN, 2, 3) == 2
        mad_sat((char)100, (char)2, (char)-80) == 120
        mad_sat((char)100, (char)2, (char)0) == 127
        mad_sat((char)-100, (char)2, (char)0) == -128
        mad_sat((uchar)255, (uchar)255, (uchar)255) == 255
        mad_sat(INT_MIN, INT_MIN, INT_MAX) == INT_MAX
        mad_sat(INT_MIN, 1, -1) == INT_MIN
        mad_sat(UINT_MAX, 1u, 1u) == UINT_MAX
        mad_sat(UINT_MAX, 1u, 0u) == UINT_MAX
        mad_sat(3u, 4u, 5u) == 17
        mad_sat(ULONG_MAX, 1UL, 1UL) == ULONG_MAX
        mad_sat(3UL, 4UL, 5UL) == 17
        mad_sat(LONG_MAX, 1L, 1L) == LONG_MAX
        mad_sat(LONG_MIN, 1L, -1L) == LONG_MIN
        mad_sat(LONG_MIN, -1L, -1L) == LONG_MAX
        mad_sat(LONG_MAX, 2L, LONG_MIN) == LONG_MAX - 1
        mad_sat(-3L, 4L, 5L) == -7
        mad_sat(LONG_MIN, LONG_MAX, 0L) == LONG_MIN
        all(mad_sat((long2)(LONG_MAX, -3), (long2)(2, 4), (long2)(0, 5)) == (long2)(LONG_MAX, -7))
        mad24(-3, 4, 5) == -7
        mul24(1000u, 1000u) == 1000000
        rotate((uchar)0x81, (uchar)1) == 3
        rotate((char)0x81, (char)-1) == (char)0xc0
        rotate(0x80000001u, 36u) == 0x18
        rotate(1L, -1L) == LONG_MIN
        upsample((char)-1, (uchar)1) == (short)0xff01
        upsample((uchar)1, (uchar)255) == 0x1ff
        upsample(-1, 5u) == (long)0xffffffff00000005
        upsample((ushort)1, (ushort)2) == 0x10002u",
    );
}

#[test]
fn relations() {
    all_true(
        "isnan(NAN) == 1
        isnan(1.0f) == 0
        all(isnan((float2)(NAN, 1)) == (int2)(-1, 0))
        isinf(-INFINITY) == 1
        isfinite(NAN) == 0
        isfinite(FLT_MAX) == 1
        isnormal(FLT_MIN) == 1
        isnormal(FLT_MIN / 2) == 0
        isnormal(INFINITY) == 0
        isnormal((half)1) == 1
        signbit(-0.0f) == 1
        signbit(0.0) == 0
        all(signbit((double2)(-1, 1)) == (long2)(-1, 0))
        isequal(NAN, NAN) == 0
        isnotequal(NAN, NAN) == 1
        islessgreater(1.0f, 2.0f) == 1
        islessgreater(NAN, 2.0f) == 0
        isordered(1.0, 2.0) == 1
        isunordered((double)NAN, 2.0) == 1
        any((char)-1) == 1
        any((int4)(1, 2, 3, 4)) == 0
        any((int4)(1, 2, 3, -4)) == 1
        all((short3)(-1, -2, -3)) == 1
        all((short3)(-1, 2, -3)) == 0
        select(1, 2, 1) == 2
        select(1, 2, 0) == 1
        select(1.0f, 2.0f, 1u) == 2.0f
        all(select((int2)(1, 2), (int2)(3, 4), (int2)(1, -1)) == (int2)(1, 4))
        all(select((uchar2)(1, 2), (uchar2)(3, 4), (uchar2)(128, 127)) == (uchar2)(3, 2))
        bitselect(0x0f, 0xf0, 0xff) == 0xf0
        bitselect(0x0f, 0xf0, 0x3c) == 0x33
        bitselect(1.0f, -1.0f, -0.0f) == -1.0f",
    );
}

#[test]
fn floats() {
    all_true(
        "fabs(-1.0f) == 1
        floor(-1.5f) == -2
        ceil(-1.5) == -1
        trunc(-1.5f) == -1
        rint(2.5f) == 2
        round(2.5f) == 3
        round(-0.5f) == -1
        sqrt(4.0f) == 2
        fma(2.0f, 3.0f, 4.0f) == 10
        mad(2.0, 3.0, 4.0) == 10
        fmin(NAN, 1.0f) == 1
        fmax(1.0f, NAN) == 1
        max(1.0f, 2.0f) == 2
        min(1.0f, 2.0f) == 1
        copysign(1.0f, -0.0f) == -1
        sign(-3.0f) == -1
        sign(3.0) == 1
        sign(NAN) == 0
        signbit(sign(-0.0f)) && sign(-0.0f) == 0
        step(1.0f, 0.5f) == 0
        step(1.0f, 1.0f) == 1
        mix(1.0f, 3.0f, 0.5f) == 2
        clamp(2.0f, 0.0f, 1.0f) == 1
        clamp(-2.0, 0.0, 1.0) == 0
        smoothstep(0.0f, 1.0f, 0.5f) == 0.5f
        degrees(M_PI_F) == 180.0f
        radians(180.0f) == M_PI_F
        fdim(3.0f, 1.0f) == 2
        fdim(1.0f, 3.0f) == 0
        isnan(fdim(NAN, 1.0f))
        maxmag(-3.0f, 2.0f) == -3
        minmag(-3.0f, 2.0f) == 2
        dot((float3)(1, 2, 3), (float3)(4, 5, 6)) == 32
        all(cross((float3)(1, 0, 0), (float3)(0, 1, 0)) == (float3)(0, 0, 1))
        all(cross((float4)(0, 1, 0, 7), (float4)(0, 0, 1, 7)) == (float4)(1, 0, 0, 0))
        length((float2)(3, 4)) == 5
        distance(1.0f, 3.0f) == 2
        all(normalize((float2)(3, 4)) == (float2)(0.6f, 0.8f))
        all(normalize((float2)(0, 0)) == (float2)(0, 0))
        native_sqrt(4.0f) == 2 && half_recip(4.0f) == 0.25f",
    );
}

#[test]
fn conversions() {
    all_true(
        "convert_int(-1.9f) == -1
        convert_uchar((int)300) == 44
        convert_uchar_sat(300) == 255
        convert_uchar_sat(-1) == 0
        convert_char_sat(300u) == 127
        convert_char_sat(-300L) == -128
        convert_uint_sat(-1L) == 0
        convert_uint_sat(-1) == 0
        convert_int_sat(0xffffffffu) == INT_MAX
        convert_long_sat(ULONG_MAX) == LONG_MAX
        convert_ulong_sat(-1L) == 0
        convert_ulong_sat((char)-1) == 0
        convert_int_sat((char)-100) == -100
        convert_ushort_sat((uchar)200) == 200
        convert_short_sat((ushort)40000) == SHRT_MAX
        all(convert_uchar4_sat((int4)(-1, 0, 255, 256)) == (uchar4)(0, 0, 255, 255))
        convert_int_rte(2.5f) == 2
        convert_int_rte(3.5) == 4
        convert_int_rtp(2.1f) == 3
        convert_int_rtn(-2.1f) == -3
        convert_int_rtz(-2.9f) == -2
        convert_int_sat(1e20f) == INT_MAX
        convert_int_sat(-1e20f) == INT_MIN
        convert_int_sat(NAN) == 0
        convert_int_sat(0x1p31f) == INT_MAX
        convert_int_sat(-0x1p31f) == INT_MIN
        convert_uchar_sat_rte(254.5f) == 254
        convert_uchar_sat_rte(255.5f) == 255
        convert_uchar_sat_rte(-0.6f) == 0
        convert_ulong_sat(INFINITY) == ULONG_MAX
        convert_long_sat(-INFINITY) == LONG_MIN
        convert_ulong_sat(0x1p63) == 0x8000000000000000UL
        all(convert_char4_sat_rtn((float4)(-0.5f, 200, NAN, -200)) == (char4)(-1, 127, 0, -128))
        all(convert_long2_sat((float2)(1e30f, -1.5f)) == (long2)(LONG_MAX, -1))
        convert_float(UINT_MAX) == 0x1p32f
        convert_half(1.5f) == 1.5h
        all(convert_float2((uchar2)(1, 255)) == (float2)(1, 255))",
    );
}

#[test]
fn shuffles() {
    all_true(
        "all(shuffle((int4)(1, 2, 3, 4), (uint4)(3, 2, 1, 4)) == (int4)(4, 3, 2, 1))
        all(shuffle2((int2)(1, 2), (int2)(3, 4), (uint4)(3, 0, 6, 1)) == (int4)(4, 1, 3, 2))
        all(shuffle((char8)(0, 1, 2, 3, 4, 5, 6, 7), (uchar2)(7, 9)) == (char2)(7, 1))",
    );
}
