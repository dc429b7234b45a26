//! That a difference between widths would be found.

mod common;

use common::{Data, kernel};
use compiler::NdRange;
use lanewise_difftest::{Width, run_at};

#[test]
fn what_depends_on_the_width_is_found_and_nothing_else() {
    let range = NdRange::new(&[64], &[32]);
    let run = |value: &str, widths: &[Width]| {
        let source = format!("kernel void k(global uint *out) {{ out[get_global_id(0)] = {value}; }}");
        let out = Data::<u32>::zeros(64);
        run_at(&kernel(&source, "k", ""), range, &[out.arg()], widths)
    };
    run("get_local_id(0)", &Width::ALL).unwrap();
    let why = run("get_max_sub_group_size()", &[Width::Fixed(2), Width::Fixed(4)]).unwrap_err().to_string();
    assert!(why.contains("buffer 0 has 0") && why.contains("at byte 0"), "{why}");
}
