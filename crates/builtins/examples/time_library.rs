//! How long it takes to open the library and to link what a small kernel needs.

use clc::{Options, Profile};
use llvm::{Context, LinkMode, Module};
use std::time::Instant;

fn main() -> Result<(), String> {
    let source = "kernel void k(global float *p, int n) {
        int i = min((int)get_global_id(0), n);
        p[i] = clamp(p[i], 0.0f, 1.0f);
    }";
    println!("{} bytes", lanewise_builtins::bitcode().len());
    let mut times = Vec::new();
    for _ in 0..50 {
        let context = Context::new();
        let compile = || {
            clc::compile(
                &context,
                source,
                "k.cl",
                Profile::Full,
                &clc::Device::FULL,
                &Options::default(),
                &[],
            )
        };
        let (whole, parts) = (compile(), compile());
        let (whole, parts) = (whole.module.ok_or(whole.log)?, parts.module.ok_or(parts.log)?);
        let start = Instant::now();
        let library = Module::open_bitcode(&context, lanewise_builtins::bitcode())?;
        whole.link(library, LinkMode::OnlyNeeded)?;
        let linked_whole = start.elapsed();
        lanewise_builtins::link(&parts)?;
        times.push((start.elapsed() - linked_whole, linked_whole));
    }
    times.sort();
    let (parts, whole) = times[times.len() / 2];
    println!("median {parts:.2?} by parts, {whole:.2?} with the whole");
    Ok(())
}
