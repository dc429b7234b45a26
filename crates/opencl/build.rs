//! Takes the code out of `docs/new-target.md`, for the test that compiles and runs it.

use std::path::Path;

fn main() {
    let page = "../../docs/new-target.md";
    println!("cargo:rerun-if-changed={page}");
    println!("cargo:rerun-if-changed=build.rs");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    // A package of the driver alone has no documents.
    let text = std::fs::read_to_string(page).unwrap_or_default();
    for (fence, file) in [("```rust", "tutorial.rs"), ("```rust,driver", "driver.rs")] {
        let mut code = String::new();
        let mut inside = false;
        for line in text.lines() {
            match line {
                line if line == fence => inside = true,
                "```" => inside = false,
                line if inside => code += &format!("{line}\n"),
                _ => {}
            }
        }
        std::fs::write(Path::new(&out).join(file), code).expect("OUT_DIR is writable");
    }
}
