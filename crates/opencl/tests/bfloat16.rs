//! `cl_intel_bfloat16_conversions`.

mod common;

use common::*;

/// The nearest number of 8 bits of precision, ties to even.
fn nearest(x: f32) -> u16 {
    let bits = x.to_bits();
    match x.is_nan() {
        true => (bits >> 16) as u16 | 0x40,
        false => ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16,
    }
}

#[test]
fn floats_are_rounded_to_bfloat16() {
    assert!(has_extension("cl_intel_bfloat16_conversions"));
    let cl = Cl::new();
    let mut bits: Vec<u32> = (0..4000u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    for high in [0u32, 1, 0x7f, 0x80, 0x3f80, 0x3f81, 0x7f7f, 0x7f80, 0x8001, 0xff80] {
        bits.extend([0, 1, 0x7fff, 0x8000, 0x8001, 0xffff].map(|low| high << 16 | low));
    }
    bits.resize(bits.len().next_multiple_of(48), 0);
    let floats: Vec<f32> = bits.iter().map(|bits| f32::from_bits(*bits)).collect();
    let expected: Vec<u16> = floats.iter().copied().map(nearest).collect();
    let (from, brains, back) =
        (cl.buffer_of(&floats), cl.buffer(0, 2 * bits.len()), cl.buffer(0, 4 * bits.len()));
    for n in ["", "2", "3", "4", "8", "16"] {
        let load =
            |what: &str| if n.is_empty() { format!("{what}[i]") } else { format!("vload{n}(i, {what})") };
        let store = |to: &str, what: &str| match n.is_empty() {
            true => format!("{to}[i] = {what}"),
            false => format!("vstore{n}({what}, i, {to})"),
        };
        let source = format!(
            "#ifndef cl_intel_bfloat16_conversions
             #error no conversions
             #endif
             kernel void to(global const float *from, global ushort *brains, global float *back) {{
                 size_t i = get_global_id(0);
                 ushort{n} bits = intel_convert_bfloat16{n}_as_ushort{n}({});
                 {};
                 {};
             }}",
            load("from"),
            store("brains", "bits"),
            store("back", &format!("intel_convert_as_bfloat16{n}_float{n}(bits)")),
        );
        for options in ["", "-cl-std=CL3.0 -cl-wfv=never"] {
            let kernel = cl.kernel(&source, "to", options);
            for (i, mem) in [from, brains, back].into_iter().enumerate() {
                assert_eq!(set_arg(kernel, i as u32, mem), CL_SUCCESS);
            }
            let items = bits.len() / n.parse().unwrap_or(1);
            assert_eq!(cl.run(kernel, &[items], None), CL_SUCCESS);
            let got = cl.read::<u16>(brains, bits.len());
            for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                assert_eq!(got, expected, "ushort{n} of {:#x}, {options}", bits[i]);
            }
            let wide = cl.read::<u32>(back, bits.len());
            assert!(wide.iter().zip(&expected).all(|(wide, bits)| *wide == u32::from(*bits) << 16));
            release_kernel(kernel);
        }
    }
    [from, brains, back].into_iter().for_each(release_mem);
}
