//! The filetests of the vectorizer. Their syntax is in `passes::filetest`.

use passes::{Registry, filetest};

#[test]
fn filetests() {
    let mut registry = Registry::default();
    passes::register(&mut registry);
    lanewise_vecz::register(&mut registry);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/filetests").into();
    filetest::run_all(&[folder], &registry, false, |line| println!("{line}")).unwrap();
}
