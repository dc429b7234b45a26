//! Checked mode over random kernels with one mistake: `make mistakes` runs 10,000 of them.

use std::process::Command;

#[test]
fn mistakes_of_random_kernels_are_found() {
    if !lanewise_difftest::understands("-cl-lanewise-check") || !lanewise_difftest::on_cpu() {
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_soak")).args(["--mistakes", "40", "20000"]).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
