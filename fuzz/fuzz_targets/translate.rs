//! Any bytes as SPIR-V, all the way to LLVM IR that the verifier has accepted.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
    let _ = spirv::translate(&llvm::Context::new(), &words, &Default::default(), &Default::default());
});
