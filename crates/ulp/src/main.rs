//! `make ulp`: prints the worst error of every function with its argument.

use lanewise_ulp::{Plan, Type, functions, measure};
use std::process::ExitCode;

const USAGE: &str =
    "usage: lanewise-ulp [--full] [--samples N] [--type half|float|double] [--options STRING] [NAME…]
  --full      all 2^32 arguments of the float functions of one argument
  --samples   how many arguments of the others (10,000,000)
  --options   options of the build, such as -cl-fast-relaxed-math
  --markdown  write a table for docs/accuracy.md";

fn main() -> ExitCode {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut plan = Plan { samples: 10_000_000, full: false, vectors: 4800, threads, options: String::new() };
    let mut names: Vec<String> = Vec::new();
    let mut types = Type::ALL.to_vec();
    let mut markdown = false;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_default();
        let understood = match arg.as_str() {
            "--full" => {
                plan.full = true;
                true
            }
            "--markdown" => {
                markdown = true;
                true
            }
            "--samples" => value().parse().map(|samples| plan.samples = samples).is_ok(),
            "--type" => {
                let name = value();
                types.retain(|ty| ty.name() == name);
                !types.is_empty()
            }
            "--options" => {
                plan.options = value();
                // Other builds may round vectors in another way.
                plan.vectors = 0;
                true
            }
            name if !name.starts_with('-') => {
                names.push(name.to_owned());
                true
            }
            _ => false,
        };
        if !understood {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    let functions = functions();
    if let Some(unknown) = names.iter().find(|name| functions.iter().all(|f| f.name != **name)) {
        eprintln!("there is no function {unknown}");
        return ExitCode::from(2);
    }
    let mut failures = 0;
    for ty in types {
        if markdown {
            println!(
                "\n## {}\n\n| function | bar | worst | calls | at |\n| --- | --- | --- | --- | --- |",
                ty.name()
            );
        } else {
            println!("{}", ty.name());
        }
        for function in
            functions.iter().filter(|f| names.is_empty() || names.iter().any(|name| name == f.name))
        {
            let Some(bar) = function.bars[ty as usize] else { continue };
            match measure(function, ty, &plan) {
                Ok(worst) => {
                    let over = worst.error > bar + 1e-9;
                    failures += u32::from(over);
                    let shown = if bar.is_finite() { format!("{bar}") } else { "–".to_owned() };
                    let (name, error, call, calls) = (function.name, worst.error, &worst.call, worst.calls);
                    if markdown {
                        println!("| `{name}` | {shown} | {error:.3} | {calls} | `{call}` |");
                    } else {
                        let mark = if over { " OVER THE BAR" } else { "" };
                        println!("  {name:<14} {shown:>6} {error:>10.4}  {call}{mark}");
                    }
                }
                Err(error) => {
                    failures += 1;
                    let first: Vec<_> = error.lines().take(4).collect();
                    println!("  {:<14} FAILED: {}", function.name, first.join(" | "));
                }
            }
        }
    }
    if failures > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
