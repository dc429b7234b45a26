//! The filetests of this crate's passes. Their syntax is in `passes::filetest`.

use compiler::{Options, PassMachinery};
use passes::filetest;

#[test]
fn filetests() {
    let registry = PassMachinery::new(lanewise_host::host_info(), &Options::default()).unwrap().registry;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests").into();
    filetest::run_all(&[folder], &registry, false, |line| println!("{line}")).unwrap();
}
