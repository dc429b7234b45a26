//! Modules that were damaged at random: each is translated or refused, and nothing panics or
//! crashes.

use lanewise_spirv::{DeviceInfo, SpecializationInfo, assemble, check, specializable_constants, translate};
use std::path::Path;

/// A small generator of random numbers; the seed brings a failure back.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

fn modules() -> Vec<Vec<u32>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .map(|f| assemble(&std::fs::read_to_string(f).unwrap()).unwrap_or_else(|e| panic!("{f:?}: {e}")))
        .collect()
}

fn damage(rng: &mut Rng, code: &mut Vec<u32>, others: &[Vec<u32>]) {
    let bound = code[3];
    for _ in 0..[1, 1, 1, 2, 4][rng.below(5)] {
        let at = 5 + rng.below(code.len() - 5);
        match rng.below(10) {
            // Another ID, which keeps most of the module's shape.
            0..=4 => code[at] = 1 + rng.next() as u32 % bound,
            5 => code[at] ^= 1 << rng.below(32),
            6 => code[at] = rng.next() as u32 % 300,
            7 => {
                let to = 5 + rng.below(code.len() - 5);
                code.swap(at, to);
            }
            8 => {
                // An instruction twice, or one of another module.
                let from = &others[rng.below(others.len())];
                let start = 5 + rng.below(from.len() - 5);
                let words = from[start..from.len().min(start + 1 + rng.below(6))].to_vec();
                code.splice(at..at, words);
            }
            _ => {
                let end = code.len().min(at + 1 + rng.below(4));
                code.drain(at..end);
            }
        }
        if code.len() < 8 {
            return;
        }
    }
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
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut code = modules[rng.below(modules.len())].clone();
        damage(&mut rng, &mut code, &modules);
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
