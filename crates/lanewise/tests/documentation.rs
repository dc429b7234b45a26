//! The documentation: that it builds where there is no LLVM, as on docs.rs, and that the README
//! shows what is tested here.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A program of the shell's `PATH`.
fn find(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| path.is_file())
}

/// A directory with links to the programs that Rust needs and nothing else: no clang, no
/// llvm-config.
fn bare_path(dir: &Path) -> PathBuf {
    let bin = dir.join("bin");
    let _ = fs::remove_dir_all(&bin);
    fs::create_dir_all(&bin).unwrap();
    // The programs beside cargo are no proxies of rustup, which would look for a home directory.
    let cargo = Path::new(env!("CARGO"));
    for name in ["cargo", "rustc", "rustdoc"] {
        symlink(cargo.with_file_name(name), bin.join(name)).unwrap();
    }
    // The linker, for build scripts.
    for name in ["cc", "ld", "as"] {
        let program = find(name).unwrap_or_else(|| panic!("there is no {name}"));
        symlink(fs::canonicalize(program).unwrap(), bin.join(name)).unwrap();
    }
    bin
}

#[test]
fn the_page_builds_without_llvm() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without-llvm");
    let path = bare_path(&dir);
    let output = Command::new(path.join("cargo"))
        .args(["doc", "-p", "lanewise", "--no-deps", "--features", "docs-only", "--offline", "--locked"])
        .current_dir(ROOT)
        .env("PATH", &path)
        .env("CARGO_TARGET_DIR", dir.join("target"))
        .env("RUSTDOCFLAGS", "-D warnings")
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env_remove("LLVM_SYS_191_PREFIX")
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTC")
        .env_remove("RUSTDOC")
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    assert!(!messages.contains("warning"), "{messages}");
    let page = fs::read_to_string(dir.join("target/doc/lanewise/index.html")).unwrap();
    assert!(page.contains("Program") && page.contains("NdRange"));
}

/// The README cannot hide lines, so that the same code is the first example of the crate, which is
/// run.
#[test]
fn the_readme_shows_the_first_example_of_the_crate() {
    let first_block = |text: &str, fence: &str| -> Vec<String> {
        let lines = text.lines().skip_while(|line| *line != fence).skip(1);
        lines.take_while(|line| !line.starts_with("```")).map(str::to_owned).collect()
    };
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let shown = first_block(&readme, "```rust");
    let page: Vec<_> =
        include_str!("../src/lib.rs").lines().map_while(|line| line.strip_prefix("//!")).collect();
    let page: Vec<_> = page.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let tested = first_block(&page.join("\n"), "```");
    let tested: Vec<_> = tested.into_iter().filter(|line| line != "#" && !line.starts_with("# ")).collect();
    assert!(shown.len() > 5, "the README has no example");
    assert_eq!(shown, tested);
}
