//! The filetests of this target's passes. Their syntax is in `passes::filetest`.

use lanewise_native_cpu::native_cpu_info;
use passes::{Registry, filetest};

#[test]
fn filetests() {
    let mut registry = Registry::default();
    passes::register(&mut registry);
    compiler::Info::backend(native_cpu_info()).register_passes(&mut registry);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests").into();
    filetest::run_all(&[folder], &registry, false, |line| println!("{line}")).unwrap();
}
