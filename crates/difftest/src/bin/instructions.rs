//! Counts the instructions that a kernel executes for a work-item, on emulated CPUs at each length
//! of their vectors: `instructions FILE.cl KERNEL LOCAL ITEMS ARG…`.
//!
//! An argument is `floats:N` or `ints:N` (a buffer of N numbers in [0, 1), or from 0 on),
//! `local:BYTES`, or a number: `2.5f`, `7`. The kernel runs over ITEMS work-items and over twice as
//! many, and the difference is divided by ITEMS, so that what starts a program does not count. Each
//! row is a CPU: scalar code (`-cl-wfv=never`) against vector code (`-cl-wfv=always`).

use lanewise_difftest::Result;
use lanewise_difftest::emulation::{Arg, Batch, Emulated, Kernel, Launch, Linked, PLATFORMS, Source};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match count(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("instructions: {e}");
            ExitCode::FAILURE
        }
    }
}

fn count(words: &[String]) -> Result<()> {
    let [file, name, local, items, rest @ ..] = words else {
        return Err("usage: instructions FILE.cl KERNEL LOCAL ITEMS ARG…".into());
    };
    let source = std::fs::read_to_string(file)?;
    let (local, items): (usize, usize) = (local.parse()?, items.parse()?);
    let args = rest.iter().map(|word| parse(word)).collect::<Result<Vec<_>>>()?;
    let kernel = |wfv: &str| Kernel {
        source: Source::OpenClC(source.clone()),
        name: name.clone(),
        options: format!("-cl-std=CL3.0 -cl-wfv={wfv}"),
    };
    let batch = Batch { kernels: vec![kernel("never"), kernel("always")] };
    println!("| CPU | width | scalar | vector | |\n| --- | --- | ---: | ---: | ---: |");
    for platform in PLATFORMS.iter().filter(|platform| platform.emulator.is_some()) {
        let linked = batch.link(platform)?;
        let width = linked.widths[1].as_ref().map_err(String::as_str)?;
        for on in platform.runs {
            let per_item = |kernel: usize| -> Result<f64> {
                let run = |items: usize| {
                    let launch = Launch {
                        kernel,
                        work_dim: 1,
                        global: [items, 1, 1],
                        offset: [0; 3],
                        local: [local, 1, 1],
                        args: args.clone(),
                    };
                    instructions(&linked, on, launch)
                };
                Ok((run(2 * items)? as f64 - run(items)? as f64) / items as f64)
            };
            let (scalar, vector) = (per_item(0)?, per_item(1)?);
            let bits = if on.bits == 0 { String::new() } else { format!(" {}", on.bits) };
            let faster = scalar / vector;
            println!("| {}{bits} | {width} | {scalar:.1} | {vector:.1} | {faster:.1} |", platform.name);
        }
    }
    Ok(())
}

fn instructions(linked: &Linked, on: &Emulated, launch: Launch) -> Result<u64> {
    linked.count_instructions(on, &launch)
}

fn parse(word: &str) -> Result<Arg> {
    if let Some(n) = word.strip_prefix("floats:") {
        let number = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9) as f32 / 4_294_967_296.0;
        return Ok(Arg::Buffer((0..n.parse::<usize>()?).flat_map(|i| number(i).to_le_bytes()).collect()));
    }
    if let Some(n) = word.strip_prefix("ints:") {
        return Ok(Arg::Buffer((0..n.parse::<u32>()?).flat_map(u32::to_le_bytes).collect()));
    }
    if let Some(n) = word.strip_prefix("local:") {
        return Ok(Arg::Local(n.parse()?));
    }
    Ok(Arg::Bytes(match word.strip_suffix('f') {
        Some(number) => number.parse::<f32>()?.to_le_bytes().to_vec(),
        None => word.parse::<i32>()?.to_le_bytes().to_vec(),
    }))
}
