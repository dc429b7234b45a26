//! Takes the code out of the tutorial, for the test that compiles and runs it.

use std::path::Path;

fn main() {
    let page = "../../docs/new-target.md";
    println!("cargo:rerun-if-changed={page}");
    println!("cargo:rerun-if-changed=build.rs");
    let text = std::fs::read_to_string(page).expect("the tutorial is there");
    let mut code = String::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```rust" => inside = true,
            "```" => inside = false,
            line if inside => code += &format!("{line}\n"),
            _ => {}
        }
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("tutorial.rs"), code).expect("OUT_DIR is writable");
}
