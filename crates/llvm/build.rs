//! Compiles the C++ shim against the distribution's LLVM 19 and links clang's library.

use std::process::Command;

fn llvm_config(arg: &str) -> String {
    for name in ["llvm-config-19", "llvm-config"] {
        let Ok(out) = Command::new(name).arg(arg).output() else { continue };
        if out.status.success() {
            return String::from_utf8_lossy(&out.stdout).trim().to_owned();
        }
    }
    panic!("llvm-config-19 was not found: run `make setup`, or install the package llvm-19-dev");
}

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_DOCS_ONLY").is_some() {
        println!("cargo:rustc-env=LANEWISE_LLVM_VERSION=19");
        return;
    }
    let include = llvm_config("--includedir");
    let lib = llvm_config("--libdir");
    let version = llvm_config("--version");
    assert!(version.starts_with("19."), "LLVM 19 is needed, llvm-config says {version}");
    println!("cargo:rustc-env=LANEWISE_LLVM_VERSION={version}");
    shim(&include)
        .flag("-fno-exceptions")
        .files(["shim/llvm.cpp", "shim/clang.cpp"])
        .compile("lanewise_shim");
    // The guard catches `std::bad_alloc`.
    shim(&include).flag("-fexceptions").file("shim/guard.cpp").compile("lanewise_guard");
    println!("cargo:rustc-link-search=native={lib}");
    println!("cargo:rustc-link-lib=dylib=clang-cpp");
    println!("cargo:rustc-link-lib=dylib=LLVM-19");
}

fn shim(include: &str) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .include(include)
        .flag("-fno-rtti")
        .flag("-fvisibility=hidden")
        .flag("-D__STDC_CONSTANT_MACROS")
        .flag("-D__STDC_FORMAT_MACROS")
        .flag("-D__STDC_LIMIT_MACROS")
        .flag("-D_GNU_SOURCE")
        .flag("-O2")
        .debug(false)
        .warnings(false);
    build
}
