//! `make ulp`: prints the worst error of every function with its argument.

use lanewise_ulp::{Plan, Type, Unit, functions, measure, relaxed_functions};
use std::process::ExitCode;

const USAGE: &str =
    "usage: lanewise-ulp [--full] [--samples N] [--type half|float|double] [--options STRING] [--relaxed] [NAME…]
  --full      all 2^32 arguments of the float functions of one argument
  --samples   how many arguments of the others (10,000,000)
  --options   options of the build, such as -cl-fast-relaxed-math
  --relaxed   float functions built with -cl-fast-relaxed-math, against the bars of such builds
  --markdown  write a table for docs/accuracy.md";

fn main() -> ExitCode {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut plan = Plan { samples: 10_000_000, full: false, vectors: 4800, threads, options: String::new() };
    let mut names: Vec<String> = Vec::new();
    let mut types = Type::ALL.to_vec();
    let (mut markdown, mut relaxed) = (false, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_default();
        let understood = match arg.as_str() {
            "--full" => {
                plan.full = true;
                true
            }
            "--relaxed" => {
                (relaxed, types) = (true, vec![Type::Float]);
                plan.options = "-cl-fast-relaxed-math".to_owned();
                plan.vectors = 0;
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
    let functions = if relaxed { relaxed_functions() } else { functions() };
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
                    let shown = match function.unit {
                        Unit::Absolute => format!("2^{}", bar.log2()),
                        Unit::Ulps(_) => "3 + ⌊2 |x|⌋".to_owned(),
                        Unit::Ulp if bar.is_finite() => format!("{bar}"),
                        Unit::Ulp => "–".to_owned(),
                    };
                    let error = match function.unit {
                        Unit::Absolute => format!("2^{:.1}", worst.error.log2()),
                        Unit::Ulps(_) => format!("{:.2} of it", worst.error),
                        Unit::Ulp => format!("{:.3}", worst.error),
                    };
                    let place = if function.place.is_empty() {
                        String::new()
                    } else {
                        format!(", {}", function.place)
                    };
                    let (name, call, calls) = (function.name, &worst.call, worst.calls);
                    if markdown {
                        println!("| `{name}`{place} | {shown} | {error} | {calls} | `{call}` |");
                    } else {
                        let mark = if over { " OVER THE BAR" } else { "" };
                        println!("  {name:<14} {shown:>6} {error:>10}  {call}{place}{mark}");
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
