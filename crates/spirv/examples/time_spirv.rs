//! How long a file takes: `cargo run --release -p lanewise-spirv --example time_spirv
//! FILE.spv|FILE.spvasm [TIMES]`.

use lanewise_spirv::{DeviceInfo, SpecializationInfo, assemble, check, translate};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: time FILE.spv|FILE.spvasm [TIMES]")?;
    let times: u32 = args.next().map_or(Ok(10), |n| n.parse())?;
    let words: Vec<u32> = if file.ends_with(".spvasm") {
        assemble(&std::fs::read_to_string(&file)?)?
    } else {
        let bytes = std::fs::read(&file)?;
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    };
    let mut best = [f64::MAX; 2];
    for _ in 0..times {
        let start = Instant::now();
        check(&words)?;
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        let context = llvm::Context::new();
        let start = Instant::now();
        translate(&context, &words, &DeviceInfo::default(), &SpecializationInfo::default())?;
        best[1] = best[1].min(start.elapsed().as_secs_f64());
    }
    let [parsed, translated] = best.map(|s| s * 1e3);
    println!("{} bytes: parsed in {parsed:.1} ms, translated in {translated:.1} ms", 4 * words.len());
    Ok(())
}
