//! Prints the module of a file: `cargo run -p lanewise-clc --example dump FILE [build options]`.

use lanewise_clc::{Device, Options, Profile, compile};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: dump FILE [build options]")?;
    let options = Options::parse(&args.collect::<Vec<_>>().join(" "), &[])?;
    let source = std::fs::read(&file)?;
    let source = String::from_utf8_lossy(&source);
    let output =
        compile(&llvm::Context::new(), source.as_bytes(), &file, Profile::Full, &Device::FULL, &options, &[]);
    eprint!("{}", output.log);
    match output.module {
        Some(module) => print!("{module}"),
        None => std::process::exit(1),
    }
    Ok(())
}
