//! Damage to programs, for tests that nothing crashes on what no producer writes.

use crate::Rng;

/// The words of a SPIR-V header.
const HEADER: usize = 5;

/// Damages a module of SPIR-V in one to four places, with words of its own and of `others`. Most
/// damage is another ID, which keeps the module's shape.
pub fn damage_spirv(rng: &mut Rng, code: &mut Vec<u32>, others: &[Vec<u32>]) {
    let bound = code[3];
    for _ in 0..*rng.pick(&[1, 1, 1, 2, 4]) {
        if code.len() < HEADER + 3 {
            return;
        }
        let at = HEADER + rng.below(code.len() - HEADER);
        match rng.below(10) {
            0..=4 => code[at] = 1 + rng.next() as u32 % bound,
            5 => code[at] ^= 1 << rng.below(32),
            6 => code[at] = rng.next() as u32 % 300,
            7 => {
                let to = HEADER + rng.below(code.len() - HEADER);
                code.swap(at, to);
            }
            8 => {
                // An instruction twice, or one of another module.
                let from = rng.pick(others);
                let start = HEADER + rng.below(from.len() - HEADER);
                let words = from[start..from.len().min(start + 1 + rng.below(6))].to_vec();
                code.splice(at..at, words);
            }
            _ => {
                let end = code.len().min(at + 1 + rng.below(4));
                code.drain(at..end);
            }
        }
    }
}
