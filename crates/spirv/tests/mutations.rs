//! Modules that were damaged at random: each is translated or refused, and nothing panics or
//! crashes.

use kernelgen::{Rng, damage_spirv};
use lanewise_spirv::{DeviceInfo, SpecializationInfo, assemble, check, specializable_constants, translate};
use std::path::Path;

fn modules() -> Vec<Vec<u32>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .map(|f| assemble(&std::fs::read_to_string(f).unwrap()).unwrap_or_else(|e| panic!("{f:?}: {e}")))
        .collect()
}

#[test]
fn whole_modules_are_translated() {
    for code in modules() {
        let result =
            translate(&llvm::Context::new(), &code, &DeviceInfo::default(), &SpecializationInfo::default());
        result.unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn damaged_modules_are_translated_or_refused() {
    let modules = modules();
    let mut translated = 0;
    // More of them where the environment asks for it.
    let count = std::env::var("LANEWISE_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(12_000u64);
    for seed in 1..=count {
        let mut rng = Rng::new(seed);
        let mut code = rng.pick(&modules).clone();
        damage_spirv(&mut rng, &mut code, &modules);
        let given = SpecializationInfo::default();
        let _ = (check(&code), specializable_constants(&code));
        let result = translate(&llvm::Context::new(), &code, &DeviceInfo::default(), &given);
        translated += usize::from(result.is_ok());
    }
    // Some damage must be harmless, or the rest tests nothing but the header.
    assert!(translated > 400, "{translated}");
}

#[test]
fn every_cut_is_refused_or_translated() {
    for code in modules() {
        for end in 0..code.len().min(600) {
            let given = SpecializationInfo::default();
            let _ = translate(&llvm::Context::new(), &code[..end], &DeviceInfo::default(), &given);
        }
    }
}
