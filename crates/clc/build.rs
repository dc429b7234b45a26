//! Finds clang's own OpenCL C header, which the crate embeds: an installed driver needs no clang
//! beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

const HEADER: &str = "opencl-c-base.h";

fn output(program: &str, arg: &str) -> Option<String> {
    let out = Command::new(program).arg(arg).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

fn find() -> Option<PathBuf> {
    let from_llvm = output("llvm-config-19", "--libdir").map(|dir| Path::new(&dir).join("clang/19/include"));
    let from_clang = output("clang-19", "-print-resource-dir").map(|dir| Path::new(&dir).join("include"));
    [from_llvm, from_clang].into_iter().flatten().map(|dir| dir.join(HEADER)).find(|path| path.is_file())
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    if std::env::var_os("CARGO_FEATURE_DOCS_ONLY").is_some() {
        std::fs::write(out.join(HEADER), "").expect("OUT_DIR is writable");
        return;
    }
    let Some(header) = find() else {
        panic!("clang 19's {HEADER} was not found: run `make setup`, or install libclang-common-19-dev");
    };
    println!("cargo:rerun-if-changed={}", header.display());
    std::fs::copy(&header, out.join(HEADER)).expect("OUT_DIR is writable");
}
