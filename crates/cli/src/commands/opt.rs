//! `lanewise opt`: a pipeline of passes over LLVM IR.

use std::time::Duration;

use compiler::{Options, PassMachinery, Target};
use host::HostTarget;
use passes::{Pipeline, Report};

use crate::args::OptArgs;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::show;

pub fn opt(args: &OptArgs) -> Result<()> {
    let mut machinery = machinery()?;
    let pipeline = Pipeline::parse(&args.passes, &machinery.registry)
        .map_err(|why| Error::input(format!("--passes: {why}")))?;
    check_print_after(args, &pipeline, &machinery)?;
    machinery.trace.print_after_all = args.print_after_all;
    machinery.trace.print_after.clone_from(&args.print_after);
    machinery.trace.verify_each = args.verify_each;

    let bytes = args.file.read()?;
    let context = llvm::Context::new();
    let name = args.file.to_string();
    crate::bitcode::check(&name, &bytes)?;
    let module = llvm::Module::parse(&context, &bytes, &name).map_err(Error::input)?;
    module.verify().map_err(|why| Error::input(format!("{name}: the IR is not well-formed: {why}")))?;

    let progress = Progress::start(&format!("running passes over {name}"));
    let report = machinery.manager().run(&pipeline, &module);
    drop(progress);
    let report = report.map_err(|error| Error::input(format!("{name}: {error}")))?;
    if args.time_passes {
        eprint!("{}", table(&report));
    }
    let bitcode = args.output.path().is_some_and(|path| path.extension().is_some_and(|e| e == "bc"));
    args.output.write(&if bitcode { module.to_bitcode() } else { module.to_string().into_bytes() })
}

/// `lanewise opt --list`.
pub fn list_passes() -> Result<()> {
    let machinery = machinery()?;
    let passes: Vec<_> = machinery.registry.list().collect();
    let width = passes.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, summary) in passes {
        text += &format!("{name:width$}  {summary}\n");
    }
    text += &format!("{:width$}  LLVM's passes, in LLVM's own syntax", "llvm(…)");
    show::say(&text)
}

fn machinery() -> Result<PassMachinery> {
    let target = HostTarget::with_builtins();
    target.create_pass_machinery(&Options::default()).map_err(|e| Error::input(e.to_string()))
}

/// A name in `--print-after` that never comes would print nothing, without a word.
fn check_print_after(args: &OptArgs, pipeline: &Pipeline, machinery: &PassMachinery) -> Result<()> {
    let names = pipeline.names();
    let Some(wrong) = args.print_after.iter().find(|name| !names.contains(&name.as_str())) else {
        return Ok(());
    };
    let known = machinery.registry.list().any(|(name, _)| name == wrong);
    let why = if known { "is not in the pipeline" } else { "is no pass" };
    Err(Error::input(format!("--print-after: {wrong} {why}; the pipeline has {}", names.join(", "))))
}

/// One line a pass, in the order they ran, and the sum.
fn table(report: &Report) -> String {
    let total: Duration = report.times.iter().map(|(_, time)| *time).sum();
    let share = |time: Duration| 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
    let mut text = String::from("      time   share  pass\n");
    let rows = report.times.iter().map(|(name, time)| (name.as_str(), *time));
    for (name, time) in rows.chain([("all", total)]) {
        text += &format!("{:>10}  {:5.1} %  {name}\n", show::duration(time), share(time));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up() {
        let times = vec![
            ("a".to_owned(), Duration::from_millis(1)),
            ("llvm(b)".to_owned(), Duration::from_millis(3)),
        ];
        let text = table(&Report { times });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "   1.00 ms   25.0 %  a");
        assert_eq!(lines[3], "   4.00 ms  100.0 %  all");
    }

    #[test]
    fn an_empty_report_divides_by_nothing() {
        assert!(table(&Report::default()).contains("0.0 %  all"));
    }
}
