//! Assembles every `.spvasm` of a folder into another: `cargo run -p lanewise-spirv --example
//! assemble FROM TO`.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(from), Some(to)) = (args.next(), args.next()) else {
        return Err("usage: assemble FROM TO".into());
    };
    std::fs::create_dir_all(&to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_stem().filter(|_| path.extension().is_some_and(|e| e == "spvasm")) else {
            continue;
        };
        let words = lanewise_spirv::assemble(&std::fs::read_to_string(&path)?)
            .map_err(|e| format!("{}: {e}", path.display()))?;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        std::fs::write(Path::new(&to).join(name).with_extension("spv"), bytes)?;
    }
    Ok(())
}
