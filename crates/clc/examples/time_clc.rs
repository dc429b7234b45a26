//! How long a small kernel takes: `cargo run --release -p lanewise-clc --example time_clc [build
//! options]`.

use lanewise_clc::{Device, Options, Profile, compile};
use std::time::Instant;

const SAXPY: &str = "kernel void saxpy(global float *y, global const float *x, float a, uint n) {
    size_t i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}
";

fn main() {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let options = Options::parse(&text, &[]).unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(2);
    });
    let mut times = Vec::new();
    for _ in 0..50 {
        let start = Instant::now();
        let context = llvm::Context::new();
        let output = compile(&context, SAXPY, "saxpy.cl", Profile::Full, &Device::FULL, &options, &[]);
        times.push(start.elapsed());
        if output.errors != 0 {
            eprintln!("{}", output.log);
            std::process::exit(1);
        }
    }
    let first = times[0];
    times.sort();
    println!("first {first:.2?}, then median {:.2?}, best {:.2?}", times[times.len() / 2], times[0]);
}
