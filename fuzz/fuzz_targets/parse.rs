//! Any bytes as SPIR-V: the parser, and what it says of specialization constants.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
    let _ = spirv::check(&words);
    let _ = spirv::specializable_constants(&words);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = spirv::assemble(text);
    }
});
