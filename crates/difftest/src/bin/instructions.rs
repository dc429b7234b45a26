//! Counts the instructions that a kernel executes for a work-item, on emulated CPUs at each length
//! of their vectors: `instructions [OPTION…] FILE.cl KERNEL LOCAL ITEMS ARG…`.
//!
//! LOCAL and ITEMS are a local and a global size, as `64` or `16x16`. An argument is `floats:N`,
//! `doubles:N` or `bytes:N` (a buffer of N random numbers, in [0, 1) or from 0 to 255), `ints:N`
//! (from 0 on), `multiples:N:K` (0, K, 2 K, …), `local:BYTES`, or a number: `2.5f`, `7`. Words that
//! begin with a hyphen are build options. The kernel runs over the range and over one that is twice
//! as long in its last dimension, and the difference is divided by the work-items, so that what
//! starts a program does not count. Of each CPU there is scalar code (`-cl-wfv=never`) and vector
//! code (`-cl-wfv=always`), both without LLVM's vectorizers (`-cl-vec=none`).

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
    let is_option = |word: &&String| word.starts_with("-cl") || word.starts_with("-D");
    let (options, rest): (Vec<&String>, Vec<&String>) = words.iter().partition(is_option);
    let [file, name, local, items, rest @ ..] = &rest[..] else {
        return Err("usage: instructions [OPTION…] FILE.cl KERNEL LOCAL ITEMS ARG…".into());
    };
    let source = std::fs::read_to_string(file)?;
    let (local, global) = (size(local)?, size(items)?);
    let work_dim = items.split('x').count();
    let args = rest.iter().map(|word| parse(word)).collect::<Result<Vec<_>>>()?;
    let options: Vec<&str> = options.into_iter().map(String::as_str).collect();
    let kernel = |wfv: &str| Kernel {
        source: Source::OpenClC(source.clone()),
        name: (*name).clone(),
        options: format!("-cl-std=CL3.0 {} -cl-wfv={wfv} -cl-vec=none", options.join(" ")),
        fuses: false,
    };
    let batch = Batch { kernels: vec![kernel("never"), kernel("always")], small: false };
    let (mut cpus, mut cells) = (vec!["kernel".to_owned()], vec![(*name).clone()]);
    for platform in PLATFORMS.iter().filter(|platform| platform.emulator.is_some()) {
        let linked = batch.link(platform)?;
        linked.widths[1].as_ref().map_err(String::as_str)?;
        for on in platform.runs {
            let per_item = |kernel: usize| -> Result<f64> {
                let launch = Launch {
                    kernel,
                    work_dim: work_dim as u32,
                    global,
                    offset: [0; 3],
                    local,
                    args: args.clone(),
                };
                instructions(&linked, on, launch)
            };
            let bits = if on.bits == 0 { String::new() } else { format!(" {}", on.bits) };
            cpus.push(format!("{}{bits}", platform.name));
            cells.push(format!("{:.1} / {:.1}", per_item(0)?, per_item(1)?));
        }
    }
    println!(
        "| {} |\n| --- |{}\n| {} |",
        cpus.join(" | "),
        " ---: |".repeat(cpus.len() - 1),
        cells.join(" | ")
    );
    Ok(())
}

/// The instructions for a work-item of a launch.
fn instructions(linked: &Linked, on: &Emulated, launch: Launch) -> Result<f64> {
    let mut twice = launch.clone();
    twice.global[launch.work_dim as usize - 1] *= 2;
    let items: usize = launch.global.iter().product();
    let (one, two) = (linked.count_instructions(on, &launch)?, linked.count_instructions(on, &twice)?);
    Ok((two as f64 - one as f64) / items as f64)
}

/// A size in up to three dimensions.
fn size(text: &str) -> Result<[usize; 3]> {
    let mut size = [1; 3];
    for (n, part) in text.split('x').enumerate() {
        *size.get_mut(n).ok_or("a size has at most three dimensions")? = part.parse()?;
    }
    Ok(size)
}

fn parse(word: &str) -> Result<Arg> {
    let random = |i: u32| f64::from(i.wrapping_mul(0x9e37_79b9)) / 4_294_967_296.0;
    let buffer = |n: &str, element: &dyn Fn(u32) -> Vec<u8>| -> Result<Arg> {
        Ok(Arg::Buffer((0..n.parse()?).flat_map(element).collect()))
    };
    match word.split_once(':') {
        Some(("floats", n)) => buffer(n, &|i| (random(i) as f32).to_le_bytes().to_vec()),
        Some(("doubles", n)) => buffer(n, &|i| random(i).to_le_bytes().to_vec()),
        Some(("bytes", n)) => buffer(n, &|i| vec![(random(i) * 256.0) as u8]),
        Some(("ints", n)) => buffer(n, &|i| i.to_le_bytes().to_vec()),
        Some(("multiples", text)) => {
            let (n, of) = text.split_once(':').ok_or("multiples:N:K")?;
            let of: u32 = of.parse()?;
            buffer(n, &|i| (i * of).to_le_bytes().to_vec())
        }
        Some(("local", bytes)) => Ok(Arg::Local(bytes.parse()?)),
        Some(_) => Err(format!("'{word}' is no argument").into()),
        None => Ok(Arg::Bytes(match word.strip_suffix('f') {
            Some(number) => number.parse::<f32>()?.to_le_bytes().to_vec(),
            None => word.parse::<i32>()?.to_le_bytes().to_vec(),
        })),
    }
}
