//! `make ulp`: prints the worst error of every function with its argument.

use difftest::Result;
use lanewise_ulp::report::{Row, heading, renewed};
use lanewise_ulp::{Plan, Type, functions, measure, relaxed_functions};
use std::process::ExitCode;

const USAGE: &str = "usage: lanewise-ulp [OPTION…] [NAME…]
  --type half|float|double  only the functions of this type
  --samples N     how many arguments are tried (10,000,000)
  --full          all 2^32 arguments of the float functions of one argument
  --options TEXT  options of the build, such as -cl-finite-math-only
  --relaxed       float functions built with -cl-fast-relaxed-math, against the bars of such builds
  --update FILE   renew the rows of docs/accuracy.md as they are measured";

struct Command {
    plan: Plan,
    types: Vec<Type>,
    relaxed: bool,
    update: Option<String>,
    names: Vec<String>,
}

fn command(mut args: impl Iterator<Item = String>) -> Option<Command> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = Plan { samples: 10_000_000, full: false, vectors: 4800, threads, options: String::new() };
    let types = Type::ALL.to_vec();
    let mut command = Command { plan, types, relaxed: false, update: None, names: Vec::new() };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--full" => command.plan.full = true,
            "--relaxed" => {
                command.relaxed = true;
                command.types = vec![Type::Float];
                command.plan.options = "-cl-fast-relaxed-math".to_owned();
            }
            "--update" => command.update = Some(args.next()?),
            "--samples" => command.plan.samples = args.next()?.parse().ok()?,
            "--type" => {
                let name = args.next()?;
                command.types.retain(|ty| ty.name() == name);
            }
            "--options" => command.plan.options = args.next()?,
            name if !name.starts_with('-') => command.names.push(arg),
            _ => return None,
        }
    }
    if !command.plan.options.is_empty() {
        // Other builds may round vectors in another way.
        command.plan.vectors = 0;
    }
    (!command.types.is_empty()).then_some(command)
}

fn update(file: &str, heading: &str, row: &Row) -> Result<()> {
    let at = |error: std::io::Error| format!("{file}: {error}");
    let document = std::fs::read_to_string(file).map_err(at)?;
    Ok(std::fs::write(file, renewed(&document, heading, &row.markdown())?).map_err(at)?)
}

fn main() -> ExitCode {
    let Some(Command { plan, types, relaxed, update: file, names }) = command(std::env::args().skip(1))
    else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let functions = if relaxed { relaxed_functions() } else { functions() };
    if let Some(unknown) = names.iter().find(|name| functions.iter().all(|f| f.name != **name)) {
        eprintln!("there is no function {unknown}");
        return ExitCode::from(2);
    }
    let chosen = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    let mut failures = 0;
    for ty in types {
        let heading = heading(ty, relaxed);
        println!("{}", heading.trim_start_matches("## "));
        for function in functions.iter().filter(|f| chosen(f.name)) {
            let Some(bar) = function.bars[ty as usize] else { continue };
            let told = measure(function, ty, &plan).and_then(|worst| {
                let row = Row::new(function, bar, &worst);
                let mark = if worst.error > bar + 1e-9 { " OVER THE BAR" } else { "" };
                failures += u32::from(!mark.is_empty());
                let Row { name, bar, error, calls, call } = &row;
                println!("  {name:<14} {bar:>6} {error:>10}  {calls:>10}  {call}{mark}");
                file.as_ref().map_or(Ok(()), |file| update(file, &heading, &row))
            });
            if let Err(error) = told {
                failures += 1;
                let error = error.to_string();
                let first: Vec<_> = error.lines().take(4).collect();
                println!("  {:<14} FAILED: {}", function.name, first.join(" | "));
            }
        }
    }
    if failures > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
