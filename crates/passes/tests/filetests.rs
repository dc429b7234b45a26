//! The filetests of this crate's passes. Their syntax is in `src/filetest/mod.rs`.

use lanewise_passes::{Registry, filetest, register};

#[test]
fn filetests() {
    let mut registry = Registry::default();
    register(&mut registry);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests").into();
    filetest::run_all(&[folder], &registry, false, |line| println!("{line}")).unwrap();
}
