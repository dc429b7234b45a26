//! SPIR-V that is run: arithmetic, logic, conversions.

mod spirv_common;
use spirv_common::*;

#[test]
fn a_sum_is_computed() {
    let r: Vec<u32> =
        map2(("int", "int", "int"), "%r = OpIAdd %int %a %b", &[1u32, 2, u32::MAX], &[10u32, 20, 2]);
    assert_eq!(r, [11, 22, 1]);
}
